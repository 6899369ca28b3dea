package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * REMaP's heuristic (Sampaio et al., Journal of Internet Services and Applications 10(1),
 * 2019): pairs by falling affinity, each onto the first host where both fit, or to the
 * one that is placed already; what remains by first fit.
 *
 * @since 0.1.0
 */
public final class FirstFitAffinity implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "first-fit-affinity";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "pairs by falling affinity, each to the first host where both fit (REMaP)";
	}

	@Override
	public boolean supports(Problem problem) {
		return problem.plain();
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		ItemLoads loads = new ItemLoads(problem);
		int[] placement = new int[problem.services];
		Arrays.fill(placement, -1);
		for (int e : byFallingGain(problem)) {
			int u = problem.edgeFrom[e];
			int v = problem.edgeTo[e];
			if (placement[u] < 0 && placement[v] < 0) {
				together(problem, loads, placement, u, v);
			}
			else if (placement[u] < 0 && loads.fits(u, placement[v])) {
				put(loads, placement, u, placement[v]);
			}
			else if (placement[v] < 0 && loads.fits(v, placement[u])) {
				put(loads, placement, v, placement[u]);
			}
		}
		for (int s : ItemLoads.byFallingSize(problem)) {
			if (placement[s] < 0) {
				int host = 0;
				while (host < problem.hosts && !loads.fits(s, host)) {
					host++;
				}
				put(loads, placement, s, (host < problem.hosts) ? host : loads.leastBad(s));
			}
		}
		return new Search(problem, budget, progress, placement).end();
	}

	private static void together(Problem problem, ItemLoads loads, int[] placement, int u, int v) {
		for (int h = 0; h < problem.hosts; h++) {
			boolean fits = true;
			for (int r = 0; fits && r < problem.resources; r++) {
				fits = problem.demand(u, r) + problem.demand(v, r) <= loads.free(h, r);
			}
			if (fits) {
				put(loads, placement, u, h);
				put(loads, placement, v, h);
				return;
			}
		}
	}

	static void put(ItemLoads loads, int[] placement, int service, int host) {
		placement[service] = host;
		loads.put(service, host);
	}

	static int[] byFallingGain(Problem problem) {
		Integer[] order = new Integer[problem.edges()];
		Arrays.setAll(order, (e) -> e);
		Arrays.sort(order, (e, f) -> Double.compare(problem.edgeGain[f], problem.edgeGain[e]));
		return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
	}

}
