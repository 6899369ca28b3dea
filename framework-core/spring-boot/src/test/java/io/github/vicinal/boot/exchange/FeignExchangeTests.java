package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import feign.Capability;
import feign.Client;
import feign.Feign;
import feign.Request;
import feign.Response;
import feign.RetryableException;
import feign.Retryer;
import feign.hc5.ApacheHttp5Client;
import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.Applications;
import io.github.vicinal.boot.exchange.ShopApplication.Order;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.testing.InTurn;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Exchanges of Feign clients behave as their requests over HTTP, on each path. */
@Timeout(300)
class FeignExchangeTests {

	private static final int ATTEMPTS = 3;

	private static final String BOSS = "Basic "
			+ Base64.getEncoder().encodeToString("boss:secret".getBytes(StandardCharsets.UTF_8));

	private static final Request.Options OPTIONS = new Request.Options(5, TimeUnit.SECONDS, 20, TimeUnit.SECONDS, true);

	@RegisterExtension
	final Applications applications = new Applications();

	/** Clients below Feign. */
	enum Library {

		FEIGN {

			@Override
			Client client(@Nullable ConfigurableApplicationContext context) {
				Client own = new Client.Default(null, null);
				return (context != null) ? context.getBean(Capability.class).enrich(own) : own;
			}

		},

		APACHE {

			@Override
			Client client(@Nullable ConfigurableApplicationContext context) {
				HttpClientBuilder builder = HttpClientBuilder.create();
				if (context != null) {
					context.getBean(FeignApacheExchanges.class).customize(builder);
				}
				Client own = new ApacheHttp5Client(builder.build());
				return (context != null) ? context.getBean(Capability.class).enrich(own) : own;
			}

		};

		/** Returns a client that makes exchanges if there is an application. */
		abstract Client client(@Nullable ConfigurableApplicationContext context);

	}

	private Exchanges sent;

	private String base;

	@TestFactory
	Stream<DynamicTest> direct() {
		return compared(Library.FEIGN, "direct");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> shm() {
		return compared(Library.FEIGN, "shm");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> uds() {
		return compared(Library.FEIGN, "uds");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> apacheOverDirect() {
		return compared(Library.APACHE, "direct");
	}

	@TestFactory
	Stream<DynamicTest> apacheOverShm() {
		return compared(Library.APACHE, "shm");
	}

	/** They go over HTTP. */
	@TestFactory
	Stream<DynamicTest> whatTheLibraryWritesItself() {
		Client exchanges = connected("shm");
		Client plain = new Client.Default(null, null);
		byte[] json = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);
		Map<String, Function<Client, String>> all = new LinkedHashMap<>();
		for (String name : List.of("Transfer-Encoding", "TE", "Trailer", "Keep-Alive", "Proxy-Connection", "Upgrade",
				"Connection", "Host", "User-Agent")) {
			all.put(name, (client) -> show(client, "GET", "/seen/x", null, name, "trailers"));
			all.put(name + " with a body", (client) -> show(client, "POST", "/seen/x", json, name, "chunked"));
		}
		all.put("a URI beyond ASCII", (client) -> show(client, "GET", "/seen/ä?q=ö", null));
		all.put("an empty query", (client) -> show(client, "GET", "/seen/x?", null));
		all.put("a fragment", (client) -> show(client, "GET", "/seen/x?a=b#c", null));
		all.put("a length without a body", (client) -> show(client, "GET", "/seen/x", null, "Content-Length", "5"));
		all.put("a POST without a body", (client) -> show(client, "POST", "/seen/x", null, "Content-Length", "0"));
		return all.entrySet()
			.stream()
			.map((each) -> DynamicTest.dynamicTest(each.getKey(),
					() -> assertThat(observe(each.getValue(), exchanges)).isEqualTo(observe(each.getValue(), plain))));
	}

	private Client connected(String path) {
		return connected(Library.FEIGN, path);
	}

	private Client connected(Library library, String path) {
		return connected(ShopApplication.class, library, path);
	}

	private Client connected(Class<?> application, Library library, String path) {
		ConfigurableApplicationContext server = this.applications.server(application, path, "default");
		this.base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.client(path, "jdk");
		this.sent = client.getBean(Exchanges.class);
		Client enriched = library.client(client);
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		while (calls(path) == 0) {
			assertThat(show(enriched, "GET", "/text", null, "Authorization", BOSS)).contains("héllo");
			assertThat(System.nanoTime()).as("time to connect; report: %s", this.sent.report()).isLessThan(end);
		}
		return enriched;
	}

	private Stream<DynamicTest> compared(Library library, String path) {
		Client exchanges = connected(library, path);
		Client plain = library.client(null);
		Map<String, Function<Client, String>> behaviours = behaviours();
		long before = calls(path);
		List<DynamicTest> tests = new ArrayList<>();
		behaviours.forEach((name, behaviour) -> tests.add(DynamicTest.dynamicTest(name, () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				assertThat(observe(behaviour, exchanges)).as("attempt %d", i).isEqualTo(observe(behaviour, plain));
			}
		})));
		tests.add(DynamicTest.dynamicTest("went over the path",
				() -> assertThat(calls(path) - before).isGreaterThan((ATTEMPTS - 1L) * behaviours.size())));
		return tests.stream();
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void aClientThatWaitsTooLongGetsATimeOut(String path) {
		Client exchanges = connected(path);
		Slow slow = Feign.builder()
			.client(exchanges)
			.retryer(Retryer.NEVER_RETRY)
			.options(new Request.Options(5, TimeUnit.SECONDS, 300, TimeUnit.MILLISECONDS, true))
			.target(Slow.class, this.base);
		for (int i = 0; i < ATTEMPTS; i++) {
			assertThatExceptionOfType(RetryableException.class).isThrownBy(slow::wait5Seconds)
				.withCauseInstanceOf(java.net.SocketTimeoutException.class);
		}
	}

	interface Slow {

		@feign.RequestLine("GET /slow?ms=5000")
		String wait5Seconds();

	}

	/** The caller of each request is another one, as a thread or an interceptor says. */
	@ParameterizedTest
	@InTurn({ "shm", "direct" })
	void interceptorsNameTheCallerOfEachRequest(String path) {
		Client exchanges = connected(SecuredShopApplication.class, Library.FEIGN, path);
		ThreadLocal<@Nullable String> caller = new ThreadLocal<>();
		Who typed = who(exchanges, caller);
		Who plain = who(new Client.Default(null, null), caller);
		Map<String, String> expected = new LinkedHashMap<>();
		List<String> callers = List.of("user:secret", "boss:secret", "", "boss:wrong", "nobody:secret");
		for (String each : callers) {
			caller.set(each);
			expected.put(each, outcome(plain));
		}
		assertThat(expected.get("user:secret")).contains("user", "403");
		assertThat(expected.get("boss:secret")).contains("boss", "bosses only");
		long before = calls(path);
		for (int i = 0; i < 200; i++) {
			for (String each : callers) {
				caller.set(each);
				assertThat(outcome(typed)).as("request %d of %s", i, each).isEqualTo(expected.get(each));
			}
		}
		assertThat(calls(path) - before).isGreaterThan(1000);
	}

	private Who who(Client client, ThreadLocal<@Nullable String> caller) {
		return Feign.builder().client(client).retryer(Retryer.NEVER_RETRY).requestInterceptor((template) -> {
			String credentials = caller.get();
			if (credentials != null && !credentials.isEmpty()) {
				template.header("Authorization",
						"Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
			}
		}).target(Who.class, this.base);
	}

	private static String outcome(Who who) {
		List<String> outcomes = new ArrayList<>();
		for (Function<Who, String> call : List.<Function<Who, String>>of(Who::me, Who::bosses)) {
			try {
				outcomes.add(call.apply(who));
			}
			catch (feign.FeignException ex) {
				outcomes.add(ex.status() + " " + ex.contentUTF8().replaceAll("timestamp\":\"[^\"]*", ""));
			}
		}
		return outcomes.toString();
	}

	interface Who {

		@feign.RequestLine("GET /me")
		String me();

		@feign.RequestLine("GET /bosses")
		String bosses();

	}

	/** The load balancer chooses the instance, and retries and decoders stay in front. */
	@ParameterizedTest
	@CsvSource({ "shop,false", "named,false", "shop,true", "named,true" })
	void clientsOfSpringCloudOpenFeignExchange(String name, boolean apache) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "shm", "default");
		this.base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(FeignApplication.class,
				Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.paths", "shm",
						"spring.cloud.loadbalancer.enabled", "true",
						"spring.cloud.discovery.client.simple.instances.shop[0].uri", this.base,
						"spring.cloud.openfeign.client.config.named.url", this.base,
						"spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		this.sent = client.getBean(Exchanges.class);
		Shop shop = name.equals("shop") ? client.getBean(Balanced.class) : client.getBean(Named.class);
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		while (calls("shm") < 5) {
			assertThat(shop.echo(Order.sample())).isEqualTo(Order.sample());
			assertThat(shop.text()).isEqualTo("héllo");
			assertThat(System.nanoTime()).as("time to connect; report: %s", this.sent.report()).isLessThan(end);
		}
		assertThatExceptionOfType(feign.FeignException.Conflict.class).isThrownBy(shop::conflict);
	}

	@Test
	void otherClientsAreLeftAlone() {
		ConfigurableApplicationContext client = this.applications.client("shm", "jdk");
		Client own = new Client.Proxied(null, null, java.net.Proxy.NO_PROXY);
		assertThat(client.getBean(Capability.class).enrich(own)).isSameAs(own);
	}

	interface Shop {

		@PostMapping("/orders")
		Order echo(@RequestBody Order order);

		@GetMapping("/text")
		String text();

		@GetMapping("/senderror")
		String conflict();

	}

	@FeignClient(name = "shop")
	interface Balanced extends Shop {

	}

	@FeignClient(name = "named")
	interface Named extends Shop {

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@EnableFeignClients(clients = { Balanced.class, Named.class })
	static class FeignApplication {

	}

	private Map<String, Function<Client, String>> behaviours() {
		Map<String, Function<Client, String>> all = new LinkedHashMap<>();
		byte[] json = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);
		for (String path : List.of("/text", "/seen/x?q=1&%20=+", "/seen/a%20b/c;v=1/../d", "/none", "/bytes?kb=300",
				"/bytes?kb=5000", "/stream?mb=2", "/nothing", "/etag", "/oddheader", "/fail", "/teapot", "/senderror",
				"/deferred?ms=30", "/slow?ms=300", "/sse", "/session", "/cookie", "/redirect", "/redirect?status=307",
				"/redirect?status=308")) {
			all.put("GET " + path, (client) -> show(client, "GET", path, null));
		}
		for (String method : List.of("HEAD", "DELETE", "POST", "PUT", "OPTIONS")) {
			all.put(method, (client) -> show(client, method, "/seen/x", null));
		}
		all.put("HEAD of much", (client) -> show(client, "HEAD", "/bytes?kb=2000", null));
		all.put("headers", (client) -> show(client, "GET", "/seen/x", null, "X-A", "1", "X-A", "2", "Accept", "a/b",
				"Accept-Encoding", "gzip", "Accept-Encoding", "deflate"));
		all.put("header that the library drops", (client) -> show(client, "GET", "/seen/x", null, "Via", "1.1 x"));
		all.put("JSON", (client) -> show(client, "POST", "/seen/x", json, "Content-Type", "application/json",
				"Content-Length", "7"));
		all.put("JSON by PUT", (client) -> show(client, "PUT", "/seen/x", json, "Content-Type", "application/json"));
		all.put("bytes without type", (client) -> show(client, "POST", "/seen/x", json, "Content-Length", "7"));
		all.put("body that is not as long as it says",
				(client) -> show(client, "POST", "/seen/x", json, "Content-Length", "9"));
		all.put("empty body", (client) -> show(client, "POST", "/seen/x", new byte[0], "Content-Length", "0"));
		all.put("PATCH", (client) -> show(client, "PATCH", "/seen/x", json));
		all.put("GET with a body", (client) -> show(client, "GET", "/seen/x", json));
		all.put("3 MB", (client) -> show(client, "POST", "/count", new byte[3 << 20], "Content-Type",
				"application/octet-stream", "Content-Length", "" + (3 << 20)));
		all.put("3 MB of unknown length", (client) -> show(client, "POST", "/count", new byte[3 << 20], "Content-Type",
				"application/octet-stream"));
		all.put("compressed body", (client) -> show(client, "POST", "/count", new byte[3000], "Content-Type",
				"application/octet-stream", "Content-Encoding", "gzip"));
		all.put("body that is not read",
				(client) -> show(client, "POST", "/reject", new byte[1000], "Content-Length", "1000"));
		all.put("redirect of POST", (client) -> show(client, "POST", "/redirect?status=303", json, "Content-Type",
				"application/json", "Content-Length", "7"));
		all.put("challenge", (client) -> show(client, "GET", "/challenge?status=401", null));
		all.put("challenge of a body", (client) -> show(client, "POST", "/challenge?status=401", json, "Content-Type",
				"application/json", "Content-Length", "7"));
		all.put("challenge of a body of unknown length",
				(client) -> show(client, "PUT", "/challenge?status=407", json, "Content-Type", "application/json"));
		// The default Accept of the library and of Feign's client differ before JDK 18.
		all.put("redirect of POST without body",
				(client) -> show(client, "POST", "/redirect?status=302", null, "X-A", "1")
					.replaceAll("\"headers\":\\{[^}]*}|content-length=\\[\\d+], |} \\d+ ", ""));
		return all;
	}

	private String show(Client client, String method, String path, byte[] body, String... headers) {
		Map<String, java.util.Collection<String>> fields = new LinkedHashMap<>();
		for (int i = 0; i < headers.length; i += 2) {
			fields.computeIfAbsent(headers[i], (name) -> new ArrayList<>()).add(headers[i + 1]);
		}
		Request request = Request.create(Request.HttpMethod.valueOf(method), this.base + path, fields, body,
				StandardCharsets.UTF_8, null);
		try (Response response = client.execute(request, OPTIONS)) {
			assertThat(response.request()).isSameAs(request);
			Map<String, Object> seen = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
			response.headers().forEach((name, values) -> seen.put(name.toLowerCase(Locale.ROOT), List.copyOf(values)));
			seen.keySet().removeAll(List.of("connection", "keep-alive", "vicinal-peer", "date"));
			return (response.status() + " '" + response.reason() + "' " + seen + " "
					+ ((response.body() != null) ? response.body().length() + " " + text(response.body()) : "nothing"))
				.replaceAll("timestamp\":\"[^\"]*", "timestamp\":\"T")
				.replaceAll("=[0-9A-F]{32}", "=ID")
				.replaceAll("\"connection\":\"[^\"]*\",?", "");
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

	private static String text(Response.Body body) throws IOException {
		try (InputStream in = body.asInputStream()) {
			byte[] bytes = in.readAllBytes();
			return (bytes.length > 1500) ? bytes.length + " bytes" : new String(bytes, StandardCharsets.UTF_8);
		}
	}

	private static String observe(Function<Client, String> behaviour, Client client) {
		try {
			return behaviour.apply(client);
		}
		catch (RuntimeException ex) {
			return "threw " + ex;
		}
	}

	private long calls(String path) {
		var report = this.sent.report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((each) -> each.path().equals(path))
					.mapToLong(PathReport::calls)
					.sum();
	}

}
