package io.github.vicinal.placement.solver;

/**
 * Goals of a search besides edges.
 *
 * @param balanceWeight weight of the variance of utilisation
 * @param balanced number of resources that count for it, the first ones
 * @param hostWeight weight of the part of the hosts that is used
 * @param moveWeight cost of each moved service
 * @param maxMoves the most moves
 * @param scale a typical difference of the objective that one move makes; penalties are
 * multiples of it
 * @param spread the same as a root of the mean square; where few moves make most of the
 * difference, the mean hides them, and a search that starts at it never undoes them
 * @param wander how often an item tries any host rather than a neighbour's, in relation
 * to the number of its edges
 */
record Goals(double balanceWeight, int balanced, double hostWeight, double moveWeight, int maxMoves, double scale,
		double spread, int wander) {

	static Goals of(Problem problem, Level level) {
		double balance = problem.imbalanceWeight * 2 * problem.balanced * level.meanShare * level.meanShare
				/ problem.hosts;
		double moveWeight = problem.moveWeight / problem.replicas();
		double others = balance + problem.hostWeight / problem.hosts + moveWeight;
		double scale = level.meanStrength + others;
		double spread = level.spreadStrength + others;
		return new Goals(problem.imbalanceWeight, problem.balanced, problem.hostWeight, moveWeight,
				(problem.maxMoves < 0) ? Integer.MAX_VALUE : problem.maxMoves, (scale > 0) ? scale : 1,
				(spread > 0) ? spread : 1, (problem.imbalanceWeight > 0) ? 3 : 1);
	}

}
