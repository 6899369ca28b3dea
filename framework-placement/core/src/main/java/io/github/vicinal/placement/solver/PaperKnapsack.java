package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The colocation algorithm of Wickramanayaka, Keppitiyagama and Thilakarathna
 * (Communication-Affinity Aware Colocation and Merging of Containers, section III.A), as
 * printed: host by host, a 0/1 knapsack whose objects are <em>edges</em>, with the
 * affinity as value and the CPU of both ends as weight; services that are left without an
 * edge are packed by best fit.
 * <p>
 * What the paper leaves open is decided so: hosts in the order given; CPU in units of
 * {@value #UNIT}, demands rounded up and capacities down; a host keeps what is left over
 * for the best fit; selected edges that exceed another resource than CPU are not taken,
 * in rising order of affinity. Known weaknesses are kept: a service is charged once for
 * each of its edges, and services that are left over are placed without looking at
 * traffic.
 *
 * @since 0.1.0
 */
public final class PaperKnapsack implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "paper-knapsack";

	private static final int UNIT = 25;

	/** A coarser unit bounds the table where hosts are large. */
	private static final int MAX_UNITS = 4000;

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "0/1 knapsack on edges host by host, then best fit, as printed in the colocation paper";
	}

	@Override
	public boolean supports(Problem problem) {
		return problem.plain() && problem.resources > 0;
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		ItemLoads loads = new ItemLoads(problem);
		int[] placement = new int[problem.services];
		Arrays.fill(placement, -1);
		Search search = new Search(problem, budget, progress, Spread.place(problem));
		int[] edges = FirstFitAffinity.byFallingGain(problem);
		for (int h = 0; h < problem.hosts && edges.length > 0 && !search.expired(1); h++) {
			for (int e : knapsack(problem, edges, h, search)) {
				int u = problem.edgeFrom[e];
				int v = problem.edgeTo[e];
				if (fitsBoth(problem, loads, placement, u, v, h)) {
					put(loads, placement, u, h);
					put(loads, placement, v, h);
				}
			}
			edges = Arrays.stream(edges)
				.filter((e) -> placement[problem.edgeFrom[e]] < 0 && placement[problem.edgeTo[e]] < 0)
				.toArray();
		}
		for (int s : ItemLoads.byFallingSize(problem)) {
			if (placement[s] < 0) {
				FirstFitAffinity.put(loads, placement, s, bestFit(problem, loads, s));
			}
		}
		// What was found before is only what the search needs to begin with.
		return new Search(problem, budget, progress, placement).end(search);
	}

	private static void put(ItemLoads loads, int[] placement, int service, int host) {
		if (placement[service] < 0) {
			FirstFitAffinity.put(loads, placement, service, host);
		}
	}

	private static boolean fitsBoth(Problem problem, ItemLoads loads, int[] placement, int u, int v, int h) {
		for (int r = 0; r < problem.resources; r++) {
			long needed = ((placement[u] < 0) ? problem.demand(u, r) : 0)
					+ ((placement[v] < 0) ? problem.demand(v, r) : 0);
			if (needed > loads.free(h, r)) {
				return false;
			}
		}
		return true;
	}

	/** Returns the selected edges by falling affinity. */
	private static int[] knapsack(Problem problem, int[] edges, int host, Clock clock) {
		long unit = Math.max(UNIT, problem.capacity(host, 0) / MAX_UNITS);
		int capacity = (int) (problem.capacity(host, 0) / unit);
		double[] best = new double[capacity + 1];
		BitSet[] taken = new BitSet[edges.length];
		for (int i = 0; i < edges.length; i++) {
			taken[i] = new BitSet();
			long weight = weight(problem, edges[i], unit);
			if ((i & 63) == 63 && clock.expired(0)) {
				return new int[0];
			}
			for (int c = capacity; c >= weight; c--) {
				double with = best[(int) (c - weight)] + problem.edgeGain[edges[i]];
				if (with > best[c]) {
					best[c] = with;
					taken[i].set(c);
				}
			}
		}
		int c = capacity;
		int[] selected = new int[edges.length];
		int count = 0;
		for (int i = edges.length - 1; i >= 0; i--) {
			if (taken[i].get(c)) {
				selected[count++] = edges[i];
				c -= (int) weight(problem, edges[i], unit);
			}
		}
		int[] falling = new int[count];
		for (int i = 0; i < count; i++) {
			falling[i] = selected[count - 1 - i];
		}
		return falling;
	}

	private static long weight(Problem problem, int edge, long unit) {
		long cpu = problem.demand(problem.edgeFrom[edge], 0) + problem.demand(problem.edgeTo[edge], 0);
		return Math.max(1, (cpu + unit - 1) / unit);
	}

	private static int bestFit(Problem problem, ItemLoads loads, int service) {
		int best = -1;
		for (int h = 0; h < problem.hosts; h++) {
			if (loads.fits(service, h) && (best < 0 || loads.free(h, 0) < loads.free(best, 0))) {
				best = h;
			}
		}
		return (best >= 0) ? best : loads.leastBad(service);
	}

}
