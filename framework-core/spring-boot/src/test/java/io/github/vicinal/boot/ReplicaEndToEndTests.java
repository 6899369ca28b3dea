package io.github.vicinal.boot;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.vicinal.boot.Baskets.Basket;
import io.github.vicinal.boot.EndToEndTests.BasketClient;
import io.github.vicinal.boot.EndToEndTests.BasketService;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.replica.Locality;
import io.github.vicinal.replica.ReplicaReport;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.DeepTests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.ResourceAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A client with a list of replicas, of which one shares its rendezvous directory. */
@Timeout(60)
class ReplicaEndToEndTests {

	/** Connections that a client which calls one at a time leaves behind. */
	private static final int POOLED = 1;

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		return this.applications.start(type, properties);
	}

	private ConfigurableApplicationContext replica(String host) {
		return start(BasketService.class, Map.of("vicinal.server.paths", "uds", "vicinal.rendezvous.directory",
				this.directory.resolve(host).toString()));
	}

	private static String address(ConfigurableApplicationContext replica) {
		return "127.0.0.1:" + replica.getEnvironment().getProperty("local.server.port");
	}

	private ConfigurableApplicationContext client(String locality, String... addresses) {
		String instances = List.of(addresses)
			.stream()
			.map((address) -> "http://" + address)
			.collect(Collectors.joining(","));
		return start(BasketClient.class,
				Map.of("vicinal.channels.baskets.instances", instances, "vicinal.channels.baskets.locality", locality,
						"vicinal.rendezvous.directory", this.directory.resolve("here").toString()));
	}

	private static ChannelReport report(ConfigurableApplicationContext client) {
		ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("baskets");
		assertThat(report).isNotNull();
		return report;
	}

	private static ReplicaReport replica(ConfigurableApplicationContext client, String address) {
		return report(client).replicas()
			.stream()
			.filter((replica) -> replica.address().equals(address))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void callsGoToTheReplicaThatAnnouncedThisHost() {
		String far = address(replica("there"));
		String near = address(replica("here"));
		String other = address(replica("elsewhere"));
		ConfigurableApplicationContext client = client("true", far, near, other);
		Baskets baskets = client.getBean(Baskets.class);
		await().untilAsserted(() -> {
			baskets.get(1);
			assertThat(replica(client, near).locality()).isEqualTo(Locality.HOST);
			assertThat(replica(client, near).why()).contains("announced");
			assertThat(replica(client, far).locality()).isEqualTo(Locality.ANY);
			assertThat(replica(client, other).locality()).isEqualTo(Locality.ANY);
			assertThat(report(client).peers()).filteredOn((peer) -> peer.address().equals(near))
				.singleElement()
				.satisfies((peer) -> assertThat(peer.path()).isEqualTo("uds"));
		});
		for (int i = 0; i < 1_000; i++) {
			baskets.get(i);
		}
		long before = replica(client, near).calls();
		for (int i = 0; i < 1_000; i++) {
			baskets.get(i);
		}
		assertThat(replica(client, near).calls() - before).isGreaterThanOrEqualTo(950);
		assertThat(report(client).replicas().get(0).address()).isEqualTo(near);
		assertThat(report(client).replicas()).allSatisfy((replica) -> assertThat(replica.inFlight()).isZero());
	}

	@Test
	void withoutLocalityCallsTakeTurns() {
		String far = address(replica("there"));
		String near = address(replica("here"));
		ConfigurableApplicationContext client = client("false", far, near);
		Baskets baskets = client.getBean(Baskets.class);
		for (int i = 0; i < 100; i++) {
			baskets.get(i);
		}
		assertThat(replica(client, near).calls()).isEqualTo(50);
		assertThat(replica(client, far).calls()).isEqualTo(50);
	}

	@Test
	void callsGoOnAtAnotherReplicaWhenOneIsGone() {
		ConfigurableApplicationContext near = replica("here");
		String gone = address(near);
		String far = address(replica("there"));
		ConfigurableApplicationContext client = client("true", gone, far);
		Baskets baskets = client.getBean(Baskets.class);
		await().untilAsserted(() -> {
			baskets.get(1);
			assertThat(replica(client, gone).locality()).isEqualTo(Locality.HOST);
			assertThat(report(client).peers()).extracting(ChannelReport.PeerReport::path).contains("uds");
		});
		near.close();
		Basket basket = new Basket(9, "bob", List.of());
		int unanswered = 0;
		for (int i = 0; i < 50; i++) {
			assertThat(baskets.get(i).id()).isEqualTo(i);
			try {
				assertThat(baskets.save(basket).getBody()).as("not idempotent, but never sent").isEqualTo(basket);
			}
			catch (ResourceAccessException ex) {
				// Sent over a connection of the pool that the replica has closed: nobody
				// knows that it was not executed.
				assertThat(ex).hasRootCauseInstanceOf(IOException.class);
				unanswered++;
			}
		}
		assertThat(unanswered).as("calls over connections of the pool").isLessThanOrEqualTo(POOLED);
		assertThat(replica(client, gone).failures()).isPositive();
		assertThat(replica(client, far).calls()).isGreaterThanOrEqualTo(90);
	}

	/** Neither connections nor packets are refused: only the time-out of a call tells. */
	@Test
	@Timeout(180)
	void nearReplicasWhoseHostsVanishCostOneTimeOutEach() throws Exception {
		String far = address(replica("there"));
		try (VanishingHost one = new VanishingHost(port(nearOverHttp()));
				VanishingHost two = new VanishingHost(port(nearOverHttp()))) {
			ConfigurableApplicationContext client = start(BasketClient.class,
					Map.of("vicinal.channels.baskets.instances",
							"http://%s,http://%s,http://%s".formatted(far, one.address(), two.address()),
							"vicinal.channels.baskets.paths", "uds", "vicinal.default-timeout", "500ms",
							"vicinal.rendezvous.directory", this.directory.resolve("here").toString()));
			Baskets baskets = client.getBean(Baskets.class);
			// First calls load classes, which may take longer than the time-out.
			await().ignoreException(ResourceAccessException.class).untilAsserted(() -> {
				baskets.get(1);
				for (VanishingHost near : List.of(one, two)) {
					assertThat(replica(client, near.address()).locality()).isEqualTo(Locality.HOST);
				}
				assertThat(replica(client, far).locality()).isEqualTo(Locality.ANY);
			});
			// A busy machine may make the near ones slower than the far one for a while.
			await().ignoreException(ResourceAccessException.class).untilAsserted(() -> {
				long before = nearCalls(client, one, two);
				for (int i = 0; i < 200; i++) {
					baskets.get(i);
				}
				assertThat(nearCalls(client, one, two) - before).as("calls of the near ones").isGreaterThan(100);
			});
			one.vanish();
			two.vanish();
			List<String> targets = new ArrayList<>();
			for (int i = 0; i < (DeepTests.areRun() ? 4_000 : 1_000); i++) {
				try {
					assertThat(baskets.get(i).id()).isEqualTo(i);
				}
				catch (ResourceAccessException ex) {
					targets.add(target(ex));
				}
			}
			// On a slow machine calls of the one that is there may time out, too.
			targets.removeIf(far::equals);
			assertThat(targets).as("one for each that has vanished").hasSizeBetween(1, 2).doesNotHaveDuplicates();
		}
	}

	/** Returns the address of the instance that a request went to. */
	private static String target(ResourceAccessException failure) {
		return Stream.of(failure.getCause().getSuppressed())
			.map((told) -> URI.create(told.getMessage().replace("The request went to ", "")).getAuthority())
			.findFirst()
			.orElseGet(() -> URI.create(failure.getMessage().split("\"")[1]).getAuthority());
	}

	/** It announces this host, and none of the paths that the client takes. */
	private ConfigurableApplicationContext nearOverHttp() {
		return start(BasketService.class, Map.of("vicinal.server.paths", "shm", "vicinal.rendezvous.directory",
				this.directory.resolve("here").toString()));
	}

	private static int port(ConfigurableApplicationContext replica) {
		return Integer.parseInt(replica.getEnvironment().getRequiredProperty("local.server.port"));
	}

	private static long nearCalls(ConfigurableApplicationContext client, VanishingHost... near) {
		return Stream.of(near).mapToLong((host) -> replica(client, host.address()).calls()).sum();
	}

	@Test
	void theMetersOfTheClientKeepItsOwnName() {
		String one = address(replica("here"));
		String two = address(replica("there"));
		ConfigurableApplicationContext client = client("false", one, two);
		Baskets baskets = client.getBean(Baskets.class);
		for (int i = 0; i < 4; i++) {
			baskets.get(i);
		}
		assertThat(client.getBean(io.micrometer.core.instrument.MeterRegistry.class)
			.get("http.client.requests")
			.tag("client.name", "127.0.0.1")
			.timer()
			.count()).isEqualTo(4);
	}

}
