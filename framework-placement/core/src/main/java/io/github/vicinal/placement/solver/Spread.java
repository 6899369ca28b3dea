package io.github.vicinal.placement.solver;

import java.util.BitSet;

/**
 * Default rule of schedulers: each replica, in the order given, goes to the host that
 * then has the largest part of its resources left (Kubernetes' LeastAllocated, Swarm's
 * spread), and to a zone of its own as long as its service is to have another. Looks at
 * no traffic.
 *
 * @since 0.1.0
 */
public final class Spread implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "spread";

	/** Services between two looks at the clock. */
	private static final int INTERVAL = 16;

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "each replica to the host with the largest part of its resources left (Kubernetes LeastAllocated)";
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		return new Search(problem, budget, progress, place(problem)).end();
	}

	static int[] place(Problem problem) {
		return place(problem, (steps) -> false);
	}

	/** Places what is left when the clock expires on any host that is allowed. */
	static int[] place(Problem problem, Clock clock) {
		ItemLoads loads = new ItemLoads(problem);
		int[] placement = new int[problem.replicas()];
		boolean expired = false;
		for (int service = 0; service < problem.services; service++) {
			expired = expired || (service % INTERVAL == 0 && clock.expired(0));
			BitSet zones = new BitSet();
			for (int i = problem.firstReplica[service]; i < problem.firstReplica[service + 1]; i++) {
				if (expired) {
					placement[i] = anyHost(problem, service, i);
					continue;
				}
				int best = -1;
				double most = Double.NEGATIVE_INFINITY;
				for (int host = 0; host < problem.hosts; host++) {
					if (!loads.fits(service, host)) {
						continue;
					}
					double left = -loads.count(service, host) * problem.resources;
					if (zones.cardinality() < problem.minZones[service] && zones.get(problem.zone[host])) {
						// More than all that one host can have left before another.
						left -= (problem.replicas[service] + 1) * (double) problem.resources;
					}
					for (int resource = 0; resource < problem.resources; resource++) {
						left += (double) (loads.free(host, resource) - problem.demand(service, resource))
								/ Math.max(1, problem.capacity(host, resource));
					}
					if (left > most) {
						most = left;
						best = host;
					}
				}
				placement[i] = (best >= 0) ? best : loads.leastBad(service);
				loads.put(service, placement[i]);
				if (problem.minZones[service] > 1) {
					zones.set(problem.zone[placement[i]]);
				}
			}
		}
		return placement;
	}

	private static int anyHost(Problem problem, int service, int replica) {
		for (int tries = 0; tries < problem.hosts; tries++) {
			int host = (replica + tries) % problem.hosts;
			if (problem.allows(service, host)) {
				return host;
			}
		}
		return 0;
	}

}
