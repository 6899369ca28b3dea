package io.github.vicinal.requestserver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Mean and spread of service times. Concurrent updates may get lost; the estimates
 * tolerate that. Thread-safe.
 */
final class ServiceTimes {

	/**
	 * Smallest target: a thread may be this late on an idle machine, without any
	 * overload.
	 */
	private static final long LEAST_TARGET_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** Each service time changes the mean by this part of the difference. */
	private static final int MEAN_WEIGHT = 32;

	/**
	 * The same for the spread, which rests on rare long requests: one of a hundred occurs
	 * two or three times in 256. More would remember another limit for too long.
	 */
	private static final int SPREAD_WEIGHT = 256;

	/** The number of requests in which the smallest mean grows by a factor of e. */
	private static final int FORGETTING = 8192;

	/**
	 * The longest of this number of requests is remembered, and of as many before them.
	 * Of requests that are one in a hundred, 512 contain none once in 170 times.
	 */
	private static final int GENERATION = 512;

	private static final long BRIEF_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	/** The first ones are averaged, so that the mean is right early. */
	private volatile int count;

	private volatile long meanNanos;

	/** The smallest mean, which is forgotten as requests end. */
	private volatile double leastMean;

	private final LongAdder ended = new LongAdder();

	/** First and second moment over a longer time, in ns. */
	private volatile double longMean;

	private volatile double longSquare;

	/** The longest of the present generation, and of the one before it, in ns. */
	private volatile long longest;

	private volatile long longestBefore;

	private volatile int generation;

	/**
	 * Notes a request.
	 * @param nanos how long it took
	 * @param count for how many it stands
	 */
	@SuppressWarnings("NonAtomicVolatileUpdate")
	void record(long nanos, int count) {
		this.ended.add(count);
		// A clock that jumps must not end a request, or say that it took no time at all.
		long took = Math.max(0, nanos);
		int weight = this.count;
		if (weight < SPREAD_WEIGHT) {
			this.count = ++weight;
		}
		long mean = this.meanNanos;
		this.meanNanos = mean + (took - mean) / Math.min(weight, MEAN_WEIGHT);
		double share = 1.0 / weight;
		double longer = this.longMean;
		longer += (took - longer) * share;
		this.longMean = longer;
		double least = this.leastMean;
		this.leastMean = (longer < least || weight <= MEAN_WEIGHT) ? longer : least + least / FORGETTING;
		double square = this.longSquare;
		this.longSquare = square + ((double) took * took - square) * share;
		remember(took);
	}

	@SuppressWarnings("NonAtomicVolatileUpdate")
	private void remember(long took) {
		int number = this.generation + 1;
		if (number >= GENERATION) {
			this.longestBefore = this.longest;
			this.longest = took;
			this.generation = 0;
			return;
		}
		this.generation = number;
		if (took > this.longest) {
			this.longest = took;
		}
	}

	/** Returns the number of requests that have ended. */
	long ended() {
		return this.ended.sum();
	}

	/** Returns the mean of the latest requests. */
	long meanNanos() {
		return this.meanNanos;
	}

	/** Returns the smallest mean of late: what requests take that wait for nothing. */
	double leastMeanNanos() {
		return this.leastMean;
	}

	/** Returns the longest of the last 512 to 1,024 requests. */
	long longestNanos() {
		return Math.max(this.longest, this.longestBefore);
	}

	/**
	 * Returns whether enough requests have ended to distinguish a long one from others.
	 */
	boolean known() {
		return this.count >= MEAN_WEIGHT;
	}

	/**
	 * Returns the squared coefficient of variation: 0 for constant service times, 1 for
	 * exponential ones.
	 */
	double spread() {
		double mean = this.longMean;
		return (mean > 0) ? Math.max(0, this.longSquare / (mean * mean) - 1) : 0;
	}

	/** Returns how long a request may wait without being a sign of overload. */
	long targetNanos() {
		return Math.max(LEAST_TARGET_NANOS, this.meanNanos);
	}

	/**
	 * Returns whether requests are known to take hardly longer than looking at a clock.
	 */
	boolean brief() {
		return this.meanNanos < BRIEF_NANOS && this.count >= MEAN_WEIGHT;
	}

}
