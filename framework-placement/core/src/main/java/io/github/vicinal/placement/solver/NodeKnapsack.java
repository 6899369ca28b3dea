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
		for (int h = 0; h < problem.hosts && !search.expired(1); h++) {
			double[] pull = new double[problem.services];
			while (true) {
				int next = strongest(level, loads, placement, pull, h);
				if (next < 0) {
					first = seed(problem, loads, placement, edges, first, h, level, pull);
					if (first < 0) {
						first = 0;
						break;
					}
					continue;
				}
				take(level, loads, placement, pull, next, h);
			}
		}
		for (int s : ItemLoads.byFallingSize(problem)) {
			if (placement[s] < 0) {
				FirstFitAffinity.put(loads, placement, s, nearest(level, loads, placement, s));
			}
		}
		return new Search(problem, budget, progress, placement).end(search);
	}

	/** Puts the heaviest edge that fits onto the host; -1 if there is none. */
	private static int seed(Problem problem, ItemLoads loads, int[] placement, int[] edges, int first, int h,
			Level level, double[] pull) {
		for (int i = first; i < edges.length; i++) {
			int u = problem.edgeFrom[edges[i]];
			int v = problem.edgeTo[edges[i]];
			if (placement[u] < 0 && placement[v] < 0 && loads.fits(u, h)) {
				take(level, loads, placement, pull, u, h);
				return i + 1;
			}
		}
		return -1;
	}

	private static void take(Level level, ItemLoads loads, int[] placement, double[] pull, int service, int host) {
		FirstFitAffinity.put(loads, placement, service, host);
		for (int e = level.start[service]; e < level.start[service + 1]; e++) {
			pull[level.neighbour[e]] += level.weight[e];
		}
	}

	/** The service that gains most affinity for its size. */
	private static int strongest(Level level, ItemLoads loads, int[] placement, double[] pull, int h) {
		int best = -1;
		double most = 0;
		for (int s = 0; s < pull.length; s++) {
			if (placement[s] < 0 && pull[s] > 0) {
				double density = pull[s] / (level.share(s) + 1e-9);
				if (density > most && loads.fits(s, h)) {
					most = density;
					best = s;
				}
			}
		}
		return best;
	}

	private static int nearest(Level level, ItemLoads loads, int[] placement, int s) {
		double[] pull = new double[level.hosts];
		for (int e = level.start[s]; e < level.start[s + 1]; e++) {
			int h = placement[level.neighbour[e]];
			if (h >= 0) {
				pull[h] += level.weight[e];
			}
		}
		int best = -1;
		for (int h = 0; h < level.hosts; h++) {
			if (loads.fits(s, h) && (best < 0 || pull[h] > pull[best])) {
				best = h;
			}
		}
		return (best >= 0) ? best : loads.leastBad(s);
	}

}
