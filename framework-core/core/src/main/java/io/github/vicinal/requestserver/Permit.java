package io.github.vicinal.requestserver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A thread's permit at a {@link RequestServer}, which ends when it is closed. Only the
 * thread that got it can pause it. Any thread may close it, and only the first call
 * counts.
 *
 * @since 0.1.0
 */
public final class Permit implements AutoCloseable {

	/** The same thread had a permit already, which lasts longer than this one. */
	static final int NESTED = -1;

	/** The clock was not read when it began. */
	static final int UNTIMED = 0;

	private static final int OPEN = 0;

	private static final int PAUSED = 1;

	private static final int CLOSED = 2;

	private static final int RESUMING = 3;

	private static final VarHandle STATE;

	static {
		try {
			STATE = MethodHandles.lookup().findVarHandle(Permit.class, "state", int.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final RequestServer server;

	private final List<Bulkhead> counted;

	private final Thread owner = Thread.currentThread();

	/** Counts of the owner. */
	private final AtomicIntegerArray counts;

	private final int weight;

	/** Later by the time that it has paused. */
	private long arrivedNanos;

	/** Later by the time that it has paused. */
	private long startedNanos;

	private long pausedNanos;

	/** Set before it is closed. */
	private volatile int closedWeight;

	private volatile int state;

	/**
	 * Creates a permit of the calling thread.
	 * @param counted what it counts for
	 * @param counts the counts of the thread
	 * @param weight for how many permits its times count, or one of the constants
	 */
	Permit(RequestServer server, List<Bulkhead> counted, AtomicIntegerArray counts, long arrivedNanos,
			long startedNanos, int weight) {
		this.server = server;
		this.counted = counted;
		this.counts = counts;
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
		if (Thread.currentThread() != this.owner || this.state != OPEN || this.weight == NESTED
				|| !this.server.mayPause()) {
			return false;
		}
		this.pausedNanos = (this.weight != UNTIMED) ? this.server.nanoTime() : 0;
		if (!STATE.compareAndSet(this, OPEN, PAUSED)) {
			this.server.mayNotPause();
			return false;
		}
		this.server.pause();
		return true;
	}

	/**
	 * Takes the permit again, at once: more requests than the limit may run for a while.
	 * @since 0.1.0
	 */
	public void resume() {
		if (STATE.compareAndSet(this, PAUSED, RESUMING)) {
			resumed();
			if (!STATE.compareAndSet(this, RESUMING, OPEN)) {
				// Another thread has closed it meanwhile, and left the end to this one.
				leave(this.closedWeight);
			}
		}
	}

	private void resumed() {
		this.server.resume();
		if (this.weight != UNTIMED) {
			long nanos = this.server.nanoTime() - this.pausedNanos;
			this.arrivedNanos += nanos;
			this.startedNanos += nanos;
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
		int before;
		do {
			before = this.state;
			if (before == CLOSED) {
				return;
			}
			this.closedWeight = recordedWeight;
		}
		while (!STATE.compareAndSet(this, before, CLOSED));
		if (before == RESUMING) {
			return;
		}
		if (before == PAUSED) {
			resumed();
		}
		leave(recordedWeight);
	}

	private void leave(int recordedWeight) {
		if (this.weight == NESTED) {
			return;
		}
		if (Thread.currentThread() == this.owner) {
			ThreadCounts.returned(this.counts);
		}
		else {
			ThreadCounts.returnedElsewhere(this.counts);
		}
		this.server.leave(this.counted, this.arrivedNanos, this.startedNanos, recordedWeight);
	}

}
