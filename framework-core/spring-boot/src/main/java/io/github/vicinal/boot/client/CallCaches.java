package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;

import io.github.vicinal.boot.contract.ResultShape.Envelope;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.contract.Contract;

/**
 * Makes the caches of cacheable methods. Present where {@code vicinal-cache} is.
 *
 * @since 0.1.0
 */
public abstract class CallCaches {

	CallCaches() {
	}

	/**
	 * Makes the cache of a method whose answers can be cached.
	 * @param name the name of the cache
	 * @param channel the name of the channel
	 */
	abstract CallCache create(String name, String channel, Contract contract, MethodPlan plan,
			CacheableCall annotation);

	/**
	 * What an application has that adds to the requests of all clients.
	 *
	 * @param balancers classes that load balancers ask to change requests
	 * @param baggage names of the headers to which traces add baggage
	 * @since 0.1.0
	 */
	public record Context(List<Class<?>> balancers, List<String> baggage) {

		/** Nothing. */
		public static final Context NOTHING = new Context(List.of(), List.of());

	}

	/** Returns what the application adds to the requests of all clients. */
	abstract Context context();

	/**
	 * Names a client of a channel with cacheable methods.
	 * @param caches makes caches
	 * @param channel the name of the channel
	 * @param cached the caches of its methods
	 * @param interceptors what typed calls of the channel pass
	 * @param proxy the client's proxy, or the factory that makes it
	 * @throws InvalidChannelException if one of the methods must not be cached
	 */
	static void client(@Nullable CallCaches caches, String channel, Collection<CallCache> cached,
			Collection<?> interceptors, Advised proxy) {
		if (caches == null || cached.isEmpty()) {
			return;
		}
		RequestAdditions.Found found = RequestAdditions.of(channel, proxy, interceptors, caches.context());
		cached.forEach((cache) -> cache.client(found));
	}

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
		String where = "%s.%s".formatted(method.getDeclaringClass().getSimpleName(), method.getName());
		if (caches == null) {
			throw new InvalidChannelException(where + " has @CacheableCall, but there are no caches",
					"Add the dependency io.github.vicinal:vicinal-cache, or remove @CacheableCall");
		}
		String reason = whyNot(plan);
		if (reason != null) {
			throw new InvalidChannelException("%s has @CacheableCall, but %s".formatted(where, reason),
					"Remove @CacheableCall, or change the method");
		}
		try {
			Duration lifetime = DurationStyle.detectAndParse(annotation.expireAfterWrite());
			if (lifetime.isZero() || lifetime.isNegative()) {
				throw new IllegalArgumentException("not positive");
			}
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidChannelException(
					"%s has @CacheableCall(expireAfterWrite = \"%s\"), which is not a positive duration"
						.formatted(where, annotation.expireAfterWrite()),
					"Write for example 500ms, 30s or PT5M");
		}
		String name = annotation.cache().isEmpty() ? channel + "." + method.getName() : annotation.cache();
		return caches.create(name, channel, contract, plan, annotation);
	}

	private static @Nullable String whyNot(MethodPlan plan) {
		if (!plan.method().idempotent()) {
			return "%s may not be repeated: say @AffinityChannel(idempotent = YES) if it only reads"
				.formatted(plan.httpMethod());
		}
		if (plan.method().resultType() == void.class) {
			return "it returns nothing";
		}
		String argument = ArgumentKeys.whyNot(plan.method().method());
		if (argument != null) {
			return argument;
		}
		if (plan.shape().timing() == Timing.FLUX) {
			return "a stream of elements is not kept; return a Mono<List<..>>";
		}
		return (plan.shape().envelope() != Envelope.NONE)
				? "only plain values are kept, not an " + plan.shape().envelope().name().toLowerCase(Locale.ROOT)
				: null;
	}

}
