package io.github.vicinal.placement.solver;

/**
 * Value of a placement.
 *
 * @param objective the weighted sum that solvers minimise
 * @param communication cost of pairs of services that are apart, as a part of what it
 * would be if all were: of their traffic, of the memory that a shared JVM saves, and of
 * preferences
 * @param imbalance variance of the utilisation of hosts, summed over resources
 * @param moved replicas that run elsewhere than now
 * @param usedHosts hosts that run anything
 * @param over what is over capacity, in parts of a mean host; 0 if all fits
 * @param violations broken rules: pairs that are to be apart, replicas where they may not
 * run, moves beyond the most that are allowed
 * @since 0.1.0
 */
public record Value(double objective, double communication, double imbalance, int moved, int usedHosts, double over,
		long violations) {

	/**
	 * Returns whether the placement respects capacities and rules.
	 * @return whether nothing is violated
	 */
	public boolean feasible() {
		return this.over == 0 && this.violations == 0;
	}

	/**
	 * Compares: what is feasible first, then what violates less, then the objective.
	 * @param other another value of the same problem
	 * @return whether this one is better
	 */
	public boolean betterThan(Value other) {
		if (feasible() != other.feasible()) {
			return feasible();
		}
		if (!feasible()) {
			if (this.violations != other.violations) {
				return this.violations < other.violations;
			}
			if (this.over != other.over) {
				return this.over < other.over;
			}
		}
		return this.objective < other.objective;
	}

}
