package io.github.vicinal.placement.solver;

import java.time.Duration;

/** One run of a solver: its clock, and the best that it found. */
final class Search implements Clock {

	private static final long REPORT_NANOS = 250_000_000;

	/** Valuations for which time is reserved, to compare and tidy up at the end. */
	private static final int RESERVED_VALUATIONS = 4;

	private static final double ROUNDING = 1e-12;

	/** Differences below are those of preferences among plans that are worth the same. */
	private static final double SAME = 1e-5;

	/**
	 * Iterations after the bound was met, in multiples of those until then, in which the
	 * search looks for a plan that is worth the same and takes fewer moves.
	 */
	private static final int AFTERWARDS = 2;

	private final Problem problem;

	private final Budget budget;

	private final Progress progress;

	private final long start;

	private final long nanos;

	/** Time for a valuation. */
	private final long valuation;

	/** A lower bound of the objective. */
	private double bound;

	private long reported;

	private long iterations;

	private boolean stopped;

	/** Whether a first full pass was begun, and none has ended. */
	private boolean unfinished;

	private int[] best;

	private Value value;

	/** Iterations until the bound was met, -1 if it is not. */
	private long met = -1;

	Search(Problem problem, Budget budget, Progress progress, int[] first) {
		this(problem, budget, progress, first, System.nanoTime());
	}

	Search(Problem problem, Budget budget, Progress progress, int[] first, long start) {
		this.problem = problem;
		this.budget = budget;
		this.progress = progress;
		this.start = start;
		this.reported = start;
		this.nanos = budget.time().toNanos();
		this.best = first.clone();
		long before = System.nanoTime();
		this.value = problem.value(first);
		this.valuation = System.nanoTime() - before;
		this.bound = problem.bound() + ROUNDING;
		meet();
	}

	/** Returns a clock for what is done before there is a placement. */
	static Clock deadline(Budget budget, long start) {
		long nanos = budget.time().toNanos();
		return (steps) -> budget.cancellation().cancelled() || System.nanoTime() - start >= nanos / 2;
	}

	/** Takes a placement over if it is the best so far. */
	boolean offer(int[] placement) {
		Value offered = this.problem.value(placement);
		if (offered.betterThan(this.value)) {
			this.value = offered;
			this.best = placement.clone();
			meet();
			return true;
		}
		return false;
	}

	/** Begins passes, of which the first one is to end before the budget is used. */
	void begin() {
		this.unfinished = true;
	}

	/** Takes note that a full pass has ended. */
	void passed() {
		this.unfinished = false;
	}

	/** Takes over a lower bound that is higher than the one known so far. */
	void know(double objective) {
		this.bound = Math.max(this.bound, objective + ROUNDING);
		meet();
	}

	private void meet() {
		if (this.met < 0 && this.value.feasible() && this.value.objective() <= this.bound + SAME) {
			this.met = this.iterations;
		}
	}

	@Override
	public boolean expired(long steps) {
		this.iterations += steps;
		if (this.stopped || this.iterations >= this.budget.iterations() || enough()) {
			return true;
		}
		return System.nanoTime() - this.start >= this.nanos - reserve() || ended();
	}

	/** Whether nothing better can be found. */
	private boolean enough() {
		if (!this.value.feasible()) {
			return false;
		}
		if (this.value.objective() <= this.bound) {
			return true;
		}
		return this.met >= 0 && this.iterations > AFTERWARDS * this.met + 100L * this.problem.replicas();
	}

	/**
	 * Returns whether somebody ends this run: its caller, its progress or an interrupt.
	 * Asks for nothing else, and never ends it by time or steps.
	 */
	boolean ended() {
		if (!this.stopped) {
			this.stopped = this.budget.cancellation().cancelled() || Thread.currentThread().isInterrupted();
		}
		long now = System.nanoTime();
		if (!this.stopped && now - this.reported >= REPORT_NANOS) {
			this.reported = now;
			this.stopped = !this.progress.report(Duration.ofNanos(now - this.start), this.iterations, this.value);
		}
		return this.stopped;
	}

	private long reserve() {
		return Math.min(this.nanos / 5, RESERVED_VALUATIONS * this.valuation);
	}

	/** Whether the time that was reserved for the end is over, too. */
	boolean closed() {
		return this.budget.cancellation().cancelled() || System.nanoTime() - this.start >= this.nanos - this.valuation;
	}

	/**
	 * Returns the used part of the budget, between 0 and 1: of steps, if these are
	 * bounded.
	 */
	@Override
	public double used() {
		double byTime = (double) (System.nanoTime() - this.start) / (this.nanos - reserve());
		double bySteps = (double) this.iterations / this.budget.iterations();
		return Math.min(1, (this.budget.iterations() < Long.MAX_VALUE) ? bySteps : byTime);
	}

	int[] best() {
		return this.best;
	}

	long iterations() {
		return this.iterations;
	}

	/** Whether the search was ended from outside. */
	boolean stopped() {
		return this.stopped || this.budget.cancellation().cancelled();
	}

	Value value() {
		return this.value;
	}

	Solution end() {
		return end(this);
	}

	/** Ends with what was found here, which nothing is better than. */
	Solution proven() {
		return end(this.value.feasible() ? this.value.objective() : Double.NaN, BoundMethod.ALL_PLACEMENTS, this);
	}

	/** Ends with what was found here, and with the time and iterations of another run. */
	Solution end(Search other) {
		return end(this.problem.bound(), BoundMethod.UNAVOIDABLE, other);
	}

	/** Ends with what was found here, and with a lower bound. */
	Solution end(double bound, BoundMethod method) {
		return end(bound, method, this);
	}

	private Solution end(double bound, BoundMethod method, Search other) {
		return new Solution(this.best, this.value, bound, method, other.iterations,
				Duration.ofNanos(System.nanoTime() - other.start), other.stopped(), this.unfinished && !enough());
	}

}
