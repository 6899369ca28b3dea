package io.github.vicinal.benchmarks.placement;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.placement.exact.CpSatSolver;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.solver.PaperKnapsack;
import io.github.vicinal.placement.solver.PlacementSolver;
import io.github.vicinal.placement.solver.ShiftSwapReplace;
import io.github.vicinal.placement.solver.Solvers;
import io.github.vicinal.placement.solver.Spread;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;

/** Solvers against each other, against proven optima, and against what papers print. */
public final class PlacementMeasurement implements Measurement {

	/** Half a unit of the last digit that the proven optima are known to. */
	private static final double ROUNDING = 0.0005;

	/** Difference below which values are equal: sums in another order. */
	private static final double NOISE = 1e-6;

	/**
	 * Budget of a small instance; the rest of 50 ms is for the clock and the scheduler.
	 */
	private static final Duration SMALL_TIME = Duration.ofMillis(30);

	/** Budget of the exact solver for a random instance. */
	private static final Duration EXACT_TIME = Duration.ofSeconds(10);

	private static final Map<String, Double> OPTIMA = new LinkedHashMap<>();

	static {
		OPTIMA.put("online-boutique-H3-l75", 22.855);
		OPTIMA.put("online-boutique-H4-l85", 33.843);
		OPTIMA.put("sock-shop-H3-l75", 7.094);
		OPTIMA.put("sock-shop-H4-l85", 36.307);
	}

	private static final PlacementSolver OWN = new VicinalSolver();

	@Override
	public String name() {
		return "placement";
	}

	@Override
	public String description() {
		return "traffic between hosts by solver and instance, in equal time, against proven optima and papers";
	}

	@Override
	public Report run(Settings settings) throws IOException {
		Report report = new Report("instance", "solver", "traffic between hosts %", "objective", "feasible", "ms")
			.chart("Traffic between hosts, in % of all traffic", "traffic between hosts %", "instance", "solver");
		warmUp(settings);
		small(settings, report);
		random(settings, report);
		Map<String, PlacementModel> instances = instances(settings);
		compare(settings, report, instances);
		combined(settings, report, instances);
		feasibility(settings, report);
		replicas(settings, report);
		papers(report);
		ReplicaBars.measure(settings, report);
		RestartBars.measure(settings, report);
		return report;
	}

	static Duration time(Settings settings, double seconds) {
		return Duration.ofMillis(Math.round(1000 * (settings.quick() ? seconds / 4 : seconds)));
	}

	private static void warmUp(Settings settings) {
		settings.say("Warming up ...");
		for (int i = 0; i < 40; i++) {
			Trial.run(OWN, Instances.small(1000 + i), SMALL_TIME, -1);
		}
		Trial.run(OWN, Instances.synth(500, 20, 1), Duration.ofSeconds(2), -1);
	}

	static void row(Report report, String instance, String solver, PlacementModel model, Trial trial) {
		report.row(instance, solver, trial.crossHostPercent(), trial.printedObjective(model), trial.feasible(),
				trial.millis());
	}

	private static void small(Settings settings, Report report) {
		double slowest = 0;
		for (Map.Entry<String, Double> optimum : OPTIMA.entrySet()) {
			settings.say("%s, 30 ms ...", optimum.getKey());
			PlacementModel model = Instances.named(optimum.getKey());
			Trial trial = Trial.run(OWN, model, SMALL_TIME, -1);
			row(report, optimum.getKey() + ", 30 ms", OWN.name(), model, trial);
			slowest = Math.max(slowest, trial.millis());
			report.bar(optimum.getKey() + ": % between hosts, the optimum is proven",
					trial.feasible() ? trial.crossHostPercent() : Double.NaN, optimum.getValue() + ROUNDING);
		}
		report.bar("slowest of these, ms", slowest, 50);
	}

	private static void random(Settings settings, Report report) {
		int count = settings.quick() ? 20 : 200;
		int worse = 0;
		int proven = 0;
		double slowest = 0;
		double largest = 0;
		for (int seed = 1; seed <= count; seed++) {
			PlacementModel model = Instances.small(seed);
			Trial own = Trial.run(OWN, model, SMALL_TIME, -1);
			Trial exact = Trial.run(new CpSatSolver(), model, EXACT_TIME, -1);
			proven += exact.solution().optimal() ? 1 : 0;
			slowest = Math.max(slowest, own.millis());
			double behind = own.crossHostPercent() - exact.crossHostPercent();
			largest = Math.max(largest, behind);
			boolean lost = exact.feasible() && (!own.feasible() || behind > 0.1);
			worse += lost ? 1 : 0;
			if (lost || seed % 20 == 0) {
				settings.say("Random instance %d of %d: own %.3f %%, exact %.3f %%%s", seed, count,
						own.crossHostPercent(), exact.crossHostPercent(),
						exact.solution().optimal() ? "" : " (not proven)");
			}
		}
		settings.say("%d of %d random instances were proven; the largest difference is %.4f pp", proven, count,
				largest);
		report.bar("random instances of up to 30 services, part more than 0.1 pp behind the exact solver",
				(double) worse / count, 0.01);
		report.bar("slowest of the random instances, ms", slowest, 50);
	}

	private static Map<String, PlacementModel> instances(Settings settings) {
		Map<String, PlacementModel> instances = new LinkedHashMap<>();
		for (String name : OPTIMA.keySet()) {
			instances.put(name, Instances.named(name));
		}
		for (String name : List.of("train-ticket-H3-l75", "synth-100", "planted-200-l90", "synth-1000",
				"planted-1000-l90")) {
			instances.put(name, Instances.named(name));
		}
		if (!settings.quick()) {
			instances.put("generated synth-300", Instances.synth(300, 12, 5));
			instances.put("generated synth-1000", Instances.synth(1000, 40, 6));
			instances.put("generated planted-300-l80", Instances.planted(300, 15, 0.80, 7));
		}
		return instances;
	}

	private static double seconds(PlacementModel model) {
		return (model.services().size() >= 500) ? 2 : 1;
	}

	private static void compare(Settings settings, Report report, Map<String, PlacementModel> instances) {
		Map<String, Double> limits = Map.of("train-ticket-H3-l75", 14.6, "synth-100", 4.2, "planted-200-l90", 10.6,
				"synth-1000", 2.42, "planted-1000-l90", 10.5);
		List<Double> againstKnapsack = new ArrayList<>();
		List<Double> againstShifts = new ArrayList<>();
		double worst = 0;
		for (Map.Entry<String, PlacementModel> instance : instances.entrySet()) {
			PlacementModel model = instance.getValue();
			Duration time = time(settings, seconds(model));
			settings.say("%s, %d ms for each solver ...", instance.getKey(), time.toMillis());
			double own = Double.NaN;
			for (PlacementSolver solver : Solvers.all()) {
				Trial trial = Trial.run(solver, model, time, -1);
				row(report, instance.getKey(), solver.name(), model, trial);
				if (solver.name().equals(OWN.name())) {
					own = trial.feasible() ? trial.crossHostPercent() : Double.NaN;
					if (limits.containsKey(instance.getKey())) {
						report.bar(instance.getKey() + ": % between hosts", own, limits.get(instance.getKey()));
					}
					if (!trial.feasible()) {
						worst = Double.NaN;
					}
				}
				else if (trial.feasible()) {
					double ratio = (own + NOISE) / (trial.crossHostPercent() + NOISE);
					worst = Math.max(worst, ratio);
					if (solver instanceof PaperKnapsack) {
						againstKnapsack.add(ratio);
					}
					if (solver instanceof ShiftSwapReplace) {
						againstShifts.add(ratio);
					}
				}
			}
		}
		report.bar("own / paper-knapsack, geometric mean where the latter is feasible", geometricMean(againstKnapsack),
				0.32);
		report.bar("own / shift-swap-replace, geometric mean where the latter is feasible",
				geometricMean(againstShifts), 0.50);
		report.bar("own / best other, the worst instance", worst, 1 + NOISE);
	}

	private static double geometricMean(List<Double> ratios) {
		return Math.exp(ratios.stream().mapToDouble(Math::log).average().orElse(Double.NaN));
	}

	private static void combined(Settings settings, Report report, Map<String, PlacementModel> instances) {
		double[][] weights = { { 1, 1 }, { 1, 0 }, { 100, 1 } };
		for (double[] weight : weights) {
			String name = "(wU, wC) = (%.0f, %.0f)".formatted(weight[0], weight[1]);
			settings.say("Combined objective %s ...", name);
			double worst = 0;
			for (Map.Entry<String, PlacementModel> instance : instances.entrySet()) {
				PlacementModel model = instance.getValue()
					.with(instance.getValue().objective().weighted(weight[1], weight[0], 0, 0));
				Duration time = time(settings, seconds(model));
				Trial own = Trial.run(OWN, model, time, -1);
				row(report, instance.getKey() + ", " + name, OWN.name(), model, own);
				for (PlacementSolver solver : Solvers.all()) {
					if (solver.name().equals(OWN.name())) {
						continue;
					}
					Trial other = Trial.run(solver, model, time, -1);
					if (solver instanceof ShiftSwapReplace) {
						row(report, instance.getKey() + ", " + name, solver.name(), model, other);
					}
					if (other.feasible()) {
						double ratio = (own.printedObjective(model) + NOISE) / (other.printedObjective(model) + NOISE);
						worst = Math.max(worst, own.feasible() ? ratio : Double.NaN);
					}
				}
			}
			report.bar("objective %s: own / best other, the worst instance".formatted(name), worst, 1 + NOISE);
		}
	}

	private static void feasibility(Settings settings, Report report) {
		int infeasible = 0;
		int count = 0;
		for (double load : new double[] { 0.80, 0.85, 0.90, 0.95 }) {
			for (int size : new int[] { 40, 200, 1000 }) {
				for (int seed = 1; seed <= (settings.quick() ? 1 : 4); seed++) {
					PlacementModel model = Instances.planted(size, Math.max(3, size / 20), load, 100 + seed);
					Trial trial = Trial.run(OWN, model, Duration.ofMillis((size >= 1000) ? 1000 : 300), -1);
					count++;
					if (!trial.feasible()) {
						infeasible++;
						settings.say("%d services at load %.2f, seed %d: nothing feasible was found", size, load, seed);
					}
				}
			}
		}
		settings.say("%d of %d tight instances are infeasible", infeasible, count);
		report.bar("instances up to load 0.95 without a feasible placement", infeasible, 0);
	}

	private static void replicas(Settings settings, Report report) {
		for (int seed = 1; seed <= (settings.quick() ? 1 : 2); seed++) {
			PlacementModel model = Instances.replicated(550, 100, 385, seed);
			int containers = model.services().stream().mapToInt((service) -> service.replicas()).sum();
			String name = "replicated cluster %d (%d services, %d replicas, %d hosts, %d edges)".formatted(seed,
					model.services().size(), containers, model.hosts().size(), model.edges().size());
			settings.say("%s, locality-weighted routing, 20 s ...", name);
			Trial trial = Trial.run(OWN, model, time(settings, 20), -1);
			row(report, name, OWN.name(), model, trial);
			report.bar("replicated cluster %d: %% of affinity not gained".formatted(seed),
					trial.feasible() ? trial.crossHostPercent() : Double.NaN, 17);
			if (seed == 1) {
				budgets(settings, report, model, containers);
			}
		}
	}

	/**
	 * Gain of a limited number of moves, from a feasible placement that ignores traffic.
	 */
	private static void budgets(Settings settings, Report report, PlacementModel model, int containers) {
		PlacementModel blind = model.with(model.objective().weighted(0, 1, 0, 0));
		Trial start = Trial.run(new Spread(), blind, Duration.ofSeconds(1), -1);
		if (!start.feasible()) {
			start = Trial.run(OWN, blind, time(settings, 5), -1);
		}
		PlacementModel running = model.with(start.plan());
		row(report, "replicated cluster 1, before", "spread", model,
				new Trial(start.solution(), start.plan(), new PlacementVerifier().verify(model, start.plan())));
		for (int percent : new int[] { 2, 5, 10, 20, 50 }) {
			int budget = containers * percent / 100;
			settings.say("At most %d moves (%d %%) ...", budget, percent);
			Trial trial = Trial.run(OWN, running, time(settings, 8), budget);
			row(report, "replicated cluster 1, at most %d %% moved".formatted(percent), OWN.name(), model, trial);
			if (percent == 10) {
				report.bar("moves of the plan for 10 %, in parts of the budget",
						trial.feasible() ? (double) trial.verdict().moved() / budget : Double.NaN, 1);
			}
		}
	}

	private static void papers(Report report) {
		for (Instances.PaperTable table : List.of(Instances.sockShopTable(), Instances.pageRankTable())) {
			Plan printed = table.printed();
			Trial own = Trial.run(OWN, table.model(), SMALL_TIME, -1);
			double paper = 100 * new PlacementVerifier().verify(table.model(), printed).crossHostShare();
			report.row(table.name(), "as printed", paper, paper / 100, true, 0.0);
			row(report, table.name(), OWN.name(), table.model(), own);
			report.bar(table.name() + ": own / printed", own.crossHostPercent() / paper, 1);
		}
	}

}
