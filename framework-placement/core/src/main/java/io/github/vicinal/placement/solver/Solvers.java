package io.github.vicinal.placement.solver;

import java.util.List;

/**
 * The solvers of this module.
 *
 * @since 0.1.0
 */
public final class Solvers {

	private Solvers() {
	}

	/**
	 * Returns all solvers.
	 * @return the recommended one first
	 */
	public static List<PlacementSolver> all() {
		return List.of(new VicinalSolver(), new Spread(), new BinPack(), new FirstFitAffinity(), new PaperKnapsack(),
				new NodeKnapsack(), new ShiftSwapReplace());
	}

	/**
	 * Finds a solver by its name.
	 * @param name the name
	 * @return the solver
	 * @throws IllegalArgumentException if there is none of that name
	 */
	public static PlacementSolver named(String name) {
		return all().stream()
			.filter((solver) -> solver.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no solver '%s'; the solvers are %s"
				.formatted(name, all().stream().map(PlacementSolver::name).toList())));
	}

}
