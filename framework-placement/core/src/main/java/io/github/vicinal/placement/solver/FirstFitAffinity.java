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
		for (int edge : byFallingGain(problem)) {
			int from = problem.edgeFrom[edge];
			int to = problem.edgeTo[edge];
			if (placement[from] < 0 && placement[to] < 0) {
				together(problem, loads, placement, from, to);
			}
			else if (placement[from] < 0 && loads.fits(from, placement[to])) {
				put(loads, placement, from, placement[to]);
			}
			else if (placement[to] < 0 && loads.fits(to, placement[from])) {
				put(loads, placement, to, placement[from]);
			}
		}
		for (int service : ItemLoads.byFallingSize(problem)) {
			if (placement[service] < 0) {
				int host = 0;
				while (host < problem.hosts && !loads.fits(service, host)) {
					host++;
				}
				put(loads, placement, service, (host < problem.hosts) ? host : loads.leastBad(service));
			}
		}
		return new Search(problem, budget, progress, placement).end();
	}

	private static void together(Problem problem, ItemLoads loads, int[] placement, int from, int to) {
		for (int host = 0; host < problem.hosts; host++) {
			boolean fits = true;
			for (int resource = 0; fits && resource < problem.resources; resource++) {
				fits = problem.demand(from, resource) + problem.demand(to, resource) <= loads.free(host, resource);
			}
			if (fits) {
				put(loads, placement, from, host);
				put(loads, placement, to, host);
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
		Arrays.setAll(order, (edge) -> edge);
		Arrays.sort(order, (one, other) -> Double.compare(problem.edgeGain[other], problem.edgeGain[one]));
		return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
	}

}
