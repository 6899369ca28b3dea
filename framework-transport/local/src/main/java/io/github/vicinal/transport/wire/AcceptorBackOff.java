package io.github.vicinal.transport.wire;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.peer.ResourceLimits;
import org.slf4j.Logger;

/**
 * Slows down a thread that accepts connections while it cannot, as when no file
 * descriptors are left, and bounds what it logs. Used by one thread.
 */
public final class AcceptorBackOff {

	private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Interval between lines in the log. */
	private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Logger logger;

	private long pauseNanos = SHORTEST_NANOS;

	private boolean logged;

	private long loggedNanos;

	/** Failures since the last line in the log. */
	private long unlogged;

	/**
	 * Creates a back-off.
	 * @param logger gets the lines of the thread
	 */
	public AcceptorBackOff(Logger logger) {
		this.logger = logger;
	}

	/** Notes that a connection was accepted. */
	public void accepted() {
		this.pauseNanos = SHORTEST_NANOS;
	}

	/**
	 * Notes a failure and waits.
	 * @param cause the failure
	 */
	public void pauseAfter(Throwable cause) {
		LockSupport.parkNanos(this, failed(cause, System.nanoTime()));
	}

	/**
	 * Notes a failure.
	 * @param cause the failure
	 * @param now the {@link System#nanoTime()} of the failure
	 * @return the time to wait, in nanoseconds
	 */
	public long failed(Throwable cause, long now) {
		this.unlogged++;
		if (!this.logged || now - this.loggedNanos >= LOG_NANOS) {
			log(cause);
			this.logged = true;
			this.loggedNanos = now;
			this.unlogged = 0;
		}
		long pause = this.pauseNanos;
		this.pauseNanos = Math.min(2 * pause, LONGEST_NANOS);
		return pause;
	}

	private void log(Throwable cause) {
		String remedy = ResourceLimits.remedy(cause);
		String todo = remedy.isEmpty() ? "" : ": " + remedy;
		if (this.logged) {
			this.logger.warn(
					"{} attempts to accept a connection failed since the last of these lines, the latest with {}{}",
					this.unlogged, cause, todo);
		}
		else {
			this.logger.warn("A connection could not be accepted: {}{}; further failures are logged once a minute",
					cause, todo);
		}
	}

}
