package io.github.vicinal.boot.client;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.report.ChannelReport;

/** Answers calls of one method from a cache, before anything else sees them. */
interface CallCache {

	/** A call that may throw anything. */
	@FunctionalInterface
	interface Call {

		/**
		 * Makes the call.
		 * @param answer to be told what came
		 * @return what the contract method returns
		 */
		@Nullable Object proceed(CallAnswer answer) throws Throwable;

	}

	/**
	 * Names a client whose calls are to be answered. Until then none is, nor if one of
	 * the clients cannot be looked into.
	 * @param found what the client adds to requests
	 * @throws InvalidChannelException if the client must not be served from this cache
	 */
	void client(RequestAdditions.Found found);

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
