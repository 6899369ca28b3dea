package io.github.vicinal.benchmarks.placement;

import java.time.Duration;

import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.PlacementSolver;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;

/**
 * One run of one solver. Figures are those of the independent verifier.
 *
 * @param solution what the solver returned
 * @param plan the same with names
 * @param verdict the verifier's word
 */
record Trial(Solution solution, Plan plan, Verdict verdict) {

	static Trial run(PlacementSolver solver, PlacementModel model, Duration time, int maxMoves) {
		CompiledModel compiled = new CompiledModel(model, maxMoves);
		Solution solution = solver.solve(compiled.problem(), Budget.ofTime(time, 1), Progress.none());
		Plan plan = compiled.plan(solution.placement());
		return new Trial(solution, plan, new PlacementVerifier().verify(model, plan));
	}

	/** The objective as the papers write it: not divided by the sum of the weights. */
	double printedObjective(PlacementModel model) {
		return model.objective().communication() * this.verdict.communication()
				+ model.objective().imbalance() * this.verdict.imbalance();
	}

	double crossHostPercent() {
		return 100 * this.verdict.crossHostShare();
	}

	boolean feasible() {
		return this.verdict.feasible();
	}

	double millis() {
		return this.solution.time().toNanos() / 1e6;
	}

}
