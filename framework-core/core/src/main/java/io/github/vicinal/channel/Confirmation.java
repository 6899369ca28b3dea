package io.github.vicinal.channel;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides which calls go over HTTP although paths are open, to confirm that the address
 * still leads to the instance that paths lead to. Only HTTP can notice that the address
 * leads elsewhere. Thread-safe, without locks.
 */
final class Confirmation {

	/** Largest mask of random numbers with which calls look at the clock. */
	private static final int MAX_CLOCK_MASK = 15;

	/** Approximate interval between looks at the clock. */
	private static final long CLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Interval between confirmations, 0 for none. */
	private final long intervalNanos;

	/** Time from which the next call goes over HTTP. */
	private final AtomicLong dueNanos = new AtomicLong(Long.MAX_VALUE);

	/** Time at which a request over HTTP last asked for the end of its connection. */
	private final AtomicLong endedConnectionNanos = new AtomicLong(System.nanoTime());

	/** Calls look at the clock if the bits of a random number in this mask are zero. */
	private volatile int clockMask;

	private volatile long clockLookedAt;

	Confirmation(long intervalNanos) {
		this.intervalNanos = intervalNanos;
	}

	/** Notes that an answer over HTTP has named the instance. */
	void confirmed() {
		if (this.intervalNanos > 0) {
			this.dueNanos.set(System.nanoTime() + this.intervalNanos);
		}
	}

	/** Returns whether a call has to go over HTTP. */
	boolean takes(long now, boolean idempotent) {
		long due = this.dueNanos.get();
		if (due == Long.MAX_VALUE) {
			return false;
		}
		// A stale connection is no harm to idempotent calls, so that they come first.
		return now - due >= (idempotent ? -(this.intervalNanos / 4) : 0)
				&& this.dueNanos.compareAndSet(due, now + this.intervalNanos);
	}

	/**
	 * Returns whether a direct call has to go over HTTP. Reading the clock is a part of
	 * what such calls take, so a busy peer does it rarely.
	 */
	boolean takesDirect(boolean idempotent) {
		int mask = this.clockMask;
		if ((mask != 0 && (ThreadLocalRandom.current().nextInt() & mask) != 0)
				|| this.dueNanos.get() == Long.MAX_VALUE) {
			return false;
		}
		long now = System.nanoTime();
		long passed = now - this.clockLookedAt;
		this.clockLookedAt = now;
		int better = (passed > CLOCK_NANOS) ? 0 : Math.min((mask << 1) | 1, MAX_CLOCK_MASK);
		if (better != mask) {
			this.clockMask = better;
		}
		return takes(now, idempotent);
	}

	/** Returns whether requests over HTTP confirm now and then. */
	boolean isOn() {
		return this.intervalNanos > 0;
	}

	/**
	 * Returns whether a request has to ask a peer again that offered no path. Some
	 * requests ask in each interval; all do where nothing is confirmed.
	 */
	boolean asksAgain(long now) {
		return !isOn() || endsConnection(now);
	}

	/**
	 * Returns whether a request that is about to be sent over HTTP has to end its
	 * connection. A connection that is kept leads to the same instance forever, also when
	 * the address leads new ones elsewhere, and confirmations would keep it alive.
	 * Requests of calls that cannot go by other paths count as confirmations, too.
	 */
	boolean endsConnection(long now) {
		if (this.intervalNanos == 0) {
			return false;
		}
		long last = this.endedConnectionNanos.get();
		// Confirmations may come after three quarters of the interval.
		return now - last >= this.intervalNanos / 2 && this.endedConnectionNanos.compareAndSet(last, now);
	}

}
