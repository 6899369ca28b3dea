package io.github.vicinal.requestserver;

import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a turn: it is granted or refused, once. The fields are the queue's
 * and guarded by its lock, except where noted.
 */
abstract class Ticket {

	/** Says that nobody minds how long it takes. */
	static final long NO_DEADLINE = Long.MAX_VALUE;

	private final String channel;

	private final Priority priority;

	/** The time after which a turn is of no use, or {@link #NO_DEADLINE}. */
	private final long deadlineNanos;

	long queuedNanos;

	boolean queued;

	/** Links those that are granted or refused together. */
	@Nullable Ticket next;

	/** Why it is refused; between the queue's decision and its telling. */
	@Nullable Refusal why;

	Ticket(String channel, Priority priority, long deadlineNanos) {
		this.channel = channel;
		this.priority = priority;
		this.deadlineNanos = deadlineNanos;
	}

	String channel() {
		return this.channel;
	}

	Priority priority() {
		return this.priority;
	}

	boolean late(long now) {
		return this.deadlineNanos != NO_DEADLINE && now - this.deadlineNanos >= 0;
	}

	/**
	 * Called without any lock, by whoever gave its turn away; must not block. Not called
	 * if {@link TurnQueue#enter} granted it at once.
	 */
	abstract void granted();

	/** Called as {@link #granted()} is. */
	abstract void refused(Refusal refusal);

}
