package io.github.vicinal.requestserver;

import java.util.List;

/**
 * A thread's permit at a {@link RequestServer}, which ends when it is closed. Used by the
 * thread that got it.
 *
 * @since 0.1.0
 */
public final class Permit implements AutoCloseable {

	/** The same thread had a permit already, which lasts longer than this one. */
	static final int NESTED = -1;

	/** The clock was not read when it began. */
	static final int UNTIMED = 0;

	private final RequestServer server;

	private final List<Bulkhead> counted;

	private final Thread owner = Thread.currentThread();

	private final int weight;

	/** Later by the time that it has paused. */
	private long arrivedNanos;

	/** Later by the time that it has paused. */
	private long startedNanos;

	private long pausedNanos;

	private boolean paused;

	private boolean closed;

	/**
	 * Creates a permit.
	 * @param counted what it counts for
	 * @param weight for how many permits its times count, or one of the constants
	 */
	Permit(RequestServer server, List<Bulkhead> counted, long arrivedNanos, long startedNanos, int weight) {
		this.server = server;
		this.counted = counted;
		this.arrivedNanos = arrivedNanos;
		this.startedNanos = startedNanos;
		this.weight = weight;
	}

	/**
	 * Gives the permit to the next waiter while this thread waits for its client. Does
	 * nothing on other threads, if this thread holds another permit that lasts longer, or
	 * once the server is shutting down.
	 * @return whether {@link #resume} must follow
	 * @since 0.1.0
	 */
	public boolean pause() {
		if (Thread.currentThread() != this.owner || this.closed || this.paused || this.weight == NESTED
				|| !this.server.mayPause()) {
			return false;
		}
		this.paused = true;
		this.pausedNanos = (this.weight != UNTIMED) ? this.server.nanoTime() : 0;
		this.server.pause();
		return true;
	}

	/**
	 * Takes the permit again, at once: more requests than the limit may run for a while.
	 * @since 0.1.0
	 */
	public void resume() {
		if (this.paused) {
			this.paused = false;
			this.server.resume();
			if (this.weight != UNTIMED) {
				long nanos = this.server.nanoTime() - this.pausedNanos;
				this.arrivedNanos += nanos;
				this.startedNanos += nanos;
			}
		}
	}

	/** Gives the permit to the next waiter. */
	@Override
	public void close() {
		close(this.weight);
	}

	/**
	 * Gives the permit to the next waiter, because nothing was executed with it. It
	 * counts neither as a completed request nor in any time.
	 * @since 0.1.0
	 */
	public void closeUnused() {
		close(UNTIMED);
	}

	private void close(int recordedWeight) {
		if (!this.closed) {
			resume();
			this.closed = true;
			if (this.weight != NESTED) {
				this.server.leave(this.counted, this.arrivedNanos, this.startedNanos, recordedWeight);
			}
		}
	}

}
