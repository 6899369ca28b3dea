package io.github.vicinal.boot;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.replica.ReplicaReport;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The target of a redirect says nothing about the peer that was asked. */
@Timeout(60)
class RedirectTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(
				Map.of("vicinal.rendezvous.directory", this.directory.resolve("meet").toString()));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private ConfigurableApplicationContext service(String name) {
		return start(OrderService.class, Map.of("service.name", name, "vicinal.server.paths", "uds"));
	}

	private static String url(ConfigurableApplicationContext service) {
		return "http://localhost:" + service.getEnvironment().getProperty("local.server.port");
	}

	private static ChannelReport report(ConfigurableApplicationContext client) {
		ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("orders");
		assertThat(report).isNotNull();
		return report;
	}

	private static int orders(ConfigurableApplicationContext service) {
		return service.getBean(OrderController.class).orders.get();
	}

	private static String closedPort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return "http://localhost:" + socket.getLocalPort();
		}
	}

	@ParameterizedTest
	@CsvSource({ "http-components, true", "http-components, false", "jdk, true", "jdk, false", "simple, true",
			"reactor, true", "reactor, false" })
	void anOrderWhoseRedirectFailsIsExecutedOnce(String httpClient, boolean withBody) throws IOException {
		List<ConfigurableApplicationContext> services = List.of(service("a"), service("b"));
		String instances = services.stream().map(RedirectTests::url).collect(Collectors.joining(","));
		ConfigurableApplicationContext client = start(OrderClient.class,
				Map.of("vicinal.channels.orders.instances", instances, "vicinal.channels.orders.paths", "http",
						"vicinal.channels.orders.locality", "false", "spring.http.clients.imperative.factory",
						httpClient));
		Orders orders = client.getBean(Orders.class);
		String closed = closedPort();
		int failed = 0;
		for (int i = 0; i < 4; i++) {
			try {
				ResponseEntity<String> answer = withBody ? orders.order(closed, "pears") : orders.order(closed);
				assertThat(answer.getStatusCode()).as("of a client that follows no redirects of orders")
					.isEqualTo(HttpStatus.SEE_OTHER);
			}
			catch (ResourceAccessException ex) {
				failed++;
			}
		}
		assertThat(services.stream().mapToInt(RedirectTests::orders).sum()).as("orders, %d failed", failed)
			.isEqualTo(4);
		assertThat(failed).isEqualTo(httpClient.equals("simple") ? 0 : 4);
		if (withBody || httpClient.equals("http-components")) {
			assertThat(report(client).replicas()).extracting(ReplicaReport::failures).containsOnly(0L);
		}
	}

	@Test
	void theTargetOfARedirectAnnouncesItselfOnly() {
		ConfigurableApplicationContext a = service("a");
		ConfigurableApplicationContext b = service("b");
		ConfigurableApplicationContext client = start(OrderClient.class,
				Map.of("spring.http.serviceclient.orders.base-url", url(a), "spring.http.clients.imperative.factory",
						"http-components"));
		Orders orders = client.getBean(Orders.class);
		assertThat(orders.moved(url(b)).getBody()).isEqualTo("b");
		await().untilAsserted(() -> {
			assertThat(orders.who()).isEqualTo("a");
			assertThat(report(client).peers()).singleElement()
				.satisfies((peer) -> assertThat(peer.path()).isEqualTo("uds"));
		});
		for (int i = 0; i < 20; i++) {
			assertThat(orders.moved(url(b)).getBody()).isEqualTo("b");
			assertThat(orders.who()).isEqualTo("a");
		}
		assertThat(report(client).peers()).singleElement().satisfies((peer) -> {
			assertThat(peer.instanceId()).isEqualTo(a.getBean(PeerIdentity.class).instanceId());
			assertThat(peer.decisions()).as("one path, never left").hasSize(1);
		});
	}

	@ParameterizedTest
	@InTurn(value = { "http-components, uds", "http-components, http", "jdk, http", "jdk, uds", "simple, uds",
			"simple, http", "reactor, http", "reactor, uds" }, rows = 4)
	void theFirstRedirectOfAMethodIsFollowedOnce(String httpClient, String path) {
		ConfigurableApplicationContext a = service("a");
		ConfigurableApplicationContext b = service("b");
		ConfigurableApplicationContext client = start(OrderClient.class,
				Map.of("spring.http.serviceclient.orders.base-url", url(a), "vicinal.channels.orders.paths", path,
						"spring.http.clients.imperative.factory", httpClient));
		Orders orders = client.getBean(Orders.class);
		await().untilAsserted(() -> {
			assertThat(orders.who()).isEqualTo("a");
			assertThat(report(client).peers()).singleElement()
				.satisfies((peer) -> assertThat(peer.path()).isEqualTo(path));
		});
		boolean follows = !httpClient.equals("simple");
		assertThat(orders.moved(url(b)).getBody()).isEqualTo("b");
		assertThat(moves(a)).as("executed").isEqualTo(1);
		ResponseEntity<String> ordered = orders.order(url(b), "pears");
		assertThat(ordered.getStatusCode()).isEqualTo(follows ? HttpStatus.OK : HttpStatus.SEE_OTHER);
		assertThat(ordered.getBody()).isEqualTo(follows ? "b" : null);
		assertThat(orders.order(url(b)).getBody()).isEqualTo(follows ? "b" : null);
		assertThat(orders(a)).as("executed").isEqualTo(2);
		assertThat(orders.kept(url(b), "plums").getBody()).isEqualTo(follows ? "plums" : null);
		assertThat(orders(a)).as("executed").isEqualTo(3);
	}

	private static int moves(ConfigurableApplicationContext service) {
		return service.getBean(OrderController.class).moves.get();
	}

	@AffinityChannel
	interface Orders {

		@PostExchange("/kept-orders")
		ResponseEntity<String> kept(@RequestParam("next") String next, @RequestBody String what);

		@PostExchange("/echo")
		String echo(@RequestBody String what);

		@PostExchange("/orders")
		ResponseEntity<String> order(@RequestParam("next") String next, @RequestBody String what);

		@PostExchange("/empty-orders")
		ResponseEntity<String> order(@RequestParam("next") String next);

		@GetExchange("/moved")
		ResponseEntity<String> moved(@RequestParam("to") String to);

		@GetExchange("/who")
		String who();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OrderController.class)
	static class OrderService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "orders", types = Orders.class)
	static class OrderClient {

	}

	@RestController
	static class OrderController implements Orders {

		private final AtomicInteger orders = new AtomicInteger();

		private final AtomicInteger moves = new AtomicInteger();

		private final String name;

		OrderController(@Value("${service.name}") String name) {
			this.name = name;
		}

		@Override
		public ResponseEntity<String> order(String next, String what) {
			return order(next);
		}

		@Override
		public ResponseEntity<String> order(String next) {
			this.orders.incrementAndGet();
			return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create(next + "/who")).build();
		}

		@Override
		public ResponseEntity<String> kept(String next, String what) {
			this.orders.incrementAndGet();
			return ResponseEntity.status(HttpStatus.TEMPORARY_REDIRECT).location(URI.create(next + "/echo")).build();
		}

		@Override
		public String echo(String what) {
			return what;
		}

		@Override
		public ResponseEntity<String> moved(String to) {
			this.moves.incrementAndGet();
			return ResponseEntity.status(HttpStatus.FOUND).location(URI.create(to + "/who")).build();
		}

		@Override
		public String who() {
			return this.name;
		}

	}

}
