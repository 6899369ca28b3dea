package io.github.vicinal.benchmarks.shm;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Callers that share one stream of answers without wake-ups: the lock holder polls for
 * all.
 */
abstract class SharedPoll {

	/** Sixteen longs are two cache lines: callers do not disturb one another. */
	private static final int STRIDE = 16;

	private static final int MAX_CALLERS = 256;

	private final AtomicLongArray answered = new AtomicLongArray(MAX_CALLERS * STRIDE);

	private final int[] lengths = new int[MAX_CALLERS * STRIDE * 2];

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * Polls for answers, and passes each to {@link #answered(int, long, int)}.
	 * @return their number
	 */
	abstract int poll();

	/** Notes an answer. Called by the thread that polls. */
	final void answered(int caller, long sequence, int length) {
		this.lengths[caller * STRIDE * 2] = length;
		this.answered.setRelease(caller * STRIDE, sequence);
	}

	/**
	 * Waits for an answer.
	 * @param caller whose
	 * @param sequence to which request
	 * @param idle what to do between two looks
	 * @return how long it is
	 */
	final int await(int caller, long sequence, Idle idle) {
		while (this.answered.getAcquire(caller * STRIDE) != sequence) {
			int work = 0;
			if (this.lock.tryLock()) {
				try {
					work = poll();
				}
				finally {
					this.lock.unlock();
				}
			}
			idle.idle(work);
		}
		return this.lengths[caller * STRIDE * 2];
	}

	/** Action between two polls. */
	@FunctionalInterface
	interface Idle {

		void idle(int work);

	}

}
