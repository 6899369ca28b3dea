package io.github.vicinal.boot.client;

import java.lang.reflect.Method;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.contract.Contract;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Makes the caches of methods with {@link CacheableCall}. A bean of this type is present
 * where {@code vicinal-cache} is. Thread-safe.
 *
 * @since 0.1.0
 */
public abstract class CallCaches {

	/**
	 * Creates what makes caches.
	 */
	protected CallCaches() {
	}

	/**
	 * Makes the cache of a method.
	 * @param channel the name of the channel
	 * @param contract the contract of the channel
	 * @param method the method
	 * @param annotation what the method says of its cache
	 * @return the cache
	 * @throws InvalidChannelException if calls of the method cannot be cached
	 */
	protected abstract CallCache create(String channel, Contract contract, CacheableMethod method,
			CacheableCall annotation);

	/**
	 * Returns the cache of a method.
	 * @param caches makes caches, {@code null} if there are none
	 * @param channel the name of the channel
	 * @return the cache, or {@code null} if the method is not cacheable
	 * @throws InvalidChannelException if it says it is, but cannot be
	 */
	static @Nullable CallCache of(@Nullable CallCaches caches, String channel, Contract contract, MethodPlan plan) {
		Method method = plan.method().method();
		CacheableCall annotation = AnnotatedElementUtils.findMergedAnnotation(method, CacheableCall.class);
		if (annotation == null) {
			return null;
		}
		if (caches == null) {
			throw new InvalidChannelException(
					"%s.%s has @CacheableCall, but there are no caches"
						.formatted(method.getDeclaringClass().getSimpleName(), method.getName()),
					"Add the dependency io.github.vicinal:vicinal-cache, or remove @CacheableCall");
		}
		return caches.create(channel, contract, plan, annotation);
	}

}
