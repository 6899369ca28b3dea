package io.github.vicinal.placement.solver;

/**
 * The framework's own solver.
 *
 * @since 0.1.0
 */
public final class VicinalSolver implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "vicinal";

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
		Rng rng = new Rng(budget.seed());
		long start = System.nanoTime();
		Search search = new Search(problem, budget, progress, Spread.place(problem, Search.deadline(budget, start)),
				start);
		boolean proven = problem.replicated() && Enumeration.covers(problem) && new Enumeration(problem, search).run();
		if (proven) {
			return search.proven();
		}
		new MultilevelSearch(problem, search, rng).run();
		int[] current = problem.current;
		if (current != null) {
			search.offer(Relabelling.of(problem, search.best(), current, search::closed));
		}
		return search.end(problem.bound());
	}

}
