package io.github.vicinal.replica;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A mean of latencies, weighted by their age, that rises to each peak at once and decays
 * with time, as in Finagle's load balancer. Thread-safe, lock-free, without allocation.
 */
final class PeakEwma {

	/** Time in which a peak decays to 1/e. */
	private static final double TAU_MILLIS = 10_000;

	/** Cost in nanoseconds (a float) and when it was (milliseconds), in one word. */
	private final AtomicLong state = new AtomicLong();

	void record(float nanos, int millis) {
		while (true) {
			long seen = this.state.get();
			float cost = cost(seen);
			int stamp = (int) seen;
			int next = (seen == 0 || millis - stamp > 0) ? millis : stamp;
			float updated = nanos;
			if (nanos < cost) {
				float weight = decay(next - stamp);
				updated = cost * weight + nanos * (1 - weight);
			}
			if (this.state.compareAndSet(seen, pack(updated, next))) {
				return;
			}
		}
	}

	/** Returns the decayed mean in nanoseconds, 0 if there is none. */
	float nanos(int millis) {
		long seen = this.state.get();
		return cost(seen) * decay(millis - (int) seen);
	}

	private static float decay(int elapsedMillis) {
		return (elapsedMillis <= 0) ? 1 : (float) Math.exp(-elapsedMillis / TAU_MILLIS);
	}

	private static float cost(long state) {
		return Float.intBitsToFloat((int) (state >>> Integer.SIZE));
	}

	private static long pack(float cost, int stamp) {
		return (((long) Float.floatToRawIntBits(cost)) << Integer.SIZE) | (stamp & 0xffff_ffffL);
	}

}
