package io.github.vicinal.report;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts durations in buckets, a power of two of them for each power of two of
 * nanoseconds. Thread-safe, without allocation; a duration costs one atomic increment.
 *
 * @since 0.1.0
 */
public final class LatencyHistogram {

	/** Durations of an hour and more are counted as one. */
	private static final int LARGEST_EXPONENT = exponent(TimeUnit.HOURS.toNanos(1));

	/** Binary logarithm of the number of buckets per power of two. */
	private final int stepBits;

	private final int smallestExponent;

	private final long smallest;

	private final AtomicLongArray counts;

	private LatencyHistogram(int stepBits, int smallestExponent) {
		this.stepBits = stepBits;
		this.smallestExponent = smallestExponent;
		this.smallest = 1L << smallestExponent;
		this.counts = new AtomicLongArray((LARGEST_EXPONENT - smallestExponent + 1) << stepBits);
	}

	/**
	 * Creates a histogram of 1.3 KB, whose quantiles are at most 25 % above those of the
	 * durations.
	 * @return an empty one
	 */
	public static LatencyHistogram coarse() {
		return new LatencyHistogram(2, 2);
	}

	/**
	 * Creates a histogram of 33 KB, whose quantiles are at most 0.8 % above those of the
	 * durations. Durations below 512 ns are counted as that.
	 * @return an empty one
	 */
	public static LatencyHistogram fine() {
		return new LatencyHistogram(7, 9);
	}

	private static int exponent(long nanos) {
		return Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
	}

	/**
	 * Counts a duration.
	 * @param nanos the duration; one that is negative counts as the smallest
	 */
	public void record(long nanos) {
		this.counts.incrementAndGet(bucket(nanos));
	}

	/**
	 * Counts a duration as several.
	 * @param nanos the duration; one that is negative counts as the smallest
	 * @param times number of times that the duration counts
	 */
	public void record(long nanos, int times) {
		this.counts.addAndGet(bucket(nanos), times);
	}

	private int bucket(long nanos) {
		long counted = Math.max(nanos, this.smallest);
		int exponent = exponent(counted);
		if (exponent > LARGEST_EXPONENT) {
			return this.counts.length() - 1;
		}
		int step = (int) (counted >>> (exponent - this.stepBits)) & ((1 << this.stepBits) - 1);
		return ((exponent - this.smallestExponent) << this.stepBits) + step;
	}

	/**
	 * Returns the number of durations that were counted.
	 * @return a count
	 */
	public long count() {
		long total = 0;
		for (int i = 0; i < this.counts.length(); i++) {
			total += this.counts.get(i);
		}
		return total;
	}

	/**
	 * Returns about what all durations come to.
	 * @return nanoseconds, with the error of half a bucket
	 */
	public double sumNanos() {
		double sum = 0;
		for (int i = 0; i < this.counts.length(); i++) {
			sum += this.counts.get(i) * ((double) lower(i) + lower(i + 1)) / 2;
		}
		return sum;
	}

	/**
	 * Returns the upper bound of the bucket that holds a quantile.
	 * @param quantile from 0 to 1, where 1 stands for the longest duration
	 * @return nanoseconds, 0 if nothing was counted
	 */
	public long quantileNanos(double quantile) {
		long total = count();
		if (total == 0) {
			return 0;
		}
		long rank = Math.max(1, (long) Math.ceil(total * quantile));
		long seen = 0;
		int bucket = -1;
		while (seen < rank && bucket < this.counts.length() - 1) {
			bucket++;
			seen += this.counts.get(bucket);
		}
		return lower(bucket + 1);
	}

	/** Returns the smallest duration of a bucket. */
	private long lower(int bucket) {
		int exponent = (bucket >>> this.stepBits) + this.smallestExponent;
		long step = bucket & ((1 << this.stepBits) - 1);
		return (1L << exponent) + (step << (exponent - this.stepBits));
	}

}
