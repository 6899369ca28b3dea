package io.github.vicinal.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.requestserver.Rejection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A replica that has executed a call and sends the client on with a redirect. The JDK's
 * client follows it without a word, and what its target does says nothing of the call.
 */
@Timeout(60)
class SilentRedirectTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private final List<HttpServer> servers = new ArrayList<>();

	private final AtomicInteger placed = new AtomicInteger();

	private int closedPort;

	@BeforeEach
	void findClosedPort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.closedPort = socket.getLocalPort();
		}
	}

	@AfterEach
	void stop() {
		this.servers.forEach((server) -> server.stop(0));
	}

	/** Clients and their ways to wait. */
	private enum Caller {

		REST_CLIENT, WEB_CLIENT, FUTURE, MONO, FLUX

	}

	private int server(Handler handler) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			exchange.getRequestBody().readAllBytes();
			handler.handle(exchange, server.getAddress().getPort());
			exchange.close();
		});
		server.start();
		this.servers.add(server);
		return server.getAddress().getPort();
	}

	@FunctionalInterface
	private interface Handler {

		void handle(HttpExchange exchange, int port) throws IOException;

	}

	private void place(HttpExchange exchange) throws IOException {
		this.placed.incrementAndGet();
		byte[] body = "placed".getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "text/plain");
		exchange.sendResponseHeaders(200, body.length);
		exchange.getResponseBody().write(body);
	}

	private void redirect(HttpExchange exchange, int status, String location) throws IOException {
		this.placed.incrementAndGet();
		exchange.getResponseHeaders().set("Location", location);
		exchange.sendResponseHeaders(status, -1);
	}

	private static void refuse(HttpExchange exchange) throws IOException {
		exchange.getResponseHeaders().set(Rejection.HEADER, "overload");
		exchange.sendResponseHeaders(503, -1);
	}

	private String url(int port) {
		return "http://127.0.0.1:" + port;
	}

	private Orders client(Caller caller, boolean follows, int... ports) {
		List<String> instances = new ArrayList<>();
		for (int port : ports) {
			instances.add(url(port));
		}
		return this.applications.start(Client.class,
				Map.of("vicinal.channels.orders.instances", String.join(",", instances),
						"vicinal.channels.orders.locality", "false", "vicinal.channels.orders.paths", "http",
						"spring.http.clients.imperative.factory", "jdk", "spring.http.clients.reactive.connector",
						"jdk", "spring.http.clients.redirects", follows ? "follow-when-possible" : "dont-follow",
						"follows", follows, "reactive", caller != Caller.REST_CLIENT))
			.getBean(Orders.class);
	}

	private static String call(Orders orders, Caller caller, boolean withBody) throws Exception {
		try {
			return switch (caller) {
				case REST_CLIENT, WEB_CLIENT -> withBody ? orders.place("tea") : orders.place();
				case FUTURE -> (withBody ? orders.placeFuture("tea") : orders.placeFuture()).get();
				case MONO -> (withBody ? orders.placeMono("tea") : orders.placeMono()).toFuture().get();
				case FLUX -> (withBody ? orders.placeFlux("tea") : orders.placeFlux()).next().toFuture().get();
			};
		}
		catch (ExecutionException ex) {
			throw (Exception) ex.getCause();
		}
	}

	/** As where a form is posted, and its result got. */
	@ParameterizedTest
	@EnumSource
	void aRefusalByTheTargetOfARedirectRepeatsNothing(Caller caller) throws Exception {
		Handler replica = (exchange, port) -> {
			if (exchange.getRequestMethod().equals("POST")) {
				redirect(exchange, 303, url(port) + "/orders/1");
			}
			else {
				refuse(exchange);
			}
		};
		Orders orders = client(caller, true, server(replica), server(replica));
		for (int i = 1; i <= 4; i++) {
			assertThatThrownBy(() -> call(orders, caller, true)).hasMessageContaining("503");
			assertThat(this.placed).hasValue(i);
		}
	}

	@ParameterizedTest
	@CsvSource({ "REST_CLIENT, 303, true", "WEB_CLIENT, 303, true", "FUTURE, 303, true", "MONO, 303, true",
			"FLUX, 303, true", "WEB_CLIENT, 307, true", "MONO, 307, true", "REST_CLIENT, 303, false",
			"WEB_CLIENT, 303, false", "FUTURE, 303, false", "MONO, 303, false", "FLUX, 303, false" })
	void aTargetThatIsGoneRepeatsNothing(Caller caller, int status, boolean withBody) throws Exception {
		Handler replica = (exchange, port) -> redirect(exchange, status, url(this.closedPort) + "/orders/1");
		Orders orders = client(caller, true, server(replica), server(replica));
		for (int i = 1; i <= 4; i++) {
			assertThatThrownBy(() -> call(orders, caller, withBody)).isInstanceOf(RuntimeException.class);
			assertThat(this.placed).hasValue(i);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aReplicaThatIsGoneIsLeftByCallsWithABody(Caller caller) throws Exception {
		Orders orders = client(caller, true, this.closedPort, server((exchange, port) -> place(exchange)));
		for (int i = 1; i <= 4; i++) {
			assertThat(call(orders, caller, true)).isEqualTo("placed");
			assertThat(this.placed).hasValue(i);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aClientThatFollowsNoRedirectsLeavesAnyReplicaThatIsGoneOrRefuses(Caller caller) throws Exception {
		Orders orders = client(caller, false, this.closedPort, server((exchange, port) -> refuse(exchange)),
				server((exchange, port) -> place(exchange)));
		for (int i = 1; i <= 6; i++) {
			assertThat(call(orders, caller, i % 2 == 0)).isEqualTo("placed");
			assertThat(this.placed).hasValue(i);
		}
	}

	@AffinityChannel(name = "orders")
	interface Orders {

		@PostExchange("/orders")
		String place(@RequestBody String order);

		@PostExchange("/orders")
		String place();

		@PostExchange("/orders")
		CompletableFuture<String> placeFuture(@RequestBody String order);

		@PostExchange("/orders")
		CompletableFuture<String> placeFuture();

		@PostExchange("/orders")
		Mono<String> placeMono(@RequestBody String order);

		@PostExchange("/orders")
		Mono<String> placeMono();

		@PostExchange("/orders")
		Flux<String> placeFlux(@RequestBody String order);

		@PostExchange("/orders")
		Flux<String> placeFlux();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Client {

		@Bean
		WebClient.Builder webClientBuilder(ClientHttpConnectorBuilder<?> connectors, Environment environment) {
			HttpRedirects redirects = environment.getRequiredProperty("follows", Boolean.class)
					? HttpRedirects.FOLLOW_WHEN_POSSIBLE : HttpRedirects.DONT_FOLLOW;
			return WebClient.builder()
				.clientConnector(connectors.build(HttpClientSettings.defaults().withRedirects(redirects)));
		}

		@Bean
		Orders orders(RestClient.Builder restClient, WebClient.Builder webClient, Environment environment) {
			HttpExchangeAdapter adapter = environment.getRequiredProperty("reactive", Boolean.class)
					? WebClientAdapter.create(webClient.baseUrl("http://orders").build())
					: RestClientAdapter.create(restClient.baseUrl("http://orders").build());
			return HttpServiceProxyFactory.builderFor(adapter).build().createClient(Orders.class);
		}

	}

}
