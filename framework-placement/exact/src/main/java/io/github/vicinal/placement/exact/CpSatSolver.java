package io.github.vicinal.placement.exact;

import java.time.Duration;
import java.util.function.ToLongFunction;

import com.google.ortools.Loader;
import com.google.ortools.sat.BoolVar;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverSolutionCallback;
import com.google.ortools.sat.CpSolverStatus;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import com.google.ortools.sat.Literal;
import io.github.vicinal.placement.solver.BoundMethod;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.ExactSolver;
import io.github.vicinal.placement.solver.Problem;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;

/**
 * Solves problems whose objective is traffic alone to proven optimality: pins, pairs that
 * are to be apart, and the spread of services included. Replicas need locality-weighted
 * routing, as the other one makes products of numbers of replicas. Affinities are rounded
 * to a billionth of all traffic.
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
		boolean replicated = problem.replicas() > problem.services();
		return problem.trafficOnly() && !problem.running() && !problem.zonesCost()
				&& (problem.locality() || !replicated);
	}

	/**
	 * Solves. The bound on iterations counts conflicts; progress is notified of each
	 * better placement.
	 */
	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		Loader.loadNativeLibraries();
		long start = System.nanoTime();
		CpModel model = new CpModel();
		IntVar[][] on = new IntVar[problem.services()][problem.hosts()];
		for (int s = 0; s < on.length; s++) {
			int replicas = replicas(problem, s);
			for (int h = 0; h < problem.hosts(); h++) {
				int most = problem.allows(s, h) ? Math.min(replicas, problem.maxPerHost(s)) : 0;
				on[s][h] = model.newIntVar(0, most, "x");
			}
			model.addEquality(LinearExpr.sum(on[s]), replicas);
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
		if (problem.plain()) {
			symmetry(problem, model, on);
		}
		else {
			rules(problem, model, on);
		}
		LinearExprBuilder local = LinearExpr.newBuilder();
		for (int e = 0; e < problem.edges(); e++) {
			int s = problem.edgeFrom(e);
			int t = problem.edgeTo(e);
			long one = replicas(problem, s);
			long other = replicas(problem, t);
			long whole = one / gcd(one, other) * other;
			long gain = Math.round(problem.edgeGain(e) * SCALE / whole);
			for (int h = 0; h < problem.hosts(); h++) {
				IntVar both = model.newIntVar(0, whole, "y");
				model.addLessOrEqual(both, LinearExpr.term(on[s][h], whole / one));
				model.addLessOrEqual(both, LinearExpr.term(on[t][h], whole / other));
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
		int[] placement = new int[problem.replicas()];
		if (status == CpSolverStatus.OPTIMAL || status == CpSolverStatus.FEASIBLE) {
			placement = placement(problem, on, solver::value);
		}
		double all = 0;
		for (int e = 0; e < problem.edges(); e++) {
			all += problem.edgeGain(e);
		}
		// Half a unit per edge is lost by rounding.
		double bound = (status == CpSolverStatus.OPTIMAL) ? problem.value(placement).objective()
				: problem.baseCost() + all - (solver.bestObjectiveBound() + problem.edges()) / SCALE;
		return new Solution(placement, problem.value(placement), bound, BoundMethod.EXACT_SOLVER, solver.numConflicts(),
				Duration.ofNanos(System.nanoTime() - start), watch.stopped);
	}

	private static int replicas(Problem problem, int service) {
		return problem.firstReplica(service + 1) - problem.firstReplica(service);
	}

	private static long gcd(long one, long other) {
		return (other == 0) ? one : gcd(other, one % other);
	}

	private static int[] placement(Problem problem, IntVar[][] on, ToLongFunction<IntVar> value) {
		int[] placement = new int[problem.replicas()];
		for (int s = 0; s < on.length; s++) {
			int at = problem.firstReplica(s);
			for (int h = 0; h < problem.hosts(); h++) {
				for (long i = value.applyAsLong(on[s][h]); i > 0; i--) {
					placement[at++] = h;
				}
			}
		}
		return placement;
	}

	/** Pairs that are to be apart, and the fewest hosts and zones of services. */
	private static void rules(Problem problem, CpModel model, IntVar[][] on) {
		BoolVar[][] uses = new BoolVar[on.length][problem.hosts()];
		int zones = 0;
		for (int h = 0; h < problem.hosts(); h++) {
			zones = Math.max(zones, problem.zone(h) + 1);
			for (int s = 0; s < on.length; s++) {
				uses[s][h] = model.newBoolVar("u");
				model.addGreaterOrEqual(on[s][h], uses[s][h]);
				model.addLessOrEqual(on[s][h], LinearExpr.term(uses[s][h], replicas(problem, s)));
			}
		}
		BoolVar[][] in = new BoolVar[on.length][zones];
		for (int s = 0; s < on.length; s++) {
			for (int z = 0; z < zones; z++) {
				in[s][z] = model.newBoolVar("z");
				LinearExprBuilder there = LinearExpr.newBuilder();
				for (int h = 0; h < problem.hosts(); h++) {
					if (problem.zone(h) == z) {
						there.add(on[s][h]);
					}
				}
				model.addGreaterOrEqual(there, in[s][z]);
				model.addLessOrEqual(there, LinearExpr.term(in[s][z], replicas(problem, s)));
			}
			model.addGreaterOrEqual(LinearExpr.sum(uses[s]), problem.minHosts(s));
			model.addGreaterOrEqual(LinearExpr.sum(in[s]), problem.minZones(s));
		}
		for (int[] pair : problem.apart(false)) {
			for (int h = 0; h < problem.hosts(); h++) {
				model.addAtMostOne(new Literal[] { uses[pair[0]][h], uses[pair[1]][h] });
			}
		}
		for (int[] pair : problem.apart(true)) {
			if (pair[0] == pair[1]) {
				model.addEquality(LinearExpr.sum(in[pair[0]]), replicas(problem, pair[0]));
				continue;
			}
			for (int z = 0; z < zones; z++) {
				model.addAtMostOne(new Literal[] { in[pair[0]][z], in[pair[1]][z] });
			}
		}
	}

	/**
	 * Where all hosts are alike, they are named by first use: service s is on one of the
	 * first s + 1 hosts.
	 */
	private static void symmetry(Problem problem, CpModel model, IntVar[][] on) {
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

		private final IntVar[][] on;

		private final Progress progress;

		private final long start;

		private boolean stopped;

		Watch(Problem problem, IntVar[][] on, Progress progress, long start) {
			this.problem = problem;
			this.on = on;
			this.progress = progress;
			this.start = start;
		}

		@Override
		public void onSolutionCallback() {
			int[] placement = CpSatSolver.placement(this.problem, this.on, this::value);
			if (!this.progress.report(Duration.ofNanos(System.nanoTime() - this.start), numConflicts(),
					this.problem.value(placement))) {
				this.stopped = true;
				stopSearch();
			}
		}

	}

}
