package io.github.vicinal.transport.shm;

import java.util.concurrent.TimeUnit;

/**
 * Learns for one method whether its handler is short enough to run on the receiver's
 * thread, where it holds up all other calls of that client. Thread-safe; concurrent
 * updates may get lost, which changes nothing that matters.
 * <p>
 * A handler is short after {@value #TRIALS} calls in a row that were. A call that takes
 * long enough to matter begins the trials anew, and twice as many are needed, unless
 * there was none among the {@value #RARE_CALLS} calls before it: then it was held up by
 * something else, such as a garbage collection or another process, and nothing changes.
 * The guard of the receiver's role bounds what such a call does to others.
 */
final class HandlerTimes {

	static final int TRIALS = 32;

	/**
	 * Number of short calls after which long calls count as rare; equals
	 * {@link #RARE_CALLS}.
	 */
	static final int MAX_TRIALS = 1 << 12;

	/**
	 * Interval, in calls, at which a slow method is too rare to show in the p99.9 of
	 * others.
	 */
	static final int RARE_CALLS = 1 << 12;

	/** About what handing a call to another thread costs. */
	static final long SHORT_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	/** A call that takes this long holds others up noticeably. */
	static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** Maximum time of a batch of calls on the receiver's thread. */
	static final long BATCH_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private static final int WEIGHT_SHIFT = 4;

	private volatile long mean;

	private volatile int missing = TRIALS;

	private volatile int trials = TRIALS;

	/** Calls since the last long one, no more than {@link #RARE_CALLS}. */
	private volatile int sinceLong;

	/**
	 * Returns whether a call may run on the receiver's thread.
	 * @param batch number of calls that wait for that thread
	 */
	boolean isShort(int batch) {
		long nanos = this.mean;
		return this.missing == 0 && nanos < SHORT_NANOS && nanos * batch < BATCH_NANOS;
	}

	@SuppressWarnings("NonAtomicVolatileUpdate")
	void observe(long nanos) {
		int since = this.sinceLong;
		if (nanos > LONG_NANOS) {
			if (since < RARE_CALLS) {
				this.trials = (this.missing == 0) ? Math.min(2 * this.trials, MAX_TRIALS) : this.trials;
				this.missing = this.trials;
				learn(LONG_NANOS);
			}
			this.sinceLong = 0;
			return;
		}
		learn(nanos);
		if (since < RARE_CALLS) {
			this.sinceLong = since + 1;
			if (since + 1 == RARE_CALLS) {
				this.trials = TRIALS;
			}
		}
		int left = this.missing;
		if (left > 0) {
			this.missing = left - 1;
		}
	}

	private void learn(long nanos) {
		long before = this.mean;
		long after = before + ((nanos - before) >> WEIGHT_SHIFT);
		if (after != before) {
			this.mean = after;
		}
	}

}
