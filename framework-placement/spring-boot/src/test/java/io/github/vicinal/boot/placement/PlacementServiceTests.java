package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.boot.placement.PlacementService.BusyException;
import io.github.vicinal.boot.placement.PlacementService.Outcome;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.placement.model.Doubts;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.recommend.Savings;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.sources.InstanceReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Recommendations while some of the evidence is missing, or a search is running. */
@Timeout(60)
class PlacementServiceTests {

	/** The traffic of shop and stock pays for any move. */
	private static final String MODEL = """
			{ "format": "vicinal-placement-model", "version": 1,
			  "services": [ { "name": "shop", "demand": { "cpuMillis": 500 } },
			    { "name": "stock", "replicas": %d, "demand": { "cpuMillis": 500 } } ],
			  "hosts": [ { "name": "a", "capacity": { "cpuMillis": 2000 } },
			    { "name": "b", "capacity": { "cpuMillis": 2000 } } ],
			  "edges": [ { "from": "shop", "to": "stock", "callsPerSecond": 10000, "applicationBytesPerSecond": 0 } ]
			  %s }""";

	private final List<HttpServer> servers = new ArrayList<>();

	@AfterEach
	void stop() {
		this.servers.forEach((server) -> server.stop(0));
	}

	private static PlacementModel model(int replicas, String current) {
		return new ModelJson().read(MODEL.formatted(replicas, current.isEmpty() ? "" : ", \"current\": " + current));
	}

	/** Starts what answers like the actuator of an instance of stock. */
	private URI stock(String instance, String host) {
		InstanceReport report = new InstanceReport("stock", instance, instance, host, "", 2, 1000, 100, 10, 100, 0, 0,
				List.of());
		byte[] body = JsonMapper.shared().writeValueAsBytes(report.toMap());
		try {
			HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
			server.createContext("/actuator/vicinalplacement/instance", (exchange) -> {
				exchange.sendResponseHeaders(200, body.length);
				exchange.getResponseBody().write(body);
				exchange.close();
			});
			server.start();
			this.servers.add(server);
			return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/actuator");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A host that costs less than a JVM was measured to cost makes the JVM cost as much.
	 */
	@Test
	void aCheapHostMakesNoJvmDear() {
		PlacementModel model = cliques();
		WhatIf cheap = new WhatIf(null, null, null, null, 1.0, null, null, null, null, null, null);
		PathCosts costs = cheap.change(model).pathCosts();
		assertThat(costs.sameHost().cpuMicros()).isEqualTo(1);
		assertThat(costs.nearest().cpuMicros()).isEqualTo(1);
	}

	/** The service of the instance of shop on host a. */
	private static PlacementService service(PlacementModel model, @Nullable Integer maxMoves, MergeChecker merges,
			URI... others) {
		PlacementProperties properties = new PlacementProperties(PlacementProperties.Mode.RECOMMEND, null, List.of(),
				null, false, Duration.ofSeconds(5), Duration.ZERO, Duration.ofMinutes(10), 1, Duration.ofMillis(50), 1,
				maxMoves, null, null, "a", "", Map.of(), List.of(), Map.of(), DataSize.ofMegabytes(160),
				new PlacementProperties.Cost("EUR", 0.5, 2));
		LocalInstance shop = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "", () -> null,
				() -> null, () -> null, (names) -> Map.of(), () -> List.of("/actuator"));
		return new PlacementService(properties, model, shop, () -> List.of(others), merges);
	}

	private static Outcome recommend(PlacementModel model, @Nullable Integer maxMoves, URI... others) {
		return service(model, maxMoves, MergeChecker.none(), others).recommend(WhatIf.NOTHING);
	}

	private static Recommendation recommendation(Outcome outcome) {
		return Objects.requireNonNull(outcome.recommendation());
	}

	private static void keepsBecauseNobodySaysWhereStockRuns(Outcome outcome) {
		assertThat(outcome.unlocated()).containsExactly("stock");
		Recommendation found = recommendation(outcome);
		assertThat(found.action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(found.reason()).contains("not known where all replicas of 'stock' run");
		// The command line reads the model alone, and must know as much.
		assertThat(new ModelJson().read(new ModelJson().write(outcome.model())).doubts().unlocated())
			.containsExactly("stock");
		assertThat(Objects.requireNonNull(found.before()).on("shop")).isEqualTo(Map.of("a", 1));
	}

	@Test
	void recommendationsOfAllReportersAreApplied() {
		Outcome outcome = recommend(model(1, ""), null, stock("i1", "b"));
		assertThat(outcome.unlocated()).isEmpty();
		assertThat(recommendation(outcome).action()).isEqualTo(Recommendation.Action.APPLY);
		assertThat(recommendation(outcome).before())
			.isEqualTo(new Plan(Map.of("shop", Map.of("a", 1), "stock", Map.of("b", 1))));
	}

	@Test
	void pricesOfPropertiesShowSavingsAsMoney() {
		Savings savings = Objects
			.requireNonNull(recommendation(recommend(model(1, ""), null, stock("i1", "b"))).savings());
		assertThat(savings.currency()).isEqualTo("EUR");
		assertThat(savings.freedHosts()).isEqualTo(1);
		assertThat(savings.hostsPerMonth()).isEqualTo(2 * 730);
		assertThat(savings.coresPerMonth()).isEqualTo(savings.cores() * 0.5 * 730);
	}

	@Test
	void wrongPricesAreRefusedByName() {
		assertThatExceptionOfType(InvalidPlacementException.class)
			.isThrownBy(() -> new PlacementProperties.Cost(" ", 1, 1).prices())
			.withMessageContaining("vicinal.placement.prices");
	}

	@Test
	void aServiceThatDoesNotReportKeepsEverything() {
		Outcome outcome = recommend(model(1, ""), null, URI.create("http://127.0.0.1:1/actuator"));
		keepsBecauseNobodySaysWhereStockRuns(outcome);
		assertThat(outcome.notSeen()).anySatisfy((line) -> assertThat(line).contains("127.0.0.1:1"))
			.anySatisfy((line) -> assertThat(line).contains("'stock': 0 of 1 replicas report where they run"));
		assertThat(Objects.requireNonNull(recommendation(outcome).gain()).latencyMicrosPerSecond()).isZero();
	}

	@Test
	void aReplicaThatDoesNotReportKeepsEverything() {
		Outcome outcome = recommend(model(2, ""), null, stock("i1", "b"));
		keepsBecauseNobodySaysWhereStockRuns(outcome);
		assertThat(outcome.notSeen()).anySatisfy((line) -> assertThat(line).contains("'stock': 1 of 2 replicas"));
	}

	@Test
	void aHostThatTheModelDoesNotHaveKeepsEverything() {
		Outcome outcome = recommend(model(1, ""), null, stock("i1", "c"));
		keepsBecauseNobodySaysWhereStockRuns(outcome);
		assertThat(outcome.notSeen())
			.anySatisfy((line) -> assertThat(line).contains("'stock' reports to run on [c]", "or the model has"));
	}

	@Test
	void moreThanTheModelHasIsNamed() {
		Outcome outcome = recommend(model(1, ""), null, stock("i1", "b"), stock("i2", "c"));
		assertThat(outcome.unlocated()).isEmpty();
		assertThat(outcome.notSeen())
			.anySatisfy((line) -> assertThat(line).contains("'stock' reports to run on [c], too"));
	}

	@Test
	void aLimitOfMovesNeedsNoCompleteEvidence() {
		keepsBecauseNobodySaysWhereStockRuns(recommend(model(1, ""), 1));
	}

	@Test
	void theModelSaysWhereThoseRunThatDoNotReport() {
		Outcome outcome = recommend(model(1, "{ \"shop\": { \"b\": 1 }, \"stock\": { \"b\": 1 } }"), null);
		assertThat(outcome.unlocated()).isEmpty();
		assertThat(recommendation(outcome).before())
			.isEqualTo(new Plan(Map.of("shop", Map.of("a", 1), "stock", Map.of("b", 1))));
		assertThat(recommendation(outcome).notSeen())
			.anySatisfy((line) -> assertThat(line).contains("'stock': 0 of 1", "taken is what the model says, {b=1}"));
	}

	/**
	 * What it would have said may contradict the plan, wherever the model says it runs.
	 */
	@Test
	void anInstanceThatDoesNotAnswerLeavesTheVerdictOpen() {
		Outcome outcome = recommend(model(1, "{ \"shop\": { \"a\": 1 }, \"stock\": { \"b\": 1 } }"), null,
				URI.create("http://127.0.0.1:1/actuator"));
		assertThat(outcome.unlocated()).isEmpty();
		Recommendation found = recommendation(outcome);
		assertThat(found.action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(found.reason()).contains("did not answer", "127.0.0.1:1");
		PlacementModel copy = new ModelJson().read(new ModelJson().write(outcome.model()));
		assertThat(copy.doubts()).isEqualTo(outcome.model().doubts());
		assertThat(solved(copy).action()).isEqualTo(Recommendation.Action.UNDECIDED);
	}

	/** Doubts of a model's author hold until reports answer them. */
	@Test
	void doubtsOfTheModelHoldUntilReportsAnswerThem() {
		PlacementModel model = model(1, "{ \"shop\": { \"a\": 1 }, \"stock\": { \"b\": 1 } }")
			.with(new Doubts(List.of(), Set.of("stock", "mail")));
		assertThat(recommend(model, null).unlocated()).containsExactlyInAnyOrder("stock", "mail");
		assertThat(recommend(model, null, stock("i1", "b")).unlocated()).containsExactly("mail");
		assertThat(recommendation(recommend(model, null, stock("i1", "b"))).action())
			.isEqualTo(Recommendation.Action.UNDECIDED);
	}

	private static Recommendation solved(PlacementModel model) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
				Budget.ofIterations(1000, 1), Progress.none());
	}

	@Test
	void aModelThatReportsContradictIsNotBelieved() {
		keepsBecauseNobodySaysWhereStockRuns(
				recommend(model(2, "{ \"stock\": { \"a\": 2 } }"), null, stock("i1", "b")));
	}

	/** The search is held where it asks whether services may share a JVM. */
	@Test
	void aRequestDuringASearchIsAnsweredWithTryAgain() throws Exception {
		CountDownLatch searching = new CountDownLatch(1);
		CountDownLatch enough = new CountDownLatch(1);
		PlacementService service = service(model(1, ""), null, (one, other) -> {
			searching.countDown();
			try {
				assertThat(enough.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return List.of();
		}, stock("i1", "b"));
		PlacementEndpoint endpoint = new PlacementEndpoint(service);
		PlacementViewsEndpointExtension web = new PlacementViewsEndpointExtension(endpoint);
		CompletableFuture<WebEndpointResponse<Object>> first = CompletableFuture.supplyAsync(web::placement,
				(task) -> new Thread(task, "search").start());
		try {
			assertThat(searching.await(30, TimeUnit.SECONDS)).isTrue();
			for (WebEndpointResponse<Object> second : List.of(web.placement(),
					web.whatIf(null, null, null, null, null, null, null, null, null, null, null))) {
				assertThat(second.getStatus()).isEqualTo(503);
				assertThat(second.getBody()).asString().contains("Another search is running");
			}
			assertThatExceptionOfType(BusyException.class).isThrownBy(endpoint::placement);
			assertThat(web.whatIf(null, null, null, null, null, null, null, 0L, null, null, null).getStatus())
				.as("a request that is wrong")
				.isEqualTo(400);
			assertThat(web.view("model")).isNotNull();
			assertThat(service.search().running()).isTrue();
			assertThat(service.cancel()).isTrue();
		}
		finally {
			enough.countDown();
		}
		assertThat(first.get(30, TimeUnit.SECONDS).getStatus()).isEqualTo(200);
		assertThat(web.placement().getStatus()).isEqualTo(200);
		assertThat(service.search()).isEqualTo(RunningSearch.State.IDLE);
		assertThat(service.cancel()).isFalse();
	}

	/** A long search ends as soon as it is asked to, with the best plan so far. */
	@Test
	void aCancelledSearchAnswersWithItsBest() throws Exception {
		PlacementModel model = cliques();
		PlacementService service = service(model, null, MergeChecker.none());
		WhatIf longest = new WhatIf(null, null, null, null, null, null, null, 30_000L, null, null, null);
		long start = System.nanoTime();
		CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> service.recommend(longest));
		long deadline = start + Duration.ofSeconds(20).toNanos();
		while (service.search().objective() == null && !outcome.isDone() && System.nanoTime() < deadline) {
			Thread.onSpinWait();
		}
		assertThat(service.search().running()).isTrue();
		assertThat(service.cancel()).isTrue();
		assertThat(recommendation(outcome.get(20, TimeUnit.SECONDS)).stopped()).isTrue();
		assertThat(System.nanoTime() - start).isLessThan(Duration.ofSeconds(29).toNanos());
	}

	/** Services whose best placement nobody proves within the time of a request. */
	private static PlacementModel cliques() {
		List<Service> services = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		for (int s = 0; s < 200; s++) {
			services.add(new Service("s" + s, 1, Resources.of(100 + s % 37, 100)));
			for (int t = 0; t < s; t += 1 + (s * 7 + t) % 13) {
				edges.add(Edge.calls("s" + s, "s" + t, 1 + (s * 31 + t * 17) % 97));
			}
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 20; h++) {
			hosts.add(new Host("h" + h, Resources.of(1400, 9000)));
		}
		return new PlacementModel(services, hosts, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
	}

}
