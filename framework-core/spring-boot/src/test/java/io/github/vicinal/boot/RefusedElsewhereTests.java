package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** Which answers of 503 let a call that is not idempotent go on at another replica. */
@Timeout(60)
class RefusedElsewhereTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private final List<ConfigurableApplicationContext> replicas = new ArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	@AfterEach
	void end() {
		this.end.countDown();
	}

	/** Starts two replicas that run a request at a time, and a client of both. */
	private Orders start(String path) {
		for (int i = 0; i < 2; i++) {
			this.replicas.add(this.applications.start(Service.class,
					Map.of("vicinal.rendezvous.directory", this.directory.toString(), "vicinal.server.requests.threads",
							"1", "vicinal.server.requests.queue-capacity", "1", "vicinal.server.requests.interval",
							"1m")));
		}
		String instances = this.replicas.stream()
			.map((replica) -> "http://127.0.0.1:" + replica.getEnvironment().getProperty("local.server.port"))
			.collect(Collectors.joining(","));
		// Apache's client would try once more by itself.
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.orders.instances", instances, "vicinal.channels.orders.locality", "false",
						"vicinal.channels.orders.paths", path, "vicinal.rendezvous.directory",
						this.directory.toString(), "spring.http.clients.imperative.factory", "jdk"));
		Orders orders = client.getBean(Orders.class);
		await().untilAsserted(() -> {
			orders.ping();
			assertThat(client.getBean(ChannelsEndpoint.class).channel("orders").peers()).hasSize(2)
				.allSatisfy((peer) -> assertThat(peer.path()).isEqualTo(path));
		});
		return orders;
	}

	private List<Integer> placed() {
		return this.replicas.stream().map((replica) -> replica.getBean(Controller.class).placed.get()).toList();
	}

	/** A refusal that it met elsewhere says nothing about its own actions. */
	@ParameterizedTest
	@InTurn(value = { "http", "uds", "direct" }, rows = 2)
	void aCallWhoseHandlerPassesARefusalOnIsExecutedOnce(String path) {
		Orders orders = start(path);
		HttpServerErrorException failure = catchThrowableOfType(HttpServerErrorException.class,
				() -> orders.place("passes-a-refusal-on"));
		assertThat(failure.getStatusCode().value()).isEqualTo(503);
		assertThat(failure.getResponseHeaders().getFirst(HttpHeaders.RETRY_AFTER)).matches("[1-9]\\d*");
		assertThat(failure.getResponseHeaders().containsHeader(Rejection.HEADER)).isFalse();
		assertThat(placed()).containsExactlyInAnyOrder(1, 0);
	}

	@ParameterizedTest
	@InTurn(value = { "http", "uds", "direct" }, rows = 2)
	void aCallThatTheRequestServerRefusesGoesOn(String path) throws InterruptedException {
		Orders orders = start(path);
		RequestServer permits = this.replicas.get(0).getBean(RequestServer.class);
		CountDownLatch started = new CountDownLatch(1);
		permits.submit("blocker", Priority.CRITICAL, () -> {
			started.countDown();
			return this.end.await(30, TimeUnit.SECONDS);
		});
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
		permits.submit("other", Priority.CRITICAL, () -> 1);
		for (int i = 0; i < 4; i++) {
			assertThat(orders.place("works").getStatusCode().value()).isEqualTo(200);
		}
		assertThat(placed()).containsExactly(0, 4);
		assertThat(permits.report().refused()).containsKey(Rejection.Reason.QUEUE_FULL);
	}

	@AffinityChannel
	@HttpExchange("/orders")
	interface Orders {

		@GetExchange
		String ping();

		@PostExchange("/{how}")
		ResponseEntity<String> place(@PathVariable String how);

	}

	@RestController
	static class Controller implements Orders {

		private final AtomicInteger placed = new AtomicInteger();

		@Override
		public String ping() {
			return "orders";
		}

		@Override
		public ResponseEntity<String> place(String how) {
			this.placed.incrementAndGet();
			return how.equals("works") ? ResponseEntity.ok("placed")
					: ResponseEntity.status(503)
						.header(HttpHeaders.RETRY_AFTER, "1")
						.header("vicinal-refused", "overload")
						.body("the stock is busy");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Controller.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "orders", types = Orders.class)
	static class Client {

	}

}
