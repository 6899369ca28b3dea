package io.github.vicinal.webflux;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.report.ChannelReport.PathReport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.cloud.gateway.config.HttpClientCustomizer;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.cloud.gateway.support.RouteMetadataUtils;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.client.RestClient;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/** A gateway on WebFlux does with exchanges what it does over HTTP. */
@Timeout(300)
class GatewayTests extends FluxTestSupport {

	GatewayTests() throws IOException {
	}

	private ConfigurableApplicationContext server(String path) {
		return server(path, "0");
	}

	private ConfigurableApplicationContext server(String path, String port) {
		return start(FluxApplication.class,
				Map.of("server.port", port, "vicinal.server.paths", path, "spring.profiles.active", "alone"));
	}

	private ConfigurableApplicationContext gateway(String target, boolean exchanges, String path, String... profiles) {
		Map<String, Object> properties = new TreeMap<>();
		properties.put("target", target);
		properties.put("spring.cloud.gateway.server.webflux.enabled", "true");
		properties.put("vicinal.http-exchanges.enabled", exchanges);
		properties.put("vicinal.http-exchanges.paths", path);
		properties.put("vicinal.confirm-interval", "0s");
		properties.put("spring.profiles.active", String.join(",", profiles));
		properties.put("spring.cloud.discovery.client.simple.instances.backend[0].uri", target);
		return start(GatewayApplication.class, properties);
	}

	private static String port(ConfigurableApplicationContext server) {
		return String.valueOf(server.getEnvironment().getProperty("local.server.port"));
	}

	private static String base(ConfigurableApplicationContext server) {
		return "http://localhost:" + port(server);
	}

	private static RestClient client(ConfigurableApplicationContext gateway) {
		return RestClient.builder()
			.baseUrl(base(gateway))
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.requestFactory(ClientHttpRequestFactoryBuilder.httpComponents()
				.build(HttpClientSettings.defaults().withReadTimeout(READ_TIMEOUT)))
			.build();
	}

	/** Sends requests through the gateway until they go over the path. */
	private static RestClient connected(ConfigurableApplicationContext gateway, String path) {
		RestClient client = client(gateway);
		await("exchanges of the gateway", () -> {
			ResponseEntity<String> response = client.get().uri("/text").retrieve().toEntity(String.class);
			assertThat(response.getBody()).isEqualTo("héllo");
			assertThat(response.getHeaders().containsHeader(PeerAnnouncement.HEADER)).isFalse();
			return calls(gateway, path) > 0;
		});
		return client;
	}

	private static long calls(ConfigurableApplicationContext gateway, String path) {
		var report = gateway.getBean(Exchanges.class).report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((each) -> each.path().equals(path))
					.mapToLong(PathReport::calls)
					.sum();
	}

	@TestFactory
	Stream<DynamicTest> direct() {
		return compared("direct");
	}

	@TestFactory
	Stream<DynamicTest> shm() {
		return compared("shm");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> uds() {
		return compared("uds");
	}

	private Stream<DynamicTest> compared(String path) {
		String target = base(server(path));
		ConfigurableApplicationContext plain = gateway(target, false, path);
		ConfigurableApplicationContext gateway = gateway(target, true, path);
		RestClient expecting = client(plain);
		RestClient exchanging = connected(gateway, path);
		List<DynamicTest> tests = new ArrayList<>();
		Map<String, BiFunction<RestClient, String, String>> behaviours = Behaviours.all();
		// Over HTTP it spoils a connection of the gateway, which answers the next request
		// with 500.
		behaviours.remove("GET /length?said=3");
		long before = calls(gateway, path);
		behaviours.forEach((name, behaviour) -> tests.add(DynamicTest.dynamicTest(name, () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				String expected = observe(behaviour, expecting, plain);
				assertThat(observe(behaviour, exchanging, gateway)).as("attempt %d", i).isEqualTo(expected);
			}
		})));
		tests.add(DynamicTest.dynamicTest("went over the path",
				() -> assertThat(calls(gateway, path) - before).isGreaterThan((ATTEMPTS - 1L) * behaviours.size())));
		return tests.stream();
	}

	private static String observe(BiFunction<RestClient, String, String> behaviour, RestClient client,
			ConfigurableApplicationContext gateway) {
		String seen;
		try {
			seen = behaviour.apply(client, base(gateway));
		}
		catch (RuntimeException ex) {
			seen = "threw " + ex;
		}
		return seen.replace(port(gateway), "port");
	}

	/** Filters of routes see and change responses of exchanges as those of HTTP. */
	@TestFactory
	Stream<DynamicTest> filtersOfRoutesWork() {
		String target = base(server("shm"));
		ConfigurableApplicationContext plain = gateway(target, false, "shm");
		ConfigurableApplicationContext gateway = gateway(target, true, "shm");
		RestClient expecting = client(plain);
		RestClient exchanging = connected(gateway, "shm");
		return Stream
			.of("/stripped/text", "/modified/text", "/added/text", "/removed/item/3", "/replaced/text",
					"/retried/status?code=503", "/limited/later?ms=5", "/modified/stream?mb=1", "/modified/events",
					"/balanced/text", "/hosted/seen/x", "/rewritten/redirect", "/cached/mirror")
			.map((uri) -> DynamicTest.dynamicTest(uri, () -> {
				long before = calls(gateway, "shm");
				BiFunction<RestClient, String, String> behaviour = (client, base) -> uri.contains("mirror")
						? Behaviours.show(client.post().uri(uri).body("posted"))
						: Behaviours.show(client.get().uri(uri));
				for (int i = 0; i < ATTEMPTS; i++) {
					assertThat(observe(behaviour, exchanging, gateway)).isEqualTo(observe(behaviour, expecting, plain));
				}
				// Only HTTP carries another host than that of the server.
				assertThat(calls(gateway, "shm") > before).isEqualTo(!uri.startsWith("/hosted"));
			}));
	}

	@Test
	void aServerThatTakesTooLongIsGivenUp() {
		ConfigurableApplicationContext gateway = gateway(base(server("shm")), true, "shm");
		RestClient client = connected(gateway, "shm");
		long before = calls(gateway, "shm");
		ResponseEntity<String> response = client.get().uri("/limited/quiet").retrieve().toEntity(String.class);
		assertThat(response.getStatusCode()).isEqualTo(HttpStatus.GATEWAY_TIMEOUT);
		assertThat(calls(gateway, "shm")).isGreaterThan(before);
		await("the end of the handler", () -> "1".equals(client.get().uri("/cancelled").retrieve().body(String.class)));
	}

	@Test
	void aHandlerEndsWhenTheGatewaysClientHasGone() throws IOException, InterruptedException {
		ConfigurableApplicationContext gateway = gateway(base(server("shm")), true, "shm");
		RestClient client = connected(gateway, "shm");
		// Apache's client would read on to keep the connection.
		HttpRequest endless = HttpRequest.newBuilder(URI.create(base(gateway) + "/endless")).build();
		try (InputStream body = HttpClient.newHttpClient()
			.send(endless, HttpResponse.BodyHandlers.ofInputStream())
			.body()) {
			assertThat(body.read()).isEqualTo('d');
		}
		await("the end of the stream", () -> "1".equals(client.get().uri("/cancelled").retrieve().body(String.class)));
	}

	/**
	 * An upgrade is no exchange, neither to a server with paths nor through a gateway.
	 */
	@Test
	void aWebSocketGoesOverHttp() throws Exception {
		ConfigurableApplicationContext server = server("shm");
		ConfigurableApplicationContext gateway = gateway(base(server), true, "shm");
		connected(gateway, "shm");
		for (ConfigurableApplicationContext each : List.of(server, gateway)) {
			CompletableFuture<String> echo = new CompletableFuture<>();
			WebSocket socket = HttpClient.newHttpClient()
				.newWebSocketBuilder()
				.buildAsync(URI.create("ws://localhost:" + port(each) + "/socket"), new Echo(echo))
				.get(20, TimeUnit.SECONDS);
			socket.sendText("hello", true).get(20, TimeUnit.SECONDS);
			assertThat(echo.get(20, TimeUnit.SECONDS)).isEqualTo("echo of hello");
			socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(20, TimeUnit.SECONDS);
		}
	}

	/** Takes the first text. */
	private record Echo(CompletableFuture<String> first) implements WebSocket.Listener {

		@Override
		public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
			this.first.complete(text.toString());
			return WebSocket.Listener.super.onText(socket, text, last);
		}

		@Override
		public void onError(WebSocket socket, Throwable failure) {
			this.first.completeExceptionally(failure);
		}

	}

	@Test
	void aServerThatStartsAgainIsMetAgain() {
		ConfigurableApplicationContext server = server("shm");
		ConfigurableApplicationContext gateway = gateway(base(server), true, "shm");
		RestClient client = connected(gateway, "shm");
		String port = port(server);
		server.close();
		this.contexts.remove(server);
		assertThat(client.get().uri("/text").retrieve().toEntity(String.class).getStatusCode().is5xxServerError())
			.isTrue();
		server("shm", port);
		long before = calls(gateway, "shm");
		await("exchanges with the new server", () -> {
			client.get().uri("/text").retrieve().toBodilessEntity();
			return calls(gateway, "shm") > before;
		});
	}

	/** The first attempt has asked a server that is not there. */
	@Test
	void aServerThatMayNotBeAskedSeesNoHeaderOfVicinal() {
		ConfigurableApplicationContext gateway = gateway(base(server("shm")), true, "shm");
		for (int i = 0; i < 3; i++) {
			assertThat(client(gateway).get().uri("/elsewhere/asked").retrieve().body(String.class)).isEqualTo("[]");
		}
	}

	/** A question of the gateway's client is not for the server behind it. */
	@ParameterizedTest
	@ValueSource(strings = { "/hosted/asked", "/asked" })
	void whatAClientAsksEndsAtTheGateway(String uri) {
		ConfigurableApplicationContext gateway = gateway(base(server("shm")), true, "shm");
		connected(gateway, "shm");
		ResponseEntity<String> response = client(gateway).get()
			.uri(uri)
			.header(PeerAnnouncement.REQUEST_HEADER, HttpExchanges.contract().name())
			.retrieve()
			.toEntity(String.class);
		assertThat(response.getBody()).isEqualTo("[]");
	}

	@Test
	void aRequestThatTakesTooLongIsRepeatedAsOverHttp() {
		ConfigurableApplicationContext server = server("shm");
		ConfigurableApplicationContext gateway = gateway(base(server), true, "shm");
		RestClient client = connected(gateway, "shm");
		assertThat(client.get().uri("/persistent/quiet").retrieve().toEntity(String.class).getStatusCode())
			.isEqualTo(HttpStatus.GATEWAY_TIMEOUT);
		await("the end of three handlers",
				() -> "3".equals(client.get().uri("/cancelled").retrieve().body(String.class)));
	}

	/** Additions of the application to its HTTP client would be missing. */
	@Test
	void aClientWithAdditionsKeepsHttp() {
		ConfigurableApplicationContext gateway = gateway(base(server("shm")), true, "shm", "customized");
		RestClient client = client(gateway);
		for (int i = 0; i < 50; i++) {
			assertThat(client.get().uri("/seen/x").retrieve().body(String.class)).contains("x-added");
		}
		assertThat(gateway.getBean(Exchanges.class).report()).isNull();
	}

	/** A gateway in front of a server of the module. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class GatewayApplication {

		@Bean
		SecurityWebFilterChain chain(ServerHttpSecurity http) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.headers(ServerHttpSecurity.HeaderSpec::disable)
				.authorizeExchange((rules) -> rules.anyExchange().permitAll())
				.build();
		}

		/** Without an order, as in the documentation of the gateway. */
		@Bean
		GlobalFilter late() {
			return (exchange, chain) -> chain
				.filter(exchange.mutate().request((request) -> request.header("X-Late", "yes")).build());
		}

		/** Sends a request that has failed to a server that may not be asked. */
		private static Mono<Void> toOther(ServerWebExchange exchange, GatewayFilterChain chain, String target) {
			return chain.filter(exchange).onErrorResume((failure) -> {
				ServerWebExchangeUtils.removeAlreadyRouted(exchange);
				exchange.getAttributes().put(ServerWebExchangeUtils.PRESERVE_HOST_HEADER_ATTRIBUTE, true);
				exchange.getAttributes()
					.put(ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR,
							URI.create(target + exchange.getRequest().getPath()));
				return chain.filter(exchange);
			});
		}

		@Bean
		@Profile("customized")
		HttpClientCustomizer additions() {
			return (client) -> client.headers((headers) -> headers.set("X-Added", "yes"));
		}

		@Bean
		RouteLocator routes(RouteLocatorBuilder builder, Environment environment) {
			String target = environment.getRequiredProperty("target");
			return builder.routes()
				.route("stripped", (route) -> route.path("/stripped/**").filters((f) -> f.stripPrefix(1)).uri(target))
				.route("modified", (route) -> route.path("/modified/**")
					.filters((f) -> f.stripPrefix(1)
						.modifyResponseBody(byte[].class, String.class,
								(exchange, body) -> Mono.just((body != null) ? body.length + " bytes" : "none")))
					.uri(target))
				.route("added",
						(route) -> route.path("/added/**")
							.filters((f) -> f.stripPrefix(1)
								.addRequestHeader("X-Route", "added")
								.addResponseHeader("X-Route", "added"))
							.uri(target))
				.route("removed",
						(route) -> route.path("/removed/**")
							.filters((f) -> f.stripPrefix(1).removeResponseHeader("Content-Type"))
							.uri(target))
				.route("replaced",
						(route) -> route.path("/replaced/**")
							.filters((f) -> f.stripPrefix(1).setStatus(202))
							.uri(target))
				.route("retried",
						(route) -> route.path("/retried/**").filters((f) -> f.stripPrefix(1).retry(2)).uri(target))
				.route("limited",
						(route) -> route.path("/limited/**")
							.filters((f) -> f.stripPrefix(1))
							.metadata(RouteMetadataUtils.RESPONSE_TIMEOUT_ATTR, 500)
							.uri(target))
				.route("balanced",
						(route) -> route.path("/balanced/**").filters((f) -> f.stripPrefix(1)).uri("lb://backend"))
				.route("hosted",
						(route) -> route.path("/hosted/**")
							.filters((f) -> f.stripPrefix(1).preserveHostHeader())
							.uri(target))
				.route("rewritten",
						(route) -> route.path("/rewritten/**")
							.filters((f) -> f.stripPrefix(1)
								.rewriteLocationResponseHeader("AS_IN_REQUEST", "Location", null, null))
							.uri(target))
				.route("cached",
						(route) -> route.path("/cached/**")
							.filters((f) -> f.stripPrefix(1).cacheRequestBody(String.class))
							.uri(target))
				.route("elsewhere", (route) -> route.path("/elsewhere/**")
					.filters((f) -> f.stripPrefix(1)// Behind the filter that takes the
													// address from the route.
						.filter((exchange, chain) -> toOther(exchange, chain, target), 20_000))
					.uri("http://localhost:1"))
				.route("persistent",
						(route) -> route.path("/persistent/**")
							.filters((f) -> f.stripPrefix(1).retry(2))
							.metadata(RouteMetadataUtils.RESPONSE_TIMEOUT_ATTR, 300)
							.uri(target))
				.route("all", (route) -> route.path("/**").uri(target))
				.build();
		}

	}

}
