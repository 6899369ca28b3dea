package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import io.github.vicinal.placement.sources.LocalServer.Answer;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

class ClusterTests {

	private static final Duration LONG = Duration.ofHours(1);

	private static final Objective CALLS = Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY);

	private final JsonMapper mapper = JsonMapper.builder().build();

	private static InstanceReport report(String service, String instance, String host, double incoming,
			Outgoing... outgoing) {
		return new InstanceReport(service, instance, instance, host, "", 4, 8192, 100, 50, 400, incoming, 0,
				List.of(outgoing));
	}

	private static Outgoing to(String target, String address, String instance, double calls) {
		return new Outgoing(target, address, instance, "http", calls, 1000 * calls, null);
	}

	@Test
	void peersAreKnownByTheirIdThenByAddressThenByTheCallersName() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(report("shop", "i1", "a", 0, to("client-a", "x:1", "i2", 100), to("client-b", "y:2", "", 200),
				to("mail", "z:3", "", 300), to("shop-itself", "", "i1", 5)), null, 0);
		cluster.add(report("orders", "i2", "b", 100), "x:1", 0);
		cluster.add(report("stock", "i3", "b", 400), "y:2", 0);
		Traffic traffic = cluster.traffic(0);
		assertThat(traffic.edges()).extracting(Edge::to).containsExactly("orders", "stock", "mail");
		assertThat(traffic.edges().get(0).callsPerSecond()).isCloseTo(1, within(1e-9));
		assertThat(traffic.edges().get(0).bytesPerCall()).isCloseTo(1000, within(1e-6));
		assertThat(traffic.notSeen()).singleElement().asString().contains("'stock': 50 %", "do not report");
	}

	@Test
	void aModelComesFromReportsAlone() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(report("shop", "i1", "a", 10, to("orders", "", "i2", 100)), null, 0);
		cluster.add(report("orders", "i2", "b", 100), null, 0);
		cluster.add(report("orders", "i3", "b", 100), null, 0);
		ObservedModel observed = cluster.model(CALLS, 0);
		PlacementModel model = observed.model();
		assertThat(model.services()).extracting(Service::name, Service::replicas)
			.containsExactly(org.assertj.core.groups.Tuple.tuple("shop", 1),
					org.assertj.core.groups.Tuple.tuple("orders", 2));
		assertThat(model.services().get(0).demand()).as("with 15 % of margin").isEqualTo(Resources.of(575, 460));
		assertThat(model.services().get(0).demandFrom())
			.containsEntry(Resources.CPU, "mean 500 since the start plus 15 %, no peaks were seen yet")
			.containsEntry(Resources.MEMORY, "400 MiB in use plus 15 %");
		assertThat(model.hosts()).extracting((host) -> host.capacity()).containsOnly(Resources.of(4000, 8192));
		assertThat(model.current()).isNotNull();
		assertThat(cluster.current().on("orders")).isEqualTo(Map.of("b", 2));
	}

	/** As those that were restored from one checkpoint. */
	@Test
	void processesWithOneIdAreInstancesOfTheirOwn() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		for (int i = 0; i < 4; i++) {
			long nanos = 10 * i * SECOND;
			for (String host : List.of("a", "b")) {
				double before = host.equals("a") ? 5000 : 0;
				cluster.add(new InstanceReport("shop", "i", "1@" + host, host, "", 4, 8192, 1000 + 10.0 * i, 100 + i,
						400, 0, 0, List.of(to("orders", "", "", before + 100.0 * i))), null, nanos);
			}
			cluster.add(new InstanceReport("orders", "o", "1@c", "c", "", 4, 8192, 1000 + 10.0 * i, 100 + i, 400,
					200.0 * i, 0, List.of()), null, nanos);
		}
		assertThat(cluster.current().on("shop")).isEqualTo(Map.of("a", 1, "b", 1));
		assertThat(cluster.paths()).hasSize(1);
		assertThat(cluster.traffic(30 * SECOND).notSeen()).isEmpty();
		assertThat(cluster.traffic(30 * SECOND).edges()).singleElement()
			.satisfies((edge) -> assertThat(edge.callsPerSecond()).isCloseTo(20, within(0.1)));
	}

	@Test
	void applicationsWithoutANameAreNotReplicas() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(report("application", "i1", "a", 0, to("stock", "", "i2", 100)), null, 0);
		assertThat(cluster.model(CALLS, 0).model().doubts().unlocated()).isEmpty();
		cluster.add(report("application", "i3", "b", 0), null, 0);
		cluster.add(report("stock", "i2", "b", 100), null, 0);
		PlacementModel model = cluster.model(CALLS, 0).model();
		assertThat(model.doubts().unlocated()).containsExactly("application");
		assertThat(model.doubts().notSeen())
			.anySatisfy((line) -> assertThat(line).contains("2 instances have the name 'application'"));
	}

	@Test
	void aReportWithoutItsTimeIsNone() {
		Map<String, Object> report = new LinkedHashMap<>(report("shop", "i1", "a", 0).toMap());
		report.remove("uptimeSeconds");
		assertThatThrownBy(() -> InstanceReport.read(this.mapper.valueToTree(report), "test"))
			.isInstanceOf(InvalidModelException.class)
			.hasMessageContaining("uptimeSeconds is missing");
	}

	/**
	 * In the first moments after ten seconds one has been observed for ten, and another
	 * for a bit less.
	 */
	@Test
	void whileOneRateIsAMeanOverALifeNobodyIsAccused() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		for (int i = 0; i < 2; i++) {
			long late = i * (10 * SECOND - 50_000_000);
			cluster.add(report("shop", "i1", "a", 0, to("orders", "", "i2", 1000 + 100.0 * i)), null, 10 * i * SECOND);
			cluster.add(new InstanceReport("orders", "i2", "i2", "b", "", 4, 8192, 1000, 50, 400, 40_000 + 100.0 * i, 0,
					List.of()), "x:1", 60_000_000 + late);
		}
		assertThat(cluster.traffic(10 * SECOND + 10_000_000).notSeen()).isEmpty();
	}

	/** A JVM that does not know its CPU time reports 0. */
	@Test
	void cpuThatNobodyKnowsIsNotZero() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(new InstanceReport("shop", "i1", "i1", "a", "", 4, 8192, 100, 0, 400, 0, 0, List.of()), null, 0);
		assertThat(cluster.model(CALLS, 0).model().services()).singleElement()
			.satisfies((service) -> assertThat(service.demand().amounts()).containsOnlyKeys(Resources.MEMORY));
	}

	@Test
	void servicesOfOneProcessDivideWhatItUses() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		for (String service : List.of("one", "two")) {
			cluster.add(new InstanceReport(service, service, "p", "a", "", 4, 8192, 100, 80, 400,
					service.equals("one") ? 300 : 100, 0, List.of(to("other", "", "", 10))), null, 0);
		}
		ObservedModel observed = cluster.model(CALLS, 0);
		assertThat(observed.model().services()).extracting(Service::demand)
			.containsExactly(Resources.of(690, 230), Resources.of(230, 230));
		assertThat(observed.notSeen()).anySatisfy((line) -> assertThat(line).contains("[one, two] share a process"))
			.anySatisfy((line) -> assertThat(line).contains("'other' is not among the services"));
	}

	@Test
	void anInstanceThatRestartsIsOneInstance() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(report("shop", "i1", "a", 10, to("orders", "", "", 1000)), "x:1", 0);
		cluster.add(report("shop", "i2", "a", 10, to("orders", "", "", 500)), "x:1", 200 * SECOND);
		assertThat(cluster.current().total("shop")).isEqualTo(1);
		assertThat(cluster.traffic(200 * SECOND).edges()).singleElement()
			.satisfies((edge) -> assertThat(edge.callsPerSecond()).isCloseTo(5, within(1e-9)));
	}

	/** Asked less often than silence lasts, an instance is still the same one. */
	@Test
	void cpuIsThatOfPeaksHoweverRarelyItIsAsked() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), Duration.ofSeconds(42), 1);
		long hour = 3_600_000_000_000L;
		for (int i = 0; i < 3; i++) {
			// 0.5 processors before the first report, 2 from then on.
			double used = 50 + 7200.0 * i;
			for (String instance : List.of("i1", "i2")) {
				cluster.add(new InstanceReport(instance, instance, instance, "a", "", 4, 8192, 100 + 3600.0 * i, used,
						400, 0, 0, List.of()), null, hour * i);
			}
		}
		assertThat(cluster.model(CALLS, 2 * hour).model().services())
			.allSatisfy((service) -> assertThat(service.demand().get(Resources.CPU)).isEqualTo(2300));
	}

	@Test
	void cpuIsThatOfPeaks() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), LONG, 1);
		for (int i = 0; i < 2; i++) {
			cluster.add(new InstanceReport("shop", "i", "i", "a", "", 4, 8192, 100 + 600.0 * i, 50 + 1200.0 * i, 400, 0,
					0, List.of()), null, 600_000_000_000L * i);
		}
		assertThat(cluster.model(CALLS, 0).model().services()).singleElement()
			.satisfies(
					(service) -> assertThat(service.demand().get(Resources.CPU)).as("p90 plus 15 %").isEqualTo(2300));
	}

	/** A deployment changes the instance and not what the service needs. */
	@Test
	void peaksOutliveARestart() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), LONG, 1);
		for (int i = 0; i < 4; i++) {
			cluster.add(new InstanceReport("shop", "i1", "i1", "a", "", 4, 8192, 100 + 600.0 * i, 50 + 1200.0 * i, 400,
					0, 0, List.of()), "shop:1", 600 * SECOND * i);
		}
		cluster.add(new InstanceReport("shop", "i2", "i2", "a", "", 4, 8192, 60, 6, 400, 0, 0, List.of()), "shop:1",
				1900 * SECOND);
		assertThat(cluster.model(CALLS, 1900 * SECOND).model().services()).singleElement().satisfies((service) -> {
			assertThat(service.demand().get(Resources.CPU)).as("p90 plus 15 %").isEqualTo(2300);
			assertThat(service.demandFrom()).containsEntry(Resources.CPU, "p90 2000 of 5 observed times plus 15 %");
		});
	}

	/** In containers an instance may see its limits only. */
	@Test
	void aHostHasWhatTheInstanceThatSeesMostOfItSees() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(new InstanceReport("one", "i1", "p1", "a", "", 1, 512, 100, 10, 100, 0, 0, List.of()), null, 0);
		cluster.add(new InstanceReport("two", "i2", "p2", "a", "", 8, 256, 100, 10, 100, 0, 0, List.of()), null, 0);
		cluster.add(new InstanceReport("two", "i3", "p3", "b", "", 8, 256, 100, 10, 100, 0, 0, List.of()), null, 0);
		ObservedModel observed = cluster.model(CALLS, 0);
		assertThat(observed.model().hosts()).extracting((host) -> host.capacity())
			.containsExactly(Resources.of(8000, 512), Resources.of(8000, 256));
		assertThat(observed.notSeen()).filteredOn((line) -> line.contains("limits"))
			.singleElement()
			.asString()
			.contains("host 'a'", "{cpuMillis=1000, memoryMiB=256}", "{cpuMillis=8000, memoryMiB=512}");
	}

	@Test
	void anInstanceThatIsGoneDoesNotCount() {
		Cluster cluster = new Cluster(LONG, Duration.ofSeconds(30), 1);
		cluster.add(report("shop", "i1", "a", 10, to("orders", "", "", 1000)), "x:1", 0);
		cluster.add(report("orders", "i2", "b", 10), "y:1", 60_000_000_000L);
		assertThat(cluster.services()).containsExactly("orders");
		assertThat(cluster.traffic(60_000_000_000L).edges()).isEmpty();
		assertThat(cluster.traffic(60_000_000_000L).notSeen())
			.anySatisfy((line) -> assertThat(line).contains("'shop@i1' has not answered for 60 s"));
	}

	@Test
	void nothingReportedIsSaid() {
		assertThatThrownBy(() -> new Cluster(LONG, LONG, 1).model(CALLS, 0)).isInstanceOf(InvalidModelException.class)
			.hasMessageContaining("No instance has reported");
	}

	/** Many are asked at once, within the heap of an application that does other work. */
	@Test
	void aReportThatFloodsIsNotReadToItsEnd() {
		try (LocalServer server = new LocalServer((request) -> Answer.ok("[" + "1000,".repeat(1 << 20) + "1]"));
				HttpJson http = new HttpJson(Duration.ofSeconds(20))) {
			InstanceSource source = new InstanceSource(() -> List.of(server.uri("/flood")), new Cluster(LONG, LONG, 1),
					http);
			assertThat(source.refresh()).singleElement().asString().contains("sends more than 4 MiB");
		}
	}

	@Test
	void ofTwoMembersOfOneNameNoneIsLost() {
		try (LocalServer server = new LocalServer((request) -> Answer.ok("{ \"service\": \"a\", \"service\": \"b\" }"));
				HttpJson http = new HttpJson(Duration.ofSeconds(20))) {
			assertThatThrownBy(() -> http.get(server.uri("/"))).isInstanceOf(IOException.class)
				.hasMessageContaining("uplicate");
		}
	}

	/**
	 * Names of hosts are made from what instances say; one that says a blank is alone.
	 */
	@Test
	void aBlankHostCostsNoReport() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(report("shop", "s1", " ", 0), null, 0);
		cluster.add(report("orders", "o1", "a", 0), null, 0);
		assertThat(cluster.current().on("shop")).containsOnlyKeys("host of s1");
	}

	@Test
	void instancesAreAskedOverHttp() throws IOException {
		InstanceReport shop = report("shop", "i1", "a", 0, to("peer", "x:1", "i2", 100));
		InstanceReport orders = report("orders", "i2", "b", 100);
		try (LocalServer server = new LocalServer((request) -> Answer.ok(this.mapper
			.writeValueAsString((request.startsWith("/shop/vicinalplacement/instance") ? shop : orders).toMap())))) {
			URI gone = URI.create("http://127.0.0.1:1/actuator");
			InstanceSource source = new InstanceSource(() -> List.of(server.uri("/shop"), server.uri("/orders/"), gone),
					new Cluster(LONG, LONG, 1), new HttpJson(Duration.ofSeconds(5)));
			Traffic traffic = source.observe();
			assertThat(traffic.edges()).singleElement()
				.satisfies((edge) -> assertThat(edge.from() + edge.to()).isEqualTo("shoporders"));
			assertThat(traffic.unanswered()).singleElement().asString().contains("127.0.0.1:1", "reached");
		}
		InstanceSource none = new InstanceSource(() -> List.of(URI.create("http://127.0.0.1:1")),
				new Cluster(LONG, LONG, 1), new HttpJson(Duration.ofSeconds(5)));
		assertThatThrownBy(none::observe).isInstanceOf(IOException.class).hasMessageContaining("No instance answered");
	}

	/**
	 * Names such as that of the second are common among containers, and no URI has them.
	 */
	@Test
	void anAddressThatCannotBeAskedIsNamedAndTheOthersCount() {
		InstanceReport shop = report("shop", "i1", "a", 0);
		try (LocalServer server = new LocalServer(
				(request) -> Answer.ok(this.mapper.writeValueAsString(shop.toMap())))) {
			Cluster cluster = new Cluster(LONG, LONG, 1);
			InstanceSource source = new InstanceSource(
					() -> List.of(server.uri("/shop"), URI.create("http://my_service:8080/actuator"),
							URI.create("mailto:someone"), URI.create("ftp://x/actuator")),
					cluster, new HttpJson(Duration.ofSeconds(5)));
			assertThat(source.refresh()).satisfiesExactly(
					(line) -> assertThat(line).startsWith("http://my_service:8080/actuator has no host name"),
					(line) -> assertThat(line).contains("mailto:"), (line) -> assertThat(line).contains("ftp://x"));
			assertThat(cluster.services()).containsExactly("shop");
		}
		assertThat(new InstanceSource(() -> {
			throw new IllegalStateException("the registry is down");
		}, new Cluster(LONG, LONG, 1), new HttpJson(Duration.ofSeconds(5))).refresh()).singleElement()
			.asString()
			.contains("the registry is down");
	}

	@Test
	void instancesBeyondTheMostThatAreAskedAreCounted() {
		List<URI> many = Collections.nCopies(10_002, URI.create("http://my_service"));
		assertThat(new InstanceSource(() -> many, new Cluster(LONG, LONG, 1), new HttpJson(Duration.ofSeconds(5)))
			.refresh()).first().asString().startsWith("2 of 10002 instances are not asked");
	}

	@Test
	void reportsAreReadAsTheyAreWritten() {
		InstanceReport report = report("shop", "i1", "a", 7, to("x", "y:1", "i2", 3),
				new Outgoing("q", "", "", "direct", 5, null, null),
				new Outgoing("r", "", "", "uds", 5, null, new Outgoing.Cost(50_000, 0.5, null)),
				new Outgoing("s", "", "", "shm", 5, 9.0, new Outgoing.Cost(5_000, 0, 3_000.0)));
		assertThat(InstanceReport.read(this.mapper.valueToTree(report.toMap()), "test")).isEqualTo(report);
	}

	@Property(tries = 500)
	void anyDocumentIsAReportOrAnError(@ForAll byte[] noise, @ForAll int at) {
		byte[] bytes = this.mapper.writeValueAsBytes(report("shop", "i1", "a", 7, to("x", "y:1", "i2", 3)).toMap());
		for (int i = 0; i < noise.length; i++) {
			bytes[Math.floorMod(at + 17 * i, bytes.length)] = noise[i];
		}
		try {
			InstanceReport report = InstanceReport.read(this.mapper.readTree(new String(bytes, StandardCharsets.UTF_8)),
					"noise");
			assertThat(report.service()).isNotBlank();
			new Cluster(LONG, LONG, 0).add(report, null, 0);
		}
		catch (JacksonException ex) {
			assertThat(ex.getMessage()).isNotBlank();
		}
		catch (InvalidModelException ex) {
			assertThat(ex).hasMessageContaining("noise");
		}
	}

	@Test
	void ownMetersCountEachCallOnce() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		timer(registry, "http.client.requests", "client.name", "orders.prod.svc.cluster.local", 5);
		timer(registry, "http.client.requests", "client.name", "localhost", 10);
		timer(registry, "vicinal.channel.calls", "channel", "stock", 7);
		Traffic traffic = new MicrometerSource(registry, "shop", new RateWindow(LONG, 1)).observe();
		assertThat(traffic.edges()).extracting(Edge::to, (edge) -> edge.evidence().samples())
			.containsExactly(org.assertj.core.groups.Tuple.tuple("orders", 5L),
					org.assertj.core.groups.Tuple.tuple("stock", 7L));
		assertThat(traffic.notSeen()).singleElement().asString().contains("'shop': 3 calls");
	}

	private static void timer(SimpleMeterRegistry registry, String name, String tag, String value, int calls) {
		for (int i = 0; i < calls; i++) {
			registry.timer(name, tag, value).record(Duration.ofMillis(1));
		}
	}

	private static InstanceReport heap(String service, String host, ProcessMemory memory) {
		return new InstanceReport(service, "i-" + service, service, host, "", 8, 24_576, 100, 10, 500, 0, 0, List.of(),
				memory);
	}

	/** Two heaps of 16 GiB do not fit into 24 GiB, however little they take now. */
	@Test
	void aHeapNeedsItsLimit() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		ProcessMemory memory = new ProcessMemory(16_384, true, 200, 0, 600);
		cluster.add(heap("one", "a", memory), null, 0);
		cluster.add(heap("other", "b", memory), null, 0);
		PlacementModel model = cluster.model(CALLS, 0).model();
		assertThat(model.services()).allSatisfy((service) -> {
			assertThat(service.demand().get(Resources.MEMORY)).isEqualTo(16_384 + 230);
			assertThat(service.demandFrom()).containsEntry(Resources.MEMORY,
					"heap limit 16384 MiB, and 200 MiB outside of the heap plus 15 %");
		});
		assertThat(model.hosts()).allSatisfy((host) -> assertThat(host.capacity().get(Resources.MEMORY))
			.isLessThan(2 * model.services().get(0).demand().get(Resources.MEMORY)));
	}

	@Test
	void limitsOfContainersAndPeaksCount() {
		assertThat(new ProcessMemory(4096, false, 100, 0, 700).need(500).mib()).as("nobody chose the heap limit")
			.isEqualTo(805);
		assertThat(new ProcessMemory(4096, false, 100, 4000, 700).need(500)).isEqualTo(new ProcessMemory.Need(4000,
				"limit of the container; without it, heap limit 4096 MiB, and 100 MiB outside of the heap plus 15 %"));
		assertThat(new ProcessMemory(128, true, 100, 0, 1000).need(500)).as("native memory beyond the heap")
			.isEqualTo(new ProcessMemory.Need(1150, "peak 1000 MiB plus 15 %"));
	}

	@Test
	void limitsOfMemoryTravelWithTheReport() {
		InstanceReport report = heap("one", "a", new ProcessMemory(1, true, 2, 3, 4));
		assertThat(InstanceReport.read(this.mapper.valueToTree(report.toMap()), "test")).isEqualTo(report);
	}

	private static final long SECOND = 1_000_000_000L;

	/**
	 * The counts of an instance that makes so many calls in each second since its start.
	 */
	private static InstanceReport calling(String service, String instance, double uptime, double calls, String... to) {
		List<Outgoing> outgoing = new java.util.ArrayList<>();
		for (String target : to) {
			outgoing.add(new Outgoing(target, "", "", "http", calls, null, null));
		}
		return new InstanceReport(service, instance, instance, "h-" + service, "", 4, 8192, uptime, 1, 100, 0, 0,
				outgoing);
	}

	/**
	 * Two services call a third, one of them four times as often. Both were idle for a
	 * long time, each for another one, and are restarted in turn under load.
	 */
	@Property(tries = 200)
	void ratesOfInstancesOfDifferentAgesAreThoseThatAreDriven(@ForAll @IntRange(min = 0, max = 5000) int idle,
			@ForAll @IntRange(min = 1, max = 20) int down, @ForAll @IntRange(min = 20, max = 60) int restart,
			@ForAll boolean sameAddress) {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), Duration.ofSeconds(42), 1);
		for (int t = 0; t <= 200; t += 5) {
			// Load begins when the first question is asked.
			long now = t * SECOND;
			cluster.add(calling("slow", "s", 100 + t, 10.0 * t, "target"), "slow:1", now);
			int up = restart + down;
			if (t < restart) {
				cluster.add(calling("fast", "f1", 100 + idle + t, 40.0 * t, "target"), "fast:1", now);
			}
			else if (t > up) {
				cluster.add(calling("fast", "f2", t - up, 40.0 * (t - up), "target"), sameAddress ? "fast:1" : "fast:2",
						now);
			}
			boolean known = t < restart || t > up + 5;
			if (t >= 10 && known) {
				int at = t;
				assertThat(cluster.traffic(now).edges()).hasSize(2).allSatisfy((edge) -> {
					double driven = edge.from().equals("fast") ? 40 : 10;
					assertThat(edge.callsPerSecond()).as("%s after %d s", edge.from(), at)
						.isCloseTo(driven, within(0.05 * driven));
				});
				assertThat(cluster.traffic(now).notSeen()).noneMatch((line) -> line.contains("do not report"));
			}
		}
	}

	/** A new instance serves before the old one ends. */
	@Test
	void aRollingDeployCountsNoCallTwice() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), Duration.ofSeconds(42), 1);
		for (int t = 0; t <= 120; t += 5) {
			long now = t * SECOND;
			cluster.add(calling("other", "o", 500 + t, 20.0 * t, "target"), "other:1", now);
			if (t <= 60) {
				cluster.add(calling("shop", "old", 900 + t, 10.0 * t, "target"), "shop:1", now);
			}
			if (t > 50) {
				cluster.add(calling("shop", "new", t - 50, 10.0 * Math.max(0, t - 60), "target"), "shop:2", now);
			}
			if (t >= 10) {
				double shop = cluster.traffic(now)
					.edges()
					.stream()
					.filter((edge) -> edge.from().equals("shop"))
					.mapToDouble((edge) -> java.util.Objects.requireNonNullElse(edge.callsPerSecond(), 0.0))
					.sum();
				assertThat(shop).as("after %d s", t).isLessThan(10.5);
				// From 55 to 60 s both run.
				boolean both = t > 50 && t <= 60;
				assertThat(cluster.current().total("shop")).as("after %d s", t).isEqualTo(both ? 2 : 1);
				assertThat(cluster.services()).contains("shop");
			}
		}
	}

	@Test
	void whileNotComparableItIsSaidAndNobodyIsAccused() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(calling("shop", "s", 1000, 1000, "stock"), null, 0);
		cluster.add(calling("stock", "t", 100, 1000), null, 0);
		assertThat(cluster.traffic(0).notSeen()).singleElement()
			.asString()
			.contains("have counted for different times", "cannot be compared");
		assertThat(cluster.traffic(0).edges()).singleElement()
			.satisfies((edge) -> assertThat(edge.evidence().partial()).isTrue());
	}

	/** Means over different lives can be wrong by any factor. */
	@Test
	void ratesThatCannotBeComparedAreNoEvidence() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), Duration.ofSeconds(42), 1);
		Recommendation[] found = new Recommendation[3];
		for (int i = 0; i < found.length; i++) {
			long now = 6 * i * SECOND;
			cluster.add(calling("shop", "s", 1000 + 6 * i, 1_000_000 + 6000.0 * i, "stock"), "shop:1", now);
			cluster.add(calling("stock", "t", 100 + 6 * i, 0), "stock:1", now);
			found[i] = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
				.recommend(cluster.model(CALLS, now).model(), -1, Budget.ofIterations(1000, 1), Progress.none());
		}
		assertThat(found[0].moves()).hasSize(1);
		assertThat(found[0].action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(found[0].reason()).contains("a mean over the life of an instance", "ask again in 10 s");
		assertThat(found[1].action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(found[2].action()).isEqualTo(Recommendation.Action.APPLY);
	}

	/** An instance that ran before, and is found later than the others. */
	@Test
	void theRatesOfAnInstanceThatIsFoundLateAreComparableLater() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), Duration.ofSeconds(42), 1);
		for (int t = 0; t <= 60; t += 5) {
			long now = t * SECOND;
			cluster.add(calling("shop", "s", 100 + t, 10.0 * t, "stock"), "shop:1", now);
			if (t >= 30) {
				// Idle for 5,000 s, and busy since the others were asked first.
				cluster.add(calling("late", "l", 5000 + t, 40.0 * t, "stock"), "late:1", now);
			}
			int at = t;
			assertThat(cluster.traffic(now).edges()).filteredOn((edge) -> edge.from().equals("late"))
				.allSatisfy((edge) -> assertThat(edge.evidence().partial()).as("after %d s", at).isEqualTo(at < 40));
			assertThat(cluster.traffic(now).edges()).filteredOn((edge) -> edge.from().equals("shop") && at >= 10)
				.allSatisfy((edge) -> assertThat(edge.evidence().partial()).as("after %d s", at).isFalse());
		}
		assertThat(cluster.traffic(60 * SECOND).edges()).filteredOn((edge) -> edge.from().equals("late"))
			.singleElement()
			.satisfies((edge) -> assertThat(edge.callsPerSecond()).isCloseTo(40, within(2.0)));
	}

}
