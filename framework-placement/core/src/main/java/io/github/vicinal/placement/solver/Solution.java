package io.github.vicinal.placement.solver;

import java.time.Duration;

/**
 * Result of a solver.
 *
 * @param placement the host of each replica; belongs to the caller
 * @param value its value; may be infeasible if the solver found nothing better
 * @param bound a proven lower bound of the objective, {@code NaN} if there is none
 * @param boundMethod how the bound was computed
 * @param iterations iterations made
 * @param time wall time taken
 * @param stopped whether it was ended before its budget was used
 * @param unfinished whether the budget was too small for a first full pass
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent")
public record Solution(int[] placement, Value value, double bound, BoundMethod boundMethod, long iterations,
		Duration time, boolean stopped, boolean unfinished) {

	/**
	 * Returns whether the placement is proven to be the best.
	 * @return whether the bound equals the objective, but for rounding
	 */
	public boolean optimal() {
		return this.value.feasible() && this.value.objective() - this.bound <= 1e-9;
	}

}
