package io.github.vicinal.transport.shm;

import java.util.concurrent.TimeUnit;

/**
 * Learns for one method whether its handler is short enough to run on the receiver's
 * thread, where it holds up all other calls of that client. Thread-safe; concurrent
 * updates may get lost, which changes nothing that matters.
 * <p>
 * A handler is short after {@value #TRIALS} calls in a row that were; one call that takes
 * long enough to matter begins the trials anew, and twice as many are needed.
 */
final class HandlerTimes {

	static final int TRIALS = 32;

	static final int MAX_TRIALS = 1 << 16;

	/** About what handing a call to another thread costs. */
	static final long SHORT_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	/** A call that takes this long holds others up noticeably. */
	static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** What a batch of calls may take on the receiver's thread. */
	static final long BATCH_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private static final int WEIGHT_SHIFT = 4;

	private volatile long mean;

	private volatile int missing = TRIALS;

	private volatile int trials = TRIALS;

	/**
	 * Returns whether a call may run on the receiver's thread.
	 * @param batch how many calls wait for that thread
	 */
	boolean isShort(int batch) {
		long nanos = this.mean;
		return this.missing == 0 && nanos < SHORT_NANOS && nanos * batch < BATCH_NANOS;
	}

	@SuppressWarnings("NonAtomicVolatileUpdate")
	void observe(long nanos) {
		long before = this.mean;
		long after = before + ((Math.min(nanos, LONG_NANOS) - before) >> WEIGHT_SHIFT);
		if (after != before) {
			this.mean = after;
		}
		int left = this.missing;
		if (nanos > LONG_NANOS) {
			if (left == 0) {
				this.trials = Math.min(2 * this.trials, MAX_TRIALS);
			}
			this.missing = this.trials;
		}
		else if (left > 0) {
			this.missing = left - 1;
		}
	}

}
