package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.testing.InTurn;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Exchanges behave as requests over HTTP, on each path and with each HTTP library. */
@Timeout(300)
class ExchangeBehaviourTests {

	private static final Duration READ_TIMEOUT = Duration.ofSeconds(20);

	/**
	 * The first two are executed by a thread of the server, later ones by the caller's.
	 */
	private static final int ATTEMPTS = 3;

	@RegisterExtension
	final Applications applications = new Applications();

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> direct() {
		return behaviours("direct", "http-components");
	}

	@TestFactory
	Stream<DynamicTest> securedDirect() {
		return secured("direct", "default");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> securedShm() {
		return secured("shm", "default");
	}

	@TestFactory
	Stream<DynamicTest> securedAgainstForgery() {
		return secured("uds", "csrf");
	}

	@TestFactory
	Stream<DynamicTest> directOfTheJdk() {
		return behaviours("direct", "jdk");
	}

	@TestFactory
	Stream<DynamicTest> directOfReactor() {
		return behaviours("direct", "reactor");
	}

	@TestFactory
	Stream<DynamicTest> directOfJetty() {
		return behaviours("direct", "jetty");
	}

	@TestFactory
	Stream<DynamicTest> shm() {
		return behaviours("shm", "http-components");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> uds() {
		return behaviours("uds", "http-components");
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void aClientThatWaitsTooLongGetsATimeOut(String path) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, path, "default");
		ConfigurableApplicationContext client = this.applications.client(path, "http-components");
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		connect(client.getBean(RestClient.Builder.class).baseUrl(base).build(), client.getBean(Exchanges.class), path);
		RestClient hurried = client.getBean(RestClient.Builder.class)
			.baseUrl(base)
			.requestFactory(client.getBean(ClientHttpRequestFactoryBuilder.class)
				.build(HttpClientSettings.defaults().withReadTimeout(Duration.ofMillis(300))))
			.build();
		for (int i = 0; i < ATTEMPTS; i++) {
			assertThatExceptionOfType(ResourceAccessException.class)
				.isThrownBy(() -> hurried.get().uri("/slow?ms=5000").retrieve().body(String.class))
				.withCauseInstanceOf(SocketTimeoutException.class);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdk", "reactor", "jetty" })
	void failuresAreThoseOfTheLibrary(String library) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "shm", "default");
		ConfigurableApplicationContext client = this.applications.client("shm", library);
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		connect(client.getBean(RestClient.Builder.class).baseUrl(base).build(), client.getBean(Exchanges.class), "shm");
		HttpClientSettings hurried = HttpClientSettings.defaults().withReadTimeout(Duration.ofMillis(300));
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl(base)
			.requestFactory(client.getBean(ClientHttpRequestFactoryBuilder.class).build(hurried))
			.build();
		RestClient plain = RestClient.builder().baseUrl(base).requestFactory(plain(library, hurried)).build();
		for (String uri : List.of("/slow?ms=5000", "/broken", "/text")) {
			Function<RestClient, Object> read = (sender) -> sender.get().uri(uri).retrieve().body(String.class);
			assertThat(chain(exchanges, read)).as(uri).isEqualTo(chain(plain, read));
		}
		assertThat(chain(exchanges, ExchangeBehaviourTests::closed)).as("closed and not read")
			.isEqualTo(chain(plain, ExchangeBehaviourTests::closed));
		assertThat(chain(exchanges, ExchangeBehaviourTests::readOn)).as("read after its end")
			.isEqualTo(chain(plain, ExchangeBehaviourTests::readOn));
	}

	private static @Nullable Object closed(RestClient client) {
		return client.get().uri("/broken").exchange((request, response) -> response.getStatusCode());
	}

	private static @Nullable Object readOn(RestClient client) {
		return client.get().uri("/broken").exchange((request, response) -> {
			InputStream body = response.getBody();
			String first = chain(client, (same) -> {
				try {
					return body.readAllBytes().length;
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
			return first + body.read();
		}, false);
	}

	private static String chain(RestClient client, Function<RestClient, @Nullable Object> request) {
		try {
			return "no failure but " + request.apply(client);
		}
		catch (RuntimeException ex) {
			StringBuilder chain = new StringBuilder();
			for (Throwable each = ex; each != null; each = each.getCause()) {
				// The JDK's client is timed out in one of two ways, with other messages.
				chain.append(each.getClass().getName()).append('\n');
			}
			return chain.toString();
		}
	}

	/** Over TCP, the client waits for the rest until its read time-out. */
	@Test
	void aResponseThatIsShorterThanItsLengthFails() {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "shm", "default");
		ConfigurableApplicationContext client = this.applications.client("shm", "http-components");
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		connect(exchanges, client.getBean(Exchanges.class), "shm");
		for (int i = 0; i < ATTEMPTS; i++) {
			assertThatExceptionOfType(RestClientException.class)
				.isThrownBy(() -> exchanges.get().uri("/shortened").retrieve().body(byte[].class));
		}
	}

	/** Over TCP, the client waits for the response that follows until its time-out. */
	@Test
	void aStatusThatAnnouncesAnotherResponseFails() {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "shm", "default");
		ConfigurableApplicationContext client = this.applications.client("shm", "http-components");
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		connect(exchanges, client.getBean(Exchanges.class), "shm");
		for (int status : new int[] { 100, 101, 103, 199 }) {
			assertThatExceptionOfType(ResourceAccessException.class).as("status %d", status)
				.isThrownBy(() -> exchanges.get().uri("/status?code=" + status).retrieve().toBodilessEntity());
		}
		assertThat(exchanges.get().uri("/text").retrieve().body(String.class)).isEqualTo("héllo");
	}

	@ParameterizedTest
	@ValueSource(strings = { "http-components", "jdk", "reactor", "jetty" })
	void requestsThatAreExchangesAreCounted(String library) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "uds", "default");
		ConfigurableApplicationContext client = this.applications.client("uds", library);
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		connect(exchanges, client.getBean(Exchanges.class), "uds");
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new ExchangeMetrics(client.getBean(Exchanges.class).counts()).bindTo(meters);
		double before = meters.get("vicinal.http.exchanges").tag("path", "uds").functionCounter().count();
		for (int i = 0; i < ATTEMPTS; i++) {
			exchanges.get().uri("/text").retrieve().toBodilessEntity();
			exchanges.post().uri("/seen/x").body(Map.of("a", 1)).retrieve().toBodilessEntity();
		}
		assertThat(meters.get("vicinal.http.exchanges").tag("path", "uds").functionCounter().count())
			.isEqualTo(before + 2 * ATTEMPTS);
	}

	private Stream<DynamicTest> behaviours(String path, String library) {
		return compared(this.applications.server(ShopApplication.class, path, "default"), path, library,
				ExchangeBehaviours.all());
	}

	private Stream<DynamicTest> secured(String path, String profile) {
		return compared(this.applications.server(SecuredShopApplication.class, path, profile), path, "http-components",
				ExchangeBehaviours.secured());
	}

	private Stream<DynamicTest> compared(ConfigurableApplicationContext server, String path, String library,
			Map<String, ExchangeBehaviours.Behaviour> behaviours) {
		ConfigurableApplicationContext client = this.applications.client(path, library);
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = RestClient.builder().baseUrl(base).requestFactory(plain(library)).build();
		Exchanges sent = client.getBean(Exchanges.class);
		List<DynamicTest> tests = new ArrayList<>();
		AtomicLong before = new AtomicLong();
		tests.add(DynamicTest.dynamicTest("is connected", () -> {
			connect(exchanges, sent, path);
			// The longer that takes, the more requests go over HTTP meanwhile.
			before.set(calls(sent, "http"));
		}));
		behaviours.forEach((name, behaviour) -> tests.add(DynamicTest.dynamicTest(name, () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				String expected = observe(behaviour, plain, base);
				String observed = observe(behaviour, exchanges, base);
				if (!observed.equals(expected) && !isRightToo(name, observed, () -> observe(behaviour, plain, base))) {
					assertThat(observed).as("attempt %d; last failure: %s", i, ExchangeBehaviours.lastFailure())
						.isEqualTo(expected);
				}
			}
		})));
		tests.add(DynamicTest.dynamicTest("went over the path", () -> {
			assertThat(calls(sent, path)).isGreaterThan((ATTEMPTS - 1L) * behaviours.size());
			assertThat(calls(sent, "http") - before.get())
				.isLessThan(library.equals("jetty") ? 2 * maxOverHttp() : maxOverHttp());
		}));
		return tests.stream();
	}

	/**
	 * Returns whether a web server may do what was observed, although it has done
	 * something else over HTTP.
	 * @param name name of the behaviour
	 * @param observed what an exchange has shown
	 * @param overHttp does the same over HTTP again
	 */
	boolean isRightToo(String name, String observed, Supplier<String> overHttp) {
		// Over HTTP, Jetty's client aborts a request that is redirected before all of
		// its content has been sent.
		return name.equals("redirect of POST")
				&& Stream.generate(overHttp).limit(10).anyMatch((each) -> each.equals(observed));
	}

	/** Returns a bound of the number of requests that are left to HTTP. */
	int maxOverHttp() {
		return 50;
	}

	/** The first requests go over HTTP and bring the announcement. */
	static void connect(RestClient client, Exchanges sent, String path) {
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		while (calls(sent, path) == 0) {
			assertThat(client.get()
				.uri("/text")
				.headers((headers) -> headers.setBasicAuth("user", "secret"))
				.retrieve()
				.body(String.class)).isEqualTo("héllo");
			assertThat(System.nanoTime()).as("time to connect; report: %s", sent.report()).isLessThan(end);
		}
	}

	static long calls(Exchanges exchanges, String path) {
		var report = exchanges.report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((each) -> each.path().equals(path))
					.mapToLong(PathReport::calls)
					.sum();
	}

	static ClientHttpRequestFactory plain(String library) {
		return plain(library, HttpClientSettings.defaults().withReadTimeout(READ_TIMEOUT));
	}

	static ClientHttpRequestFactory plain(String library, HttpClientSettings settings) {
		return switch (library) {
			case "jdk" -> ClientHttpRequestFactoryBuilder.jdk().build(settings);
			case "simple" -> ClientHttpRequestFactoryBuilder.simple().build(settings);
			case "jetty" -> ClientHttpRequestFactoryBuilder.jetty().build(settings);
			// Not the connections of the other client: some behaviours leave theirs
			// unusable.
			case "reactor" -> ClientHttpRequestFactoryBuilder.reactor()
				.withHttpClientFactory(() -> HttpClient.create(ConnectionProvider.create("plain")))
				.build(settings);
			default -> ClientHttpRequestFactoryBuilder.httpComponents().build(settings);
		};
	}

	private static String observe(ExchangeBehaviours.Behaviour behaviour, RestClient client, String base) {
		try {
			return String.valueOf(behaviour.observe(client, base));
		}
		catch (Exception ex) {
			return "threw " + ex.getClass().getName() + " by "
					+ ((ex.getCause() != null) ? ex.getCause().getClass().getName() : "nothing");
		}
	}

	/** A client without a server of its own. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class ClientApplication {

	}

	/** Starts applications that share a rendezvous directory, and closes them. */
	static final class Applications implements org.junit.jupiter.api.extension.AfterEachCallback {

		private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

		private final Path rendezvous;

		Applications() {
			try {
				Path memory = Path.of("/dev/shm");
				this.rendezvous = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-exchange")
						: Files.createTempDirectory("vicinal-exchange");
			}
			catch (IOException ex) {
				throw new java.io.UncheckedIOException(ex);
			}
		}

		ConfigurableApplicationContext server(Class<?> type, String path, String profile) {
			return start(type, Map.of("spring.profiles.active", profile, "server.port", "0", "vicinal.server.paths",
					path, "spring.servlet.multipart.max-file-size", "20MB", "server.shutdown", "immediate"));
		}

		ConfigurableApplicationContext client(String path, String library) {
			return client(path, library, "jdk");
		}

		ConfigurableApplicationContext client(String path, String library, String reactive) {
			return start(ClientApplication.class,
					Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.paths", path,
							"vicinal.confirm-interval", "0s", "spring.http.clients.imperative.factory", library,
							"spring.http.clients.reactive.connector", reactive, "spring.http.clients.read-timeout",
							READ_TIMEOUT.toMillis() + "ms"));
		}

		ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
			Map<String, Object> all = new TreeMap<>(properties);
			all.put("spring.main.banner-mode", "off");
			all.put("vicinal.rendezvous.directory", this.rendezvous.toString());
			all.putIfAbsent("spring.cloud.loadbalancer.enabled", "false");
			var application = new org.springframework.boot.SpringApplication(type);
			application.setDefaultProperties(all);
			ConfigurableApplicationContext context = application.run();
			this.contexts.add(context);
			return context;
		}

		@Override
		public void afterEach(org.junit.jupiter.api.extension.ExtensionContext test) throws IOException {
			for (int i = this.contexts.size() - 1; i >= 0; i--) {
				this.contexts.get(i).close();
			}
			org.springframework.util.FileSystemUtils.deleteRecursively(this.rendezvous);
		}

	}

}
