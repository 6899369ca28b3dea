package io.github.vicinal.transport.rdma;

import java.util.concurrent.TimeUnit;

/** Decides whether a thread without work polls on or sleeps. Used by one thread. */
final class IdleRule {

	private static final long MAX_SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	private static final long MIN_SPIN_NANOS = MAX_SPIN_NANOS / 16;

	/** Factor by which yielding takes longer than polling before it. */
	private static final int YIELDS = 2;

	private static final int FEW_PROCESSORS = 2;

	private final CompletionMode mode;

	private long spinNanos;

	private long idleSince;

	private boolean idle;

	IdleRule(CompletionMode mode, int processors) {
		this.mode = (mode == CompletionMode.ADAPTIVE && processors <= FEW_PROCESSORS) ? CompletionMode.EVENT : mode;
		this.spinNanos = MAX_SPIN_NANOS;
	}

	/** There was work. */
	void worked() {
		if (this.idle) {
			this.idle = false;
			this.spinNanos = Math.min(MAX_SPIN_NANOS, this.spinNanos * 2);
		}
	}

	/**
	 * There was no work. Polls or yields for a moment, if that may pay.
	 * @param now the time, in nanoseconds
	 * @return whether the thread should look again; {@code false} if it should sleep
	 */
	boolean staysAwake(long now) {
		if (this.mode == CompletionMode.EVENT) {
			return false;
		}
		if (!this.idle) {
			this.idle = true;
			this.idleSince = now;
		}
		long waited = now - this.idleSince;
		if (waited < this.spinNanos) {
			Thread.onSpinWait();
			return true;
		}
		if (this.mode == CompletionMode.POLL || waited < this.spinNanos * (1 + YIELDS)) {
			Thread.yield();
			return true;
		}
		this.idle = false;
		this.spinNanos = Math.max(MIN_SPIN_NANOS, this.spinNanos / 2);
		return false;
	}

}
