package io.github.vicinal.transport.shm.waiting;

/**
 * Learns whether staying awake pays on this side, a ski rental problem. A wait that ends
 * awake within the time that a usual wait has counts 1, all others count -1; below
 * {@value #WORST} all waiters of this side sleep at once, and <em>rest</em> so.
 * <p>
 * After a rest comes a <em>trial</em> of {@value #TRIAL_NANOS} ns, in which failures are
 * borne: long enough for the kernel to move apart two threads that kept each other from
 * one processor. If it paid, waiters stay awake; if not, the next rest is twice as long,
 * up to {@value #LONGEST_REST_NANOS} ns.
 * <p>
 * Thread-safe: concurrent updates may get lost, which the rule tolerates. In a steady
 * state nothing is written, so that callers on different processors do not slow one
 * another.
 */
final class Trials {

	static final int BEST = 8;

	static final int WORST = -8;

	static final long TRIAL_NANOS = 16_000_000;

	static final long FIRST_REST_NANOS = 16_000_000;

	static final long LONGEST_REST_NANOS = 1_000_000_000;

	private final Decisions decisions;

	private int score;

	private boolean resting;

	private boolean trying;

	private long restNanos = FIRST_REST_NANOS;

	/** End of the rest or of the trial. */
	private long until;

	Trials(Decisions decisions) {
		this.decisions = decisions;
	}

	/** Returns whether a wait should begin awake. */
	boolean awake(long now) {
		if (!this.resting) {
			return true;
		}
		if (this.until - now > 0) {
			return false;
		}
		this.until = now + TRIAL_NANOS;
		this.score = 0;
		this.trying = true;
		this.resting = false;
		return true;
	}

	/** Returns whether the latest waits all ended while their waiters were awake. */
	boolean alwaysPaid() {
		return this.score >= BEST;
	}

	/** Notes a wait that ended awake, in the time that a usual wait has. */
	void succeeded(long now) {
		int before = this.score;
		if (before < BEST) {
			this.score = before + 1;
		}
		else if (this.trying) {
			this.trying = false;
			this.restNanos = FIRST_REST_NANOS;
			this.decisions.add(Decisions.Kind.AWAKE, now, 0, 0);
		}
	}

	/** Notes a wait that ended in sleep, or awake in a time that only a trial has. */
	void failed(long now) {
		int after = Math.max(WORST, this.score) - 1;
		this.score = after;
		if (after < WORST && !this.resting && !(this.trying && this.until - now > 0)) {
			rest(now);
		}
	}

	private void rest(long now) {
		if (this.trying) {
			this.trying = false;
			this.restNanos = Math.min(2 * this.restNanos, LONGEST_REST_NANOS);
		}
		this.until = now + this.restNanos;
		this.resting = true;
		this.decisions.add(Decisions.Kind.REST, now, this.restNanos, 0);
	}

	boolean trying() {
		return this.trying;
	}

	boolean resting() {
		return this.resting;
	}

}
