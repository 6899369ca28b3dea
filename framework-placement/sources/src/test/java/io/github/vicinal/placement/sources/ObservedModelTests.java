package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
import io.github.vicinal.placement.source.Traffic;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Evidence that sources withhold is part of the model that they are put into. */
class ObservedModelTests {

	private static PlacementModel model() {
		Resources some = Resources.of(10, 10);
		return new PlacementModel(List.of(new Service("a", 1, some), new Service("b", 1, some)),
				List.of(new Host("x", Resources.of(20, 20)), new Host("y", Resources.of(20, 20))), List.of(), List.of(),
				PathCosts.defaults(), Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1))));
	}

	@Test
	void theModelCarriesWhatItsSourcesDidNotSee() {
		Traffic traffic = new Traffic(List.of(Edge.calls("a", "b", 100)), List.of("half of it is missing"),
				List.of("http://c did not answer"));
		ObservedModel observed = ObservedModel.of(model(), List.of(traffic));
		PlacementModel copy = new ModelJson().read(new ModelJson().write(observed.model()));
		assertThat(copy.doubts().notSeen()).contains("half of it is missing", "http://c did not answer");
		assertThat(copy.doubts().unanswered()).containsExactly("http://c did not answer");
		assertThat(observed.notSeen()).isEqualTo(observed.model().doubts().notSeen());
		// Twice the same source says nothing twice.
		assertThat(ObservedModel.of(observed.model(), List.of(traffic)).model().doubts())
			.isEqualTo(observed.model().doubts());
	}

	@Test
	void twoEdgesOfTheModelWithTheSameEndsCountBoth() {
		PlacementModel model = model().withEdges(List.of(Edge.calls("a", "b", 5), Edge.calls("a", "b", 7)));
		Traffic other = new Traffic(List.of(Edge.calls("b", "a", 1)), List.of());
		assertThat(ObservedModel.of(model, List.of(other)).model().edges())
			.containsExactlyInAnyOrder(Edge.calls("a", "b", 12), Edge.calls("b", "a", 1));
	}

	/** Traces know no calls, which makes the calls of the links no less certain. */
	@Test
	void timesOfTracesLeaveTheEvidenceOfLinksAsItIs() {
		Evidence counted = new Evidence("zipkin", 2000, Duration.ofMinutes(10), false, "");
		Evidence traced = new Evidence("zipkin", 200, Duration.ofMinutes(10), true,
				"seen in traces, but not in the links");
		Edge links = new Edge("shop", "orders", 30.0, null, null, null, null, counted);
		Edge traces = new Edge("shop", "orders", null, null, null, null, 500.0, traced);
		for (Edge both : List.of(ObservedModel.together(links, traces), ObservedModel.together(traces, links))) {
			assertThat(both.callsPerSecond()).isEqualTo(30);
			assertThat(both.p90LatencyMicros()).isEqualTo(500);
			assertThat(both.evidence()).isEqualTo(counted);
		}
	}

	@Test
	void everyNameThatIsLeftOutIsNamed() {
		List<Edge> edges = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			edges.add(Edge.calls("a", "outside-" + i, 1));
		}
		ObservedModel observed = ObservedModel.of(model(), List.of(new Traffic(edges, List.of())));
		String all = String.join("\n", observed.model().doubts().notSeen());
		for (int i = 0; i < 50; i++) {
			assertThat(all).contains("'outside-" + i + "'");
		}
	}

}
