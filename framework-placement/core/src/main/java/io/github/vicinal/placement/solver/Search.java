package io.github.vicinal.placement.solver;

import java.time.Duration;

/** One run of a solver: its clock, and the best that it found. */
final class Search implements Clock {

	private static final long REPORT_NANOS = 250_000_000;

	private final Problem problem;

	private final Budget budget;

	private final Progress progress;

	private final long start = System.nanoTime();

	private final long nanos;

	private long reported = this.start;

	private long iterations;

	private boolean stopped;

	private int[] best;

	private Value value;

	Search(Problem problem, Budget budget, Progress progress, int[] first) {
		this.problem = problem;
		this.budget = budget;
		this.progress = progress;
		this.nanos = budget.time().toNanos();
		this.best = first.clone();
		this.value = problem.value(first);
	}

	/** Takes a placement over if it is the best so far. */
	boolean offer(int[] placement) {
		Value offered = this.problem.value(placement);
		if (offered.betterThan(this.value)) {
			this.value = offered;
			this.best = placement.clone();
			return true;
		}
		return false;
	}

	@Override
	public boolean expired(long steps) {
		this.iterations += steps;
		if (this.stopped || this.iterations >= this.budget.iterations()) {
			return true;
		}
		long now = System.nanoTime();
		if (now - this.start >= this.nanos) {
			return true;
		}
		if (now - this.reported >= REPORT_NANOS) {
			this.reported = now;
			this.stopped = Thread.currentThread().isInterrupted()
					|| !this.progress.report(Duration.ofNanos(now - this.start), this.iterations, this.value);
		}
		return this.stopped;
	}

	/**
	 * Returns the used part of the budget, between 0 and 1: of steps, if these are
	 * bounded.
	 */
	@Override
	public double used() {
		double byTime = (double) (System.nanoTime() - this.start) / this.nanos;
		double bySteps = (double) this.iterations / this.budget.iterations();
		return Math.min(1, (this.budget.iterations() < Long.MAX_VALUE) ? bySteps : byTime);
	}

	int[] best() {
		return this.best;
	}

	Value value() {
		return this.value;
	}

	Solution end() {
		return end(this);
	}

	/** Ends with what was found here, which nothing is better than. */
	Solution proven() {
		return new Solution(this.best, this.value, this.value.feasible() ? this.value.objective() : Double.NaN,
				this.iterations, Duration.ofNanos(System.nanoTime() - this.start), this.stopped);
	}

	/** Ends with what was found here, and with the time and iterations of another run. */
	Solution end(Search other) {
		return new Solution(this.best, this.value, Double.NaN, other.iterations,
				Duration.ofNanos(System.nanoTime() - other.start), other.stopped);
	}

}
