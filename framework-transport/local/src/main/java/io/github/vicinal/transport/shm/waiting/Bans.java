package io.github.vicinal.transport.shm.waiting;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Notices that somebody else wants the processors, by yields that come back late, and
 * bans yielding for a while on both sides of the channel.
 * <p>
 * A foreign thread that gets the processor keeps it for a slice of some milliseconds,
 * however short the work was that it was given up for. So one late yield is reason enough
 * for a ban. Three things that look the same are told apart: a yield that was late
 * because this channel's own callers made progress meanwhile; one just after a ban, when
 * the late ones are those who spun during the ban; and lateness so large that many
 * threads must be waiting, where only sleeping is right. Thread-safe.
 */
final class Bans {

	/** Later than this was not a colleague. */
	static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/** Later than this is a queue of competitors. */
	static final long HEAVY_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

	static final long MIN_BAN_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	static final long USUAL_MAX_BAN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

	/** No ban is longer, whatever was measured or written by the other side. */
	static final long MAX_BAN_NANOS = TimeUnit.SECONDS.toNanos(4);

	static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

	static final int GOOD_YIELDS = 64;

	/** So many calls per millisecond mean that the time went to this channel. */
	private static final long OWN_CALLS_PER_MILLI = 100;

	private static final int FIRST_FACTOR = 8;

	private static final int LAST_FACTOR = 32;

	/** More bans than this in a second say that learning does not work here. */
	static final int MAX_BANS_PER_SECOND = 30;

	static final long FIRST_FALLBACK_NANOS = TimeUnit.SECONDS.toNanos(2);

	static final long MAX_FALLBACK_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final SharedState shared;

	private final Processor processor;

	private final LongAdder count = new LongAdder();

	private int goodYields;

	private long windowStart;

	private int windowBans;

	private long fallbackNanos = FIRST_FALLBACK_NANOS;

	private volatile long fallbackUntil;

	private volatile boolean fallback;

	Bans(SharedState shared, Processor processor) {
		this.shared = shared;
		this.processor = processor;
	}

	/** Returns whether yielding is banned. */
	boolean banned(long now) {
		long left = this.shared.bannedUntil() - now;
		// More than the longest ban cannot be one: the other side wrote nonsense.
		return left > 0 && left <= MAX_BAN_NANOS;
	}

	/** Returns whether only sleeping is right. */
	boolean heavy() {
		return this.shared.peakLateness() > HEAVY_NANOS;
	}

	/**
	 * Returns whether this caller may try to yield after a heavy ban: one does, and the
	 * others stay banned meanwhile.
	 */
	boolean mayProbe(long now) {
		long until = this.shared.bannedUntil();
		long period = Math.min(Math.max(this.shared.banPeriod(), MIN_BAN_NANOS), MAX_BAN_NANOS);
		return this.shared.claimProbe(until, now + period);
	}

	/** Ends a heavy ban whose probe was good. */
	void lift(long now) {
		this.shared.peakLateness(0);
		this.shared.bannedUntil(now);
	}

	/** Returns whether bans were so frequent that this side only sleeps for a while. */
	boolean fallenBack(long now) {
		if (!this.fallback) {
			return false;
		}
		if (this.fallbackUntil - now > 0) {
			return true;
		}
		this.fallback = false;
		return false;
	}

	/**
	 * Yields, and judges how long that took.
	 * @param crowded whether there are at least as many callers as processors
	 * @return the time after it
	 */
	long yield(boolean crowded) {
		long served = this.shared.served();
		long before = this.processor.nanos();
		this.processor.yieldToOthers();
		long after = this.processor.nanos();
		long lateness = after - before;
		if (lateness < LATE_NANOS) {
			good();
		}
		else if (!crowded || !ownProgress(this.shared.served() - served, lateness)) {
			late(lateness, after);
		}
		return after;
	}

	private void good() {
		if (++this.goodYields >= GOOD_YIELDS) {
			this.goodYields = 0;
			if (this.shared.banPeriod() != 0) {
				this.shared.banPeriod(0);
				this.shared.peakLateness(0);
			}
		}
	}

	private static boolean ownProgress(long calls, long lateness) {
		return calls > lateness / 1_000_000 * OWN_CALLS_PER_MILLI;
	}

	private synchronized void late(long lateness, long now) {
		this.goodYields = 0;
		long until = this.shared.bannedUntil();
		if (now - until < GRACE_NANOS && now - until > -MAX_BAN_NANOS && until != 0 && !heavy()) {
			return;
		}
		long peak = Math.max(this.shared.peakLateness(), lateness);
		long previous = this.shared.banPeriod();
		long longest = Math.max(USUAL_MAX_BAN_NANOS, LAST_FACTOR * lateness);
		long period = (lateness > HEAVY_NANOS) ? longest
				: (previous <= 0) ? Math.max(MIN_BAN_NANOS, FIRST_FACTOR * lateness)
						: Math.min(2 * Math.min(previous, MAX_BAN_NANOS), longest);
		period = Math.min(period, MAX_BAN_NANOS);
		this.shared.peakLateness(peak);
		this.shared.banPeriod(period);
		this.shared.bannedUntil(now + period);
		this.count.increment();
		countForFallback(now);
	}

	private void countForFallback(long now) {
		if (now - this.windowStart > TimeUnit.SECONDS.toNanos(1)) {
			if (this.windowBans < MAX_BANS_PER_SECOND / 2 && now - this.fallbackUntil > this.fallbackNanos) {
				this.fallbackNanos = FIRST_FALLBACK_NANOS;
			}
			this.windowStart = now;
			this.windowBans = 0;
		}
		if (++this.windowBans > MAX_BANS_PER_SECOND) {
			this.fallbackUntil = now + this.fallbackNanos;
			this.fallback = true;
			this.fallbackNanos = Math.min(2 * this.fallbackNanos, MAX_FALLBACK_NANOS);
			this.windowBans = 0;
		}
	}

	long count() {
		return this.count.sum();
	}

}
