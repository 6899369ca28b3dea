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
 * Decided where the paper leaves it open: hosts in the order given; CPU in units of
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
		for (int host = 0; host < problem.hosts && edges.length > 0 && !search.expired(1); host++) {
			for (int edge : knapsack(problem, edges, host, search)) {
				int from = problem.edgeFrom[edge];
				int to = problem.edgeTo[edge];
				if (fitsBoth(problem, loads, placement, from, to, host)) {
					put(loads, placement, from, host);
					put(loads, placement, to, host);
				}
			}
			edges = Arrays.stream(edges)
				.filter((edge) -> placement[problem.edgeFrom[edge]] < 0 && placement[problem.edgeTo[edge]] < 0)
				.toArray();
		}
		for (int service : ItemLoads.byFallingSize(problem)) {
			if (placement[service] < 0) {
				FirstFitAffinity.put(loads, placement, service, bestFit(problem, loads, service));
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

	private static boolean fitsBoth(Problem problem, ItemLoads loads, int[] placement, int from, int to, int host) {
		for (int resource = 0; resource < problem.resources; resource++) {
			long needed = ((placement[from] < 0) ? problem.demand(from, resource) : 0)
					+ ((placement[to] < 0) ? problem.demand(to, resource) : 0);
			if (needed > loads.free(host, resource)) {
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
			for (int units = capacity; units >= weight; units--) {
				double with = best[(int) (units - weight)] + problem.edgeGain[edges[i]];
				if (with > best[units]) {
					best[units] = with;
					taken[i].set(units);
				}
			}
		}
		int left = capacity;
		int[] selected = new int[edges.length];
		int count = 0;
		for (int i = edges.length - 1; i >= 0; i--) {
			if (taken[i].get(left)) {
				selected[count++] = edges[i];
				left -= (int) weight(problem, edges[i], unit);
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
		for (int host = 0; host < problem.hosts; host++) {
			if (loads.fits(service, host) && (best < 0 || loads.free(host, 0) < loads.free(best, 0))) {
				best = host;
			}
		}
		return (best >= 0) ? best : loads.leastBad(service);
	}

}
