package io.github.vicinal.selection;

import java.util.concurrent.TimeUnit;

/**
 * The load that what is known of paths is stated for, as the calls of one class of sizes
 * see it: calls in flight, in blocks of at least {@value #SAMPLES} timed calls and
 * {@value #MILLIS} ms. It has changed for good when two blocks that follow one another
 * agree that it has, at most once in a while. Not thread-safe.
 */
final class LoadBlocks {

	private static final int SAMPLES = 8;

	private static final int MILLIS = 5;

	private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(MILLIS);

	/** A load is another one if it is so many times as large or small. */
	private static final double CHANGE = 1.5;

	private double sum;

	private int samples;

	private long since;

	/** The mean of the last block, 0 before the first one. */
	private double last;

	private double stated;

	private long statedAt;

	/** Returns the load that costs are stated for, 0 before the first blocks. */
	double stated() {
		return this.stated;
	}

	/**
	 * Records the load at the end of a timed call.
	 * @param inFlight calls in flight, this one included
	 * @param now the time
	 * @param leastNanos the least time between two changes
	 * @return whether {@link #stated()} has changed, and was known before
	 */
	boolean record(double inFlight, long now, long leastNanos) {
		if (this.samples == 0) {
			this.since = now;
		}
		this.sum += inFlight;
		long lasts = now - this.since;
		if (++this.samples < SAMPLES || (lasts >= 0 && lasts < NANOS)) {
			return false;
		}
		double before = this.last;
		this.last = this.sum / this.samples;
		this.sum = 0;
		this.samples = 0;
		boolean settled = before > 0 && !isChange(before, this.last);
		boolean known = this.stated > 0;
		if (!settled || (known && !(isChange(this.stated, before) && isChange(this.stated, this.last)))) {
			return false;
		}
		long stands = now - this.statedAt;
		if (known && stands >= 0 && stands < leastNanos) {
			return false;
		}
		this.stated = (before + this.last) / 2;
		this.statedAt = now;
		return known;
	}

	private static boolean isChange(double from, double to) {
		return Math.max(from, to) >= CHANGE * Math.min(from, to);
	}

}
