package io.github.vicinal.requestserver;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A request for a permit, which is granted or rejected once. The fields are the queue's
 * and guarded by its lock, except where noted.
 */
abstract class Ticket {

	/** Says that nobody minds how long it takes. */
	static final long NO_DEADLINE = Long.MAX_VALUE;

	private final String channel;

	/** Bulkheads in which the request counts. */
	private final List<Bulkhead> bulkheads;

	private final Priority priority;

	/** The time after which a permit is of no use, or {@link #NO_DEADLINE}. */
	private final long deadlineNanos;

	long queuedNanos;

	boolean queued;

	/** Links those that wait; then, those that are granted or rejected together. */
	@Nullable Ticket next;

	/** The one before it among those that wait. */
	@Nullable Ticket previous;

	/** Why it is rejected; from the queue's decision until the ticket is notified. */
	@Nullable PendingRejection why;

	Ticket(String channel, List<Bulkhead> bulkheads, Priority priority, long deadlineNanos) {
		this.channel = channel;
		this.bulkheads = bulkheads;
		this.priority = priority;
		this.deadlineNanos = deadlineNanos;
	}

	String channel() {
		return this.channel;
	}

	List<Bulkhead> bulkheads() {
		return this.bulkheads;
	}

	Priority priority() {
		return this.priority;
	}

	boolean late(long now) {
		return this.deadlineNanos != NO_DEADLINE && now - this.deadlineNanos >= 0;
	}

	/**
	 * Called without any lock, by the thread that gave its permit away; must not block.
	 * Not called if {@link PermitQueue#enter} granted it at once.
	 */
	abstract void granted();

	/** Called as {@link #granted()} is. */
	abstract void rejected(Rejection rejection);

}
