package io.github.vicinal.placement.solver;

/**
 * Finds a placement. Implementations have no state: one may be used by many threads.
 *
 * @since 0.1.0
 */
public interface PlacementSolver {

	/**
	 * Returns the name on the command line and in reports.
	 * @return a lower-case name
	 */
	String name();

	/**
	 * Returns what the solver does.
	 * @return one sentence without a full stop
	 */
	String description();

	/**
	 * Returns whether the solver knows all that the problem has. The algorithms of papers
	 * know single replicas and capacities, and no other rule.
	 * @param problem what to place where
	 * @return whether {@link #solve} may be called
	 */
	default boolean supports(Problem problem) {
		return true;
	}

	/**
	 * Searches for a placement. Returns early if the calling thread is interrupted; its
	 * interrupt status is kept.
	 * @param problem what to place where
	 * @param budget how long to search
	 * @param progress notified of each better placement; may end the search
	 * @return the best placement found; it may be infeasible, which its value says
	 */
	Solution solve(Problem problem, Budget budget, Progress progress);

}
