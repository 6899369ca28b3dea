package io.github.vicinal.replica;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Means and mean deviations of latencies in cells. The weight of a cell is how many
 * samples it has, decaying with their age. Ages are in ticks of the
 * {@link ReplicaChoice}, which are about calls. Thread-safe, lock-free, without
 * allocation: the two words of a cell are each updated as a whole, and may be one sample
 * apart.
 */
final class LatencyEstimates {

	/** Age in ticks at which a sample counts 1/e. */
	private static final double TAU = 2_048;

	/** Largest number of samples that a cell is the mean of. */
	private static final float MAX_SAMPLES = 128;

	/** Number of samples from which a single sample hardly changes the mean. */
	private static final float KNOWN = 8;

	/**
	 * Maximum value of a sample, in means, so that one pause is not remembered.
	 */
	private static final float CLIP = 16;

	/**
	 * Distance below the mean, in mean deviations, from which a sample makes the others
	 * count less.
	 */
	private static final float SURPRISE_DEVIATIONS = 4;

	private static final float KEPT_AT_SURPRISE = 0.25f;

	/** Mean deviations that are added to the mean. */
	private static final float TAIL_DEVIATIONS = 2;

	/** Mean and mean deviation in nanoseconds, two floats. */
	private final AtomicLongArray values;

	/** Weight (a float) and when it was (ticks). */
	private final AtomicLongArray weights;

	LatencyEstimates(int cells) {
		this.values = new AtomicLongArray(cells);
		this.weights = new AtomicLongArray(cells);
	}

	void record(int cell, float nanos, int tick) {
		float weight = weigh(cell, tick, isSurprise(cell, nanos) ? KEPT_AT_SURPRISE : 1);
		float alpha = Math.max(1 / weight, 1 / MAX_SAMPLES);
		while (true) {
			long seen = this.values.get(cell);
			long updated = (seen == 0) ? pack(nanos, nanos / 2) : update(seen, nanos, weight, alpha);
			if (this.values.compareAndSet(cell, seen, updated)) {
				return;
			}
		}
	}

	private static long update(long seen, float nanos, float weight, float alpha) {
		float mean = high(seen);
		float deviation = low(seen);
		float sample = (weight > KNOWN) ? Math.min(nanos, CLIP * mean) : nanos;
		float off = sample - mean;
		return pack(mean + alpha * off, deviation + alpha * (Math.abs(off) - deviation));
	}

	/** Returns whether what is known is probably over: it has become much better. */
	private boolean isSurprise(int cell, float nanos) {
		long seen = this.values.get(cell);
		return nanos < high(seen) - SURPRISE_DEVIATIONS * low(seen);
	}

	/** Counts a sample; returns the weight with it. */
	private float weigh(int cell, int tick, float kept) {
		while (true) {
			long seen = this.weights.get(cell);
			int stamp = (int) seen;
			int next = (seen == 0 || tick - stamp > 0) ? tick : stamp;
			float weight = high(seen) * kept * decay(next - stamp) + 1;
			if (this.weights.compareAndSet(cell, seen, packed(weight, next))) {
				return weight;
			}
		}
	}

	/** Returns the number of samples that the cell still stands for. */
	float weight(int cell, int tick) {
		long seen = this.weights.get(cell);
		return (seen == 0) ? 0 : high(seen) * decay(tick - (int) seen);
	}

	/** Returns the mean in nanoseconds, 0 if there is none. */
	float mean(int cell) {
		return high(this.values.get(cell));
	}

	/** Returns what latency to expect in nanoseconds, 0 if nothing is known. */
	float tail(int cell) {
		long seen = this.values.get(cell);
		return high(seen) + TAIL_DEVIATIONS * low(seen);
	}

	/** Returns the mean deviation in nanoseconds, 0 if nothing is known. */
	float deviation(int cell) {
		return low(this.values.get(cell));
	}

	private static float decay(int elapsed) {
		return (elapsed <= 0) ? 1 : (float) Math.exp(-elapsed / TAU);
	}

	private static float high(long word) {
		return Float.intBitsToFloat((int) (word >>> Integer.SIZE));
	}

	private static float low(long word) {
		return Float.intBitsToFloat((int) word);
	}

	private static long pack(float high, float low) {
		return packed(high, Float.floatToRawIntBits(low));
	}

	private static long packed(float high, int low) {
		return (((long) Float.floatToRawIntBits(high)) << Integer.SIZE) | (low & 0xffff_ffffL);
	}

}
