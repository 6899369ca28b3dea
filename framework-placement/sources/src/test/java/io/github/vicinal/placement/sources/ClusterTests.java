package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import io.github.vicinal.placement.sources.LocalServer.Answer;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;

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
		assertThat(model.services().get(0).demand()).isEqualTo(Resources.of(500, 400));
		assertThat(model.hosts()).extracting((host) -> host.capacity()).containsOnly(Resources.of(4000, 8192));
		assertThat(model.current()).isNotNull();
		assertThat(cluster.current().on("orders")).isEqualTo(Map.of("b", 2));
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
			.containsExactly(Resources.of(600, 200), Resources.of(200, 200));
		assertThat(observed.notSeen()).anySatisfy((line) -> assertThat(line).contains("[one, two] share a process"))
			.anySatisfy((line) -> assertThat(line).contains("'other' is not among the services"));
	}

	@Test
	void anInstanceThatRestartsIsOneInstance() {
		Cluster cluster = new Cluster(LONG, LONG, 1);
		cluster.add(report("shop", "i1", "a", 10, to("orders", "", "", 1000)), "x:1", 0);
		cluster.add(report("shop", "i2", "a", 10, to("orders", "", "", 500)), "x:1", 1);
		assertThat(cluster.current().total("shop")).isEqualTo(1);
		assertThat(cluster.traffic(1).edges()).singleElement()
			.satisfies((edge) -> assertThat(edge.callsPerSecond()).isCloseTo(5, within(1e-9)));
	}

	/** Asked less often than silence lasts, an instance is still the same one. */
	@Test
	void cpuIsThatOfTheRecentPastHoweverRarelyItIsAsked() {
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
			.allSatisfy((service) -> assertThat(service.demand().get(Resources.CPU)).isBetween(1990L, 2000L));
	}

	@Test
	void cpuFadesAsCallsDo() {
		Cluster cluster = new Cluster(Duration.ofMinutes(10), LONG, 1);
		for (int i = 0; i < 2; i++) {
			cluster.add(new InstanceReport("shop", "i", "i", "a", "", 4, 8192, 100 + 600.0 * i, 50 + 1200.0 * i, 400, 0,
					0, List.of()), null, 600_000_000_000L * i);
		}
		assertThat(cluster.model(CALLS, 0).model().services()).singleElement()
			.satisfies((service) -> assertThat(service.demand().get(Resources.CPU)).isEqualTo(1250));
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

	@Test
	void instancesAreAskedOverHttp() throws IOException {
		InstanceReport shop = report("shop", "i1", "a", 0, to("peer", "x:1", "i2", 100));
		InstanceReport orders = report("orders", "i2", "b", 100);
		try (LocalServer server = new LocalServer((request) -> Answer.ok(this.mapper
			.writeValueAsString((request.startsWith("/shop/placement/instance") ? shop : orders).toMap())))) {
			URI gone = URI.create("http://127.0.0.1:1/actuator");
			InstanceSource source = new InstanceSource(() -> List.of(server.uri("/shop"), server.uri("/orders/"), gone),
					new Cluster(LONG, LONG, 1), new HttpJson(Duration.ofSeconds(5)));
			Traffic traffic = source.observe();
			assertThat(traffic.edges()).singleElement()
				.satisfies((edge) -> assertThat(edge.from() + edge.to()).isEqualTo("shoporders"));
			assertThat(traffic.notSeen()).anySatisfy((line) -> assertThat(line).contains("127.0.0.1:1", "reached"));
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

}
