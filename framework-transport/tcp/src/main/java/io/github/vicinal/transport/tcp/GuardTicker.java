package io.github.vicinal.transport.tcp;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timer of all {@link Guard guards} of one event loop. Each guard ticks once in a
 * period, unless it sleeps. A timer for each of them would wake the loop as often as
 * there are connections; one tick for all would keep other connections waiting while
 * thousands of pings are sent. So a period has up to {@value #MAX_PARTS} ticks, each for
 * a part of the guards. Used by the event loop, except for {@link Entry#remove}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // An event loop that has ended ticks no
												// more.
final class GuardTicker {

	private static final Logger logger = LoggerFactory.getLogger(GuardTicker.class);

	/** Maximum number of guards that tick together. */
	private static final int MAX_TOGETHER = 64;

	private static final int MAX_PARTS = 32;

	private final EventLoop loop;

	private final long periodNanos;

	private final long sleepNanos;

	/** The first to be awake or to have ticked is the first to tick. */
	private final Ring awake = new Ring();

	/** All sleep equally long, so that the first to sleep is the first to wake. */
	private final Ring asleep = new Ring();

	private @Nullable ScheduledFuture<?> next;

	/** When the timer ends. */
	private long nextNanos;

	/**
	 * Creates a ticker without guards, which needs no timer.
	 * @param loop the event loop
	 * @param periodNanos time between two ticks of a guard, in nanoseconds
	 * @param sleepNanos how long a guard sleeps that nothing wakes, in nanoseconds; at
	 * least {@code periodNanos}
	 */
	GuardTicker(EventLoop loop, long periodNanos, long sleepNanos) {
		this.loop = loop;
		this.periodNanos = periodNanos;
		this.sleepNanos = sleepNanos;
	}

	long periodNanos() {
		return this.periodNanos;
	}

	/** Adds a guard, which is awake. */
	Entry add(Guard guard) {
		Entry entry = new Entry(guard);
		entry.moveTo(this.awake, nanoTime() + this.periodNanos);
		schedule();
		return entry;
	}

	private int parts() {
		return Math.min(MAX_PARTS, 1 + (this.awake.size - 1) / MAX_TOGETHER);
	}

	/** Returns the time in nanoseconds, by the clock of the event loop. */
	long nanoTime() {
		return this.loop.ticker().nanoTime();
	}

	/** Makes the timer end when the next guard is due. */
	private void schedule() {
		long now = nanoTime();
		long delay = Long.MAX_VALUE;
		for (Ring ring : new Ring[] { this.awake, this.asleep }) {
			Entry first = ring.first;
			if (first != null) {
				// Those that are due shortly after it tick with it.
				delay = Math.min(delay, Math.max(this.periodNanos / MAX_PARTS, first.dueNanos - now));
			}
		}
		if (delay < Long.MAX_VALUE && (this.next == null || this.nextNanos - now > delay)) {
			cancel();
			this.nextNanos = now + delay;
			this.next = this.loop.schedule(this::tick, delay, TimeUnit.NANOSECONDS);
		}
	}

	private void cancel() {
		if (this.next != null) {
			this.next.cancel(false);
			this.next = null;
		}
	}

	private void tick() {
		this.next = null;
		long now = nanoTime();
		// All at once, which is quick: if they ticked late, they would ask late.
		for (Entry first = this.asleep.due(now); first != null; first = this.asleep.due(now)) {
			first.moveTo(this.awake, now + this.periodNanos);
		}
		int parts = parts();
		// A guard may tick early, so that few of them need one tick in a period.
		long until = now + this.periodNanos / parts;
		// Those that fall asleep meanwhile must not make the others wait longer.
		int share = (this.awake.size + this.asleep.size + MAX_PARTS - 1) / MAX_PARTS;
		int most = Math.min(this.awake.size, Math.max(share, (this.awake.size + parts - 1) / parts));
		for (int left = most; left > 0; left--) {
			Entry first = this.awake.due(until);
			if (first == null) {
				break;
			}
			first.moveTo(this.awake, now + this.periodNanos);
			if (ticked(first.guard, now) && first.ring == this.awake) {
				first.moveTo(this.asleep, now + this.sleepNanos);
			}
		}
		schedule();
	}

	/**
	 * Calls a guard, which may remove itself. One that fails, as without memory for a
	 * ping, is called again after a period: without the timer, no guard of the loop would
	 * notice that its peer is gone.
	 */
	private static boolean ticked(Guard guard, long now) {
		try {
			return guard.tick(now);
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			logger.warn("A connection could not be watched, which is tried again", ex);
			return false;
		}
	}

	/** Called at each tick. */
	interface Guard {

		/**
		 * Checks its connection.
		 * @param now the time in nanoseconds, by the clock of the event loop
		 * @return whether nothing need be checked while the guard sleeps, unless it is
		 * {@linkplain Entry#wake woken}
		 */
		boolean tick(long now);

	}

	/** A guard in a ring. */
	final class Entry {

		private final Guard guard;

		/** Where the guard is, {@code null} once it is removed. */
		private @Nullable Ring ring;

		private Entry previous = this;

		private Entry next = this;

		/** When the guard ticks, or wakes. */
		private long dueNanos;

		private Entry(Guard guard) {
			this.guard = guard;
		}

		boolean isAsleep() {
			return this.ring == GuardTicker.this.asleep;
		}

		long nanoTime() {
			return GuardTicker.this.nanoTime();
		}

		/** Makes a guard tick within a period if it sleeps. */
		void wake() {
			if (isAsleep()) {
				moveTo(GuardTicker.this.awake, nanoTime() + GuardTicker.this.periodNanos);
				schedule();
			}
		}

		/**
		 * Removes the guard. Any thread may do so, and does so later if it is another
		 * one.
		 */
		void remove() {
			if (!GuardTicker.this.loop.inEventLoop()) {
				try {
					GuardTicker.this.loop.execute(this::remove);
				}
				catch (RejectedExecutionException ex) {
					// The loop has ended and ticks no more.
				}
				return;
			}
			unlink();
			if (GuardTicker.this.awake.size == 0 && GuardTicker.this.asleep.size == 0) {
				cancel();
			}
		}

		private void moveTo(Ring to, long due) {
			unlink();
			this.dueNanos = due;
			to.add(this);
		}

		private void unlink() {
			Ring from = this.ring;
			if (from != null) {
				this.ring = null;
				from.unlink(this);
			}
		}

	}

	/**
	 * A list in the order of arrival, and so of due times. Entries are linked to each
	 * other, so that nothing is allocated.
	 */
	private static final class Ring {

		private @Nullable Entry first;

		private int size;

		/** Returns the first entry if it is due at a time. */
		@Nullable Entry due(long nanoTime) {
			Entry first = this.first;
			return (first != null && first.dueNanos - nanoTime <= 0) ? first : null;
		}

		void add(Entry entry) {
			Entry first = this.first;
			if (first == null) {
				this.first = entry;
			}
			else {
				entry.next = first;
				entry.previous = first.previous;
				first.previous.next = entry;
				first.previous = entry;
			}
			entry.ring = this;
			this.size++;
		}

		void unlink(Entry entry) {
			this.size--;
			entry.previous.next = entry.next;
			entry.next.previous = entry.previous;
			if (entry == this.first) {
				this.first = (this.size == 0) ? null : entry.next;
			}
			entry.previous = entry;
			entry.next = entry;
		}

	}

}
