package io.github.vicinal.boot.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Calls that typed paths cannot carry, to several replicas: what was not executed goes on
 * at another one, also if it was to become an exchange.
 */
@Timeout(120)
class LeftCallsAmongReplicasTests {

	private static final int ENOUGH = 8;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private final List<ConfigurableApplicationContext> replicas = new ArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	@AfterEach
	void end() {
		this.end.countDown();
	}

	private ConfigurableApplicationContext start(Class<?> client, String path, String library) {
		for (int i = 0; i < 2; i++) {
			this.replicas.add(this.applications.start(Server.class,
					Map.of("server.port", "0", "server.shutdown", "immediate", "vicinal.server.requests.threads", "1",
							"vicinal.server.requests.queue-capacity", "1", "vicinal.server.requests.interval", "1m")));
		}
		String instances = this.replicas.stream()
			.map(LeftCallsAmongReplicasTests::url)
			.collect(Collectors.joining(","));
		Map<String, Object> properties = new TreeMap<>(Map.of("spring.main.web-application-type", "none",
				"vicinal.compare-paths", "false", "vicinal.confirm-interval", "1h", "vicinal.channels.orders.instances",
				instances, "vicinal.channels.orders.locality", "false", "vicinal.channels.orders.paths", path,
				"vicinal.http-exchanges.paths", path, "spring.http.clients.imperative.factory", library,
				"spring.http.clients.reactive.connector", "jdk", "management.endpoints.web.exposure.include", "*"));
		properties.put("spring.http.serviceclient.orders.base-url", "http://orders");
		return this.applications.start(client, properties);
	}

	/** Other requests of the same client become exchanges with both replicas. */
	private void awaitPaths(ConfigurableApplicationContext client, Consumer<String> request, Runnable call) {
		await().untilAsserted(() -> {
			this.replicas.forEach((replica) -> request.accept(url(replica) + "/orders"));
			ChannelReport exchanges = client.getBean(ChannelsEndpoint.class).channel("http-exchanges");
			assertThat(exchanges).isNotNull();
			assertThat(exchanges.peers()).hasSize(2)
				.allSatisfy((peer) -> assertThat(peer.path()).as(peer.reason()).isNotEqualTo("http"));
		});
		for (int i = 0; i < ENOUGH; i++) {
			call.run();
		}
	}

	private Orders blocking(String path, String library) {
		ConfigurableApplicationContext client = start(BlockingClient.class, path, library);
		RestClient requests = client.getBean(RestClient.Builder.class).build();
		Orders orders = client.getBean(Orders.class);
		awaitPaths(client, (url) -> requests.post().uri(url).body("a").retrieve().toBodilessEntity(), () -> {
			orders.place("a");
			orders.all();
		});
		return orders;
	}

	private static String url(ConfigurableApplicationContext replica) {
		return "http://127.0.0.1:" + replica.getEnvironment().getProperty("local.server.port");
	}

	@ParameterizedTest
	@InTurn(value = { "uds, jdk", "direct, simple", "uds, reactor", "direct, http-components" }, rows = 2)
	void refusedOnesGoOn(String path, String library) throws InterruptedException {
		Orders orders = blocking(path, library);
		RequestServer permits = this.replicas.get(0).getBean(RequestServer.class);
		CountDownLatch started = new CountDownLatch(1);
		permits.submit("blocker", Priority.CRITICAL, () -> {
			started.countDown();
			return this.end.await(30, TimeUnit.SECONDS);
		});
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
		permits.submit("other", Priority.CRITICAL, () -> 1);
		for (int i = 0; i < ENOUGH; i++) {
			assertThat(orders.place("b")).isEqualTo(Map.of("order", "b"));
			assertThat(orders.all()).isEqualTo(Map.of("orders", 2));
		}
		assertThat(permits.report().refused()).containsKey(Rejection.Reason.QUEUE_FULL);
	}

	@ParameterizedTest
	@InTurn({ "uds, jdk", "direct, simple", "uds, reactor" })
	void thoseToAReplicaThatIsGoneGoOn(String path, String library) {
		Orders orders = blocking(path, library);
		this.replicas.get(0).close();
		for (int i = 0; i < ENOUGH; i++) {
			assertThat(orders.place("b")).isEqualTo(Map.of("order", "b"));
			assertThat(orders.all()).isEqualTo(Map.of("orders", 2));
		}
	}

	@Test
	void thoseOfReactiveClientsGoOn() {
		ConfigurableApplicationContext client = start(ReactiveClient.class, "uds", "jdk");
		LaterOrders orders = client.getBean(LaterOrders.class);
		WebClient requests = client.getBean(WebClient.Builder.class).clone().baseUrl("").build();
		awaitPaths(client, (url) -> requests.post().uri(url).bodyValue("a").retrieve().toBodilessEntity().block(),
				() -> orders.place("a").block());
		this.replicas.get(0).close();
		for (int i = 0; i < ENOUGH; i++) {
			assertThat(orders.place("b").block()).isEqualTo(Map.of("order", "b"));
		}
	}

	@AffinityChannel
	interface Orders {

		/** An {@code Object} has no type that a codec could carry. */
		@PostExchange("/orders")
		Object place(@RequestBody String order);

		@GetExchange("/orders")
		Object all();

	}

	@AffinityChannel(name = "orders")
	interface LaterOrders {

		@PostExchange("/orders")
		Mono<Object> place(@RequestBody String order);

	}

	@RestController
	static class Controller {

		@PostMapping("/orders")
		Map<String, String> place(@RequestBody String order) {
			return Map.of("order", order);
		}

		@GetMapping("/orders")
		Map<String, Integer> all() {
			return Map.of("orders", 2);
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Controller.class)
	static class Server {

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@ImportHttpServices(group = "orders", types = Orders.class)
	static class BlockingClient {

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class ReactiveClient {

		@Bean
		WebClient.Builder webClientBuilder(ClientHttpConnectorBuilder<?> connectors) {
			return WebClient.builder().clientConnector(connectors.build());
		}

		@Bean
		LaterOrders laterOrders(WebClient.Builder builder) {
			WebClient client = builder.baseUrl("http://orders").build();
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(client))
				.build()
				.createClient(LaterOrders.class);
		}

	}

}
