package io.github.vicinal.placement.exact;

import java.time.Duration;

import com.google.ortools.Loader;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverSolutionCallback;
import com.google.ortools.sat.CpSolverStatus;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import com.google.ortools.sat.Literal;

import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.ExactSolver;
import io.github.vicinal.placement.solver.Problem;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;

/**
 * Solves plain problems, whose objective is traffic alone, to proven optimality.
 * Affinities are rounded to a billionth of all traffic.
 *
 * @since 0.1.0
 */
public final class CpSatSolver implements ExactSolver {

	private static final double SCALE = 1e9;

	@Override
	public String name() {
		return "exact";
	}

	@Override
	public String description() {
		return "CP-SAT of OR-Tools, with a proven bound";
	}

	@Override
	public boolean supports(Problem problem) {
		return problem.plain() && problem.trafficOnly();
	}

	/**
	 * Solves. The bound on iterations counts conflicts; progress is told of each better
	 * placement.
	 */
	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		Loader.loadNativeLibraries();
		long start = System.nanoTime();
		CpModel model = new CpModel();
		Literal[][] on = new Literal[problem.services()][problem.hosts()];
		for (int s = 0; s < on.length; s++) {
			for (int h = 0; h < problem.hosts(); h++) {
				on[s][h] = model.newBoolVar("x");
			}
			model.addExactlyOne(on[s]);
		}
		for (int h = 0; h < problem.hosts(); h++) {
			for (int r = 0; r < problem.resources(); r++) {
				LinearExprBuilder load = LinearExpr.newBuilder();
				for (int s = 0; s < on.length; s++) {
					load.addTerm(on[s][h], problem.demand(s, r));
				}
				model.addLessOrEqual(load, problem.capacity(h, r));
			}
		}
		symmetry(problem, model, on);
		LinearExprBuilder local = LinearExpr.newBuilder();
		for (int e = 0; e < problem.edges(); e++) {
			long gain = Math.round(problem.edgeGain(e) * SCALE);
			for (int h = 0; h < problem.hosts(); h++) {
				Literal both = model.newBoolVar("y");
				model.addImplication(both, on[problem.edgeFrom(e)][h]);
				model.addImplication(both, on[problem.edgeTo(e)][h]);
				local.addTerm(both, gain);
			}
		}
		model.maximize(local);
		CpSolver solver = new CpSolver();
		solver.getParameters()
			.setMaxTimeInSeconds(budget.time().toNanos() / 1e9)
			.setRandomSeed((int) budget.seed())
			.setNumWorkers(Runtime.getRuntime().availableProcessors());
		if (budget.iterations() < Long.MAX_VALUE) {
			solver.getParameters().setMaxNumberOfConflicts(budget.iterations()).setNumWorkers(1);
		}
		Watch watch = new Watch(problem, on, progress, start);
		CpSolverStatus status = solver.solve(model, watch);
		int[] placement = new int[problem.services()];
		if (status == CpSolverStatus.OPTIMAL || status == CpSolverStatus.FEASIBLE) {
			for (int s = 0; s < placement.length; s++) {
				for (int h = 0; h < problem.hosts(); h++) {
					if (solver.booleanValue(on[s][h])) {
						placement[s] = h;
					}
				}
			}
		}
		double all = 0;
		for (int e = 0; e < problem.edges(); e++) {
			all += problem.edgeGain(e);
		}
		// Half a unit per edge is lost by rounding.
		double bound = (status == CpSolverStatus.OPTIMAL) ? problem.value(placement).objective()
				: problem.baseCost() + all - (solver.bestObjectiveBound() + problem.edges()) / SCALE;
		return new Solution(placement, problem.value(placement), bound, solver.numConflicts(),
				Duration.ofNanos(System.nanoTime() - start), watch.stopped);
	}

	/**
	 * Where all hosts are alike, they are named by first use: service s is on one of the
	 * first s + 1 hosts.
	 */
	private static void symmetry(Problem problem, CpModel model, Literal[][] on) {
		for (int h = 1; h < problem.hosts(); h++) {
			boolean alike = true;
			for (int r = 0; r < problem.resources(); r++) {
				alike &= problem.capacity(h, r) == problem.capacity(0, r);
			}
			if (!alike) {
				return;
			}
		}
		for (int s = 0; s < Math.min(on.length, problem.hosts()); s++) {
			for (int h = s + 1; h < problem.hosts(); h++) {
				model.addEquality(on[s][h], 0);
			}
		}
	}

	private static final class Watch extends CpSolverSolutionCallback {

		private final Problem problem;

		private final Literal[][] on;

		private final Progress progress;

		private final long start;

		private boolean stopped;

		Watch(Problem problem, Literal[][] on, Progress progress, long start) {
			this.problem = problem;
			this.on = on;
			this.progress = progress;
			this.start = start;
		}

		@Override
		public void onSolutionCallback() {
			int[] placement = new int[this.on.length];
			for (int s = 0; s < placement.length; s++) {
				for (int h = 0; h < this.on[s].length; h++) {
					if (booleanValue(this.on[s][h])) {
						placement[s] = h;
					}
				}
			}
			if (!this.progress.report(Duration.ofNanos(System.nanoTime() - this.start), numConflicts(),
					this.problem.value(placement))) {
				this.stopped = true;
				stopSearch();
			}
		}

	}

}
