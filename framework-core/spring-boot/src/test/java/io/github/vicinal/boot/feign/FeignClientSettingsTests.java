package io.github.vicinal.boot.feign;

import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import feign.FeignException;
import feign.Logger;
import feign.RequestInterceptor;
import feign.Response;
import feign.ResponseInterceptor;
import feign.RetryableException;
import feign.Retryer;
import feign.codec.Decoder;
import feign.codec.ErrorDecoder;
import feign.hc5.ApacheHttp5Client;
import io.github.vicinal.boot.RunningApplications;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.feign.FeignChannelTests.Carried;
import io.github.vicinal.boot.feign.Shelf.Line;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.ConfigBuilder;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.cloud.openfeign.FeignClientBuilder;
import org.springframework.cloud.openfeign.FeignFormatterRegistrar;
import org.springframework.cloud.openfeign.clientconfig.HttpClient5FeignConfiguration.HttpClientBuilderCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Settings of Feign clients have the effect that they have over HTTP. What typed paths do
 * not apply keeps the client on HTTP, with the reason.
 */
@Timeout(300)
class FeignClientSettingsTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@TempDir(factory = MemoryTempDirFactory.class)
	private Path rendezvous;

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.rendezvous.directory",
				this.rendezvous.resolve("meet").toString(), "spring.cloud.openfeign.httpclient.hc5.enabled", "false"));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private ConfigurableApplicationContext server() {
		return start(Server.class, Map.of());
	}

	private static String url(ConfigurableApplicationContext server) {
		return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	/** Starts the client with and without Vicinal. */
	private Pair pair(Class<?> type, String path, Map<String, Object> properties) {
		Map<String, Object> plain = new TreeMap<>(properties);
		plain.put("vicinal.enabled", "false");
		Map<String, Object> typed = new TreeMap<>(properties);
		for (String channel : List.of("shelf", "lenient", "retrying", "decoded", "guarded")) {
			typed.put("vicinal.channels." + channel + ".paths", path);
		}
		return new Pair(start(type, plain), start(type, typed));
	}

	private record Pair(ConfigurableApplicationContext plain, ConfigurableApplicationContext typed) {

		<T> void connect(Class<T> type, Function<T, ?> call, String channel, String path) {
			// A first call may take longer than the client waits.
			await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
				call.apply(this.typed.getBean(type));
				return true;
			});
			await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
				ChannelReport report = this.typed.getBean(ChannelsEndpoint.class).channel(channel);
				assertThat(report).isNotNull();
				assertThat(report.peers()).isNotEmpty();
				assertThat(report.peers().get(0).path()).as(String.valueOf(report.peers().get(0))).isEqualTo(path);
			});
		}

		<T> void same(Class<T> type, String path, Map<String, Function<T, ?>> calls) {
			Carried carried = this.typed.getBean(Carried.class);
			calls.forEach((name, call) -> {
				T plainClient = this.plain.getBean(type);
				T typedClient = this.typed.getBean(type);
				String expected = ending(() -> call.apply(plainClient));
				for (int round = 0; round < 3; round++) {
					carried.clear();
					assertThat(ending(() -> call.apply(typedClient))).as("%s in round %d", name, round)
						.isEqualTo(expected);
				}
				assertThat(carried.ways().get(0)).as(name).startsWith(path);
			});
		}

	}

	private static String ending(Callable<?> call) {
		try {
			return String.valueOf(call.call());
		}
		catch (FeignException ex) {
			return ex.getClass() + " " + ex.status() + " " + ex.getMessage().replaceAll("timestamp\":\"[^\"]*", "")
					+ " " + ex.getCause();
		}
		catch (Exception ex) {
			return String.valueOf(ex);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct,false", "shm,false", "shm,true" })
	void decodersAndRetriesSeeErrors(String path, boolean apache) {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(Decoding.class, path,
				Map.of("shelf.url", url(server), "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		for (Class<?> type : List.of(Lenient.class, Retrying.class, Decoded.class)) {
			Class<? extends Failing> client = type.asSubclass(Failing.class);
			pair.connect(client, Failing::count, name(client), path);
			Map<String, Function<Failing, ?>> calls = new LinkedHashMap<>();
			for (int status : new int[] { 400, 401, 403, 404, 409, 500, 503 }) {
				calls.put(type.getSimpleName() + " " + status, (failing) -> failing.fail(status));
			}
			calls.put(type.getSimpleName() + " entity 404", (failing) -> failing.entity(404));
			calls.put(type.getSimpleName() + " own", Failing::ownError);
			calls.put(type.getSimpleName() + " count", Failing::count);
			AtomicInteger key = new AtomicInteger();
			calls.put(type.getSimpleName() + " later",
					(failing) -> ending(() -> failing.later("key" + type.getSimpleName() + key.incrementAndGet()))
						.replaceAll("key[^\\] ]*", ""));
			same(pair, client, path, calls);
		}
		assertThat(ending(() -> pair.typed().getBean(Lenient.class).entity(404))).contains("Line[count=404");
		assertThat(ending(() -> pair.typed().getBean(Decoded.class).ownError())).contains("decoded 409");
		assertThat(pair.typed().getBean(Retrying.class).later("retried")).isEqualTo("third");
	}

	private static <T extends Failing> void same(Pair pair, Class<T> type, String path,
			Map<String, Function<Failing, ?>> calls) {
		Map<String, Function<T, ?>> typed = new LinkedHashMap<>();
		calls.forEach((name, call) -> typed.put(name, call::apply));
		pair.same(type, path, typed);
	}

	private static String name(Class<?> type) {
		return type.getAnnotation(FeignClient.class).name();
	}

	interface Failing {

		@GetMapping("/shelf/count")
		int count();

		@GetMapping("/shelf/fail/{status}")
		@Nullable Object2 fail(@PathVariable int status);

		@GetMapping("/shelf/entity/{status}")
		@Nullable Line entity(@PathVariable int status);

		@GetMapping("/shelf/own-error")
		@Nullable Object2 ownError();

		@GetMapping("/shelf/later/{key}")
		String later(@PathVariable String key);

	}

	/** As the handlers declare it. */
	record Object2(long id, @Nullable List<Line> rows, Shelf.@Nullable State stage, java.time.@Nullable Instant at,
			@Nullable Map<String, java.math.BigDecimal> prices, java.util.@Nullable UUID key,
			java.time.@Nullable LocalDate day) {
	}

	@AffinityChannel
	@FeignClient(name = "lenient", url = "${shelf.url}", dismiss404 = true)
	interface Lenient extends Failing {

	}

	@AffinityChannel
	@FeignClient(name = "retrying", url = "${shelf.url}", configuration = Retries.class)
	interface Retrying extends Failing {

	}

	@AffinityChannel
	@FeignClient(name = "decoded", url = "${shelf.url}", configuration = Errors.class)
	interface Decoded extends Failing {

	}

	static class Retries {

		@Bean
		Retryer retryer() {
			return new Retryer.Default(1, 1, 5);
		}

	}

	static class Errors {

		@Bean
		ErrorDecoder errorDecoder() {
			return (method, response) -> new IllegalStateException("decoded " + response.status() + " "
					+ response.request().url().replaceAll(":[0-9]+", "") + " " + body(response));
		}

		private static String body(Response response) {
			try {
				return (response.body() != null)
						? new String(response.body().asInputStream().readAllBytes(),
								java.nio.charset.StandardCharsets.UTF_8)
							.replaceAll("timestamp\":\"[^\"]*", "")
						: "nothing";
			}
			catch (IOException ex) {
				return String.valueOf(ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = { Lenient.class, Retrying.class, Decoded.class })
	static class Decoding {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	@ParameterizedTest
	@InTurn(value = { "shm,false", "uds,false", "shm,true", "direct,false" }, rows = 2)
	void aCallThatTakesTooLongEndsAsOverHttp(String path, boolean apache) {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(Client.class, path,
				Map.of("shelf.url", url(server), "spring.cloud.openfeign.client.config.shelf.read-timeout", 2000,
						"spring.cloud.openfeign.client.config.shelf.connect-timeout", 2000,
						"spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		pair.connect(Shelf.class, Shelf::count, "shelf", path);
		Shelf typed = pair.typed().getBean(Shelf.class);
		await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> typed.slow(1) != null);
		await().atMost(Duration.ofMinutes(1))
			.ignoreExceptions()
			.until(() -> pair.plain().getBean(Shelf.class).slow(1) != null);
		Carried carried = pair.typed().getBean(Carried.class);
		carried.clear();
		assertThat(ending(() -> typed.slow(8000))).isEqualTo(ending(() -> pair.plain().getBean(Shelf.class).slow(8000)))
			.contains("RetryableException", "SocketTimeoutException: Read timed out");
		assertThat(carried.ways()).containsExactly(path);
		assertThat(typed.slow(1)).isEqualTo("slow");
	}

	/** Kinds of settings by what the reason names. */
	static List<org.junit.jupiter.params.provider.Arguments> settings() {
		List<org.junit.jupiter.params.provider.Arguments> all = new ArrayList<>();
		for (Class<?> type : List.of(WithInterceptor.class, WithResponseInterceptor.class, WithDecoder.class,
				WithEncoder.class, WithLogger.class, WithClient.class, WithCapability.class, WithFormatter.class,
				WithOptions.class)) {
			all.add(org.junit.jupiter.params.provider.Arguments.of(type, Map.of(), reason(type)));
		}
		all.add(org.junit.jupiter.params.provider.Arguments.of(Client.class,
				Map.of("spring.cloud.openfeign.client.config.shelf.default-request-headers.X-Tenant", "a"),
				"default-request-headers"));
		all.add(org.junit.jupiter.params.provider.Arguments.of(Client.class,
				Map.of("spring.cloud.openfeign.client.config.default.default-query-parameters.q", "a"),
				"default-query-parameters"));
		all.add(org.junit.jupiter.params.provider.Arguments.of(Client.class,
				Map.of("spring.cloud.openfeign.client.config.shelf.logger-level", "basic"), "BASIC"));
		all.add(org.junit.jupiter.params.provider.Arguments.of(Client.class,
				Map.of("spring.cloud.openfeign.compression.response.enabled", "true"),
				"FeignAcceptGzipEncodingInterceptor"));
		all.add(org.junit.jupiter.params.provider.Arguments.of(Client.class,
				Map.of("spring.cloud.openfeign.client.refresh-enabled", "true",
						"spring.cloud.openfeign.client.config.shelf.url", "http://localhost:1"),
				"options that are refreshed"));
		all.add(org.junit.jupiter.params.provider.Arguments.of(WithOwnApache.class,
				Map.of("spring.cloud.openfeign.httpclient.hc5.enabled", "true"), "ApacheHttp5Client"));
		all.add(org.junit.jupiter.params.provider.Arguments.of(WithApacheInterceptor.class,
				Map.of("spring.cloud.openfeign.httpclient.hc5.enabled", "true"), "adds the header x-tenant"));
		return all;
	}

	private static String reason(Class<?> type) {
		return Map
			.<Class<?>, String>of(WithInterceptor.class, "request interceptor", WithResponseInterceptor.class,
					"response interceptor", WithDecoder.class, "decoder", WithEncoder.class, "encoder",
					WithLogger.class, "FULL", WithClient.class, "client ", WithCapability.class, "client ",
					WithFormatter.class, "conversion service", WithOptions.class, "options that are refreshed")
			.get(type);
	}

	@ParameterizedTest
	@MethodSource("settings")
	void settingsThatTypedPathsDoNotApplyKeepTheClientOnHttp(Class<?> type, Map<String, Object> properties,
			String reason) {
		ConfigurableApplicationContext server = server();
		Map<String, Object> all = new TreeMap<>(properties);
		all.put("shelf.url", url(server));
		Pair pair = pair(type, "direct,shm,uds", all);
		Carried carried = pair.typed().getBean(Carried.class);
		Shelf typed = pair.typed().getBean(Shelf.class);
		Shelf plain = pair.plain().getBean(Shelf.class);
		for (int i = 0; i < 20; i++) {
			assertThat(ending(() -> typed.echo("x"))).isEqualTo(ending(() -> plain.echo("x")));
			assertThat(ending(() -> typed.fail(409))).isEqualTo(ending(() -> plain.fail(409)));
		}
		assertThat(carried.ways()).allSatisfy((way) -> assertThat(way).startsWith("http"));
		ChannelReport report = pair.typed().getBean(ChannelsEndpoint.class).channel("shelf");
		assertThat(report).isNotNull();
		assertThat(report.toString()).contains(reason);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithInterceptor {

		@Bean
		RequestInterceptor tenant() {
			return (template) -> template.header("X-Tenant", "a");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithResponseInterceptor {

		@Bean
		ResponseInterceptor noting() {
			return (context, chain) -> chain.next(context);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithDecoder {

		@Bean
		Decoder decoder() {
			return (Response response, Type type) -> (type == String.class) ? "decoded" : null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithEncoder {

		@Bean
		feign.codec.Encoder encoder() {
			return (object, type, template) -> template.body("[]");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithLogger {

		@Bean
		Logger.Level level() {
			return Logger.Level.FULL;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithClient {

		@Bean
		feign.Client client() {
			feign.Client own = new feign.Client.Default(null, null);
			return (request, options) -> own.execute(request, options);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithOwnApache {

		@Bean
		feign.Client apache() {
			return new ApacheHttp5Client(HttpClients.createDefault());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithApacheInterceptor {

		@Bean
		HttpClientBuilderCustomizer tenants() {
			return (builder) -> builder
				.addRequestInterceptorFirst((request, entity, context) -> request.addHeader("X-Tenant", "a"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithCapability {

		@Bean
		Wrapping wrapping() {
			return new Wrapping();
		}

	}

	/** As those that observe requests do. */
	public static class Wrapping implements feign.Capability {

		@Override
		public feign.Client enrich(feign.Client client) {
			return (request, options) -> client.execute(request, options);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithFormatter {

		@Bean
		FeignFormatterRegistrar numbers() {
			return (registry) -> registry.addConverter(Integer.class, String.class, (number) -> "0" + number);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class WithOptions {

		@Bean
		feign.Request.Options options() {
			return new feign.Request.Options() {
			};
		}

	}

	@Test
	void settingsCanBeIgnored() {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(WithInterceptor.class, "shm",
				Map.of("shelf.url", url(server), "vicinal.channels.shelf.ignore-client-interceptors", "true"));
		pair.connect(Shelf.class, Shelf::count, "shelf", "shm");
		pair.same(Shelf.class, "shm", Map.of("count", Shelf::count));
	}

	/** Feign observes no requests unless it is told to. */
	@Test
	void requestsAreNotObserved() {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(Client.class, "uds", Map.of("shelf.url", url(server)));
		pair.connect(Shelf.class, Shelf::count, "shelf", "uds");
		Shelf shelf = pair.typed().getBean(Shelf.class);
		for (int i = 0; i < 200; i++) {
			assertThat(shelf.count()).isEqualTo(42);
		}
		List<String> names = pair.typed()
			.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.map(Meter::getId)
			.map(Meter.Id::getName)
			.toList();
		assertThat(names).contains("vicinal.channel.calls").doesNotContain("http.client.requests");
		assertThat(pair.typed().getBean(MeterRegistry.class).find("vicinal.channel.calls").timer().count())
			.isGreaterThan(190);
	}

	@ParameterizedTest
	@CsvSource({ "shm,false", "direct,false", "uds,true" })
	void theLoadBalancerChoosesInstances(String path, boolean apache) {
		ConfigurableApplicationContext first = server();
		ConfigurableApplicationContext second = server();
		Map<String, Object> properties = Map.of("spring.cloud.loadbalancer.enabled", "true",
				"spring.cloud.openfeign.httpclient.hc5.enabled", apache,
				"spring.cloud.discovery.client.simple.instances.shelf[0].uri", url(first),
				"spring.cloud.discovery.client.simple.instances.shelf[1].uri", url(second));
		Pair pair = pair(Client.class, path, properties);
		Shelf typed = pair.typed().getBean(Shelf.class);
		await().untilAsserted(() -> {
			typed.count();
			ChannelReport report = pair.typed().getBean(ChannelsEndpoint.class).channel("shelf");
			assertThat(report.peers()).hasSize(2)
				.allSatisfy((peer) -> assertThat(peer.path()).as(String.valueOf(peer)).isEqualTo(path));
		});
		for (int i = 0; i < 20; i++) {
			typed.count();
		}
		pair.typed().getBean(Carried.class).clear();
		int before = calls(first);
		int beforeOfSecond = calls(second);
		for (int i = 0; i < 100; i++) {
			assertThat(typed.count()).isEqualTo(42);
		}
		assertThat(pair.typed().getBean(Carried.class).ways()).containsOnly(path);
		assertThat(calls(first) - before + calls(second) - beforeOfSecond).isEqualTo(100);
	}

	private static int calls(ConfigurableApplicationContext server) {
		return server.getBean(ShelfController.class).calls.get();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void namedInstancesAreBalanced(boolean apache) {
		ConfigurableApplicationContext first = server();
		ConfigurableApplicationContext second = server();
		Pair pair = pair(Client.class, "shm",
				Map.of("shelf.url", "http://shelf.invalid:1", "vicinal.channels.shelf.instances",
						url(first) + "," + url(second), "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		Shelf typed = pair.typed().getBean(Shelf.class);
		Carried carried = pair.typed().getBean(Carried.class);
		await().untilAsserted(() -> {
			carried.clear();
			for (int i = 0; i < 10; i++) {
				assertThat(typed.count()).isEqualTo(42);
			}
			assertThat(carried.ways()).containsOnly("shm");
		});
	}

	@Test
	void circuitBreakersStandInFront() {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(Breaking.class, "shm",
				Map.of("shelf.url", url(server), "spring.cloud.openfeign.circuitbreaker.enabled", "true"));
		pair.connect(Guarded.class, Guarded::count, "guarded", "shm");
		Map<String, Function<Guarded, ?>> calls = new LinkedHashMap<>();
		calls.put("count", Guarded::count);
		calls.put("fallback", (guarded) -> guarded.fail(500));
		pair.same(Guarded.class, "shm", calls);
		assertThat(pair.typed().getBean(Guarded.class).fail(500)).isEqualTo("fallback");
		assertThat(pair.typed().getBean(Breakers.class).runs.get())
			.isGreaterThan(pair.plain().getBean(Breakers.class).runs.get());
	}

	@AffinityChannel
	@FeignClient(name = "guarded", url = "${shelf.url}", fallback = Fallback.class)
	interface Guarded {

		@GetMapping("/shelf/count")
		int count();

		@GetMapping("/shelf/echo")
		String echo(@RequestParam String text);

		@GetMapping("/shelf/words/{status}")
		String fail(@PathVariable int status);

	}

	static class Fallback implements Guarded {

		@Override
		public int count() {
			return -1;
		}

		@Override
		public String echo(String text) {
			return "fallback";
		}

		@Override
		public String fail(int status) {
			return "fallback";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Guarded.class)
	static class Breaking {

		@Bean
		Carried carried() {
			return new Carried();
		}

		@Bean
		Fallback fallback() {
			return new Fallback();
		}

		@Bean
		Breakers breakers() {
			return new Breakers();
		}

	}

	/** Breakers that are always closed. */
	static class Breakers extends CircuitBreakerFactory<Object, ConfigBuilder<Object>> {

		private final AtomicInteger runs = new AtomicInteger();

		@Override
		public CircuitBreaker create(String id) {
			return new CircuitBreaker() {

				@Override
				public <T> T run(Supplier<T> toRun, Function<Throwable, T> fallback) {
					Breakers.this.runs.incrementAndGet();
					try {
						return toRun.get();
					}
					catch (RuntimeException ex) {
						return fallback.apply(ex);
					}
				}

			};
		}

		@Override
		protected ConfigBuilder<Object> configBuilder(String id) {
			return Object::new;
		}

		@Override
		public void configureDefault(Function<String, Object> defaultConfiguration) {
		}

	}

	/** Clients of one service and one type, with targets of their own. */
	@Test
	void clientsWithTargetsOfTheirOwnDoNotShareAChannel() {
		ConfigurableApplicationContext first = server();
		ConfigurableApplicationContext second = server();
		ConfigurableApplicationContext client = start(Client.class, Map.of("shelf.url", url(first)));
		Shelf ofFirst = client.getBean(Shelf.class);
		Shelf ofSecond = new FeignClientBuilder(client).forType(Shelf.class, "shelf")
			.url(url(second))
			.path("/shelf")
			.build();
		for (int i = 0; i < 50; i++) {
			ofFirst.count();
		}
		await().untilAsserted(() -> {
			client.getBean(Carried.class).clear();
			ofFirst.count();
			assertThat(client.getBean(Carried.class).ways()).doesNotContain("http");
		});
		int before = calls(first);
		int beforeOfSecond = calls(second);
		for (int i = 0; i < 50; i++) {
			ofFirst.count();
			ofSecond.count();
		}
		assertThat(calls(first) - before).isEqualTo(50);
		assertThat(calls(second) - beforeOfSecond).isEqualTo(50);
	}

	/** The controller implements the interface of the client. */
	@ParameterizedTest
	@ValueSource(strings = { "direct", "uds" })
	void aSharedInterfaceIsMatchedByStructureToo(String path) {
		ConfigurableApplicationContext server = start(SharedServer.class, Map.of());
		ConfigurableApplicationContext client = start(SharedClient.class,
				Map.of("shelf.url", url(server), "vicinal.channels.shared-context.paths", path));
		Shared shared = client.getBean(Shared.class);
		Carried carried = client.getBean(Carried.class);
		shared.line(1);
		await().untilAsserted(() -> {
			shared.line(1);
			shared.save(new Line(1, "a"));
			carried.clear();
			assertThat(shared.line(7)).isEqualTo(new Line(7, "shared"));
			assertThat(shared.save(new Line(1, "a"))).isEqualTo(new Line(2, "a"));
			assertThat(carried.ways()).containsOnly(path).hasSize(2);
		});
	}

	@AffinityChannel
	@FeignClient(name = "shared", contextId = "shared-context", url = "${shelf.url:}")
	interface Shared {

		@GetMapping("/shared/{id}")
		Line line(@PathVariable("id") int id);

		@PostMapping("/shared")
		Line save(@RequestBody Line line);

	}

	@RestController
	static class SharedController implements Shared {

		@Override
		public Line line(int id) {
			return new Line(id, "shared");
		}

		@Override
		public Line save(Line line) {
			return new Line(line.count() + 1, line.name());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(SharedController.class)
	static class SharedServer {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Shared.class)
	static class SharedClient {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** A server that ends fails calls as over HTTP, and its successor is met. */
	@ParameterizedTest
	@CsvSource({ "shm,false", "direct,false", "shm,true" })
	void aServerThatIsGoneIsReportedAsOverHttp(String path, boolean apache) {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(Client.class, path,
				Map.of("shelf.url", url(server), "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		pair.connect(Shelf.class, Shelf::count, "shelf", path);
		pair.same(Shelf.class, path, Map.of("count", Shelf::count));
		server.close();
		String expected = ending(() -> pair.plain().getBean(Shelf.class).count());
		assertThat(expected).contains("RetryableException", "Connection refused");
		assertThat(ending(() -> pair.typed().getBean(Shelf.class).count())).isEqualTo(expected);
		assertThatExceptionOfType(RetryableException.class)
			.isThrownBy(() -> pair.typed().getBean(Shelf.class).touch(1));
	}

	/** Without exchanges, what typed paths cannot carry is sent as it is. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void typedCallsNeedNoExchanges(boolean apache) {
		ConfigurableApplicationContext server = server();
		Pair pair = pair(Client.class, "uds", Map.of("shelf.url", url(server), "vicinal.http-exchanges.enabled",
				"false", "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		pair.connect(Shelf.class, Shelf::count, "shelf", "uds");
		pair.same(Shelf.class, "uds", Map.of("count", Shelf::count, "fail", (shelf) -> shelf.fail(404)));
		pair.same(Shelf.class, "http because",
				Map.of("optional", (shelf) -> shelf.optional(3), "echo", (shelf) -> shelf.echo("a%20b")));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ShelfController.class, WordsController.class })
	static class Server {

	}

	@RestController
	static class WordsController {

		@GetMapping("/shelf/words/{status}")
		String words(@PathVariable int status) {
			throw new org.springframework.web.server.ResponseStatusException(
					org.springframework.http.HttpStatus.valueOf(status));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Shelf.class)
	static class Client {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

}
