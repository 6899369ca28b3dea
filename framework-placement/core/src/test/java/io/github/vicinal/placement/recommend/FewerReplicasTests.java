package io.github.vicinal.placement.recommend;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** More replicas run than the model has: after it was scaled down, or during a deploy. */
class FewerReplicasTests {

	private static PlacementModel model(Map<String, Integer> running, int replicas, Routing routing) {
		Resources demand = Resources.of(500, 512);
		Resources capacity = Resources.of(4000, 8192);
		return new PlacementModel(
				List.of(new Service("a", replicas, demand), new Service("b", 1, demand), new Service("c", 1, demand)),
				List.of(host("h1", "west", capacity), host("h2", "west", capacity), host("h3", "east", capacity)),
				List.of(Edge.calls("a", "b", 100), Edge.calls("b", "c", 50)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, routing),
				new Plan(Map.of("a", running, "b", Map.of("h1", 1), "c", Map.of("h3", 1))));
	}

	private static Host host(String name, String zone, Resources capacity) {
		return new Host(name, zone, capacity, Resources.none(), Integer.MAX_VALUE);
	}

	private static Recommendation recommend(PlacementModel model, int maxMoves) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model,
				maxMoves, Budget.ofIterations(20_000, 1), Progress.none());
	}

	/** Fewer are not more concentrated than all were. */
	@ParameterizedTest
	@EnumSource(Routing.class)
	void fitOnTheOneHostThatAllWereOn(Routing routing) {
		Recommendation found = recommend(model(Map.of("h1", 5), 2, routing), -1);
		assertThat(found.afterVerdict().violations()).isEmpty();
		assertThat(found.action()).isEqualTo(Recommendation.Action.APPLY);
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 4 })
	void keepTheHostsAndZonesOfAll(int replicas) {
		PlacementModel model = model(Map.of("h1", 2, "h2", 2, "h3", 1), replicas, Routing.UNIFORM);
		Recommendation found = recommend(model, 0);
		assertThat(found.afterVerdict().violations()).isEmpty();
		assertThat(found.afterVerdict().moved()).isZero();
		Map<String, Integer> on = found.after().on("a");
		assertThat(on).containsKey("h3").hasSize(Math.min(3, replicas));
		assertThat(found.givenUp()).hasSize((replicas < 3) ? 1 : 0);
	}

	/** Those that stop are the ones that are far from what they exchange most with. */
	@ParameterizedTest
	@CsvSource({ "h1, 4", "h2, 4", "h1, 1", "h2, 1" })
	void stopWhereTheyAreLeastUseful(String host, int replicas) {
		Map<String, Integer> running = (replicas > 1) ? Map.of("h1", 2, "h2", 2, "h3", 1) : Map.of("h1", 1, "h2", 1);
		PlacementModel model = model(running, replicas, Routing.UNIFORM)
			.with(new Plan(Map.of("a", running, "b", Map.of(host, 1), "c", Map.of("h3", 1))));
		Recommendation found = recommend(model, 0);
		assertThat(found.afterVerdict().violations()).isEmpty();
		assertThat(found.afterVerdict().moved()).isZero();
		assertThat(found.after().count("a", host)).isEqualTo(Math.min(2, replicas));
		assertThat(found.lowerBound()).isNotNull().isLessThanOrEqualTo(found.afterVerdict().objective());
	}

	/** No more than all calls stay on a host. */
	@ParameterizedTest
	@EnumSource(Routing.class)
	void doNotMakeTrafficNegative(Routing routing) {
		PlacementModel model = model(Map.of("h1", 5), 2, routing);
		assertThat(Objects.requireNonNull(recommend(model, -1).beforeVerdict()).crossHostShare()).isEqualTo(50.0 / 150);
	}

	/** One that moves is on two hosts, whatever was stopped. */
	@Test
	void areOnTwoHostsIfTheyMove() {
		PlacementModel model = model(Map.of("h1", 5), 2, Routing.UNIFORM);
		PlacementModel gone = model.with(model.services(), model.hosts().subList(1, 3));
		assertThat(recommend(gone, -1).after().on("a")).hasSize(2);
	}

}
