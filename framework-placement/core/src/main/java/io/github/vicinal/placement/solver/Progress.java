package io.github.vicinal.placement.solver;

import java.time.Duration;

/**
 * Watches a search, and may end it.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Progress {

	/**
	 * Receives the state of a search, a few times per second at most. Called by the
	 * thread that searches.
	 * @param elapsed time since the start
	 * @param iterations iterations so far
	 * @param best the best value so far
	 * @return whether to go on; if not, the solver returns its best so far
	 */
	boolean report(Duration elapsed, long iterations, Value best);

	/**
	 * Returns a progress that nobody watches.
	 * @return a progress that always goes on
	 */
	static Progress none() {
		return (elapsed, iterations, best) -> true;
	}

}
