package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.client.Redirects;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PathReport;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.test.util.TestSocketUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.HttpServiceProxyRegistry;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Calls of a channel that typed paths cannot carry become exchanges. A handler sees the
 * port of a socket only in requests that came by one.
 */
@Timeout(120)
class CallsLeftToHttpTests {

	private static final String NO_SOCKET = "port 0";

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private ConfigurableApplicationContext client;

	private Calls client(Class<?> server, Map<String, Object> properties) {
		start(server, ClientApplication.class, properties);
		return this.client.getBean(Calls.class);
	}

	private void start(Class<?> server, Class<?> type, Map<String, Object> properties) {
		int port = this.applications.start(server, Map.of("server.port", "0", "server.shutdown", "immediate"))
			.getEnvironment()
			.getRequiredProperty("local.server.port", Integer.class);
		Map<String, Object> all = new TreeMap<>(
				Map.of("spring.main.web-application-type", "none", "vicinal.compare-paths", "false",
						"vicinal.confirm-interval", "1h", "spring.http.serviceclient.calls.base-url",
						"http://localhost:" + port, "management.endpoints.web.exposure.include", "*"));
		all.putAll(properties);
		this.client = this.applications.start(type, all);
	}

	private ChannelReport channel(String name) {
		ChannelReport report = this.client.getBean(ChannelsEndpoint.class).channel(name);
		assertThat(report).as(name).isNotNull();
		return report;
	}

	private long overHttp(String name) {
		return calls(name, "http");
	}

	private long calls(String name, String kind) {
		return channel(name).peers()
			.stream()
			.flatMap((peer) -> peer.paths().stream())
			.filter((path) -> path.path().equals(kind))
			.mapToLong(PathReport::calls)
			.sum();
	}

	private void awaitTyped(Calls calls, String path) {
		await().untilAsserted(() -> {
			calls.typed();
			assertThat(channel("calls").peers())
				.allSatisfy((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo(path));
		});
	}

	@ParameterizedTest
	@CsvSource({ "direct, jdk", "shm, jdk", "shm, http-components", "uds, simple", "shm, reactor" })
	void becomeExchangesOnceThePeerIsKnown(String path, String library) {
		Calls calls = client(ImplementingServer.class, Map.of("vicinal.channels.calls.paths", path,
				"vicinal.http-exchanges.paths", path, "spring.http.clients.imperative.factory", library));
		awaitTyped(calls, path);
		await().untilAsserted(() -> assertThat(calls.any("de")).isEqualTo(Map.of("from", NO_SOCKET, "language", "de")));
		long before = overHttp("calls");
		for (int i = 0; i < 20; i++) {
			assertThat(calls.any("fr")).isEqualTo(Map.of("from", NO_SOCKET, "language", "fr"));
		}
		assertThat(overHttp("calls")).as("calls of the channel over HTTP").isEqualTo(before);
		assertThat(channel("calls").leftToHttp().keySet()).anyMatch((reason) -> reason.contains("Object"));
	}

	@Test
	void becomeExchangesWhereTheServerHasNoSuchContract() {
		Calls calls = client(OtherServer.class, Map.of());
		await().untilAsserted(() -> assertThat(calls.typed()).isEqualTo(NO_SOCKET));
		assertThat(channel("calls").peers()).allSatisfy((peer) -> assertThat(peer.path()).isEqualTo("http"));
	}

	/** Only requests over HTTP show where the address leads. */
	@Test
	void askOverHttpNowAndThen() {
		Calls calls = client(ImplementingServer.class, Map.of("vicinal.confirm-interval", "300ms"));
		awaitTyped(calls, "direct");
		await().untilAsserted(() -> assertThat(from(calls)).isEqualTo(NO_SOCKET));
		await().untilAsserted(() -> assertThat(from(calls)).isNotEqualTo(NO_SOCKET));
		await().untilAsserted(() -> assertThat(from(calls)).isEqualTo(NO_SOCKET));
	}

	private static Object from(Calls calls) {
		return ((Map<?, ?>) calls.any("en")).get("from");
	}

	@ParameterizedTest
	@CsvSource({ "vicinal.http-exchanges.enabled, false", "vicinal.channels.calls.paths, shm",
			"vicinal.channels.calls.paths, http" })
	void stayOnHttpWhereExchangesOrPathsAreSwitchedOff(String property, String value) {
		Calls calls = client(ImplementingServer.class, Map.of(property, value));
		for (int i = 0; i < 200; i++) {
			calls.typed();
			assertThat(from(calls)).isNotEqualTo(NO_SOCKET);
		}
		if (!value.equals("http")) {
			awaitTyped(calls, value.equals("shm") ? "shm" : "direct");
			assertThat(from(calls)).isNotEqualTo(NO_SOCKET);
		}
	}

	/** A request that reached another handler says nothing about those that follow. */
	@ParameterizedTest
	@ValueSource(strings = { "0s", "200ms" })
	void methodsBecomeTypedOnceTheirRequestsReachTheHandler(String confirmInterval) {
		start(ItemServer.class, ItemClient.class, Map.of("vicinal.confirm-interval", confirmInterval));
		Items items = this.client.getBean(Items.class);
		await().untilAsserted(() -> {
			items.add();
			assertThat(channel("calls").peers()).allSatisfy((peer) -> assertThat(peer.path()).isEqualTo("direct"));
		});
		for (int i = 0; i < 5; i++) {
			assertThat(items.get("special")).isEqualTo("special");
		}
		await().untilAsserted(() -> {
			long before = calls("calls", "direct");
			assertThat(items.get("1")).isEqualTo("item 1");
			assertThat(calls("calls", "direct")).isEqualTo(before + 1);
		});
	}

	/** An application does not ask itself for exchanges. */
	@Test
	void areCountedWhereTheyCannotBecomeExchanges() {
		int port = TestSocketUtils.findAvailableTcpPort();
		this.client = this.applications.start(BothApplication.class,
				Map.of("server.port", port, "server.shutdown", "immediate", "vicinal.compare-paths", "false",
						"vicinal.confirm-interval", "1h", "spring.http.serviceclient.calls.base-url",
						"http://localhost:" + port, "management.endpoints.web.exposure.include", "*"));
		Calls calls = this.client.getBean(ProxiedCalls.class).calls();
		awaitTyped(calls, "direct");
		from(calls);
		long before = overHttp("calls");
		for (int i = 0; i < 20; i++) {
			assertThat(from(calls)).isNotEqualTo(NO_SOCKET);
		}
		assertThat(overHttp("calls")).as("calls of the channel over HTTP").isEqualTo(before + 20);
	}

	/** Requests of unknown connectors never become exchanges. */
	@Test
	void areCountedWhereTheConnectorMakesNone() {
		start(OtherServer.class, OwnConnectorClient.class, Map.of());
		LaterCalls calls = this.client.getBean(LaterCalls.class);
		for (int i = 0; i < 5; i++) {
			assertThat(calls.typed().block()).isNotEqualTo(NO_SOCKET);
		}
		// A call is counted when its response has been read, which its caller does not
		// await.
		await().untilAsserted(() -> assertThat(overHttp("calls")).isGreaterThanOrEqualTo(5));
		long before = overHttp("calls");
		for (int i = 0; i < 20; i++) {
			assertThat(calls.typed().block()).isNotEqualTo(NO_SOCKET);
		}
		await().untilAsserted(
				() -> assertThat(overHttp("calls")).as("calls of the channel over HTTP").isEqualTo(before + 20));
	}

	/** The target of a redirect must not be taken for the answer of the peer. */
	@ParameterizedTest
	@ValueSource(strings = { "jdk", "simple" })
	void responsesShowWhetherARedirectWasFollowed(String library) throws IOException {
		Calls calls = client(ImplementingServer.class, Map.of("spring.http.clients.imperative.factory", library));
		awaitTyped(calls, "direct");
		await().untilAsserted(() -> assertThat(from(calls)).isEqualTo(NO_SOCKET));
		ClientHttpRequestFactory requests = this.client.getBean(ClientHttpRequestFactoryBuilder.class).build();
		String base = this.client.getEnvironment().getRequiredProperty("spring.http.serviceclient.calls.base-url");
		assertThat(isMaybeRedirected(requests, base + "/to-any", 200)).isTrue();
		assertThat(isMaybeRedirected(requests, base + "/plain", 200)).isFalse();
	}

	private static boolean isMaybeRedirected(ClientHttpRequestFactory requests, String uri, int status)
			throws IOException {
		URI asked = URI.create(uri);
		try (ClientHttpResponse response = requests.createRequest(asked, HttpMethod.GET).execute()) {
			assertThat(response.getStatusCode().value()).isEqualTo(status);
			return Redirects.mayBeBehind(response, asked);
		}
	}

	@AffinityChannel
	interface Calls {

		@PostExchange("/typed")
		String typed();

		/** An {@code Object} has no type that a codec could carry. */
		@GetExchange("/any")
		Object any(@RequestHeader("X-Language") String language);

	}

	private static String from(HttpServletRequest request) {
		return "port " + ((request.getRemotePort() == 0) ? "0" : "of a socket");
	}

	@RestController
	static class Implementing implements Calls {

		private final HttpServletRequest request;

		Implementing(HttpServletRequest request) {
			this.request = request;
		}

		@Override
		public String typed() {
			return "typed";
		}

		@Override
		public Object any(String language) {
			return Map.of("from", from(this.request), "language", language);
		}

	}

	@RestController
	static class Redirecting {

		@GetMapping("/to-any")
		ResponseEntity<Void> toAny() {
			return ResponseEntity.status(302).header("Location", "/plain").build();
		}

		@GetMapping("/plain")
		String plain() {
			return "plain";
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Implementing.class, Redirecting.class })
	static class ImplementingServer {

	}

	/** Has nothing that a typed call could be for. */
	@RestController
	static class Other {

		@PostMapping("/typed")
		Object typed(HttpServletRequest request) {
			return from(request);
		}

		@GetMapping("/any")
		Map<String, String> any(HttpServletRequest request) {
			return Map.of("from", from(request));
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Other.class)
	static class OtherServer {

	}

	@AffinityChannel
	interface Items {

		@PostExchange("/items")
		String add();

		@GetExchange("/items/{id}")
		String get(@PathVariable String id);

	}

	@RestController
	static class ItemController {

		@PostMapping("/items")
		String add() {
			return "added";
		}

		@GetMapping("/items/{id}")
		String get(@PathVariable String id) {
			return "item " + id;
		}

		@GetMapping("/items/special")
		String special() {
			return "special";
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(ItemController.class)
	static class ItemServer {

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@ImportHttpServices(group = "calls", types = Items.class)
	static class ItemClient {

	}

	@AffinityChannel(name = "calls")
	interface LaterCalls {

		@PostExchange("/typed")
		Mono<String> typed();

	}

	/** A connector of the application's own. */
	record OwnConnector(ClientHttpConnector delegate) implements ClientHttpConnector {

		@Override
		public Mono<org.springframework.http.client.reactive.ClientHttpResponse> connect(HttpMethod method, URI uri,
				Function<? super ClientHttpRequest, Mono<Void>> callback) {
			return this.delegate.connect(method, uri, callback);
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class OwnConnectorClient {

		@Bean
		WebClient.Builder webClientBuilder() {
			return WebClient.builder().clientConnector(new OwnConnector(ClientHttpConnectorBuilder.jdk().build()));
		}

		@Bean
		LaterCalls laterCalls(WebClient.Builder builder,
				@Value("${spring.http.serviceclient.calls.base-url}") String url) {
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(builder.baseUrl(url).build()))
				.build()
				.createClient(LaterCalls.class);
		}

	}

	/** The client's proxies, which are no handlers. */
	record ProxiedCalls(Calls calls) {
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Implementing.class)
	@ImportHttpServices(group = "calls", types = Calls.class)
	static class BothApplication {

		@Bean
		ProxiedCalls proxiedCalls(HttpServiceProxyRegistry proxies) {
			return new ProxiedCalls(proxies.getClient("calls", Calls.class));
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@ImportHttpServices(group = "calls", types = Calls.class)
	static class ClientApplication {

	}

}
