package io.github.vicinal.boot.feign;

import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

import feign.FeignException;
import feign.Retryer;
import io.github.vicinal.boot.RunningApplications;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.feign.FeignChannelTests.Carried;
import io.github.vicinal.boot.feign.Shelf.Line;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Typed calls of Feign clients in applications of several kinds. */
@Isolated("sets the cookie handler of the JVM")
@Timeout(300)
class FeignCallTests {

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

	private static String url(ConfigurableApplicationContext server) {
		return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	private static <T> String ending(Function<T, ?> call, T client) {
		try {
			return String.valueOf(call.apply(client));
		}
		catch (FeignException ex) {
			return ex.getClass() + " " + ex.getMessage().replaceAll("timestamp\":\"[^\"]*", "") + " "
					+ ex.responseHeaders().get("WWW-Authenticate");
		}
	}

	private static void awaitTyped(ConfigurableApplicationContext client, String path, Runnable call) {
		Carried carried = client.getBean(Carried.class);
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			carried.clear();
			call.run();
			assertThat(carried.ways()).containsOnly(path);
		});
		carried.clear();
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void securityDecidesAsOverHttp(String path) {
		ConfigurableApplicationContext server = start(SecuredServer.class, Map.of());
		Secured plain = start(SecuredClient.class, Map.of("vicinal.enabled", "false", "secured.url", url(server)))
			.getBean(Secured.class);
		ConfigurableApplicationContext client = start(SecuredClient.class,
				Map.of("vicinal.channels.secured.paths", path, "secured.url", url(server)));
		Secured typed = client.getBean(Secured.class);
		Map<String, Function<Secured, ?>> calls = new LinkedHashMap<>();
		for (String credentials : List.of("user:secret", "boss:secret", "boss:wrong", "nobody:x", "garbage")) {
			String header = "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
			calls.put("me " + credentials, (secured) -> secured.me(header));
			calls.put("bosses " + credentials, (secured) -> secured.bosses(header));
			calls.put("post " + credentials, (secured) -> secured.save(header, new Line(1, "a")));
		}
		calls.put("no credentials", (secured) -> secured.me("None"));
		Map<String, String> expected = new LinkedHashMap<>();
		calls.forEach((name, call) -> expected.put(name, ending(call, plain)));
		assertThat(expected.get("me user:secret")).isEqualTo("user");
		assertThat(expected.get("bosses user:secret")).contains("Forbidden");
		assertThat(expected.get("me boss:wrong")).contains("Unauthorized", "Basic");
		awaitTyped(client, path, () -> {
			calls.get("me user:secret").apply(typed);
			calls.get("bosses boss:secret").apply(typed);
		});
		Carried carried = client.getBean(Carried.class);
		for (int round = 0; round < 20; round++) {
			carried.clear();
			for (String name : calls.keySet()) {
				assertThat(ending(calls.get(name), typed)).as("%s in round %d", name, round)
					.isEqualTo(expected.get(name));
			}
		}
		assertThat(carried.ways()).filteredOn(path::equals).hasSizeGreaterThan(8);
	}

	@AffinityChannel
	@FeignClient(name = "secured", url = "${secured.url}")
	interface Secured {

		@GetMapping("/secured/me")
		String me(@RequestHeader("Authorization") String authorization);

		@GetMapping("/secured/bosses")
		String bosses(@RequestHeader("Authorization") String authorization);

		@PostMapping("/secured/lines")
		Line save(@RequestHeader("Authorization") String authorization, Line line);

	}

	@RestController
	@RequestMapping("/secured")
	static class SecuredController {

		@GetMapping("/me")
		String me(@RequestHeader("Authorization") String authorization) {
			return org.springframework.security.core.context.SecurityContextHolder.getContext()
				.getAuthentication()
				.getName();
		}

		@GetMapping("/bosses")
		String bosses(@RequestHeader("Authorization") String authorization) {
			return "bosses only";
		}

		@PostMapping("/lines")
		Line save(@RequestHeader("Authorization") String authorization, @RequestBody Line line) {
			return new Line(line.count() + 1, me(authorization));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@org.springframework.security.config.annotation.web.configuration.EnableWebSecurity
	@Import(SecuredController.class)
	static class SecuredServer {

		@Bean
		SecurityFilterChain chain(HttpSecurity http) {
			return http
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/secured/bosses")
					.hasRole("BOSS")
					.anyRequest()
					.authenticated())
				.csrf((csrf) -> csrf.disable())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		org.springframework.security.crypto.password.PasswordEncoder passwords() {
			return new io.github.vicinal.boot.PlainPasswords();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("user").password("secret").roles("USER").build(),
					User.withUsername("boss").password("secret").roles("BOSS").build());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration")
	@EnableFeignClients(clients = Secured.class)
	static class SecuredClient {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** Many callers at a time get their own answers. */
	@ParameterizedTest
	@InTurn({ "shm,false", "direct,false", "uds,false", "shm,true" })
	void callersDoNotDisturbEachOther(String path, boolean apache) throws Exception {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		ConfigurableApplicationContext client = start(Client.class, Map.of("shelf.url", url(server),
				"vicinal.channels.shelf.paths", path, "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		Shelf shelf = client.getBean(Shelf.class);
		awaitTyped(client, path, () -> {
			shelf.echo("x");
			shelf.saveAll(List.of(new Line(1, "a")));
			assertThatExceptionOfType(FeignException.NotFound.class).isThrownBy(() -> shelf.fail(404));
		});
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int thread = 0; thread < 8; thread++) {
				int first = thread * 1000;
				all.add(threads.submit(() -> {
					for (int i = first; i < first + 300; i++) {
						assertThat(shelf.echo("t" + i)).isEqualTo("[t" + i + "]");
						assertThat(shelf.saveAll(List.of(new Line(i, "a")))).startsWith(new Line(i, "a"));
						int status = (i % 2 == 0) ? 404 : 409;
						assertThatExceptionOfType(FeignException.class).isThrownBy(() -> shelf.fail(status))
							.satisfies((ex) -> assertThat(ex.status()).isEqualTo(status));
					}
				}));
			}
			for (Future<?> each : all) {
				each.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(client.getBean(Carried.class).ways()).filteredOn(path::equals).hasSizeGreaterThan(7000);
	}

	/** A retry after a time-out is a request of its own, as many as over HTTP. */
	@Test
	void retriesAfterATimeOutExecuteAsOftenAsOverHttp() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		Map<String, Object> properties = Map.of("shelf.url", url(server),
				"spring.cloud.openfeign.client.config.shelf.read-timeout", 2000,
				"spring.cloud.openfeign.client.config.shelf.connect-timeout", 2000, "vicinal.channels.shelf.paths",
				"shm");
		Map<String, Object> withoutVicinal = new TreeMap<>(properties);
		withoutVicinal.put("vicinal.enabled", "false");
		Shelf plain = start(RetryingClient.class, withoutVicinal).getBean(Shelf.class);
		ConfigurableApplicationContext client = start(RetryingClient.class, properties);
		Shelf shelf = client.getBean(Shelf.class);
		awaitTyped(client, "shm", () -> shelf.slow(1));
		ShelfController controller = server.getBean(ShelfController.class);
		int before = controller.calls.get();
		String expected = ending((each) -> each.slow(8000), plain);
		int executed = controller.calls.get() - before;
		assertThat(executed).isEqualTo(3);
		before = controller.calls.get();
		assertThat(ending((each) -> each.slow(8000), shelf)).isEqualTo(expected).contains("Read timed out");
		assertThat(controller.calls.get() - before).isEqualTo(executed);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class RetryingClient {

		@Bean
		Retryer retryer() {
			return new Retryer.Default(1, 1, 3);
		}

	}

	/** A handler that calls a service itself, on the thread of its caller. */
	@ParameterizedTest
	@InTurn({ "direct,false", "shm,false", "direct,true" })
	void handlersCallServicesThemselves(String path, boolean apache) {
		ConfigurableApplicationContext last = start(Server.class, Map.of());
		ConfigurableApplicationContext middle = start(Middle.class, Map.of("shelf.url", url(last),
				"vicinal.channels.shelf.paths", path, "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		ConfigurableApplicationContext client = start(FrontClient.class, Map.of("front.url", url(middle),
				"vicinal.channels.front.paths", path, "spring.cloud.openfeign.httpclient.hc5.enabled", apache));
		Front front = client.getBean(Front.class);
		Carried inner = middle.getBean(Carried.class);
		awaitTyped(client, path, () -> {
			assertThat(front.echo("x")).isEqualTo("<[x]>");
			assertThatExceptionOfType(FeignException.InternalServerError.class).isThrownBy(() -> front.fail(404));
			assertThat(inner.ways()).isNotEmpty();
		});
		inner.clear();
		for (int i = 0; i < 50; i++) {
			assertThat(front.echo("y" + i)).isEqualTo("<[y" + i + "]>");
			assertThatExceptionOfType(FeignException.InternalServerError.class).isThrownBy(() -> front.fail(404));
		}
		assertThat(inner.ways()).hasSize(100).containsOnly(path);
		assertThat(client.getBean(Carried.class).ways()).hasSize(100).containsOnly(path);
	}

	@AffinityChannel
	@FeignClient(name = "front", url = "${front.url}")
	interface Front {

		@GetMapping("/front")
		String echo(@RequestParam String text);

		@GetMapping("/front/{status}")
		String fail(@PathVariable int status);

	}

	@RestController
	static class FrontController {

		private final Shelf shelf;

		FrontController(Shelf shelf) {
			this.shelf = shelf;
		}

		@GetMapping("/front")
		String front(@RequestParam String text) {
			return "<" + this.shelf.echo(text) + ">";
		}

		@GetMapping("/front/{status}")
		String fail(@PathVariable int status) {
			return String.valueOf(this.shelf.fail(status));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Client.class, FrontController.class })
	static class Middle {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Front.class)
	static class FrontClient {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** Types of a generic interface, and a channel that only a property gives. */
	@Test
	void propertiesGiveChannelsToInterfacesWithoutAnnotation() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		ConfigurableApplicationContext client = start(LinesClient.class,
				Map.of("lines.url", url(server), "vicinal.channels.lines.paths", "uds"));
		Lines lines = client.getBean(Lines.class);
		awaitTyped(client, "uds", () -> {
			assertThat(lines.saveAll(List.of(new Line(1, "a")))).containsExactly(new Line(1, "a"), new Line(1, "sum"));
			assertThat(lines.map()).containsEntry("one", new Line(1, "a"));
		});
	}

	interface Many<T> {

		@PostMapping("/shelf/all")
		List<T> saveAll(@RequestBody List<T> all);

		@GetMapping("/shelf/map")
		Map<String, T> map();

	}

	@FeignClient(name = "lines", url = "${lines.url}")
	interface Lines extends Many<Line> {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Lines.class)
	static class LinesClient {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** The URL comes from a property, with the context path of the server. */
	@Test
	void contextPathIsPartOfTheUrl() {
		ConfigurableApplicationContext server = start(Server.class, Map.of("server.servlet.context-path", "/shop"));
		ConfigurableApplicationContext client = start(Client.class,
				Map.of("spring.cloud.openfeign.client.config.shelf.url", url(server) + "/shop",
						"vicinal.channels.shelf.paths", "direct"));
		Shelf shelf = client.getBean(Shelf.class);
		awaitTyped(client, "direct", () -> assertThat(shelf.echo("x")).isEqualTo("[x]"));
		assertThat(shelf.get(3).id()).isEqualTo(3);
	}

	/** The first part of the path is none of the server's context. */
	@Test
	void aUrlBelowTheContextPathLeavesTheClientOnHttp() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		ConfigurableApplicationContext client = start(BelowLinesClient.class,
				Map.of("lines.url", url(server) + "/shelf"));
		BelowLines lines = client.getBean(BelowLines.class);
		for (int i = 0; i < 10; i++) {
			assertThat(lines.map()).containsEntry("one", new Line(1, "a"));
		}
		assertThat(client.getBean(Carried.class).ways()).allSatisfy((way) -> assertThat(way).startsWith("http"));
	}

	@AffinityChannel
	@FeignClient(name = "below", url = "${lines.url}")
	interface BelowLines {

		@GetMapping("/map")
		Map<String, Line> map();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = BelowLines.class)
	static class BelowLinesClient {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	@Test
	void aSwitchedOffChannelLeavesTheClientAsItWas() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		ConfigurableApplicationContext client = start(Client.class,
				Map.of("shelf.url", url(server), "vicinal.channels.shelf.enabled", "false"));
		for (int i = 0; i < 10; i++) {
			assertThat(client.getBean(Shelf.class).count()).isEqualTo(42);
		}
		assertThat(client.getBean(Carried.class).ways()).isEmpty();
		assertThat(client.getBean(ChannelsEndpoint.class).channel("shelf")).isNull();
	}

	/** The library sends cookies of the JVM's store, which typed calls would not have. */
	@Test
	void cookiesOfTheJvmKeepCallsOnHttp() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		ConfigurableApplicationContext client = start(Client.class,
				Map.of("shelf.url", url(server), "vicinal.channels.shelf.paths", "shm"));
		Shelf shelf = client.getBean(Shelf.class);
		awaitTyped(client, "shm", shelf::count);
		CookieHandler before = CookieHandler.getDefault();
		CookieManager cookies = new CookieManager();
		CookieHandler.setDefault(cookies);
		try {
			shelf.count();
			assertThat(client.getBean(Carried.class).ways()).containsOnly("shm");
			cookies.getCookieStore().add(URI.create(url(server)), new HttpCookie("a", "b"));
			client.getBean(Carried.class).clear();
			shelf.count();
			assertThat(client.getBean(Carried.class).ways()).singleElement()
				.asString()
				.contains("http because", "cookies");
		}
		finally {
			CookieHandler.setDefault(before);
		}
	}

	/** A server that is started again is met again. */
	@Test
	void aServerThatIsStartedAgainIsMetAgain() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		String port = String.valueOf(server.getEnvironment().getProperty("local.server.port"));
		ConfigurableApplicationContext client = start(Client.class,
				Map.of("shelf.url", url(server), "vicinal.channels.shelf.paths", "shm"));
		Shelf shelf = client.getBean(Shelf.class);
		awaitTyped(client, "shm", shelf::count);
		server.close();
		assertThatExceptionOfType(FeignException.class).isThrownBy(shelf::count);
		start(Server.class, Map.of("server.port", port));
		awaitTyped(client, "shm", shelf::count);
		ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("shelf");
		assertThat(report).isNotNull();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ShelfController.class)
	static class Server {

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
