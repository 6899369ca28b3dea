package io.github.vicinal.transport.shm.waiting;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Detects competition for the processors by yields that return late, and then bans
 * yielding for a while on both sides of the channel.
 * <p>
 * Two sides that stay awake meet when both have a processor at the same time.
 * <ul>
 * <li>With fewer callers than processors, threads of this channel do not delay one
 * another. A yield counts as late after some milliseconds, a time slice of the kernel. A
 * thread that spins instead keeps its slice, in which thousands of calls fit.</li>
 * <li>With more callers, spinning would take the processor from the channel's own
 * threads. They go on yielding, also to a few competitors.</li>
 * <li>Among many competitors the sides hardly ever meet, while a thread that is woken
 * runs soon, and on the processor of the thread that woke it. A <em>heavy</em> ban
 * therefore forbids waiting awake at all. A yield is not late if the channel's own
 * callers had the processor meanwhile, which the number of served calls shows.</li>
 * </ul>
 * When a ban has ended, one waiter <em>probes</em> with some yields while the ban still
 * holds for all others, since each of them would lose a slice to remaining competitors.
 * Consecutive bans get longer. Thread-safe.
 */
final class Bans {

	/**
	 * Duration from which a yield shows a competitor, with fewer callers than processors.
	 */
	static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/** Duration from which a yield shows a queue of competitors. */
	static final long HEAVY_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

	/** Time that each of the channel's own callers may add to that. */
	static final long HEAVY_NANOS_PER_LANE = TimeUnit.MILLISECONDS.toNanos(2);

	static final long MIN_BAN_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	static final long USUAL_MAX_BAN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

	/** Maximum length of a ban, whatever was measured or written by the other side. */
	static final long MAX_BAN_NANOS = TimeUnit.SECONDS.toNanos(4);

	/** Number of good yields that end a series of bans: the next ban is short again. */
	static final int GOOD_YIELDS = 64;

	/**
	 * Number of good yields that end a ban; a thread that has slept gets one for free.
	 */
	static final int PROBE_YIELDS = 4;

	/** Calls per millisecond below which the time did not go to this channel. */
	private static final double LEAST_OWN_CALLS_PER_MILLI = 100;

	/** The time went to this channel if it served this share of what it can serve. */
	private static final double OWN_SHARE = 0.5;

	/** Decay of the known capacity of the channel: forgotten in about 50 late yields. */
	private static final double FORGET = 0.98;

	/** Length of the first ban, as a multiple of the yield's cost. */
	private static final int FIRST_FACTOR = 8;

	/** The same for heavy bans, and for the longest in a series of others. */
	private static final int LAST_FACTOR = 32;

	private static final long NO_BAN = 0;

	private static final int MAX_LANES = 256;

	private final SharedState shared;

	private final Processor processor;

	private final int processors;

	private final Decisions decisions;

	private final LongAdder count = new LongAdder();

	private int goodYields;

	private double bestCallsPerMilli;

	Bans(SharedState shared, Processor processor, int processors, Decisions decisions) {
		this.shared = shared;
		this.processor = processor;
		this.processors = processors;
		this.decisions = decisions;
	}

	/** Returns whether there are at least as many callers as processors. */
	boolean crowded() {
		return active() >= this.processors;
	}

	/** Returns the number of callers, as far as the other side can be believed. */
	private int active() {
		return Math.max(1, Math.min(this.shared.activeLanes(), MAX_LANES));
	}

	/** Returns whether yielding is banned. */
	boolean inForce(long now) {
		long left = this.shared.bannedUntil() - now;
		// A value beyond the longest ban is invalid; the other side wrote nonsense.
		return left > 0 && left <= MAX_BAN_NANOS;
	}

	/** Returns whether a ban forbids to wait awake, too. */
	boolean heavy() {
		return heavy(this.shared.lateness());
	}

	private boolean heavy(long lateness) {
		return lateness > HEAVY_NANOS + active() * HEAVY_NANOS_PER_LANE;
	}

	/**
	 * Returns whether yielding is banned; if a ban has ended, this waiter may probe.
	 */
	boolean banned(long now) {
		long until = this.shared.bannedUntil();
		if (until == NO_BAN) {
			return false;
		}
		return inForce(now) || !probe(until, now);
	}

	private boolean probe(long until, long now) {
		long period = Math.min(Math.max(this.shared.banPeriod(), MIN_BAN_NANOS), MAX_BAN_NANOS);
		if (!this.shared.claimProbe(until, now + period)) {
			return false;
		}
		for (int i = 0; i < PROBE_YIELDS; i++) {
			if (yieldIsLate(true)) {
				return false;
			}
		}
		this.shared.bannedUntil(NO_BAN);
		this.decisions.add(Decisions.Kind.LIFTED, now, 0, 0);
		return true;
	}

	/**
	 * Yields, and judges how long that took.
	 * @return whether it came back so late that there is a ban
	 */
	boolean yieldIsLate() {
		return yieldIsLate(false);
	}

	private boolean yieldIsLate(boolean probing) {
		long served = this.shared.served();
		long before = this.processor.nanos();
		this.processor.yieldToOthers();
		long after = this.processor.nanos();
		long lateness = after - before;
		// Looked up afterwards: those who had the processor meanwhile may be own callers.
		boolean crowded = lateness >= LATE_NANOS && crowded();
		if (lateness < LATE_NANOS || (crowded && !heavy(lateness))) {
			good();
			return false;
		}
		if (crowded && ownProgress(this.shared.served() - served, lateness)) {
			return false;
		}
		if (probing || !inForce(after)) {
			ban(lateness, after);
		}
		return true;
	}

	private void good() {
		if (++this.goodYields >= GOOD_YIELDS) {
			this.goodYields = 0;
			if (this.shared.banPeriod() != 0 && this.shared.bannedUntil() == NO_BAN) {
				this.shared.banPeriod(0);
			}
		}
	}

	private boolean ownProgress(long calls, long lateness) {
		double callsPerMilli = calls * 1e6 / lateness;
		double best = Math.max(callsPerMilli, FORGET * this.bestCallsPerMilli);
		this.bestCallsPerMilli = best;
		return callsPerMilli > LEAST_OWN_CALLS_PER_MILLI && callsPerMilli > OWN_SHARE * best;
	}

	private synchronized void ban(long lateness, long now) {
		this.goodYields = 0;
		long previous = Math.max(0, Math.min(this.shared.banPeriod(), MAX_BAN_NANOS));
		long longest = Math.max(USUAL_MAX_BAN_NANOS, LAST_FACTOR * lateness);
		boolean heavy = heavy(lateness);
		long period = heavy ? Math.max(2 * previous, longest)
				: Math.min(Math.max(2 * previous, FIRST_FACTOR * lateness), longest);
		period = Math.max(MIN_BAN_NANOS, Math.min(period, MAX_BAN_NANOS));
		this.shared.lateness(lateness);
		this.shared.banPeriod(period);
		this.shared.bannedUntil(now + period);
		this.count.increment();
		this.decisions.add(heavy ? Decisions.Kind.HEAVY_BAN : Decisions.Kind.BAN, now, period, lateness);
	}

	long count() {
		return this.count.sum();
	}

}
