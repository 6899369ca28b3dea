package io.github.vicinal.transport.shm.waiting;

import java.util.concurrent.TimeUnit;

/**
 * Waits awake for as long as that pays, for one side of a channel. A thread that has to
 * wait longer must sleep. Thread-safe.
 * <p>
 * A learned wait follows a table of rules, evaluated in this order:
 * <ol>
 * <li><em>Did the caller ring?</em> Then the server slept, and answers on the processor
 * on which this caller sleeps: sleep at once. If it did not sleep, stay awake, too.</li>
 * <li><em>Sparse traffic:</em> a server that mostly slept long between calls sleeps, and
 * so does a caller that mostly calls after long gaps.</li>
 * <li><em>Rest:</em> while staying awake does not pay, sleep. See {@link Trials}.</li>
 * <li><em>Ban:</em> while other threads want the processors, spin for at most
 * {@value #BANNED_SPIN_NANOS} ns, or {@value #BANNED_LONG_SPIN_NANOS} ns if no recent
 * wait had to sleep, then sleep; while many do, sleep at once. See {@link Bans}.</li>
 * <li><em>Otherwise</em> spin for {@value #SPIN_NANOS} ns, then yield {@value #YIELDS}
 * times, in a trial {@value #TRIAL_YIELDS} times, then sleep. If it is always the first
 * yield that helps, take a nap. See {@link Sharing}.</li>
 * </ol>
 * Virtual threads follow a shorter one: see {@link #awaitVirtually}.
 */
public final class Waiter {

	/**
	 * Time to spin, longer than a short call takes if the server has a processor. An
	 * earlier yield would give up a slice in which thousands of calls could be made.
	 */
	static final long SPIN_NANOS = 11_000;

	/** They take about as long as the two wake-ups that a sleep would cost. */
	static final int YIELDS = 50;

	/**
	 * In a trial the other side, which has slept until now, must have time to wake up.
	 * The waits after that show whether staying awake pays: a wait pays only if it ends
	 * within {@link #YIELDS}.
	 */
	static final int TRIAL_YIELDS = 250;

	private static final int NOT_MET = Integer.MAX_VALUE;

	/** Longer than the other side needs to come back if it has lost nothing. */
	static final long BANNED_SPIN_NANOS = 110_000;

	/**
	 * About a time slice of the kernel, which the other side has lost if it does not
	 * answer although it always did. A thread that sleeps then is woken on the other
	 * side's processor, and the two would compete for it.
	 */
	static final long BANNED_LONG_SPIN_NANOS = 4_000_000;

	private static final int SPINS_PER_LOOK = 32;

	/** A sleep longer than this was not worth staying awake for. */
	private static final long LONG_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

	static final int SPARSE = 5;

	/**
	 * Calls that another thread held up follow at short gaps: that is no trend.
	 */
	static final int MOST_SPARSE = 64;

	private final Processor processor;

	private final boolean server;

	private final Decisions decisions = new Decisions();

	private final Trials trials = new Trials(this.decisions);

	/** Trials of virtual threads, which do not wait as long. */
	private final Trials virtualTrials = new Trials(this.decisions);

	private final Bans bans;

	private final Sharing sharing = new Sharing(this.decisions);

	private int longGaps;

	/**
	 * State of the latest caller. Written only when it changes, because all callers read
	 * it.
	 */
	private volatile Caller lastCaller = Caller.STEADY;

	/** Whether the latest caller was a virtual thread. Written as {@link #lastCaller}. */
	private volatile boolean lastVirtual;

	/**
	 * Creates the waiter of one side.
	 * @param shared what both sides know
	 * @param processor what can be done while waiting
	 * @param processors number of processors
	 * @param server whether this is the side that waits for requests
	 */
	public Waiter(SharedState shared, Processor processor, int processors, boolean server) {
		this.processor = processor;
		this.server = server;
		this.bans = new Bans(shared, processor, processors, this.decisions);
	}

	/**
	 * Waits awake.
	 * @param condition what for
	 * @param history what this waiter remembers
	 * @param rang whether the other side had to be woken for it
	 * @param mode a {@link WaitMode}
	 * @return whether the condition is met; if not, sleep
	 */
	public boolean await(Condition condition, WaitHistory history, boolean rang, long mode) {
		return counted(history, condition.isMet() || (WaitMode.isLearned(mode) ? learned(condition, history, rang)
				: fixed(condition, WaitMode.spins(mode), WaitMode.yields(mode))));
	}

	/**
	 * Waits awake on a virtual thread. A yield there only lets other virtual threads run:
	 * it says nothing about the processors, and frees none for another process. A sleep
	 * is cheap there, and frees the carrier. So this spins for at most
	 * {@value #SPIN_NANOS} ns, and neither bans nor ends a ban. Whether that pays is
	 * counted separately from the waits of other threads.
	 * @param condition what for
	 * @param history what this waiter remembers
	 * @param rang whether the other side had to be woken for it
	 * @param mode a {@link WaitMode}
	 * @return whether the condition is met; if not, sleep
	 */
	public boolean awaitVirtually(Condition condition, WaitHistory history, boolean rang, long mode) {
		if (!WaitMode.isLearned(mode)) {
			return await(condition, history, rang, mode);
		}
		return counted(history, condition.isMet() || spinVirtually(condition, history, rang));
	}

	private boolean spinVirtually(Condition condition, WaitHistory history, boolean rang) {
		long now = this.processor.nanos();
		if (!this.lastVirtual) {
			this.lastVirtual = true;
		}
		boolean banned = this.bans.inForce(now) && this.bans.heavy();
		if (sleepsAtOnce(history, rang, now) || banned || !this.virtualTrials.awake(now)) {
			return false;
		}
		boolean met = spin(condition, now + SPIN_NANOS);
		if (met) {
			this.virtualTrials.succeeded(now);
		}
		else {
			this.virtualTrials.failed(this.processor.nanos());
		}
		return met;
	}

	private static boolean counted(WaitHistory history, boolean met) {
		if (met) {
			history.awake++;
		}
		else {
			history.asleep++;
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

	private boolean learned(Condition condition, WaitHistory history, boolean rang) {
		long now = this.processor.nanos();
		if (this.lastVirtual) {
			this.lastVirtual = false;
		}
		if (this.server ? this.longGaps >= SPARSE : sleepsAtOnce(history, rang, now)) {
			return false;
		}
		if (!this.trials.awake(now)) {
			return false;
		}
		boolean met;
		boolean paid;
		if (!this.bans.banned(now)) {
			if (this.sharing.wantsNap(now)) {
				this.processor.nap();
			}
			boolean spun = spinShortly(condition, now);
			int yields = spun ? 0 : yieldUntil(condition, history);
			met = yields != NOT_MET;
			// A wait that only a trial's longer limit could end awake does not pay.
			paid = met && yields <= YIELDS;
		}
		else if (this.bans.heavy()) {
			return false;
		}
		else {
			met = spin(condition, now + (this.trials.alwaysPaid() ? BANNED_LONG_SPIN_NANOS : BANNED_SPIN_NANOS));
			long end = this.processor.nanos();
			history.ended(end);
			// Two that share a processor would wait like that for each answer.
			paid = met && end - now <= BANNED_SPIN_NANOS;
		}
		if (paid) {
			this.trials.succeeded(now);
		}
		else {
			this.trials.failed(this.processor.nanos());
		}
		return met;
	}

	/** Returns whether a caller sleeps because of what it knows of its own calls. */
	private boolean sleepsAtOnce(WaitHistory history, boolean rang, long now) {
		// Next to competitors the server has often been woken and not run yet, so that a
		// caller did not ring, and has much to lose and little to gain by staying awake.
		Caller known = rang ? Caller.RANG : history.isSparse(now) ? Caller.SPARSE : Caller.STEADY;
		Caller before = this.lastCaller;
		if (before != known) {
			this.lastCaller = known;
			decideSparse(before == Caller.SPARSE, known == Caller.SPARSE, now);
		}
		return known != Caller.STEADY;
	}

	private void decideSparse(boolean before, boolean after, long now) {
		if (before != after) {
			this.decisions.add(after ? Decisions.Kind.SPARSE : Decisions.Kind.STEADY, now, 0, 0);
		}
	}

	/** Counts a gap, if it is long, else counts it off. */
	static int gaps(int before, long nanos) {
		return Math.max(0, Math.min(MOST_SPARSE, before + ((nanos > LONG_GAP_NANOS) ? 1 : -1)));
	}

	private boolean spinShortly(Condition condition, long now) {
		boolean met = spin(condition, now + SPIN_NANOS);
		if (met) {
			this.sharing.spun();
		}
		return met;
	}

	/** Returns the number of yields that it took, or {@link #NOT_MET}. */
	private int yieldUntil(Condition condition, WaitHistory history) {
		int yields = this.trials.trying() ? TRIAL_YIELDS : YIELDS;
		long start = this.processor.nanos();
		for (int i = 1; i <= yields; i++) {
			boolean late = this.bans.yieldIsLate();
			if (condition.isMet()) {
				long end = this.processor.nanos();
				history.ended(end);
				if (i == 1 && end - start > SPIN_NANOS / 2 && !this.bans.crowded()) {
					this.sharing.yielded();
				}
				return i;
			}
			if (late) {
				return NOT_MET;
			}
		}
		return NOT_MET;
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
		int before = this.longGaps;
		int after = gaps(before, nanos);
		this.longGaps = after;
		decideSparse(before >= SPARSE, after >= SPARSE, this.processor.nanos());
	}

	/**
	 * Returns the number of times that this side banned yielding.
	 * @return a count
	 */
	public long bans() {
		return this.bans.count();
	}

	/**
	 * Returns the number of times that this side changed how it waits.
	 * @return a count
	 */
	public long decisions() {
		return this.decisions.count();
	}

	/**
	 * Describes the last decision of this side and its reason, for people.
	 * @return some words with numbers
	 */
	public String lastDecision() {
		return this.decisions.last(this.processor.nanos());
	}

	/**
	 * Describes what this side does now, for people.
	 * @param mode a {@link WaitMode}
	 * @return some words
	 */
	public String describe(long mode) {
		if (!WaitMode.isLearned(mode)) {
			return WaitMode.name(mode) + ": fixed";
		}
		if (this.longGaps >= SPARSE || this.lastCaller == Caller.SPARSE) {
			return "park: calls are rare";
		}
		if (this.lastCaller == Caller.RANG) {
			return "park: calls had to wake the server";
		}
		if (this.lastVirtual) {
			return this.virtualTrials.resting() ? "park: staying awake did not pay" : "spin";
		}
		if (this.trials.resting()) {
			return "park: staying awake did not pay";
		}
		if (this.bans.inForce(this.processor.nanos())) {
			return this.bans.heavy() ? "park: many other threads want the processors"
					: "spin: other threads want the processors";
		}
		return "spin, then yield";
	}

	/** State of a caller, from its own calls. */
	private enum Caller {

		/** The server slept. */
		RANG,

		/** They are rare. */
		SPARSE,

		/** They follow one another. */
		STEADY

	}

}
