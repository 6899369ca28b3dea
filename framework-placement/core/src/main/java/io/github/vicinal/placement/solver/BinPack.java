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
		for (int service : ItemLoads.byFallingSize(problem)) {
			for (int i = problem.firstReplica[service]; i < problem.firstReplica[service + 1]; i++) {
				int best = -1;
				double least = Double.POSITIVE_INFINITY;
				for (int host = 0; host < problem.hosts; host++) {
					if (!loads.fits(service, host)) {
						continue;
					}
					double left = 0;
					for (int resource = 0; resource < problem.resources; resource++) {
						left += (double) (loads.free(host, resource) - problem.demand(service, resource))
								/ Math.max(1, problem.capacity(host, resource));
					}
					if (left < least) {
						least = left;
						best = host;
					}
				}
				placement[i] = (best >= 0) ? best : loads.leastBad(service);
				loads.put(service, placement[i]);
			}
		}
		return new Search(problem, budget, progress, placement).end();
	}

}
