package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** A plan gives up no redundancy that nobody allowed it to give up. */
class RedundancyTests {

	private static final PlacementVerifier VERIFIER = new PlacementVerifier();

	/**
	 * Services that all call each other, with a replica on the first host of each zone.
	 */
	private static PlacementModel zones(int services, int zones, int hostsPerZone, Routing routing,
			List<Separation> separations) {
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < zones * hostsPerZone; h++) {
			hosts.add(new Host("h" + h, "z" + h / hostsPerZone, Resources.of(16000, 64000), Resources.none(),
					Integer.MAX_VALUE));
		}
		List<Service> all = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		for (int s = 0; s < services; s++) {
			all.add(new Service("s" + s, zones, Resources.of(500, 500)));
			for (int t = 0; t < s; t++) {
				edges.add(Edge.calls("s" + s, "s" + t, 100));
			}
			Map<String, Integer> on = new TreeMap<>();
			for (int z = 0; z < zones; z++) {
				// Neighbours are on different hosts of their zone now.
				on.put("h" + (z * hostsPerZone + s % hostsPerZone), 1);
			}
			current.put("s" + s, on);
		}
		return new PlacementModel(all, hosts, edges, separations, PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, routing), new Plan(current));
	}

	private static Plan solve(PlacementModel model, long steps, long seed) {
		CompiledModel compiled = new CompiledModel(model, -1);
		Solution found = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(steps, seed),
				Progress.none());
		Plan plan = compiled.plan(found.placement());
		Verdict verdict = VERIFIER.verify(model, plan);
		assertThat(verdict.violations()).isEmpty();
		assertThat(found.value().feasible()).isTrue();
		return plan;
	}

	private static Set<String> zonesOf(PlacementModel model, Plan plan, String service) {
		Map<String, Integer> on = plan.on(service);
		return model.hosts()
			.stream()
			.filter((host) -> on.containsKey(host.name()))
			.map(Host::zone)
			.collect(Collectors.toSet());
	}

	@ParameterizedTest
	@EnumSource(Routing.class)
	void replicasInThreeZonesStayInThreeZones(Routing routing) {
		PlacementModel model = zones(3, 3, 1, routing, List.of());
		Plan plan = solve(model, 100_000, 1);
		for (Service service : model.services()) {
			assertThat(plan.on(service.name())).hasSize(3);
			assertThat(zonesOf(model, plan, service.name())).hasSize(3);
		}
	}

	@Test
	void aServiceThatMayConcentrateDoes() {
		PlacementModel model = zones(3, 3, 2, Routing.UNIFORM, List.of());
		Plan plan = solve(model.concentrating(Set.of("s0", "s1", "s2")), 200_000, 1);
		assertThat(plan.on("s0")).hasSize(1);
		assertThat(VERIFIER.verify(model, plan).violations()).hasSize(6)
			.allMatch((text) -> text.contains("at least 3"));
	}

	@Test
	void servicesThatDoNotRunYetGetTwoHostsAndZones() {
		PlacementModel model = zones(3, 3, 2, Routing.UNIFORM, List.of()).with((Plan) null);
		Plan plan = solve(model, 200_000, 1);
		for (Service service : model.services()) {
			assertThat(plan.on(service.name()).size()).isGreaterThanOrEqualTo(2);
			assertThat(zonesOf(model, plan, service.name()).size()).isGreaterThanOrEqualTo(2);
		}
	}

	/** A service on one host may stay there: nothing is given up by that. */
	@Test
	void theRunningPlacementIsNeverAViolation() {
		PlacementModel model = zones(2, 2, 2, Routing.UNIFORM, List.of())
			.with(new Plan(Map.of("s0", Map.of("h0", 2), "s1", Map.of("h0", 2))));
		assertThat(VERIFIER.verify(model, Objects.requireNonNull(model.current())).violations()).isEmpty();
		assertThat(solve(model, 50_000, 1)).isEqualTo(model.current());
	}

	/** A replica that is alone in its zone may go to another host of that zone. */
	@ParameterizedTest
	@EnumSource(Routing.class)
	void oneReplicaPerZoneCanMove(Routing routing) {
		List<Separation> apart = new ArrayList<>();
		for (int s = 0; s < 4; s++) {
			apart.add(new Separation(List.of("s" + s), Separation.Scope.ZONE, ""));
		}
		PlacementModel model = zones(4, 3, 2, routing, apart);
		Plan plan = solve(model, 300_000, 1);
		double together = (routing == Routing.LOCALITY) ? 0 : 2.0 / 3;
		assertThat(VERIFIER.verify(model, plan).crossHostShare()).isCloseTo(together, within(1e-9));
		for (Service service : model.services()) {
			assertThat(zonesOf(model, plan, service.name())).hasSize(3);
		}
	}

	/** No plan for 1,000 random models reduces the hosts or zones of a service. */
	@Property(tries = 200, deepTries = 1000)
	void noPlanReducesHostsOrZones(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed, @ForAll boolean rules) {
		PlacementModel model = new RandomModels(seed, true, rules).model(8, 4);
		Plan before = Objects.requireNonNull(model.current());
		CompiledModel compiled = new CompiledModel(model, -1);
		Solution found = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(20_000, seed),
				Progress.none());
		Plan after = compiled.plan(found.placement());
		for (Service service : model.services()) {
			String name = service.name();
			assertThat(after.on(name).size()).as(name).isGreaterThanOrEqualTo(before.on(name).size());
			assertThat(zonesOf(model, after, name).size()).as(name)
				.isGreaterThanOrEqualTo(zonesOf(model, before, name).size());
		}
	}

}
