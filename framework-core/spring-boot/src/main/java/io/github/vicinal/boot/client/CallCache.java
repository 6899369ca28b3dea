package io.github.vicinal.boot.client;

import java.util.Collection;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;

/**
 * Answers calls of one method from a cache, before anything else sees them. Thread-safe.
 *
 * @since 0.1.0
 */
public interface CallCache {

	/**
	 * A call that may throw anything.
	 *
	 * @since 0.1.0
	 */
	@FunctionalInterface
	interface Call {

		/**
		 * Makes the call.
		 * @param answer receives the answer
		 * @return what the contract method returns
		 * @throws Throwable what the HTTP call would have thrown
		 */
		@Nullable Object proceed(CallAnswer answer) throws Throwable;

	}

	/**
	 * Names a client whose calls are to be answered. No call is answered before that, nor
	 * if one of the clients cannot be inspected.
	 * @param interceptors the interceptors that typed calls of the channel pass
	 * @param proxy the client's proxy, or the factory that makes it
	 * @throws InvalidChannelException if the client must not be served from this cache
	 */
	void client(Collection<?> interceptors, Advised proxy);

	/**
	 * Returns the cached answer, or makes the call.
	 * @param arguments the arguments; not changed
	 * @param call makes the call
	 * @return what the contract method returns
	 * @throws Throwable what the call would have thrown
	 */
	@Nullable Object call(@Nullable Object[] arguments, Call call) throws Throwable;

	/**
	 * Describes the cache.
	 * @return for the channel's report
	 */
	ChannelReport.CachedMethod report();

}
