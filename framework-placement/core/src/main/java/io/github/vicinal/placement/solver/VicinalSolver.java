package io.github.vicinal.placement.solver;

import java.time.Duration;

/**
 * The framework's own solver.
 *
 * @since 0.1.0
 */
public final class VicinalSolver implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "vicinal";

	/** The part of the time that goes into a lower bound. */
	private static final double BOUND_SHARE = 0.15;

	/** Maximum part of the search's time for trying all placements. */
	private static final double TRYING_SHARE = 0.75;

	/** Time below which all of it goes into the search. */
	private static final Duration SHORT = Duration.ofMillis(200);

	/** Number of services up to which a bound is computed. */
	private static final int MAX_BOUNDED = 200;

	/** Operations of the bound for each iteration of the search, if these are limited. */
	private static final int OPERATIONS = 10;

	private static final int STEPS = 80;

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "multilevel clustering, annealed shifts, swaps and ejections at every level, recombination; enumeration where there is little to place";
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		long start = System.nanoTime();
		boolean bounded = problem.services <= MAX_BOUNDED && problem.communicationWeight > 0
				&& budget.time().compareTo(SHORT) >= 0;
		boolean timed = budget.iterations() == Long.MAX_VALUE;
		Budget searching = !(bounded && timed) ? budget : part(budget, 1 - BOUND_SHARE);
		Rng rng = new Rng(budget.seed());
		int[] first = Spread.place(problem, Search.deadline(searching, start));
		Search search = new Search(problem, searching, progress, first, start);
		if (Enumeration.covers(problem, budget.iterations())) {
			Search all = new Search(problem, timed ? part(searching, TRYING_SHARE) : searching, progress, first, start);
			if (new Enumeration(problem, all).run() && (problem.replicated() || all.value().feasible())) {
				return problem.replicated() ? all.proven() : proven(problem, search, all, rng);
			}
			search.offer(all.best());
		}
		new MultilevelSearch(problem, search, rng).run();
		int[] current = problem.current;
		if (current != null) {
			search.offer(Relabelling.of(problem, search.best(), current, search::closed));
		}
		double bound = problem.bound();
		if (bounded && search.value().feasible() && !search.stopped() && search.value().objective() > bound) {
			long end = start + budget.time().toNanos();
			Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
			bound = timed
					? LowerBound.of(problem, search.best(), left,
							(steps) -> search.ended() || System.nanoTime() - end >= 0)
					: LowerBound.of(problem, search.best(), OPERATIONS * search.iterations(), STEPS, search::ended);
		}
		BoundMethod method = (bound > problem.bound()) ? LowerBound.method(problem) : BoundMethod.UNAVOIDABLE;
		return search.end(bound, method);
	}

	private static Budget part(Budget budget, double part) {
		return new Budget(Duration.ofNanos(Math.max(1, (long) (part * budget.time().toNanos()))), budget.iterations(),
				budget.seed(), budget.cancellation());
	}

	/**
	 * Searches for that one of several best placements that is close to what runs now,
	 * and ends where nothing is better.
	 */
	private static Solution proven(Problem problem, Search search, Search all, Rng rng) {
		search.know(all.value().objective());
		new MultilevelSearch(problem, search, rng).run();
		int[] current = problem.current;
		if (current != null) {
			search.offer(Relabelling.of(problem, search.best(), current, search::closed));
		}
		search.offer(all.best());
		return search.proven();
	}

}
