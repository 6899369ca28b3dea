package io.github.vicinal.choice;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Peak-sensitive moving average, as in Finagle's load balancer: rises immediately to a
 * sample above it and decays with time. It is a cautious estimate of the next call's
 * latency. Thread-safe, lock-free, without allocation.
 * <p>
 * Times may have any unit and origin, if the decay has the same. A clock that goes back
 * counts as one that stands still. Samples have the precision of a {@code float}, and
 * times that of a ten thousandth of the decay, about.
 *
 * @since 0.1.0
 */
public final class PeakEwma {

	/** Usual decay of latencies, the default of Finagle's. */
	public static final int DECAY_SECONDS = 10;

	/** Up to here {@code exp(-x)} and {@code 1 - x} are the same within 0.005 %. */
	private static final double LINEAR = 0.01;

	/** Number of significant bits of the decay in units of {@link #shift}. */
	private static final int DECAY_BITS = 14;

	/** Average (a float) and the time of its last sample, in one word. */
	private final AtomicLong state = new AtomicLong(pack(Float.NaN, 0));

	/** Binary logarithm of the unit in which times are kept. */
	private final int shift;

	/** Decay in that unit. */
	private final double decay;

	/**
	 * Creates an average without samples.
	 * @param decay the time in which the past comes to count 1/e
	 */
	public PeakEwma(long decay) {
		this.shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(decay) - DECAY_BITS);
		this.decay = Math.scalb((double) decay, -this.shift);
	}

	/**
	 * Records a sample.
	 * @param sample a finite number
	 * @param time when it was taken
	 */
	public void record(double sample, long time) {
		float latest = (float) sample;
		int now = (int) (time >> this.shift);
		while (true) {
			long seen = this.state.get();
			float known = average(seen);
			float updated = latest;
			if (latest < known) {
				double past = past(now - (int) seen);
				updated = (float) (known * past + latest * (1 - past));
			}
			if (this.state.compareAndSet(seen, pack(updated, now))) {
				return;
			}
		}
	}

	/** Returns the part that the past still counts after some time. */
	private double past(int elapsed) {
		double passed = Math.max(0, elapsed) / this.decay;
		// The exponential function takes longer than all else here.
		return (passed < LINEAR) ? 1 - passed : Math.exp(-passed);
	}

	/**
	 * Returns the average as it was when the last sample was recorded.
	 * @return in the unit of the samples, {@code NaN} before the first one
	 */
	public double value() {
		return average(this.state.get());
	}

	/**
	 * Returns the average as it has decayed since the last sample.
	 * @param time the time now
	 * @return in the unit of the samples, {@code NaN} before the first one
	 */
	public double value(long time) {
		long seen = this.state.get();
		return average(seen) * past((int) (time >> this.shift) - (int) seen);
	}

	private static float average(long state) {
		return Float.intBitsToFloat((int) (state >>> Integer.SIZE));
	}

	private static long pack(float average, int time) {
		return (((long) Float.floatToRawIntBits(average)) << Integer.SIZE) | (time & 0xffff_ffffL);
	}

}
