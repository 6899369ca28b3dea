package io.github.vicinal.requestserver;

import org.jspecify.annotations.Nullable;

/**
 * Tickets in the order in which they came, linked by their own fields: any of them is
 * taken out at once, and an empty list keeps no memory however long it was. Not
 * thread-safe.
 */
final class TicketList {

	private @Nullable Ticket first;

	private @Nullable Ticket last;

	private int size;

	@Nullable Ticket first() {
		return this.first;
	}

	@Nullable Ticket last() {
		return this.last;
	}

	int size() {
		return this.size;
	}

	/** Adds a ticket that is in no list. */
	void addLast(Ticket ticket) {
		Ticket before = this.last;
		ticket.previous = before;
		ticket.next = null;
		if (before == null) {
			this.first = ticket;
		}
		else {
			before.next = ticket;
		}
		this.last = ticket;
		this.size++;
	}

	/** Takes out a ticket that is in this list. */
	void remove(Ticket ticket) {
		Ticket before = ticket.previous;
		Ticket after = ticket.next;
		if (before == null) {
			this.first = after;
		}
		else {
			before.next = after;
		}
		if (after == null) {
			this.last = before;
		}
		else {
			after.previous = before;
		}
		ticket.previous = null;
		ticket.next = null;
		this.size--;
	}

}
