package io.github.vicinal.placement.recommend;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.Doubts;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.Recommendation.Action;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** No verdict without evidence, and nothing is given up silently. */
class EvidenceTests {

	private static final Resources NEED = Resources.of(500, 512);

	private static PlacementModel shop(Resources demand, List<Edge> edges, @Nullable Plan current) {
		List<Service> services = List.of(new Service("shop", 1, demand), new Service("stock", 1, NEED));
		List<Host> hosts = List.of(new Host("x", Resources.of(8000, 8192)), new Host("y", Resources.of(8000, 8192)));
		return new PlacementModel(services, hosts, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), current);
	}

	private static Plan apart() {
		return new Plan(Map.of("shop", Map.of("x", 1), "stock", Map.of("y", 1)));
	}

	private static Recommendation recommend(PlacementModel model, int maxMoves) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model,
				maxMoves, Budget.ofIterations(5_000, 1), Progress.none());
	}

	private static Edge busy() {
		return Edge.calls("shop", "stock", 10_000);
	}

	@Test
	void withEvidenceThePlanIsApplied() {
		Recommendation found = recommend(shop(NEED, List.of(busy()), apart()), -1);
		assertThat(found.action()).isEqualTo(Action.APPLY);
		assertThat(found.assumed()).containsExactly(
				"1 of 1 edges have the calls that the model states: nobody measured them",
				"calls cost what they cost on the machine of the defaults (pathCosts)");
		Edge measured = new Edge("shop", "stock", 10_000.0, null, null, null, null,
				new Evidence("micrometer", 5000, Duration.ofMinutes(1), false, ""));
		found = recommend(shop(NEED, List.of(measured), apart()), -1);
		assertThat(found.action()).isEqualTo(Action.APPLY);
		assertThat(found.assumed()).singleElement().asString().contains("defaults (pathCosts)");
	}

	@Test
	void aPlanThatIsComparedWithNothingSaysSo() {
		Recommendation found = recommend(shop(NEED, List.of(busy()), null), -1);
		assertThat(found.action()).isEqualTo(Action.APPLY);
		assertThat(found.assumed()).anySatisfy((line) -> assertThat(line).startsWith("nothing runs yet: no 'current'"));
	}

	/** Without any capacity all plans fit, and all services belong on one host. */
	@Test
	void withoutCapacitiesThereIsNoVerdict() {
		List<Service> services = List.of(new Service("shop", 1, Resources.none()),
				new Service("stock", 1, Resources.none()));
		List<Host> hosts = List.of(new Host("x", Resources.none()), new Host("y", Resources.none()));
		PlacementModel model = new PlacementModel(services, hosts, List.of(busy()), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), apart());
		Recommendation found = recommend(model, -1);
		assertThat(found.moves()).hasSize(1);
		assertThat(found.action()).isEqualTo(Action.UNDECIDED);
		assertThat(found.reason())
			.isEqualTo("nobody says how much cpuMillis or memoryMiB the hosts have and the services need");
	}

	/** Memory that nobody mentions is not known to suffice. */
	@Test
	void aResourceThatNobodyMentionsIsAssumedToSuffice() {
		Resources cpu = new Resources(new TreeMap<>(Map.of(Resources.CPU, 500L)));
		List<Host> hosts = List.of(new Host("x", cpu), new Host("y", cpu));
		PlacementModel model = new PlacementModel(List.of(new Service("shop", 1, cpu), new Service("stock", 1, cpu)),
				hosts, List.of(busy()), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), apart());
		assertThat(recommend(model, -1).assumed())
			.anySatisfy((line) -> assertThat(line).isEqualTo("every host has enough memoryMiB: nobody says how much"));
	}

	@Test
	void edgesThatLackTheSameAreNamedOnce() {
		Evidence partial = new Evidence("test", 1000, Duration.ofMinutes(1), true, "one of two callers reports");
		List<Edge> edges = List.of(new Edge("shop", "stock", 10.0, null, null, null, null, partial),
				new Edge("stock", "shop", 10.0, null, null, null, null, partial));
		assertThat(recommend(shop(NEED, edges, apart()), -1).notSeen()).singleElement()
			.isEqualTo("'shop' -> 'stock' and 1 more: partial, one of two callers reports");
	}

	@Test
	void withoutTrafficThereIsNoVerdict() {
		for (Plan current : new Plan[] { apart(), null }) {
			Recommendation found = recommend(shop(NEED, List.of(), current), -1);
			assertThat(found.action()).isEqualTo(Action.UNDECIDED);
			assertThat(found.reason()).isEqualTo("nobody measured calls between the services");
		}
	}

	/** All plans are alike while nothing is called. */
	@Test
	void withoutAnyCallThereIsNoVerdict() {
		for (Plan current : new Plan[] { apart(), null }) {
			Recommendation found = recommend(shop(NEED, List.of(Edge.calls("shop", "stock", 0)), current), -1);
			assertThat(found.action()).isEqualTo(Action.UNDECIDED);
			assertThat(found.reason()).isEqualTo("no traffic between the services was seen");
		}
	}

	@Test
	void trafficThatIsOnlyDeclaredIsNoEvidence() {
		Edge declared = new Edge("shop", "stock", null, null, null, null, null,
				new Evidence("compose", 0, Duration.ZERO, true, "declared by depends_on, never measured"));
		Recommendation found = recommend(shop(NEED, List.of(declared), apart()), -1);
		assertThat(found.action()).isEqualTo(Action.UNDECIDED);
		assertThat(found.assumed())
			.anySatisfy((line) -> assertThat(line).contains("1 of 1 edges carry nothing: nobody measured their calls"));
	}

	@Test
	void aServiceOfUnknownDemandIsNotMoved() {
		Resources unknown = new Resources(new TreeMap<>(Map.of(Resources.CPU, 500L)));
		PlacementModel model = shop(unknown, List.of(busy()), apart());
		Recommendation found = recommend(model, -1);
		assertThat(found.assumed()).anySatisfy((line) -> assertThat(line).contains("'shop' needs no memoryMiB"));
		assertThat(found.moves()).hasSize(1);
		if (found.moves().get(0).service().equals("shop")) {
			assertThat(found.action()).isEqualTo(Action.UNDECIDED);
			assertThat(found.reason()).isEqualTo("nobody says how much memoryMiB 'shop' needs");
		}
		Recommendation first = recommend(model.with((Plan) null), -1);
		assertThat(first.action()).isEqualTo(Action.UNDECIDED);
		assertThat(first.reason()).contains("memoryMiB 'shop' needs");
	}

	@Test
	void doubtsTravelWithTheModel() {
		PlacementModel model = shop(NEED, List.of(busy()), apart())
			.with(new Doubts(List.of("somebody is missing"), Set.of("stock")));
		PlacementModel copy = new ModelJson().read(new ModelJson().write(model));
		assertThat(copy).isEqualTo(model);
		Recommendation found = recommend(copy, -1);
		assertThat(found.action()).isEqualTo(Action.UNDECIDED);
		assertThat(found.reason()).contains("not known where all replicas of 'stock' run");
		assertThat(found.notSeen()).contains("somebody is missing");
	}

	@Test
	void partialEvidenceAloneIsNoEvidence() {
		Edge half = new Edge("shop", "stock", 10_000.0, null, null, null, null,
				new Evidence("test", 1000, Duration.ofMinutes(1), true, "one of two callers reports"));
		PlacementModel model = shop(NEED, List.of(half), apart());
		Recommendation found = recommend(model, -1);
		assertThat(found.action()).isEqualTo(Action.UNDECIDED);
		assertThat(found.reason()).contains("all evidence of what moves is partial", "one of two callers reports");
		Recommendation first = recommend(model.with((Plan) null), -1);
		assertThat(first.action()).isEqualTo(Action.UNDECIDED);
		Plan together = new Plan(Map.of("shop", Map.of("x", 1), "stock", Map.of("x", 1)));
		Recommendation kept = recommend(model.with(together), -1);
		assertThat(kept.moves()).isEmpty();
		assertThat(kept.reason()).startsWith("all evidence is partial, such as 'shop' -> 'stock': one of");
		Edge back = Edge.calls("stock", "shop", 10_000);
		assertThat(recommend(model.withEdges(List.of(half, back)), -1).action()).isEqualTo(Action.APPLY);
	}

	/** Three services with a replica in each of three zones, as in the public report. */
	private static PlacementModel zones(boolean concentrate) {
		List<Host> hosts = List.of(host(0), host(1), host(2));
		List<Service> services = List.of(new Service("a", 3, NEED), new Service("b", 3, NEED),
				new Service("c", 3, NEED));
		Map<String, Integer> everywhere = Map.of("h0", 1, "h1", 1, "h2", 1);
		PlacementModel model = new PlacementModel(services, hosts,
				List.of(Edge.calls("a", "b", 5000), Edge.calls("b", "c", 5000)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(Map.of("a", everywhere, "b", everywhere, "c", everywhere)));
		return concentrate ? model.concentrating(Set.of("a", "b", "c")) : model;
	}

	private static Host host(int index) {
		return new Host("h" + index, "z" + index, Resources.of(16_000, 64_000), Resources.none(), Integer.MAX_VALUE);
	}

	@Test
	void redundancyIsGivenUpOnlyWhenAskedByName() {
		Recommendation kept = recommend(zones(false), -1);
		assertThat(kept.action()).isEqualTo(Action.KEEP);
		assertThat(kept.givenUp()).isEmpty();
		Recommendation asked = recommend(zones(true), -1);
		assertThat(asked.action()).isEqualTo(Action.APPLY);
		assertThat(asked.givenUp()).hasSize(3)
			.first()
			.isEqualTo("'a' runs on 1 host instead of 3 and in 1 zone instead of 3");
	}

	/** A rule of the model gives nothing up that there ever was. */
	@Test
	void aPinnedServiceLosesNothing() {
		Service pinned = new Service("a", 2, NEED, Set.of(), Integer.MAX_VALUE, Set.of(), Set.of("h1"));
		PlacementModel model = new PlacementModel(List.of(pinned, new Service("b", 1, NEED)), List.of(host(0), host(1)),
				List.of(Edge.calls("a", "b", 5000)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		assertThat(recommend(model, -1).givenUp()).isEmpty();
	}

	/** A host that is too small is no place that is given up. */
	@Test
	void hostsThatAreTooSmallAreNotGivenUp() {
		PlacementModel model = new PlacementModel(List.of(new Service("a", 2, NEED), new Service("b", 1, NEED)),
				List.of(host(0), new Host("small", "z1", Resources.of(100, 100), Resources.none(), Integer.MAX_VALUE)),
				List.of(Edge.calls("a", "b", 5000)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		Recommendation found = recommend(model, -1);
		assertThat(found.after().on("a")).isEqualTo(Map.of("h0", 2));
		assertThat(found.givenUp()).isEmpty();
	}

	@Property(tries = 200, deepTries = 1000)
	void noPlanGivesUpRedundancyUnasked(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed) {
		PlacementModel model = new RandomModels(seed, true, seed % 2 == 0).model(6, 4);
		Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(model, -1, Budget.ofIterations(2_000, seed), Progress.none());
		if (found.action() == Action.APPLY && Objects.requireNonNull(found.beforeVerdict()).feasible()) {
			assertThat(found.givenUp()).isEmpty();
		}
	}

	@Property(tries = 100)
	void gainsOfMovesAddUpToTheGainOfThePlan(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed,
			@ForAll boolean replicas) {
		PlacementModel model = new RandomModels(seed, replicas, true).model(10, 4);
		Recommendation found = recommend(model, -1);
		double sum = found.moves().stream().mapToDouble(Move::latencyMicrosPerSecond).sum();
		double all = Objects.requireNonNull(found.gain()).latencyMicrosPerSecond();
		assertThat(sum).isCloseTo(all, within(1e-6 * Math.max(1, Math.abs(all))));
		assertThat(found.worthwhileMoves()).isBetween(0, found.moves().size());
	}

	@Test
	void theFirstMovesMayBeWorthMoreThanAll() {
		List<Service> services = List.of(new Service("a", 1, NEED), new Service("b", 1, NEED),
				new Service("c", 1, NEED), new Service("d", 1, NEED));
		List<Host> hosts = List.of(new Host("x", Resources.of(1000, 8192)), new Host("y", Resources.of(1000, 8192)),
				new Host("z", Resources.of(1000, 8192)));
		PlacementModel model = new PlacementModel(services, hosts,
				List.of(Edge.calls("a", "b", 5000), Edge.calls("c", "d", 1)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1), "c", Map.of("x", 1), "d", Map.of("z", 1))));
		Recommendation found = recommend(model, -1);
		assertThat(found.moves()).hasSize(2);
		assertThat(found.worthwhileMoves()).isEqualTo(1);
		assertThat(found.moves().get(0).service()).isIn("a", "b");
		assertThat(found.afterMoves(0)).isEqualTo(found.before());
		assertThat(found.afterMoves(2)).isEqualTo(found.after());
		Plan first = found.afterMoves(found.worthwhileMoves());
		assertThat(first.on("a")).isEqualTo(first.on("b"));
		assertThat(first.on("c")).isNotEqualTo(first.on("d"));
	}

}
