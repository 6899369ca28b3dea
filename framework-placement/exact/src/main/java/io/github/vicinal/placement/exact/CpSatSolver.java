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
		for (int service = 0; service < on.length; service++) {
			int replicas = replicas(problem, service);
			for (int host = 0; host < problem.hosts(); host++) {
				int most = problem.allows(service, host) ? Math.min(replicas, problem.maxPerHost(service)) : 0;
				on[service][host] = model.newIntVar(0, most, "x");
			}
			model.addEquality(LinearExpr.sum(on[service]), replicas);
		}
		for (int host = 0; host < problem.hosts(); host++) {
			for (int resource = 0; resource < problem.resources(); resource++) {
				LinearExprBuilder load = LinearExpr.newBuilder();
				for (int service = 0; service < on.length; service++) {
					load.addTerm(on[service][host], problem.demand(service, resource));
				}
				model.addLessOrEqual(load, problem.capacity(host, resource));
			}
		}
		if (problem.plain()) {
			symmetry(problem, model, on);
		}
		else {
			rules(problem, model, on);
		}
		LinearExprBuilder local = LinearExpr.newBuilder();
		for (int edge = 0; edge < problem.edges(); edge++) {
			int from = problem.edgeFrom(edge);
			int to = problem.edgeTo(edge);
			long one = replicas(problem, from);
			long other = replicas(problem, to);
			long whole = one / gcd(one, other) * other;
			long gain = Math.round(problem.edgeGain(edge) * SCALE / whole);
			for (int host = 0; host < problem.hosts(); host++) {
				IntVar both = model.newIntVar(0, whole, "y");
				model.addLessOrEqual(both, LinearExpr.term(on[from][host], whole / one));
				model.addLessOrEqual(both, LinearExpr.term(on[to][host], whole / other));
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
		for (int edge = 0; edge < problem.edges(); edge++) {
			all += problem.edgeGain(edge);
		}
		// Half a unit per edge is lost by rounding.
		double bound = (status == CpSolverStatus.OPTIMAL) ? problem.value(placement).objective()
				: problem.baseCost() + all - (solver.bestObjectiveBound() + problem.edges()) / SCALE;
		return new Solution(placement, problem.value(placement), bound, BoundMethod.EXACT_SOLVER, solver.numConflicts(),
				Duration.ofNanos(System.nanoTime() - start), watch.stopped, false);
	}

	private static int replicas(Problem problem, int service) {
		return problem.firstReplica(service + 1) - problem.firstReplica(service);
	}

	private static long gcd(long one, long other) {
		return (other == 0) ? one : gcd(other, one % other);
	}

	private static int[] placement(Problem problem, IntVar[][] on, ToLongFunction<IntVar> value) {
		int[] placement = new int[problem.replicas()];
		for (int service = 0; service < on.length; service++) {
			int at = problem.firstReplica(service);
			for (int host = 0; host < problem.hosts(); host++) {
				for (long i = value.applyAsLong(on[service][host]); i > 0; i--) {
					placement[at++] = host;
				}
			}
		}
		return placement;
	}

	/** Pairs that are to be apart, and the fewest hosts and zones of services. */
	private static void rules(Problem problem, CpModel model, IntVar[][] on) {
		BoolVar[][] uses = new BoolVar[on.length][problem.hosts()];
		int zones = 0;
		for (int host = 0; host < problem.hosts(); host++) {
			zones = Math.max(zones, problem.zone(host) + 1);
			for (int service = 0; service < on.length; service++) {
				uses[service][host] = model.newBoolVar("u");
				model.addGreaterOrEqual(on[service][host], uses[service][host]);
				model.addLessOrEqual(on[service][host],
						LinearExpr.term(uses[service][host], replicas(problem, service)));
			}
		}
		BoolVar[][] in = new BoolVar[on.length][zones];
		for (int service = 0; service < on.length; service++) {
			for (int zone = 0; zone < zones; zone++) {
				in[service][zone] = model.newBoolVar("z");
				LinearExprBuilder there = LinearExpr.newBuilder();
				for (int host = 0; host < problem.hosts(); host++) {
					if (problem.zone(host) == zone) {
						there.add(on[service][host]);
					}
				}
				model.addGreaterOrEqual(there, in[service][zone]);
				model.addLessOrEqual(there, LinearExpr.term(in[service][zone], replicas(problem, service)));
			}
			model.addGreaterOrEqual(LinearExpr.sum(uses[service]), problem.minHosts(service));
			model.addGreaterOrEqual(LinearExpr.sum(in[service]), problem.minZones(service));
		}
		for (int[] pair : problem.apart(false)) {
			for (int host = 0; host < problem.hosts(); host++) {
				model.addAtMostOne(new Literal[] { uses[pair[0]][host], uses[pair[1]][host] });
			}
		}
		for (int[] pair : problem.apart(true)) {
			if (pair[0] == pair[1]) {
				model.addEquality(LinearExpr.sum(in[pair[0]]), replicas(problem, pair[0]));
				continue;
			}
			for (int zone = 0; zone < zones; zone++) {
				model.addAtMostOne(new Literal[] { in[pair[0]][zone], in[pair[1]][zone] });
			}
		}
	}

	/**
	 * Where all hosts are alike, they are named by first use: the first service is on the
	 * first host, the second one on one of the first two, and so on.
	 */
	private static void symmetry(Problem problem, CpModel model, IntVar[][] on) {
		for (int host = 1; host < problem.hosts(); host++) {
			boolean alike = true;
			for (int resource = 0; resource < problem.resources(); resource++) {
				alike &= problem.capacity(host, resource) == problem.capacity(0, resource);
			}
			if (!alike) {
				return;
			}
		}
		for (int service = 0; service < Math.min(on.length, problem.hosts()); service++) {
			for (int host = service + 1; host < problem.hosts(); host++) {
				model.addEquality(on[service][host], 0);
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
