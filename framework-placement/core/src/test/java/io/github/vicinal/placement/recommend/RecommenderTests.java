package io.github.vicinal.placement.recommend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

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
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.BoundMethod;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Cancellation;
import io.github.vicinal.placement.solver.FirstFitAffinity;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

class RecommenderTests {

	private static final PathCosts COSTS = new PathCosts(new PathCost("uds", 50, 0, 40, 0, 0.1),
			new PathCost("http", 150, 0, 140, 0, 0.2));

	private static PlacementModel pair(double calls, Evidence evidence) {
		List<Service> services = List.of(new Service("a", 1, Resources.of(500, 1)),
				new Service("b", 1, Resources.of(500, 1)));
		List<Host> hosts = List.of(new Host("x", Resources.of(1000, 10)), new Host("y", Resources.of(1000, 10)));
		return new PlacementModel(services, hosts,
				List.of(new Edge("a", "b", calls, calls * 1024, null, null, 150.0, evidence)), List.of(), COSTS,
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1))));
	}

	private static Recommendation recommend(PlacementModel model, MergeChecker checker) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), checker).recommend(model, -1,
				Budget.ofIterations(40_000, 1), Progress.none());
	}

	@Test
	void gainIsTheDifferenceOfPathsWithItsError() {
		Evidence evidence = new Evidence("test", 100, Duration.ofMinutes(1), false, "");
		Gain gain = Objects.requireNonNull(recommend(pair(1000, evidence), MergeChecker.none()).gain());
		assertThat(gain.latencyMicrosPerSecond()).isCloseTo(1000 * (150 - 50), within(1e-6));
		double paths = Math.hypot(1000 * 150 * 0.2, 1000 * 50 * 0.1);
		assertThat(gain.latencyErrorMicrosPerSecond()).isCloseTo(Math.hypot(paths, 100_000 / 10.0), within(1e-6));
		assertThat(gain.cpuMicrosPerSecond()).isCloseTo(1000 * (140 - 40), within(1e-6));
	}

	/** A chain of services, of which no two neighbours share a host. */
	private static PlacementModel chain(int replicas) {
		List<Service> services = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new HashMap<>();
		for (int s = 0; s < 40; s++) {
			services.add(new Service("s" + s, replicas, Resources.of(100, 100)));
			current.put("s" + s,
					(replicas == 1) ? Map.of("h" + s % 4, 1) : Map.of("h" + s % 4, 1, "h" + (s + 2) % 4, 1));
			if (s > 0) {
				edges.add(Edge.calls("s" + (s - 1), "s" + s, 10));
			}
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 4; h++) {
			hosts.add(new Host("h" + h, Resources.of(replicas * 1200, replicas * 1200)));
		}
		return new PlacementModel(services, hosts, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), new Plan(current));
	}

	/** Nobody has searched, so nobody knows that nothing better is there. */
	@Test
	void aSearchThatIsStoppedAtOnceSaysSo() {
		PlacementModel model = chain(1);
		Cancellation cancellation = new Cancellation();
		cancellation.cancel();
		Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(model, -1, Budget.ofIterations(40_000, 1).cancelledBy(cancellation), Progress.none());
		assertThat(found.stopped()).isTrue();
		assertThat(found.action()).isEqualTo(Recommendation.Action.KEEP);
		assertThat(found.reason())
			.endsWith("; the search was stopped before its first full pass, so that a better plan is likely");
	}

	/** A search without any time has looked at hardly anything, and says so. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void aSearchThatIsTooShortSaysHowToGiveMore(int replicas) {
		PlacementModel model = chain(replicas);
		Recommender recommender = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none());
		Recommendation found = recommender.recommend(model, -1, Budget.ofTime(Duration.ofNanos(1), 1), Progress.none());
		assertThat(found.reason())
			.endsWith("; the search ended before its first full pass, so that a better plan is likely: "
					+ "give it more time (--time, or vicinal.placement.search-time)");
		// What is done without looking at the clock is a plan all the same.
		assertThat(found.afterVerdict().feasible()).isTrue();
		assertThat(found.afterVerdict().objective())
			.isLessThan(0.8 * Objects.requireNonNull(found.beforeVerdict()).objective());
		assertThat(recommender.recommend(model, -1, Budget.ofIterations(1, 1), Progress.none()).reason())
			.endsWith("give it more iterations (--iterations)");
		assertThat(recommender.recommend(model, -1, Budget.ofIterations(100_000, 1), Progress.none()).reason())
			.doesNotContain("full pass");
	}

	@Test
	void moreGainThanLossIsNeeded() {
		Recommendation busy = recommend(pair(1000, Evidence.given()), MergeChecker.none());
		assertThat(busy.action()).isEqualTo(Recommendation.Action.APPLY);
		assertThat(busy.moves()).singleElement().satisfies((move) -> assertThat(move.fits()).isTrue());
		Recommendation idle = recommend(pair(0.1, Evidence.given()), MergeChecker.none());
		assertThat(idle.action()).isEqualTo(Recommendation.Action.KEEP);
		assertThat(idle.reason()).startsWith("it does not pay");
	}

	/** Few placements are tried one by one, whatever the rules. */
	@Test
	void aSmallPlanIsProven() {
		Recommendation found = recommend(pair(1000, Evidence.given()), MergeChecker.none());
		assertThat(found.relativeGap()).isZero();
		JsonNode json = JsonMapper.builder().build().readTree(new RecommendationJson().write(found));
		assertThat(json.get("search").get("relativeGap").doubleValue()).isZero();
		assertThat(json.get("search").get("lowerBoundFrom").stringValue()).isEqualTo("all placements were tried");
	}

	/** Which bound a gap rests on depends on the size. */
	@ParameterizedTest
	@CsvSource({ "30, 4, FIXED_SERVICES", "40, 17, PRICES", "201, 4, UNAVOIDABLE" })
	void theBoundSaysWhatItRestsOn(int services, int places, BoundMethod expected) {
		List<Service> all = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		for (int s = 0; s < services; s++) {
			all.add(new Service("s" + s, 1, Resources.of(100, 100)));
			if (s > 0) {
				edges.add(new Edge("s" + (s - 1), "s" + s, 1.0 + s % 7, 0.0, null, null, null, Evidence.given()));
			}
		}
		long room = 100L * (services / (places - 1) + 1);
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < places; h++) {
			hosts.add(new Host("h" + h, "z", Resources.of(room, room), Resources.none(), Integer.MAX_VALUE));
		}
		PlacementModel model = new PlacementModel(all, hosts, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(model, -1, Budget.ofIterations(200_000, 1), Progress.none());
		assertThat(found.relativeGap()).isNotNull().isBetween(0.0, 1.0);
		assertThat(found.boundMethod()).isEqualTo(expected);
	}

	/** Every solver and every size has a gap, and no plan is better than it says. */
	@Property(tries = 40)
	void everyPlanThatFitsHasAGap(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas) {
		PlacementModel model = new RandomModels(seed, replicas, false).model(12, 4);
		Recommendation found = recommend(model, MergeChecker.none());
		if (found.afterVerdict().feasible()) {
			assertThat(found.relativeGap()).isNotNull().isBetween(0.0, 1.0);
		}
		else {
			assertThat(found.relativeGap()).isNull();
		}
		if (!replicas) {
			Recommendation simple = new Recommender(new FirstFitAffinity(), MovePolicy.defaults(), MergeChecker.none())
				.recommend(model.with(PathCosts.defaults()), -1, Budget.ofIterations(1000, 1), Progress.none());
			assertThat(simple.lowerBound()).isNotNull();
		}
	}

	/**
	 * The bound was above what was found, so that each plan was proven to be the best.
	 */
	@Test
	void theBoundCountsAWeightOfMovesWhereNothingRuns() {
		PlacementModel model = pair(1000, Evidence.given()).with((Plan) null)
			.with(new Objective(EdgeWeight.CALLS, Routing.UNIFORM, 1, 0, 0.5, 0.5));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(found.afterVerdict().objective()).isCloseTo(0.5 * 0.5 / 2, within(1e-9));
		assertThat(found.lowerBound()).isNotNull().isCloseTo(0.5 * 0.5 / 2, within(1e-5));
	}

	/**
	 * Some hosts have a zone and others none; the gains of moves add up to that of all.
	 */
	@Test
	void movesBetweenZonesOfWhichOneHasNoName() {
		Resources room = Resources.of(1000, 10);
		List<Host> hosts = List.of(new Host("x", "", room, Resources.none(), 9),
				new Host("y", "west", room, Resources.none(), 9));
		PathCosts costs = new PathCosts(COSTS.sameHost(), COSTS.otherHost(), new PathCost("far", 900, 0, 200, 0, 0.1),
				null);
		PlacementModel model = pair(1000, Evidence.given());
		Recommendation found = recommend(model.with(model.services(), hosts).with(costs), MergeChecker.none());
		assertThat(found.moves()).singleElement()
			.satisfies((move) -> assertThat(move.latencyMicrosPerSecond()).isCloseTo(1000 * (900 - 50), within(1e-6)));
		assertThat(Objects.requireNonNull(found.gain()).latencyMicrosPerSecond()).isCloseTo(1000 * (900 - 50),
				within(1e-6));
	}

	@Test
	void mergesNeedAChecker() {
		Recommendation unchecked = recommend(pair(1000, Evidence.given()), MergeChecker.none());
		assertThat(unchecked.merges()).singleElement().satisfies((merge) -> assertThat(merge.obstacles()).isNotEmpty());
		Recommendation checked = recommend(pair(1000, Evidence.given()), (one, other) -> List.of());
		assertThat(checked.merges()).singleElement().isEqualTo(new Merge(List.of("a", "b"), 1.0, 0, 1, List.of()));
	}

	@Test
	void jsonNamesItsUnits() {
		Recommendation found = recommend(pair(1000, Evidence.given()), MergeChecker.none());
		JsonNode json = JsonMapper.builder().build().readTree(new RecommendationJson().write(found));
		assertThat(json.get("version").intValue()).isEqualTo(1);
		assertThat(json.get("after").get("edgeWeightUnit").stringValue()).isEqualTo("calls/s");
		assertThat(json.get("after").get("crossHostShare").doubleValue()).isZero();
		assertThat(json.get("before").get("crossHostShare").doubleValue()).isEqualTo(1.0);
		assertThat(json.get("gain").get("latencyMicrosPerSecond").doubleValue()).isCloseTo(100_000, within(1e-6));
		assertThat(json.get("moves")).hasSize(1);
	}

	/** Measurements after a move must not undo the move. */
	@Property(tries = 30)
	void recommendationsDoNotOscillate(@ForAll @LongRange(min = 0, max = 1_000_000) long seed) {
		PlacementModel world = new RandomModels(seed, false, false).model(12, 3);
		world = world.with(Objective.traffic(EdgeWeight.LATENCY, Routing.UNIFORM));
		Recommender recommender = new Recommender(new VicinalSolver(), new MovePolicy(Duration.ofDays(1), 0, 0),
				MergeChecker.none());
		PlacementModel measured = measure(world);
		Recommendation first = recommender.recommend(measured, -1, Budget.ofIterations(300_000, seed), Progress.none());
		PlacementModel later = measure(world.with(first.after()));
		Recommendation second = recommender.recommend(later, -1, Budget.ofIterations(300_000, seed + 1),
				Progress.none());
		assertThat(second.action()).isEqualTo(Recommendation.Action.KEEP);
	}

	/** Latencies as they are where services run now. */
	private static PlacementModel measure(PlacementModel world) {
		Plan now = Objects.requireNonNull(world.current());
		List<Edge> measured = new ArrayList<>();
		for (Edge edge : world.edges()) {
			double bytes = Objects.requireNonNullElse(edge.bytesPerCall(), 0.0);
			boolean local = now.localShare(edge.from(), edge.to(), Routing.UNIFORM) > 0.5;
			double latency = (local ? world.pathCosts().sameHost() : world.pathCosts().otherHost()).latency(bytes);
			measured.add(new Edge(edge.from(), edge.to(), edge.callsPerSecond(), edge.applicationBytesPerSecond(), null,
					null, latency, edge.evidence()));
		}
		return world.withEdges(measured);
	}

	/** Follows the moves one by one. */
	@Property(tries = 100)
	void movesLeadToThePlanAndFitOnTheWay(@ForAll @LongRange(min = 0, max = 1_000_000) long seed,
			@ForAll boolean replicas, @ForAll boolean rules) {
		PlacementModel model = new RandomModels(seed, replicas, rules).model(10, 4);
		Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(model, -1, Budget.ofIterations(30_000, seed), Progress.none());
		Map<String, Map<String, Integer>> state = new HashMap<>();
		Objects.requireNonNull(found.before())
			.replicas()
			.forEach((service, byHost) -> state.put(service, new TreeMap<>(byHost)));
		for (Move move : found.moves()) {
			Map<String, Integer> on = state.computeIfAbsent(move.service(), (key) -> new TreeMap<>());
			on.merge(move.to(), 1, Integer::sum);
			on.merge(move.from(), -1, Integer::sum);
			assertThat(on.get(move.from())).isNotNegative();
			if (found.moves().stream().allMatch(Move::fits)) {
				assertThat(new PlacementVerifier()
					.verify(model.concentrating(model.serviceIndex().keySet()), new Plan(state))
					.violations()).isEmpty();
				assertThat(new Plan(state).on(move.service()).size())
					.isGreaterThanOrEqualTo(Objects.requireNonNull(found.before()).on(move.service()).size());
			}
		}
		assertThat(new Plan(state).movesTo(found.after())).isZero();
	}

	@Test
	void movesInACircleTakeADetour() {
		List<Service> services = List.of(new Service("a", 1, Resources.of(10, 0)),
				new Service("b", 1, Resources.of(10, 0)));
		List<Host> hosts = List.of(new Host("x", Resources.of(10, 0)), new Host("y", Resources.of(10, 0)),
				new Host("z", Resources.of(10, 0)));
		Plan before = new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1)));
		Plan after = new Plan(Map.of("a", Map.of("y", 1), "b", Map.of("x", 1)));
		Objective objective = Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM);
		PlacementModel roomy = new PlacementModel(services, hosts, List.of(), List.of(), COSTS, objective, before);
		assertThat(MovePlanner.plan(roomy, before, after)).hasSize(3)
			.allMatch(Move::fits)
			.filteredOn(Move::temporary)
			.hasSize(1);
		PlacementModel tight = new PlacementModel(services, hosts.subList(0, 2), List.of(), List.of(), COSTS, objective,
				before);
		assertThat(MovePlanner.plan(tight, before, after)).hasSize(2).filteredOn((move) -> !move.fits()).isNotEmpty();
	}

	/** Crosswise, each of the two moves would leave its zone empty for a while. */
	@Test
	void replicasMoveWithinTheirZones() {
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 8; h++) {
			hosts.add(new Host("h" + h, "z" + h % 2, Resources.of(10, 10), Resources.none(), Integer.MAX_VALUE));
		}
		Plan before = new Plan(Map.of("a", Map.of("h2", 1, "h3", 1)));
		Plan after = new Plan(Map.of("a", Map.of("h1", 1, "h6", 1)));
		PlacementModel model = new PlacementModel(List.of(new Service("a", 2, Resources.of(1, 1))), hosts, List.of(),
				List.of(), COSTS, Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), before);
		assertThat(MovePlanner.plan(model, before, after)).hasSize(2).allMatch(Move::fits).noneMatch(Move::temporary);
	}

	/** A replica that is alone in its zone shares it with itself alone. */
	@Test
	void aReplicaAloneInItsZoneMovesWithinIt() {
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 4; h++) {
			hosts.add(new Host("h" + h, "z" + h % 2, Resources.of(10, 10), Resources.none(), Integer.MAX_VALUE));
		}
		Plan before = new Plan(Map.of("a", Map.of("h0", 1, "h1", 1)));
		Plan after = new Plan(Map.of("a", Map.of("h2", 1, "h3", 1)));
		PlacementModel model = new PlacementModel(List.of(new Service("a", 2, Resources.of(1, 1))), hosts, List.of(),
				List.of(new Separation(List.of("a"), Separation.Scope.ZONE, "")), COSTS,
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), before);
		assertThat(MovePlanner.plan(model, before, after)).hasSize(2).allMatch(Move::fits).noneMatch(Move::temporary);
	}

	/** Moves that cannot be ordered do not go back and forth. */
	@Test
	void noReplicaGoesAsideTwice() {
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 6; h++) {
			hosts.add(new Host("h" + h, "z" + h % 3, Resources.of(10, 10), Resources.none(), Integer.MAX_VALUE));
		}
		// More zones than there are afterwards: no order keeps them.
		Plan before = new Plan(Map.of("a", Map.of("h0", 1, "h1", 1, "h2", 1)));
		Plan after = new Plan(Map.of("a", Map.of("h3", 3)));
		PlacementModel model = new PlacementModel(List.of(new Service("a", 3, Resources.of(1, 1))), hosts, List.of(),
				List.of(), COSTS, Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), before);
		List<Move> moves = MovePlanner.plan(model, before, after);
		assertThat(moves).filteredOn((move) -> !move.fits()).isNotEmpty();
		assertThat(moves).filteredOn(Move::temporary).hasSizeLessThanOrEqualTo(3);
	}

	@Test
	void unmeasuredInputsAreNamed() {
		PlacementModel model = pair(10, new Evidence("test", 0, Duration.ZERO, true, "only one end was seen"));
		assertThat(recommend(model, MergeChecker.none()).notSeen()).singleElement()
			.asString()
			.contains("only one end was seen");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> recommend(model.with(Objective.traffic(EdgeWeight.WIRE_BYTES, Routing.UNIFORM)),
					MergeChecker.none()))
			.withMessageContaining("wire-bytes");
	}

	@Test
	void aVanishedHostIsMovedAwayFrom() {
		PlacementModel model = pair(1000, Evidence.given())
			.with(new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("gone", 1))));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(found.action()).isEqualTo(Recommendation.Action.APPLY);
		assertThat(found.reason()).contains("'gone', which is no host");
		assertThat(found.after().on("b")).doesNotContainKey("gone");
	}

	/**
	 * Of the moves that leave such a host none pays by traffic, and all are needed: the
	 * first ones that are worth making contain them, in the printed text as in an
	 * override.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void movesThatLeaveADrainedHostAreNeeded(boolean gone) {
		Resources need = Resources.of(500, 1);
		List<Service> services = Stream.of("a", "b", "c", "d", "e").map((name) -> new Service(name, 1, need)).toList();
		List<Host> hosts = new ArrayList<>();
		for (String name : List.of("x", "y", "z")) {
			hosts.add(new Host(name, Resources.of(1500, 10)));
		}
		if (!gone) {
			hosts.add(new Host("drained", "", Resources.of(1500, 10), Resources.none(), 0));
		}
		PlacementModel model = new PlacementModel(services, hosts,
				List.of(Edge.calls("a", "b", 5000), Edge.calls("c", "d", 1)), List.of(), COSTS,
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), new Plan(Map.of("a", Map.of("x", 1), "b",
						Map.of("y", 1), "c", Map.of("x", 1), "d", Map.of("z", 1), "e", Map.of("drained", 1))));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(found.action()).isEqualTo(Recommendation.Action.APPLY);
		assertThat(found.moves()).hasSize(3).allMatch(Move::fits);
		assertThat(found.moves().get(0)).extracting(Move::service, Move::from).containsExactly("e", "drained");
		assertThat(found.worthwhileMoves()).isEqualTo(2);
		for (int moves = 2; moves <= 3; moves++) {
			assertThat(new PlacementVerifier().verify(model, found.afterMoves(moves)).violations()).isEmpty();
		}
		assertThat(found.afterMoves(2).on("e")).hasSize(1).doesNotContainKey("drained");
		assertThat(found.afterMoves(3)).isEqualTo(found.after());
	}

	/** The saving of a move is not computed anew for each move that is made elsewhere. */
	@Test
	@Timeout(30)
	void movesOfALargePlanAreOrderedAtOnce() {
		List<Service> services = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		Map<String, Map<String, Integer>> before = new HashMap<>();
		Map<String, Map<String, Integer>> after = new HashMap<>();
		for (int s = 0; s < 1000; s++) {
			services.add(new Service("s" + s, 1, Resources.of(1, 1)));
			before.put("s" + s, Map.of("h" + s % 50, 1));
			after.put("s" + s, Map.of("h" + ((s % 5 == 0) ? s + 1 : s) % 50, 1));
			for (int other = 1; other <= 300; other++) {
				edges.add(Edge.calls("s" + s, "s" + (s + other) % 1000, 1 + other));
			}
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 50; h++) {
			hosts.add(new Host("h" + h, Resources.of(100, 100)));
		}
		PlacementModel model = new PlacementModel(services, hosts, edges, List.of(), COSTS,
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), new Plan(before));
		assertThat(MovePlanner.plan(model, new Plan(before), new Plan(after))).hasSize(200).allMatch(Move::fits);
	}

	/** The second host of a service is drained, and there is no other. */
	@Test
	void aMoveFitsThatLeavesAsManyHostsAsThereAre() {
		List<Host> hosts = List.of(new Host("x", Resources.of(10, 10)),
				new Host("drained", "", Resources.of(10, 10), Resources.none(), 0));
		Plan before = new Plan(Map.of("a", Map.of("x", 1, "drained", 1)));
		Plan after = new Plan(Map.of("a", Map.of("x", 2)));
		PlacementModel model = new PlacementModel(List.of(new Service("a", 2, Resources.of(1, 1))), hosts, List.of(),
				List.of(), COSTS, Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), before);
		assertThat(MovePlanner.plan(model, before, after)).singleElement().matches(Move::fits);
	}

	/** A service that the model no longer has is nobody's move. */
	@Test
	void aServiceThatIsGoneMakesNoMoveNeeded() {
		PlacementModel model = pair(0.1, Evidence.given())
			.with(new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1), "gone", Map.of("x", 1))));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(found.moves()).hasSize(1);
		assertThat(found.worthwhileMoves()).isZero();
	}

	/**
	 * Sums, products and squares of figures stay finite, and quotients of small ones,
	 * too.
	 */
	@ParameterizedTest
	@CsvSource({ "1e30, 1e30", "1e-320, 1e30", "1e30, 1e-320", "1e-320, 1e-320", "1e308, 1", "1, 1e308" })
	void figuresOfAnySizeAreCountedOrRefused(double calls, double bytes) {
		for (EdgeWeight weight : List.of(EdgeWeight.CALLS, EdgeWeight.APPLICATION_BYTES, EdgeWeight.LATENCY,
				EdgeWeight.PATH_LATENCY, EdgeWeight.PATH_CPU)) {
			if (Math.max(calls, bytes) > 1e30) {
				assertThatExceptionOfType(InvalidModelException.class)
					.isThrownBy(() -> new Edge("a", "b", calls, bytes, null, null, calls, Evidence.given()))
					.withMessageContaining("must be between 0 and 1e30");
				continue;
			}
			List<Edge> edges = List.of(new Edge("a", "b", calls, bytes, null, null, calls, Evidence.given()));
			Recommendation found = recommend(
					pair(1, Evidence.given()).withEdges(edges).with(Objective.traffic(weight, Routing.UNIFORM)),
					MergeChecker.none());
			Gain gain = Objects.requireNonNull(found.gain());
			assertThat(List.of(found.afterVerdict().objective(), Objects.requireNonNull(found.lowerBound()),
					gain.latencyMicrosPerSecond(), gain.latencyErrorMicrosPerSecond(), gain.cpuErrorMicrosPerSecond()))
				.as("%s", weight)
				.allMatch(Double::isFinite);
			assertThat(new RecommendationJson().write(found)).doesNotContain("NaN", "Infinity");
		}
	}

	@Test
	void obstaclesArePrintable() {
		assertThat(new Merge(List.of("a", "b"), 1, 1, 1, List.of("lib\u001b[31m")).obstacles())
			.containsExactly("lib\\u001B[31m");
	}

	/** Replicas of a host that is gone share its zone, whatever that was. */
	@Test
	void callsOnAHostThatIsGoneStayThere() {
		PathCosts costs = new PathCosts(COSTS.sameHost(), COSTS.otherHost(), new PathCost("far", 900, 0, 200, 0, 0.1),
				null);
		PlacementModel model = pair(1000, Evidence.given()).with(costs)
			.with(Objective.traffic(EdgeWeight.PATH_LATENCY, Routing.UNIFORM))
			.with(new Plan(Map.of("a", Map.of("gone", 1), "b", Map.of("gone", 1))));
		assertThat(new PlacementVerifier().verify(model, Objects.requireNonNull(model.current())).communication())
			.isCloseTo(50 / 900.0, within(1e-9));
	}

	@Test
	void whatAWeightIsComputedFromIsNamed() {
		PlacementModel model = pair(1, Evidence.given()).withEdges(List.of(Edge.calls("a", "b", 5)))
			.with(Objective.traffic(EdgeWeight.PATH_LATENCY, Routing.UNIFORM));
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> recommend(model, MergeChecker.none()))
			.withMessageContaining("'path-latency' (us/s)")
			.withMessageContaining("callsPerSecond and applicationBytesPerSecond");
	}

	@Test
	void criticalPathsNeedRoutes() {
		PlacementModel model = pair(1, Evidence.given())
			.with(Objective.traffic(EdgeWeight.CRITICAL_PATH, Routing.UNIFORM));
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> recommend(model, MergeChecker.none()))
			.withMessageStartingWith("No route says how often it is called");
	}

	/** It is written only that it runs: there is nothing to move it to. */
	@Test
	void aServiceThatIsGoneBreaksNoRule() {
		PlacementModel model = pair(0.1, Evidence.given())
			.with(new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1), "gone", Map.of("z", 1))));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(Objects.requireNonNull(found.beforeVerdict()).violations()).isEmpty();
		assertThat(found.action()).as(found.reason()).isEqualTo(Recommendation.Action.KEEP);
		assertThat(Objects.requireNonNull(found.savings()).freedHosts()).isEqualTo(1);
	}

	/** A capture knows bytes and no calls. */
	@Test
	void withoutCallsNothingSaysThatMovingPays() {
		PlacementModel model = pair(1000, Evidence.given())
			.withEdges(List.of(new Edge("a", "b", null, 1e6, 1e6, null, null, Evidence.given())))
			.with(Objective.traffic(EdgeWeight.WIRE_BYTES, Routing.UNIFORM));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(found.after().on("a")).isEqualTo(found.after().on("b"));
		assertThat(found.action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(found.reason()).startsWith("whether it pays is unknown: no edge says how many calls it has")
			.endsWith("from 1.000 to 0.000");
	}

	/** Its traffic cannot be saved: without it there is none. */
	@Test
	void servicesThatDoNotRunYetSaveNothing() {
		PlacementModel model = pair(1000, Evidence.given()).with(new Plan(Map.of("a", Map.of("x", 1))));
		Gain gain = Objects.requireNonNull(recommend(model, MergeChecker.none()).gain());
		assertThat(gain.latencyMicrosPerSecond()).isZero();
		assertThat(gain.latencyErrorMicrosPerSecond()).isZero();
	}

	@Test
	void withheldVerdictsAreUndecidedWithTheirReason() {
		Recommendation busy = recommend(pair(1000, Evidence.given()), MergeChecker.none());
		Recommendation withheld = busy.withheld("somebody is missing");
		assertThat(withheld.action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(withheld.reason()).isEqualTo("somebody is missing");
		assertThat(withheld.after()).isEqualTo(busy.after());
		assertThat(withheld.withheld("again")).isSameAs(withheld);
	}

	@Test
	void aSolverThatKnowsLessIsRefused() {
		PlacementModel model = new RandomModels(3, true, true).model(6, 3);
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new Recommender(new FirstFitAffinity(), MovePolicy.defaults(), MergeChecker.none())
				.recommend(model, -1, Budget.ofIterations(10, 1), Progress.none()))
			.withMessageContaining("use 'vicinal'");
	}

}
