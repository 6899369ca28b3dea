package io.github.vicinal.placement.exact;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Problem;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.solver.VicinalSolver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Where rules about zones hold, the framework's solver finds what CP-SAT proves. */
class ZoneRuleTests {

	static List<Long> few() {
		return List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
	}

	static List<Long> many() {
		List<Long> seeds = new ArrayList<>();
		for (long seed = 100; seed < 130; seed++) {
			seeds.add(seed);
		}
		return seeds;
	}

	/** Up to 30 services in three zones, some of them with a replica in each zone. */
	private static PlacementModel model(long seed, int most) {
		SplittableRandom random = new SplittableRandom(seed);
		int services = 5 + random.nextInt(most - 4);
		int hosts = 6;
		List<Service> all = new ArrayList<>();
		List<Separation> separations = new ArrayList<>();
		Map<String, Integer> zoneOf = new TreeMap<>();
		long[] cpu = new long[hosts];
		long[] memory = new long[hosts];
		for (int s = 0; s < services; s++) {
			int replicas = (random.nextInt(3) == 0) ? 3 : 1;
			long demand = 250L * (1 + random.nextInt(8));
			long bytes = demand * (1 + random.nextInt(3));
			all.add(new Service("s" + s, replicas, Resources.of(demand, bytes)));
			int zone = random.nextInt(3);
			for (int i = 0; i < replicas; i++) {
				int h = (zone + i) % 3 * 2 + random.nextInt(2);
				cpu[h] += demand;
				memory[h] += bytes;
			}
			if (replicas > 1) {
				separations.add(new Separation(List.of("s" + s), Separation.Scope.ZONE, ""));
			}
			else {
				zoneOf.put("s" + s, zone);
			}
		}
		List<String> single = List.copyOf(zoneOf.keySet());
		for (int i = 0; i < single.size() / 3; i++) {
			String one = single.get(random.nextInt(single.size()));
			String other = single.get(random.nextInt(single.size()));
			// The placement that capacities are made from keeps all rules.
			if (!zoneOf.get(one).equals(zoneOf.get(other))) {
				separations.add(new Separation(List.of(one, other), Separation.Scope.ZONE, ""));
			}
		}
		List<Host> on = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			on.add(new Host("h" + h, "z" + h / 2,
					Resources.of(Math.max(2000, cpu[h] * 5 / 4), Math.max(6000, memory[h] * 5 / 4)), Resources.none(),
					Integer.MAX_VALUE));
		}
		List<Edge> edges = new ArrayList<>();
		for (int s = 1; s < services; s++) {
			edges.add(Edge.calls("s" + s, "s" + random.nextInt(s), Math.pow(1 - random.nextDouble(), -1 / 1.3)));
		}
		return new PlacementModel(all, on, edges, separations, PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), null);
	}

	@ParameterizedTest
	@MethodSource("few")
	void findsTheOptimum(long seed) {
		check(model(seed, 14), Duration.ofSeconds(20), true);
	}

	/** At most three of half of the services on a host, as CP-SAT counts them. */
	@ParameterizedTest
	@MethodSource("few")
	void findsTheOptimumUnderALimitOfASet(long seed) {
		PlacementModel free = model(seed, 12);
		List<Separation> rules = new ArrayList<>(free.separations());
		List<String> half = free.services().stream().map(Service::name).limit(free.services().size() / 2).toList();
		rules.add(new Separation(half, Separation.Scope.HOST, "", 3));
		check(new PlacementModel(free.services(), free.hosts(), free.edges(), rules, free.pathCosts(), free.objective(),
				null), Duration.ofSeconds(20), true);
	}

	@Tag("deep")
	@ParameterizedTest
	@MethodSource("many")
	void findsTheOptimumOfUpToThirtyServices(long seed) {
		check(model(seed, 30), Duration.ofSeconds(10), false);
	}

	private static void check(PlacementModel model, Duration time, boolean proven) {
		Problem problem = new CompiledModel(model, -1).problem();
		Solution own = new VicinalSolver().solve(problem, Budget.ofIterations(2_000_000, 1), Progress.none());
		Solution exact = new CpSatSolver().solve(problem, Budget.ofTime(time, 1), Progress.none());
		assertThat(own.value().feasible()).isTrue();
		if (proven) {
			assertThat(exact.optimal()).as("proven within the time").isTrue();
		}
		assertThat(own.bound()).isLessThanOrEqualTo(exact.value().objective() + 1e-9);
		assertThat(own.value().objective()).isLessThanOrEqualTo(exact.value().objective() + 1e-7);
		if (exact.optimal()) {
			assertThat(own.value().objective()).isCloseTo(exact.value().objective(), within(1e-7));
		}
	}

}
