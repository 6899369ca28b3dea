package io.github.vicinal.transport.shm.waiting;

import java.util.concurrent.locks.LockSupport;

/** Processor and clock as a waiter uses them; simulated in tests. */
public interface Processor {

	/** The processor that this code runs on. */
	Processor REAL = new Processor() {

		@Override
		public long nanos() {
			return System.nanoTime();
		}

		@Override
		public void spin() {
			Thread.onSpinWait();
		}

		@Override
		@SuppressWarnings("ThreadPriorityCheck") // measured: what comes of a yield is the
													// signal
		public void yieldToOthers() {
			Thread.yield();
		}

		@Override
		public void nap() {
			LockSupport.parkNanos(NAP_NANOS);
		}

	};

	/** Short, but long enough that the thread really sleeps. */
	long NAP_NANOS = 10_000;

	/** Returns the time in nanoseconds. */
	long nanos();

	/** Says that this thread waits actively. */
	void spin();

	/** Lets other threads run, if there are any. */
	void yieldToOthers();

	/** Sleeps for a moment, by the clock. */
	void nap();

}
