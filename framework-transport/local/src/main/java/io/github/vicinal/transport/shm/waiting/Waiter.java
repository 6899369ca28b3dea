package io.github.vicinal.transport.shm.waiting;

import java.util.concurrent.TimeUnit;

/**
 * Waits awake for as long as that pays, for one side of a channel; who waits longer has
 * to sleep. Thread-safe.
 * <p>
 * A learned wait follows a table of rules. In the order in which they are asked:
 * <ol>
 * <li><em>Did the caller ring?</em> Then the server slept, and answers on the processor
 * on which this caller sleeps: sleep at once. If it did not sleep, stay awake, too.</li>
 * <li><em>Fallback:</em> after too many bans in a second only sleep, for some
 * seconds.</li>
 * <li><em>Sparse traffic:</em> a server that mostly slept long between calls sleeps.</li>
 * <li><em>Score:</em> see {@link Score}.</li>
 * <li><em>Ban:</em> while yielding is banned, spin for at most
 * {@value #BANNED_SPIN_NANOS} ns, and only with few callers and few competitors; after a
 * heavy ban, one caller probes. See {@link Bans}.</li>
 * <li><em>Crowding:</em> with fewer callers than processors, spin shortly, then yield.
 * With up to {@value #MAX_SPINNING_LANES} callers, spin as long as the fairness quantum
 * lasts, then yield. With more, only yield.</li>
 * </ol>
 * Each wait is bounded by time: {@value #AWAKE_NANOS} ns, for a caller times half the
 * number of callers.
 */
public final class Waiter {

	/** About the cost of two wake-ups, which is what a sleep would cost. */
	static final long AWAKE_NANOS = 60_000;

	static final long BANNED_SPIN_NANOS = 110_000;

	static final int MAX_SPINNING_LANES = 16;

	/**
	 * How long all callers together may keep a processor from one that yields.
	 */
	static final long FAIRNESS_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

	private static final int FIRST_SPINS = 200;

	private static final int SPINS_PER_LOOK = 32;

	/** A sleep longer than this was not worth staying awake for. */
	private static final long LONG_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

	private static final int SPARSE = 5;

	private static final int MOST_SPARSE = 8;

	private final SharedState shared;

	private final Processor processor;

	private final int processors;

	private final boolean server;

	private final Bans bans;

	private final Score score = new Score();

	private int longGaps;

	/**
	 * Creates the waiter of one side.
	 * @param shared what both sides know
	 * @param processor what can be done while waiting
	 * @param processors how many processors there are
	 * @param server whether this is the side that waits for requests
	 */
	public Waiter(SharedState shared, Processor processor, int processors, boolean server) {
		this.shared = shared;
		this.processor = processor;
		this.processors = processors;
		this.server = server;
		this.bans = new Bans(shared, processor);
	}

	/**
	 * Waits awake.
	 * @param condition what for
	 * @param turn what this waiter remembers
	 * @param rang whether the other side had to be woken for it
	 * @param mode a {@link WaitMode}
	 * @return whether the condition is met; if not, sleep
	 */
	public boolean await(Condition condition, Turn turn, boolean rang, long mode) {
		boolean met = condition.isMet() || (WaitMode.isLearned(mode) ? learned(condition, turn, rang)
				: fixed(condition, WaitMode.spins(mode), WaitMode.yields(mode)));
		if (met) {
			turn.awake++;
		}
		else {
			turn.asleep++;
		}
		return met;
	}

	private boolean fixed(Condition condition, int spins, int yields) {
		for (int i = 0; i < spins; i++) {
			if (condition.isMet()) {
				return true;
			}
			this.processor.spin();
		}
		for (int i = 0; i < yields; i++) {
			if (condition.isMet()) {
				return true;
			}
			this.processor.yieldToOthers();
		}
		return condition.isMet();
	}

	private boolean learned(Condition condition, Turn turn, boolean rang) {
		if (this.server ? this.longGaps >= SPARSE : rang) {
			return false;
		}
		if (!this.score.tries()) {
			return false;
		}
		long now = this.processor.nanos();
		if (this.bans.fallenBack(now)) {
			return false;
		}
		int active = Math.max(1, Math.min(this.shared.activeLanes(), Long.SIZE * Integer.BYTES));
		boolean banned = this.bans.banned(now);
		boolean met;
		if (banned) {
			if (active > MAX_SPINNING_LANES || this.bans.heavy()) {
				return false;
			}
			met = spin(condition, now + BANNED_SPIN_NANOS);
		}
		else if (this.bans.heavy()) {
			if (!this.bans.mayProbe(now)) {
				return false;
			}
			long before = this.bans.count();
			met = awake(condition, turn, now, active, true);
			if (this.bans.count() == before && turn.offNanos - now > 0) {
				this.bans.lift(turn.offNanos);
			}
		}
		else {
			met = awake(condition, turn, now, active, false);
		}
		if (met) {
			this.score.succeeded();
		}
		else {
			this.score.failed(banned);
			turn.offNanos = this.processor.nanos();
		}
		return met;
	}

	private boolean awake(Condition condition, Turn turn, long start, int active, boolean probing) {
		long end = start + (this.server ? AWAKE_NANOS : AWAKE_NANOS * Math.max(1, active / 2));
		boolean crowded = active >= this.processors;
		long bansBefore = probing ? this.bans.count() : 0;
		if (!crowded) {
			for (int i = 0; i < FIRST_SPINS; i++) {
				this.processor.spin();
				if (condition.isMet()) {
					return true;
				}
			}
		}
		long quantum = (crowded && active <= MAX_SPINNING_LANES) ? FAIRNESS_NANOS / active : 0;
		long now = start;
		while (now - end < 0) {
			if (now - turn.offNanos < quantum) {
				if (spinOnce(condition)) {
					return true;
				}
				now = this.processor.nanos();
			}
			else {
				now = this.bans.yield(crowded);
				turn.offNanos = now;
				if (condition.isMet()) {
					return true;
				}
				if (probing ? this.bans.count() != bansBefore : this.bans.banned(now)) {
					return false;
				}
			}
		}
		return false;
	}

	private boolean spin(Condition condition, long end) {
		do {
			if (spinOnce(condition)) {
				return true;
			}
		}
		while (this.processor.nanos() - end < 0);
		return false;
	}

	private boolean spinOnce(Condition condition) {
		for (int i = 0; i < SPINS_PER_LOOK; i++) {
			if (condition.isMet()) {
				return true;
			}
			this.processor.spin();
		}
		return condition.isMet();
	}

	/**
	 * Learns from a sleep of the server between two calls.
	 * @param nanos how long it was
	 */
	public void slept(long nanos) {
		int gaps = this.longGaps + ((nanos > LONG_GAP_NANOS) ? 1 : -2);
		this.longGaps = Math.max(0, Math.min(MOST_SPARSE, gaps));
	}

	/**
	 * Returns how often yielding was banned by this side.
	 * @return a count
	 */
	public long bans() {
		return this.bans.count();
	}

	/**
	 * Says what this side does now, for people.
	 * @param mode a {@link WaitMode}
	 * @return some words
	 */
	public String describe(long mode) {
		if (!WaitMode.isLearned(mode)) {
			return WaitMode.name(mode) + ": fixed";
		}
		long now = this.processor.nanos();
		if (this.bans.fallenBack(now)) {
			return "park: yields kept coming back late";
		}
		if (this.longGaps >= SPARSE) {
			return "park: calls are rare";
		}
		if (this.bans.banned(now)) {
			return this.bans.heavy() ? "park: many other threads want the processors"
					: "spin: other threads want the processors";
		}
		if (this.score.value() < Score.WORST) {
			return "park: staying awake did not pay";
		}
		int active = this.shared.activeLanes();
		return (active < this.processors) ? "spin, then yield"
				: (active <= MAX_SPINNING_LANES) ? "spin and yield in turns" : "yield";
	}

}
