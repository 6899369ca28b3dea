package io.github.vicinal.placement.solver;

/**
 * Best fit decreasing: services by falling size, each replica to the host where the least
 * remains. Uses few hosts and looks at no traffic (Kubernetes' MostAllocated, Swarm's
 * binpack).
 *
 * @since 0.1.0
 */
public final class BinPack implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "binpack";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "largest first, each replica to the host where the least remains (best fit decreasing)";
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		ItemLoads loads = new ItemLoads(problem);
		int[] placement = new int[problem.replicas()];
		for (int s : ItemLoads.byFallingSize(problem)) {
			for (int i = problem.firstReplica[s]; i < problem.firstReplica[s + 1]; i++) {
				int best = -1;
				double least = Double.POSITIVE_INFINITY;
				for (int h = 0; h < problem.hosts; h++) {
					if (!loads.fits(s, h)) {
						continue;
					}
					double left = 0;
					for (int r = 0; r < problem.resources; r++) {
						left += (double) (loads.free(h, r) - problem.demand(s, r))
								/ Math.max(1, problem.capacity(h, r));
					}
					if (left < least) {
						least = left;
						best = h;
					}
				}
				placement[i] = (best >= 0) ? best : loads.leastBad(s);
				loads.put(s, placement[i]);
			}
		}
		return new Search(problem, budget, progress, placement).end();
	}

}
