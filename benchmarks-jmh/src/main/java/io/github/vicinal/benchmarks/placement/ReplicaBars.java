package io.github.vicinal.benchmarks.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.placement.exact.CpSatSolver;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.LowerBound;
import io.github.vicinal.placement.solver.PlacementSolver;
import io.github.vicinal.placement.solver.Problem;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.solver.VicinalSolver;

/** Bars for replicas, zones, time limits and lower bounds. */
final class ReplicaBars {

	/** The option that names a directory with models of clusters. */
	static final String DATA = "placement-data";

	private static final PlacementSolver OWN = new VicinalSolver();

	/** Percent of the affinity that may be lost, by name of the file. */
	private static final Map<String, Double> CLUSTERS = Map.of("real-cluster-part-1", 12.6, "real-cluster-part-2", 5.7,
			"real-cluster", 14.0);

	private static final int LARGE_CLUSTER = 5000;

	private ReplicaBars() {
	}

	static void measure(Measurement.Settings settings, Report report) throws IOException {
		clusters(settings, report);
		secondReplica(settings, report);
		zones(settings, report);
		redundancy(settings, report);
		times(settings, report);
		noSlack(settings, report);
		bounds(settings, report);
	}

	/** Clusters whose data is not part of the project. */
	private static void clusters(Measurement.Settings settings, Report report) throws IOException {
		String directory = settings.options().get(DATA);
		if (directory == null) {
			settings.say("Not checked: real clusters. Name a directory with models in JSON by --%s.", DATA);
			return;
		}
		List<Path> files;
		try (Stream<Path> all = Files.list(Path.of(directory))) {
			files = all.filter((file) -> file.toString().endsWith(".json")).sorted().toList();
		}
		List<String> missing = new ArrayList<>(CLUSTERS.keySet());
		for (Path file : files) {
			String name = String.valueOf(file.getFileName()).replace(".json", "");
			missing.remove(name);
			PlacementModel kept = new ModelJson().read(file);
			int replicas = kept.services().stream().mapToInt(Service::replicas).sum();
			Duration time = PlacementMeasurement.time(settings, (replicas > LARGE_CLUSTER) ? 20 : 10);
			settings.say("%s (%d replicas), %d s ...", name, replicas, time.toSeconds());
			// Published figures of these clusters are without a rule about redundancy.
			PlacementModel model = kept.concentrating(kept.serviceIndex().keySet());
			Trial trial = Trial.run(OWN, model, time, -1);
			PlacementMeasurement.row(report, name, OWN.name(), model, trial);
			if (CLUSTERS.containsKey(name)) {
				report.bar(name + ": % of affinity not gained",
						trial.feasible() ? trial.crossHostPercent() : Double.NaN, CLUSTERS.get(name));
			}
			PlacementMeasurement.row(report, name + ", redundancy kept", OWN.name(), kept,
					Trial.run(OWN, kept, time, -1));
		}
		missing.forEach((name) -> settings.say("Not checked: %s.json is not in %s.", name, directory));
	}

	/** One service with two replicas must not cost the others. */
	private static void secondReplica(Measurement.Settings settings, Report report) {
		settings.say("One second replica among 1,000 services ...");
		PlacementModel single = Instances.named("planted-1000-l90");
		List<Service> services = new ArrayList<>(single.services());
		Service one = services.get(7);
		services.set(7, new Service(one.name(), 2, one.demand()));
		PlacementModel two = new PlacementModel(services, single.hosts(), single.edges(), single.separations(),
				single.pathCosts(), single.objective(), null);
		double difference = 0;
		int seeds = settings.quick() ? 1 : 3;
		for (int seed = 1; seed <= seeds; seed++) {
			difference += percent(two, settings, seed) - percent(single, settings, seed);
		}
		report.bar("one second replica among 1,000 services: percentage points more between hosts", difference / seeds,
				0.3);
	}

	private static double percent(PlacementModel model, Measurement.Settings settings, int seed) {
		long steps = settings.quick() ? 3_000_000 : 15_000_000;
		Solution solution = OWN.solve(new CompiledModel(model, -1).problem(), Budget.ofIterations(steps, seed),
				Progress.none());
		return solution.value().feasible() ? 100 * solution.value().communication() : Double.NaN;
	}

	private static void zones(Measurement.Settings settings, Report report) {
		int count = settings.quick() ? 10 : 60;
		int behind = 0;
		int proven = 0;
		for (int seed = 1; seed <= count; seed++) {
			PlacementModel model = Instances.zones(seed);
			Problem problem = new CompiledModel(model, -1).problem();
			Solution own = OWN.solve(problem, Budget.ofTime(Duration.ofSeconds(1), 1), Progress.none());
			Solution exact = new CpSatSolver().solve(problem, Budget.ofTime(Duration.ofSeconds(10), 1),
					Progress.none());
			proven += exact.optimal() ? 1 : 0;
			boolean lost = !own.value().feasible()
					|| (own.value().objective() > exact.value().objective() + 1e-7 && exact.value().feasible());
			behind += lost ? 1 : 0;
			if (lost) {
				settings.say("Zones, instance %d: own %.6f, exact %.6f", seed, own.value().objective(),
						exact.value().objective());
			}
		}
		settings.say("%d of %d instances with zone rules were proven", proven, count);
		report.bar("instances with zone rules behind the exact solver", behind, 0);
	}

	/** Counted here by names, by none of the solver's code. */
	private static void redundancy(Measurement.Settings settings, Report report) {
		int count = settings.quick() ? 100 : 1000;
		settings.say("%d random models with replicas, 10,000 steps each ...", count);
		int reduced = 0;
		int found = 0;
		for (int seed = 1; seed <= count; seed++) {
			PlacementModel model = Instances.running(seed);
			CompiledModel compiled = new CompiledModel(model, -1);
			Solution solution = OWN.solve(compiled.problem(), Budget.ofIterations(10_000, seed), Progress.none());
			if (!solution.value().feasible()) {
				continue;
			}
			found++;
			Plan plan = compiled.plan(solution.placement());
			boolean lost = model.services().stream().anyMatch((service) -> fewer(model, plan, service.name()));
			reduced += lost ? 1 : 0;
			if (lost) {
				settings.say("Random model %d: a service has fewer hosts or zones than before", seed);
			}
		}
		settings.say("%d of %d random models have a plan that fits", found, count);
		report.bar("random models with a plan that reduces hosts or zones of a service", reduced, 0);
		report.bar("random models without a plan that fits, although what runs fits", count - found, 0);
	}

	private static boolean fewer(PlacementModel model, Plan plan, String service) {
		Map<String, String> zones = new HashMap<>();
		model.hosts().forEach((host) -> zones.put(host.name(), host.zone()));
		Set<String> before = Objects.requireNonNull(model.current()).on(service).keySet();
		Set<String> after = plan.on(service).keySet();
		return after.size() < before.size() || after.stream().map(zones::get).distinct().count() < before.stream()
			.map(zones::get)
			.distinct()
			.count();
	}

	/** Solvers that are asked for two seconds take two seconds. */
	private static void times(Measurement.Settings settings, Report report) {
		Duration time = PlacementMeasurement.time(settings, 2);
		double worst = 0;
		for (PlacementModel model : List.of(Instances.named("online-boutique-H4-l85"),
				Instances.named("planted-1000-l90"), Instances.planted(8000, 400, 0.9, 3),
				Instances.replicated(550, 100, 385, 1))) {
			CompiledModel compiled = new CompiledModel(model, -1);
			Solution first = OWN.solve(compiled.problem(), Budget.ofTime(time, 1), Progress.none());
			// With a plan that runs, hosts are exchanged at the end to save moves.
			Problem running = new CompiledModel(model.with(compiled.plan(first.placement())), -1).problem();
			long start = System.nanoTime();
			OWN.solve(running, Budget.ofTime(time, 2), Progress.none());
			double taken = (System.nanoTime() - start) / (double) time.toNanos();
			settings.say("%d services: %.3f of the time asked for", model.services().size(), taken);
			worst = Math.max(worst, taken);
		}
		report.bar("time taken / time asked for, the worst instance", worst, 1.05);
	}

	private static void noSlack(Measurement.Settings settings, Report report) {
		for (int seed = 1; seed <= (settings.quick() ? 1 : 2); seed++) {
			settings.say("1,000 services on hosts that they fill exactly, seed %d, 20 s ...", seed);
			PlacementModel model = Instances.planted(1000, 50, 1, seed);
			Trial trial = Trial.run(OWN, model, PlacementMeasurement.time(settings, 20), -1);
			PlacementMeasurement.row(report, "planted-1000-l100, seed " + seed, OWN.name(), model, trial);
			report.bar("planted-1000-l100, seed %d: %% between hosts".formatted(seed),
					trial.feasible() ? trial.crossHostPercent() : Double.NaN, 15);
		}
	}

	/** Gap between the best plan and the proven lower bound. */
	private static void bounds(Measurement.Settings settings, Report report) {
		List<Double> gaps = new ArrayList<>();
		for (String name : List.of("online-boutique-H3-l75", "online-boutique-H4-l85", "sock-shop-H3-l75",
				"sock-shop-H4-l85")) {
			gaps.add(gap(settings, name, Instances.named(name)));
		}
		for (int seed = 1; seed <= (settings.quick() ? 2 : 10); seed++) {
			gaps.add(gap(settings, "small, seed " + seed, Instances.small(seed)));
		}
		for (int seed = 1; seed <= (settings.quick() ? 1 : 4); seed++) {
			gaps.add(gap(settings, "synth-60, seed " + seed, Instances.synth(60, 4, seed)));
			gaps.add(gap(settings, "planted-60, seed " + seed, Instances.planted(60, 4, 0.9, seed)));
		}
		for (String name : List.of("train-ticket-H3-l75", "synth-100", "planted-200-l90")) {
			gap(settings, name + " (stated, no bar)", Instances.named(name));
		}
		List<Double> unstructured = new ArrayList<>();
		for (int seed = 1; seed <= 2; seed++) {
			unstructured.add(gap(settings, "unstructured-60, 1.5 edges each, load 0.9, seed %d".formatted(seed),
					Instances.unstructured(60, 4, 1.5, 0.9, seed)));
			unstructured.add(gap(settings, "unstructured-60, 2 edges each, load 0.8, seed %d".formatted(seed),
					Instances.unstructured(60, 4, 2, 0.8, seed)));
		}
		report.bar("gap to the lower bound on instances of up to 60 services, the largest, %",
				gaps.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN), 10);
		report.bar("the same on random graphs of 60 services without structure, %",
				unstructured.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN), 10);
	}

	private static double gap(Measurement.Settings settings, String name, PlacementModel model) {
		Problem problem = new CompiledModel(model, -1).problem();
		Solution found = OWN.solve(problem, Budget.ofTime(PlacementMeasurement.time(settings, 1), 1), Progress.none());
		double bound = LowerBound.of(problem, found.placement(), PlacementMeasurement.time(settings, 10));
		double objective = found.value().objective();
		double gap = (objective > 0) ? 100 * (objective - bound) / objective : 0;
		settings.say("%s: %.4f %%, at least %.4f %%, gap %.2f %%", name, 100 * objective, 100 * bound, gap);
		return gap;
	}

}
