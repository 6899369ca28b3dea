package io.github.vicinal.transport.tcp;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * The timer of all {@link Guard guards} of one event loop. Each guard ticks once in a
 * period. A timer for each of them would wake the loop as often as there are connections;
 * one tick for all would keep other connections waiting while thousands of pings are
 * sent. So a period has up to {@value #MAX_PARTS} ticks, each for a part of the guards.
 * Used by the event loop, except for {@link #remove}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // An event loop that has ended ticks no
												// more.
final class GuardTicker {

	/** Maximum number of guards that tick together. */
	private static final int MAX_TOGETHER = 64;

	private static final int MAX_PARTS = 32;

	private final EventLoop loop;

	private final long periodNanos;

	/** The guard that ticked longest ago comes first. */
	private final Set<Guard> guards = new LinkedHashSet<>();

	private @Nullable ScheduledFuture<?> next;

	/**
	 * Creates a ticker without guards, which needs no timer.
	 * @param loop the event loop
	 * @param periodNanos time between two ticks of a guard, in nanoseconds
	 */
	GuardTicker(EventLoop loop, long periodNanos) {
		this.loop = loop;
		this.periodNanos = periodNanos;
	}

	long periodNanos() {
		return this.periodNanos;
	}

	void add(Guard guard) {
		this.guards.add(guard);
		if (this.next == null) {
			schedule();
		}
	}

	/** Removes a guard. Any thread may do so, and does so later if it is another one. */
	void remove(Guard guard) {
		if (!this.loop.inEventLoop()) {
			try {
				this.loop.execute(() -> remove(guard));
			}
			catch (RejectedExecutionException ex) {
				// The loop has ended and ticks no more.
			}
			return;
		}
		this.guards.remove(guard);
		if (this.guards.isEmpty() && this.next != null) {
			this.next.cancel(false);
			this.next = null;
		}
	}

	private int parts() {
		return Math.min(MAX_PARTS, 1 + (this.guards.size() - 1) / MAX_TOGETHER);
	}

	private void schedule() {
		this.next = this.loop.schedule(this::tick, this.periodNanos / parts(), TimeUnit.NANOSECONDS);
	}

	private void tick() {
		this.next = null;
		long now = System.nanoTime();
		int parts = parts();
		for (int left = (this.guards.size() + parts - 1) / parts; left > 0 && !this.guards.isEmpty(); left--) {
			Iterator<Guard> first = this.guards.iterator();
			Guard guard = first.next();
			first.remove();
			this.guards.add(guard);
			// It may remove itself.
			guard.tick(now);
		}
		if (!this.guards.isEmpty()) {
			schedule();
		}
	}

	/** Called at each tick. */
	interface Guard {

		/**
		 * Checks its connection.
		 * @param nanoTime the time, of {@link System#nanoTime}
		 */
		void tick(long nanoTime);

	}

}
