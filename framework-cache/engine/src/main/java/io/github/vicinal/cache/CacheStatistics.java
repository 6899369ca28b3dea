package io.github.vicinal.cache;

/**
 * Counters of a cache.
 *
 * @param hits look-ups that found a value
 * @param misses look-ups that found none
 * @param loadSuccesses loads that returned a value
 * @param loadFailures loads that failed or returned {@code null}
 * @param loadNanos time that loads took in total, in nanoseconds
 * @param puts values that were written, by users and by loads
 * @param evictions entries that were removed to keep the bound, or were not admitted
 * @param evictionWeight their weight; as many as {@code evictions} without a weigher
 * @param expirations entries that were removed because their time had passed
 * @since 0.1.0
 */
public record CacheStatistics(long hits, long misses, long loadSuccesses, long loadFailures, long loadNanos, long puts,
		long evictions, long evictionWeight, long expirations) {

	/**
	 * Returns which part of look-ups found a value.
	 * @return between 0 and 1; 1 if there was no look-up
	 */
	public double hitRatio() {
		long requests = this.hits + this.misses;
		return (requests == 0) ? 1 : (double) this.hits / requests;
	}

}
