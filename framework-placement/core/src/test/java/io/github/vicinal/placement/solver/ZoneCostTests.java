package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** Calls between zones cost more than calls between hosts. */
class ZoneCostTests {

	private static final PathCosts COSTS = new PathCosts(new PathCost("uds", 50, 0, 40, 0, 0),
			new PathCost("http", 150, 0, 140, 0, 0), new PathCost("http", 1150, 0, 240, 0, 0), null);

	private static Edge edge(String from, String to, double calls) {
		return new Edge(from, to, calls, 0.0, null, null, null, Evidence.given());
	}

	/** Each host takes one service; a and b are in one zone, c and d in another. */
	private static PlacementModel four(EdgeWeight weight) {
		List<Service> services = new ArrayList<>();
		for (String name : List.of("p", "q", "r", "s")) {
			services.add(new Service(name, 1, Resources.of(1000, 1)));
		}
		List<Host> hosts = new ArrayList<>();
		for (String name : List.of("a", "b", "c", "d")) {
			hosts.add(new Host(name, (name.compareTo("c") < 0) ? "west" : "east", Resources.of(1000, 9),
					Resources.none(), Integer.MAX_VALUE));
		}
		return new PlacementModel(services, hosts, List.of(edge("p", "q", 100), edge("r", "s", 90), edge("p", "r", 10)),
				List.of(), COSTS, Objective.traffic(weight, Routing.UNIFORM),
				new Plan(Map.of("p", Map.of("a", 1), "r", Map.of("b", 1), "q", Map.of("c", 1), "s", Map.of("d", 1))));
	}

	private static Recommendation recommend(PlacementModel model) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
				Budget.ofIterations(20_000, 1), Progress.none());
	}

	@ParameterizedTest
	@CsvSource({ "PATH_LATENCY", "PATH_CPU" })
	void trafficIsKeptInItsZoneWhereHostsAreFull(EdgeWeight weight) {
		PlacementModel model = four(weight);
		Recommendation found = recommend(model);
		Map<String, String> zones = model.zones();
		assertThat(found.after().zoneShare("p", "q", Routing.UNIFORM, zones)).isEqualTo(1);
		assertThat(found.after().zoneShare("r", "s", Routing.UNIFORM, zones)).isEqualTo(1);
		double far = (weight == EdgeWeight.PATH_LATENCY) ? 1150 : 240;
		double mid = (weight == EdgeWeight.PATH_LATENCY) ? 150 : 140;
		assertThat(found.afterVerdict().communication()).isCloseTo((190 * mid + 10 * far) / (200 * far), within(1e-9));
	}

	@Test
	void theGainOfZonesIsCounted() {
		Recommendation found = recommend(four(EdgeWeight.PATH_LATENCY));
		double gain = 190 * 1000 - 10 * 1000;
		assertThat(Objects.requireNonNull(found.gain()).latencyMicrosPerSecond()).isCloseTo(gain, within(1e-6));
		assertThat(found.moves().stream().mapToDouble((move) -> move.latencyMicrosPerSecond()).sum()).isCloseTo(gain,
				within(1e-6));
	}

	/** Without a cost of its own another zone is another host. */
	@Test
	void zonesAreFreeUnlessTheyCost() {
		PlacementModel model = four(EdgeWeight.PATH_LATENCY).with(new PathCosts(COSTS.sameHost(), COSTS.otherHost()));
		assertThat(new CompiledModel(model, -1).problem().zonesCost()).isFalse();
		assertThat(new CompiledModel(four(EdgeWeight.CALLS), -1).problem().zonesCost()).isFalse();
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new PathCosts(COSTS.sameHost(), COSTS.farthest(), COSTS.otherHost(), null))
			.withMessageContaining("between zones");
	}

	/** Costs that are kept up move by move are those of a valuation from scratch. */
	@Property(tries = 200)
	void movesAddUp(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas,
			@ForAll boolean locality) {
		PlacementModel random = new RandomModels(seed, replicas, false).model(9, 5);
		PlacementModel model = random.with((Plan) null)
			.with(COSTS)
			.with(Objective.traffic(EdgeWeight.PATH_LATENCY, locality ? Routing.LOCALITY : Routing.UNIFORM));
		CompiledModel compiled = new CompiledModel(model, -1);
		Problem problem = compiled.problem();
		Level level = Level.of(problem);
		Rng rng = new Rng(seed);
		int[] placement = new int[problem.replicas()];
		Arrays.setAll(placement, (i) -> rng.nextInt(problem.hosts()));
		Layout layout = new Layout(level, Goals.of(problem, level));
		layout.load(placement);
		double start = layout.cost;
		double gained = 0;
		for (int i = 0; i < 20; i++) {
			int v = rng.nextInt(problem.services());
			int a = layout.anyHost(v, rng);
			int b = rng.nextInt(problem.hosts());
			if (a != b) {
				gained += layout.pull(v, a, b, 1);
				layout.move(v, a, b, 1);
			}
		}
		layout.store(placement);
		layout.recount();
		assertThat(layout.cost).isCloseTo(start - gained, within(1e-6));
		Value value = problem.value(placement);
		double conflicts = Problem.CONFLICT * value.violations();
		assertThat(layout.cost + problem.baseCost - conflicts).isCloseTo(value.communication(), within(1e-6));
		assertThat(RandomModels.pairs(model, new PlacementVerifier().verify(model, compiled.plan(placement))))
			.isCloseTo(value.communication(), within(1e-9));
	}

	/** A bound that knows no zones is below all plans. */
	@Property(tries = 20)
	void theBoundHolds(@ForAll @LongRange(min = 0, max = 1_000_000) long seed) {
		PlacementModel model = new RandomModels(seed, false, false).model(9, 4)
			.with((Plan) null)
			.with(COSTS)
			.with(Objective.traffic(EdgeWeight.PATH_LATENCY, Routing.UNIFORM));
		Problem problem = new CompiledModel(model, -1).problem();
		Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(20_000, seed), Progress.none());
		assertThat(found.value().feasible()).isTrue();
		double bound = LowerBound.of(problem, found.placement(), java.time.Duration.ofMillis(50));
		assertThat(bound).isLessThanOrEqualTo(found.value().objective() + 1e-9);
		assertThat(found.bound()).isLessThanOrEqualTo(found.value().objective() + 1e-9);
	}

}
