package io.github.vicinal.boot.client;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.channel.ChannelReport;

/** Answers calls of one method from a cache, before anything else sees them. */
interface CallCache {

	/**
	 * Returns the cached answer, or makes the call.
	 * @param arguments the arguments; not changed
	 * @param call makes the call
	 * @return what the contract method returns
	 * @throws Throwable what the call would have thrown
	 */
	@Nullable Object call(@Nullable Object[] arguments, Original call) throws Throwable;

	/**
	 * Describes the cache.
	 * @return for the channel's report
	 */
	ChannelReport.CachedMethod report();

}
