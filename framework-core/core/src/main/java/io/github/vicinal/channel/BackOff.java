package io.github.vicinal.channel;

import java.util.concurrent.TimeUnit;

/**
 * Time at which the next attempt to connect paths to a peer may begin. Changed under the
 * peer's lock, read without it.
 */
final class BackOff {

	/** Failure-free period after which the back-off of the next attempt starts anew. */
	private static final long FORGIVE_NANOS = TimeUnit.MINUTES.toNanos(5);

	/** Back-off grows to this multiple of the shortest delay between attempts. */
	private static final int MAX_FACTOR = 64;

	/**
	 * Maximum interval between attempts at instances that are new, or that were forgotten
	 * because too many alternate at the address. A peer that crashes in a loop is
	 * connected within this time after each of its starts.
	 */
	private static final long MAX_NEW_INSTANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Shortest delay between two attempts. */
	private final long delayNanos;

	private volatile long nextAttemptNanos = System.nanoTime();

	private long lastAttemptNanos;

	private long lastFailureNanos;

	private int failures;

	BackOff(long delayNanos) {
		this.delayNanos = delayNanos;
	}

	/** Returns whether an attempt may begin. */
	boolean isOver(long now) {
		return now - this.nextAttemptNanos >= 0;
	}

	/** Notes that an attempt begins. */
	void attempted() {
		this.lastAttemptNanos = System.nanoTime();
	}

	/**
	 * Delays the next attempt after one that failed.
	 * @param retryable whether the next attempt may succeed with the same instance
	 */
	void failed(boolean retryable) {
		int factor = Math.min(1 << Math.min(this.failures++, 30), MAX_FACTOR);
		this.nextAttemptNanos = System.nanoTime() + this.delayNanos * (retryable ? factor : MAX_FACTOR);
	}

	/**
	 * Lets a path be connected in place of one that was open until now. A peer that wants
	 * each of them replaced is connected no more often than other peers.
	 */
	void renewed() {
		long now = System.nanoTime();
		this.nextAttemptNanos = now + Math.max(0, this.lastAttemptNanos + this.delayNanos - now);
	}

	/** Delays the next attempt after a path that was open was lost. */
	void lost() {
		long now = System.nanoTime();
		if (now - this.lastFailureNanos > FORGIVE_NANOS) {
			this.failures = 0;
		}
		this.lastFailureNanos = now;
		failed(true);
	}

	/**
	 * Forgets the failures of other instances.
	 * @param mayBeKnown whether the instance may be one of many that alternate, and was
	 * forgotten
	 */
	void beginAnew(boolean mayBeKnown) {
		long now = System.nanoTime();
		this.failures = 0;
		this.nextAttemptNanos = now;
		if (mayBeKnown) {
			long delay = Math.min(this.delayNanos, MAX_NEW_INSTANCE_NANOS);
			this.nextAttemptNanos = Math.max(0, this.lastAttemptNanos + delay - now) + now;
		}
	}

}
