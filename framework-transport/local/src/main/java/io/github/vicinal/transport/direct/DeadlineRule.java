package io.github.vicinal.transport.direct;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Learns for one method whether calls may run on the caller's thread, where neither a
 * deadline nor an interrupt of the caller can end the wait for them. Thread-safe.
 * <p>
 * A method is trusted after {@value #FIRST_TRIAL} calls in a row that took at most a
 * quarter of the time that was left. A trusted method that takes longer than that is
 * tried anew; one that overruns the deadline must stand twice as many trials as before.
 * <p>
 * A handler that interrupts its own thread would interrupt the caller. One that did so on
 * another thread is never trusted.
 */
final class DeadlineRule {

	static final int FIRST_TRIAL = 32;

	/**
	 * Remaining time that is assumed for a call without a deadline, or with a distant
	 * one.
	 */
	static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

	static final int LONGEST_TRIAL = 1 << 16;

	private static final int SHARE = 4;

	/** Calls that are still to be observed; 0 means that the method is trusted. */
	private final AtomicInteger missing = new AtomicInteger(FIRST_TRIAL);

	private volatile int trial = FIRST_TRIAL;

	boolean trusted() {
		return this.missing.get() == 0;
	}

	/**
	 * Notes that the caller's thread was interrupted during a call on it. The origin of
	 * the interrupt is unknown, so it is kept, and a long trial follows.
	 */
	void interruptedHere() {
		this.trial = Math.max(this.trial, LONGEST_TRIAL);
		this.missing.set(this.trial);
	}

	/** Notes that a handler has interrupted the other thread that it ran on. */
	void interruptedElsewhere() {
		this.trial = Integer.MAX_VALUE;
		this.missing.set(Integer.MAX_VALUE);
	}

	/**
	 * Learns from a call that has ended.
	 * @param tookNanos how long it took
	 * @param remainingNanos how long the caller would have waited
	 */
	void observe(long tookNanos, long remainingNanos) {
		if (tookNanos <= remainingNanos / SHARE) {
			if (this.missing.get() > 0) {
				this.missing.updateAndGet((count) -> Math.max(0, count - 1));
			}
			return;
		}
		if (tookNanos > remainingNanos && trusted()) {
			this.trial = (this.trial < LONGEST_TRIAL) ? this.trial * 2 : this.trial;
		}
		this.missing.set(this.trial);
	}

}
