package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * The knapsack heuristic of the colocation paper with its errors corrected: the objects
 * are <em>services</em>, each charged once and in every resource, and the value of a set
 * is the affinity inside of it (a quadratic knapsack, filled greedily); services that are
 * left over go where most of their traffic is.
 *
 * @since 0.1.0
 */
public final class NodeKnapsack implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "node-knapsack";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "quadratic knapsack on services host by host, then by affinity: the colocation paper, corrected";
	}

	@Override
	public boolean supports(Problem problem) {
		return problem.plain();
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		Level level = Level.of(problem);
		ItemLoads loads = new ItemLoads(problem);
		int[] placement = new int[problem.services];
		Arrays.fill(placement, -1);
		int[] edges = FirstFitAffinity.byFallingGain(problem);
		Search search = new Search(problem, budget, progress, Spread.place(problem));
		int first = 0;
		for (int host = 0; host < problem.hosts && !search.expired(1); host++) {
			double[] pull = new double[problem.services];
			while (true) {
				int next = strongest(level, loads, placement, pull, host);
				if (next < 0) {
					first = seed(problem, loads, placement, edges, first, host, level, pull);
					if (first < 0) {
						first = 0;
						break;
					}
					continue;
				}
				take(level, loads, placement, pull, next, host);
			}
		}
		for (int service : ItemLoads.byFallingSize(problem)) {
			if (placement[service] < 0) {
				FirstFitAffinity.put(loads, placement, service, nearest(level, loads, placement, service));
			}
		}
		return new Search(problem, budget, progress, placement).end(search);
	}

	/** Puts the heaviest edge that fits onto the host; -1 if there is none. */
	private static int seed(Problem problem, ItemLoads loads, int[] placement, int[] edges, int first, int host,
			Level level, double[] pull) {
		for (int i = first; i < edges.length; i++) {
			int from = problem.edgeFrom[edges[i]];
			int to = problem.edgeTo[edges[i]];
			if (placement[from] < 0 && placement[to] < 0 && loads.fits(from, host)) {
				take(level, loads, placement, pull, from, host);
				return i + 1;
			}
		}
		return -1;
	}

	private static void take(Level level, ItemLoads loads, int[] placement, double[] pull, int service, int host) {
		FirstFitAffinity.put(loads, placement, service, host);
		for (int edge = level.start[service]; edge < level.start[service + 1]; edge++) {
			pull[level.neighbour[edge]] += level.weight[edge];
		}
	}

	/** The service that gains most affinity for its size. */
	private static int strongest(Level level, ItemLoads loads, int[] placement, double[] pull, int host) {
		int best = -1;
		double most = 0;
		for (int service = 0; service < pull.length; service++) {
			if (placement[service] < 0 && pull[service] > 0) {
				double density = pull[service] / (level.share(service) + 1e-9);
				if (density > most && loads.fits(service, host)) {
					most = density;
					best = service;
				}
			}
		}
		return best;
	}

	private static int nearest(Level level, ItemLoads loads, int[] placement, int service) {
		double[] pull = new double[level.hosts];
		for (int edge = level.start[service]; edge < level.start[service + 1]; edge++) {
			int host = placement[level.neighbour[edge]];
			if (host >= 0) {
				pull[host] += level.weight[edge];
			}
		}
		int best = -1;
		for (int host = 0; host < level.hosts; host++) {
			if (loads.fits(service, host) && (best < 0 || pull[host] > pull[best])) {
				best = host;
			}
		}
		return (best >= 0) ? best : loads.leastBad(service);
	}

}
