package io.github.vicinal.placement.recommend;

import java.util.List;
import java.util.Map;
import java.util.Objects;

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
import io.github.vicinal.placement.model.Prices;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Route;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** Gains of requests, limits of routes, and savings. */
class RouteGainTests {

	private static final PathCosts COSTS = new PathCosts(new PathCost("uds", 50, 0, 40, 0, 0.1),
			new PathCost("http", 150, 0, 140, 0, 0.2));

	/** Host x takes two of shop, mail and stock; mail has most calls. */
	private static PlacementModel shop(EdgeWeight weight, @Nullable Double slo) {
		List<Service> services = List.of(new Service("shop", 1, Resources.of(500, 1)),
				new Service("mail", 1, Resources.of(500, 1)), new Service("stock", 1, Resources.of(500, 1)));
		List<Host> hosts = List.of(new Host("x", Resources.of(1000, 10)), new Host("y", Resources.of(1000, 10)));
		Route order = new Route("order", 1000.0, List.of(new Route.Hop("shop", "stock", 2)), 5000.0, slo,
				Evidence.given());
		return new PlacementModel(services, hosts,
				List.of(Edge.calls("shop", "mail", 3000), Edge.calls("shop", "stock", 2000)), List.of(), COSTS,
				Objective.traffic(weight, Routing.UNIFORM), null)
			.withRoutes(List.of(order));
	}

	private static final Plan WITH_STOCK = new Plan(
			Map.of("shop", Map.of("x", 1), "stock", Map.of("x", 1), "mail", Map.of("y", 1)));

	private static final Plan WITH_MAIL = new Plan(
			Map.of("shop", Map.of("x", 1), "mail", Map.of("x", 1), "stock", Map.of("y", 1)));

	private static Recommendation recommend(PlacementModel model) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
				Budget.ofIterations(20_000, 1), Progress.none());
	}

	/** Calls that nobody waits for are most of the traffic, and nothing to a request. */
	@Test
	void theCriticalPathIsSoughtInsteadOfTheSum() {
		Plan bySum = recommend(shop(EdgeWeight.CALLS, null)).after();
		assertThat(bySum.localShare("shop", "mail", Routing.UNIFORM)).isEqualTo(1);
		Recommendation byPath = recommend(shop(EdgeWeight.CRITICAL_PATH, null).with(WITH_MAIL));
		assertThat(byPath.after().localShare("shop", "stock", Routing.UNIFORM)).isEqualTo(1);
		assertThat(byPath.routes()).singleElement().satisfies((route) -> {
			assertThat(route.beforeMicros()).isCloseTo(2 * 150, within(1e-9));
			assertThat(route.afterMicros()).isCloseTo(2 * 50, within(1e-9));
			assertThat(route.expectedP99Micros()).isCloseTo(4800, within(1e-9));
		});
	}

	@ParameterizedTest
	@CsvSource({ "5100, BROKEN", "5200, KEPT", "4900, MISSED" })
	void aPlanThatBreaksALimitIsNotApplied(double slo, RouteGain.Slo expected) {
		Recommendation found = recommend(shop(EdgeWeight.CALLS, slo).with(WITH_STOCK));
		assertThat(found.routes().get(0).limit()).isEqualTo(expected);
		assertThat(found.action())
			.isEqualTo((expected == RouteGain.Slo.BROKEN) ? Recommendation.Action.KEEP : Recommendation.Action.APPLY);
		if (expected == RouteGain.Slo.BROKEN) {
			assertThat(found.reason()).contains("'order'", "5.200 ms", "5.100 ms");
		}
	}

	@Test
	void aLimitThatIsMetAgainIsSaid() {
		Recommendation found = recommend(shop(EdgeWeight.CRITICAL_PATH, 4900.0).with(WITH_MAIL));
		assertThat(found.routes().get(0).limit()).isEqualTo(RouteGain.Slo.RESTORED);
		JsonNode json = JsonMapper.builder().build().readTree(new RecommendationJson().write(found));
		assertThat(json.get("routes").get(0).get("slo").stringValue()).isEqualTo("restored");
	}

	@Test
	void savingsAreMoneyOnlyWithPrices() {
		PlacementModel model = shop(EdgeWeight.CALLS, null).with(WITH_STOCK);
		Savings free = Objects.requireNonNull(recommend(model).savings());
		assertThat(free.cores()).isCloseTo((3000 - 2000) * 100e-6, within(1e-9));
		assertThat(free.coresPerMonth()).isNull();
		Savings priced = Objects.requireNonNull(recommend(model.withPrices(new Prices("EUR", 0.04, 0.5))).savings());
		assertThat(priced.coresPerMonth()).isCloseTo(0.1 * 0.04 * 730, within(1e-6));
		assertThat(priced.freedHosts()).isZero();
		assertThat(priced.hostsPerMonth()).isZero();
	}

	@Test
	void wrongRoutesAndPricesAreNamed() {
		Route.Hop hop = new Route.Hop("shop", "ghost", 1);
		Route ghost = new Route("order", 1.0, List.of(hop), null, null, Evidence.given());
		PlacementModel model = shop(EdgeWeight.CALLS, null);
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> model.withRoutes(List.of(ghost)))
			.withMessageContaining("'order'")
			.withMessageContaining("'ghost'");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new Route("order", 1.0, List.of(hop, hop), null, null, Evidence.given()))
			.withMessageContaining("twice");
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> new Prices("EUR", Double.NaN, 0))
			.withMessageContaining("price");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> recommend(shop(EdgeWeight.CRITICAL_PATH, null).withRoutes(List.of())))
			.withMessageContaining("critical-path");
	}

}
