package io.github.vicinal.webflux;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A WebFlux application behaves over exchanges as it does over HTTP. */
@Timeout(300)
class FluxServerTests extends FluxTestSupport {

	FluxServerTests() throws IOException {
	}

	private String server(Class<?> type, String path, Map<String, Object> more) {
		Map<String, Object> properties = new TreeMap<>(more);
		properties.put("server.port", "0");
		properties.put("vicinal.server.paths", path);
		properties.put("management.endpoints.web.exposure.include", "*");
		return "http://localhost:" + start(type, properties).getEnvironment().getProperty("local.server.port");
	}

	private ConfigurableApplicationContext client(String path) {
		return client(path, "http-components");
	}

	private ConfigurableApplicationContext client(String path, String library) {
		return start(ClientApplication.class,
				Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.paths", path,
						"vicinal.confirm-interval", "0s", "spring.http.clients.imperative.factory", library,
						"spring.http.clients.read-timeout", READ_TIMEOUT.toMillis() + "ms"));
	}

	private RestClient connected(String base, ConfigurableApplicationContext client, String path) {
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		Exchanges sent = client.getBean(Exchanges.class);
		await("time to connect: " + base, () -> {
			exchanges.get()
				.uri("/text")
				.headers((headers) -> headers.setBasicAuth("user", "secret"))
				.retrieve()
				.toBodilessEntity();
			return calls(sent, path) > 0;
		});
		return exchanges;
	}

	private static long calls(Exchanges exchanges, String path) {
		var report = exchanges.report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((each) -> each.path().equals(path))
					.mapToLong(PathReport::calls)
					.sum();
	}

	@Test
	void neitherServletsNorSpringMvcAreThere() {
		assertThat(ClassUtils.isPresent("jakarta.servlet.Servlet", getClass().getClassLoader())).isFalse();
		assertThat(
				ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", getClass().getClassLoader()))
			.isFalse();
	}

	@TestFactory
	Stream<DynamicTest> direct() {
		return compared("direct", "default");
	}

	@TestFactory
	Stream<DynamicTest> shm() {
		return compared("shm", "filtered");
	}

	@TestFactory
	Stream<DynamicTest> shmSecured() {
		return compared("shm", "secured");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> uds() {
		return compared("uds", "default");
	}

	private Stream<DynamicTest> compared(String path, String profile) {
		String base = server(FluxApplication.class, path,
				Map.of("spring.profiles.active", profile, "server.forward-headers-strategy", "framework"));
		ConfigurableApplicationContext client = client(path);
		RestClient exchanges = connected(base, client, path);
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ClientHttpRequestFactoryBuilder.httpComponents()
				.build(HttpClientSettings.defaults().withReadTimeout(READ_TIMEOUT)))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		List<DynamicTest> tests = new ArrayList<>();
		Map<String, BiFunction<RestClient, String, String>> behaviours = Behaviours.all();
		long before = calls(sent, path);
		behaviours.forEach((name, behaviour) -> tests.add(DynamicTest.dynamicTest(name, () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				String expected = overHttp(behaviour, plain, base);
				assertThat(observe(behaviour, exchanges, base)).as("attempt %d", i).isEqualTo(expected);
			}
		})));
		tests.add(DynamicTest.dynamicTest("went over the path",
				() -> assertThat(calls(sent, path) - before).isGreaterThan((ATTEMPTS - 1L) * behaviours.size())));
		return tests.stream();
	}

	/**
	 * Reactor Netty 1.3.7 now and then does not read a request that follows on the
	 * connection of one whose response was written on another thread, as those with a new
	 * session are, until the client closes the connection; with Vicinal switched off,
	 * too.
	 */
	private static String overHttp(BiFunction<RestClient, String, String> behaviour, RestClient plain, String base) {
		String observed = observe(behaviour, plain, base);
		if (observed.contains("Read timed out")) {
			System.out.println("Repeated, as Reactor Netty did not read the request: " + observed);
			return observe(behaviour, plain, base);
		}
		return observed;
	}

	private static String observe(BiFunction<RestClient, String, String> behaviour, RestClient client, String base) {
		try {
			return behaviour.apply(client, base);
		}
		catch (RuntimeException ex) {
			return "threw " + ex;
		}
	}

	/** The end of such a body comes on another thread than the one that makes room. */
	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void largeBodiesOfOtherThreadsComeWhole(String path) {
		String base = server(FluxApplication.class, path, Map.of());
		RestClient exchanges = connected(base, client(path), path);
		for (int i = 0; i < 300; i++) {
			assertThat(exchanges.get().uri("/bytes-elsewhere?kb=300").retrieve().body(byte[].class))
				.as("response %d", i)
				.hasSize(300 * 1024);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void handlersEndWhenTheirClientsHaveGone(String path) throws IOException {
		String base = server(FluxApplication.class, path, Map.of());
		// Apache's client would read what is left.
		ConfigurableApplicationContext client = client(path, "jdk");
		RestClient exchanges = connected(base, client, path);
		exchanges.get().uri("/endless").exchange((request, response) -> {
			try (InputStream body = response.getBody()) {
				assertThat(body.read()).isEqualTo('d');
			}
			return "";
		});
		await("the end of the stream", () -> cancelled(exchanges) == 1);
		RestClient hurried = client.getBean(RestClient.Builder.class)
			.baseUrl(base)
			.requestFactory(client.getBean(ClientHttpRequestFactoryBuilder.class)
				.build(HttpClientSettings.defaults().withReadTimeout(Duration.ofMillis(300))))
			.build();
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> hurried.get().uri("/quiet").retrieve().body(String.class));
		await("the end of the handler", () -> cancelled(exchanges) == 2);
	}

	/** As over HTTP, where the client reads what is left. */
	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void aResponseThatIsNotReadIsMadeToItsEnd(String path) {
		String base = server(FluxApplication.class, path, Map.of());
		RestClient exchanges = connected(base, client(path), path);
		exchanges.get().uri("/rows").retrieve().toBodilessEntity();
		await("all rows", () -> "20 complete".equals(exchanges.get().uri("/rows/end").retrieve().body(String.class)));
	}

	/** As over HTTP, where the client has all that was announced. */
	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void aResponseIsCompleteBeforeItsHandlerIs(String path) {
		String base = server(FluxApplication.class, path, Map.of());
		RestClient exchanges = connected(base, client(path), path);
		assertThat(exchanges.get().uri("/early").retrieve().body(String.class)).isEqualTo("ok");
		exchanges.get().uri("/early/gate").retrieve().toBodilessEntity();
		await("the end", () -> !"none".equals(exchanges.get().uri("/early/end").retrieve().body(String.class)));
		assertThat(exchanges.get().uri("/early/end").retrieve().body(String.class)).isEqualTo("in time");
	}

	private static int cancelled(RestClient client) {
		Integer count = client.get().uri("/cancelled").retrieve().body(Integer.class);
		return (count != null) ? count : -1;
	}

	@Test
	void aRejectedClientLearnsNothing() throws Exception {
		String base = server(FluxApplication.class, "shm", Map.of());
		assertThat(announced(base + "/status?code=200")).isTrue();
		assertThat(announced(base + "/status?code=404")).isTrue();
		assertThat(announced(base + "/status?code=401")).isFalse();
		assertThat(announced(base + "/status?code=403")).isFalse();
		String secured = server(FluxApplication.class, "shm", Map.of("spring.profiles.active", "secured"));
		assertThat(announced(secured + "/text")).isFalse();
	}

	private static boolean announced(String uri) throws IOException, InterruptedException {
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(uri))
				.header(PeerAnnouncement.REQUEST_HEADER, HttpExchanges.contract().name())
				.build(), HttpResponse.BodyHandlers.discarding())
			.headers()
			.firstValue(PeerAnnouncement.HEADER)
			.isPresent();
	}

	/** Settings that Reactor Netty applies below its handler would have no effect. */
	@ParameterizedTest
	@CsvSource({ "server.forward-headers-strategy, native, forwarded headers",
			"server.compression.enabled, true, compresses responses",
			"spring.profiles.active, customized, customizes Reactor Netty" })
	void aServerThatDoesMoreKeepsHttpAndSaysWhy(String property, String value, String reason) {
		String base = server(CustomizedApplication.class, "shm", Map.of(property, value));
		ConfigurableApplicationContext client = client("shm");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		Exchanges sent = client.getBean(Exchanges.class);
		await("the reason", () -> {
			assertThat(exchanges.get().uri("/text").retrieve().body(String.class)).isEqualTo("héllo");
			return reasons(sent).contains(reason);
		});
		assertThat(calls(sent, "shm")).isZero();
	}

	private static String reasons(Exchanges exchanges) {
		var report = exchanges.report();
		return (report == null) ? "" : report.peers().stream().map(PeerReport::reason).toList().toString();
	}

	@Test
	void theManagementPortIsAnotherServer() {
		ConfigurableApplicationContext server = start(FluxApplication.class, Map.of("server.port", "0",
				"management.server.port", "0", "management.endpoints.web.exposure.include", "*"));
		String management = "http://localhost:" + server.getEnvironment().getProperty("local.management.port");
		ConfigurableApplicationContext client = client("shm");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(management).build();
		for (int i = 0; i < 20; i++) {
			assertThat(exchanges.get().uri("/actuator/health").retrieve().body(String.class)).contains("UP");
		}
		assertThat(calls(client.getBean(Exchanges.class), "shm")).isZero();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(FluxApplication.class)
	static class CustomizedApplication {

		@Bean
		@org.springframework.context.annotation.Profile("customized")
		WebServerFactoryCustomizer<NettyReactiveWebServerFactory> own() {
			return (factory) -> factory.addServerCustomizers((server) -> server);
		}

	}

	/** A client without a server of its own. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class ClientApplication {

	}

}
