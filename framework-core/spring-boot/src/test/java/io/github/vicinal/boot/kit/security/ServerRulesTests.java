package io.github.vicinal.boot.kit.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.github.vicinal.boot.server.ServiceCatalog.ServiceSource;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.server.Service;
import io.github.vicinal.testing.InTurn;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.convert.converter.Converter;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.format.FormatterRegistry;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.annotation.PutExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.ApiVersionConfigurer;
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Rules of the server that the contract does not say: annotations of controllers, other
 * mappings, conversion, negotiation, content types and errors. Calls have to end as over
 * HTTP, and the ones that typed paths can carry have to be carried.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerRulesTests {

	/** Calls until a typed path is taken. */
	private static final int MAX_CALLS = 300;

	@RegisterExtension
	private final BeforeAllCallback shared = (context) -> this.clients = Clients.of(context);

	private @Nullable Clients clients;

	private final Map<String, ConfigurableApplicationContext> applications = new TreeMap<>();

	/** Path that carried the last call of each method. */
	private final Map<String, String> last = new ConcurrentHashMap<>();

	private final AtomicInteger proxies = new AtomicInteger();

	private @Nullable ConfigurableApplicationContext plain;

	@BeforeAll
	void start() {
		this.plain = server(RulesController.class, RoutesController.class);
	}

	@AfterAll
	void stop() {
		this.applications.values().forEach(ConfigurableApplicationContext::close);
		if (this.plain != null) {
			this.plain.close();
		}
	}

	private Map<String, Object> properties() {
		assertThat(this.clients).isNotNull();
		return this.clients.properties();
	}

	private ConfigurableApplicationContext server(Class<?>... components) {
		Map<String, Object> properties = properties();
		properties.put("server.port", "0");
		properties.put("server.shutdown", "immediate");
		properties.put("spring.web.error.include-message", "always");
		properties.put("server.error.include-message", "always");
		return new SpringApplicationBuilder(ServerApplication.class).sources(components)
			.web(WebApplicationType.SERVLET)
			.properties(properties)
			.run();
	}

	private static String url(ConfigurableApplicationContext server) {
		return "http://localhost:" + ((WebServerApplicationContext) server).getWebServer().getPort();
	}

	private ConfigurableApplicationContext client(String path) {
		return this.applications.computeIfAbsent(path, (key) -> {
			Map<String, Object> properties = properties();
			properties.put("vicinal.channels.Rules.paths", path);
			properties.put("vicinal.channels.Routes.paths", path);
			properties.put("vicinal.channels.Crud.paths", path);
			ChannelListener listener = (channel, method, kind, reason) -> this.last.put(method.method().getName(),
					kind.id() + ((reason != null) ? " because " + reason : ""));
			return new SpringApplicationBuilder(ServerApplication.class).web(WebApplicationType.NONE)
				.properties(properties)
				.initializers((context) -> ((GenericApplicationContext) context).registerBean(ChannelListener.class,
						() -> listener))
				.run();
		});
	}

	private static <T> T proxy(Class<T> contract, RestClient.Builder builder, String url) {
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.baseUrl(url).build()))
			.build()
			.createClient(contract);
	}

	private static <T> T overHttp(Class<T> contract, String url) {
		return proxy(contract, RestClient.builder()
			.requestFactory(ClientHttpRequestFactoryBuilder.jdk().build(HttpClientSettings.defaults())), url);
	}

	private <T> T onPath(Class<T> contract, String path, String url) {
		ConfigurableApplicationContext application = client(path);
		RestClient.Builder builder = application.getBean(RestClient.Builder.class)
			.requestFactory(
					application.getBean(ClientHttpRequestFactoryBuilder.class).build(HttpClientSettings.defaults()));
		return contract.cast(application.getAutowireCapableBeanFactory()
			.applyBeanPostProcessorsAfterInitialization(proxy(contract, builder, url),
					"proxy" + this.proxies.incrementAndGet()));
	}

	/** Returns why methods are left to HTTP, which clients learn in a shortened form. */
	private static String reasons(ConfigurableApplicationContext server, Class<?> contract) {
		Service service = server.getBean(ServiceSource.class).find(contract.getName());
		assertThat(service).isNotNull();
		return service.httpOnlyMethods().values().toString();
	}

	/** A call. */
	@FunctionalInterface
	private interface Call<T> {

		@Nullable Object on(T contract) throws Exception;

	}

	/** Calls of one contract, and the way that the last of each has to take. */
	private final class Cases<T extends Probed> {

		private final Class<T> contract;

		private final Map<String, Call<T>> calls = new LinkedHashMap<>();

		private final Map<String, String> ways = new LinkedHashMap<>();

		Cases(Class<T> contract) {
			this.contract = contract;
		}

		/** Adds a call that has to be left to HTTP. */
		Cases<T> http(String method, String reason, String argument, Call<T> call) {
			this.calls.put(method + " " + argument, call);
			this.ways.put(method + " " + argument, reason);
			return this;
		}

		/** Adds a call that the path has to carry. */
		Cases<T> typed(String method, String argument, Call<T> call) {
			return http(method, "", argument, call);
		}

		void run(ConfigurableApplicationContext server, String path) {
			T plainly = overHttp(this.contract, url(server));
			List<String> differences = new ArrayList<>();
			this.calls.forEach((name, call) -> {
				Callable<@Nullable Object> http = () -> call.on(plainly);
				String expected = Ending.of(http);
				// Left to HTTP for a call, a method comes back with the next.
				T typed = onPath(this.contract, path, url(server));
				connect(typed, path);
				List<String> ways = new ArrayList<>();
				String method = name.substring(0, name.indexOf(' '));
				for (int i = 0; i < 4; i++) {
					ServerRulesTests.this.last.clear();
					String actual = Ending.of(() -> call.on(typed));
					String way = ServerRulesTests.this.last.getOrDefault(method, "nothing");
					ways.add(way);
					if (!actual.equals(expected)) {
						differences.add("%n%s%n  over HTTP %s%n  by %s %s".formatted(name, expected, way, actual));
					}
				}
				String wanted = this.ways.getOrDefault(name, "");
				boolean asWanted = wanted.isEmpty() ? ways.get(3).equals(path)
						: ways.stream().allMatch((way) -> way.startsWith("http"))
								&& (ways.stream().anyMatch((way) -> way.contains(wanted))
										|| reasons(server, this.contract).contains(wanted));
				if (!asWanted) {
					differences.add("%n%s%n  went %s instead of by %s %s".formatted(name, ways,
							wanted.isEmpty() ? path : "http", wanted));
				}
			});
			assertThat(differences).isEmpty();
		}

		private void connect(T typed, String path) {
			String way = "";
			for (int i = 0; i < MAX_CALLS && !way.equals(path); i++) {
				typed.probe();
				way = ServerRulesTests.this.last.getOrDefault("probe", "");
			}
			if (!way.equals(path)) {
				fail("%s was never taken: %s", path, way);
			}
		}

	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void annotationsOfTheControllerDecide(String path) {
		new Cases<>(Rules.class) //
			.http("required", "requires", "null", (rules) -> rules.required(null))
			.http("required", "requires", "a", (rules) -> rules.required("a"))
			.http("header", "default", "null", (rules) -> rules.header(null))
			.http("moved", "/gone-elsewhere", "", Rules::moved)
			.http("renamed", "\"k\"", "x", (rules) -> rules.renamed("x"))
			.http("converted", "other annotations", "x", (rules) -> rules.converted("x"))
			.http("conditional", "parameters", "x", (rules) -> rules.conditional("x"))
			.typed("repeated", "x", (rules) -> rules.repeated("x"))
			.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void oneTextOfAListIsTrimmed(String path) {
		new Cases<>(Rules.class) //
			.http("texts", "trims", "lead", (rules) -> rules.texts(List.of(" lead")))
			.http("texts", "trims", "trail", (rules) -> rules.texts(List.of("trail\t")))
			.typed("texts", "inner", (rules) -> rules.texts(List.of("in ner")))
			.typed("texts", "two", (rules) -> rules.texts(List.of(" lead", "trail ")))
			.http("array", "trims", "lead", (rules) -> rules.array(new String[] { " lead" }))
			.typed("array", "two", (rules) -> rules.array(new String[] { " lead", "trail " }))
			.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void contentTypesAreThoseOfSpring(String path) {
		Cases<Rules> cases = new Cases<>(Rules.class);
		for (String type : List.of("", "text/html", "application/xml", "text/plain;charset=ISO-8859-1", "no media type",
				"application/json", "application/json;charset=UTF-8", "text/plain;charset=UTF-8", "text/plain",
				"application/problem+json")) {
			cases.typed("entity", type, (rules) -> rules.entity(type))
				.typed("textEntity", type, (rules) -> rules.textEntity(type))
				.typed("bytesEntity", type, (rules) -> asText(rules.bytesEntity(type)))
				.typed("emptyEntity", type, (rules) -> rules.emptyEntity(type));
			if (!type.isEmpty()) {
				cases.typed("preset", type, (rules) -> rules.preset(type))
					.typed("presetText", type, (rules) -> rules.presetText(type))
					.typed("presetEntity", type, (rules) -> rules.presetEntity(type));
			}
		}
		cases.run(plain(), path);
	}

	private static ResponseEntity<String> asText(ResponseEntity<byte[]> entity) {
		byte[] body = entity.getBody();
		return ResponseEntity.status(entity.getStatusCode())
			.headers(entity.getHeaders())
			.body((body != null) ? new String(body, StandardCharsets.UTF_8) : "nothing");
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void errorsHaveTheMessageOfTheirCause(String path) {
		Cases<Rules> cases = new Cases<>(Rules.class);
		for (String how : List.of("stack", "assertion", "error", "nested", "servlet", "bare servlet", "runtime",
				"no message")) {
			cases.typed("failing", how, (rules) -> rules.failing(how));
		}
		cases.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void errorsAreInAFormatThatTheClientAccepts(String path) {
		Cases<Rules> cases = new Cases<>(Rules.class);
		for (String how : List.of("error", "runtime", "no message", "status", "advised", "fine")) {
			cases.typed("plainly", how, (rules) -> rules.plainly(how))
				.typed("octets", how, (rules) -> asText(rules.octets(how)))
				.typed("either", how, (rules) -> rules.either(how));
		}
		cases.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void rulesThatNeedARequestAreLeftToHttp(String path) {
		Cases<Rules> cases = new Cases<>(Rules.class);
		cases.http("twice", "two of its arguments are the RequestParam a", "x", (rules) -> rules.twice("x", "y"))
			.http("trace", "reject the HTTP method TRACE", "", Rules::trace);
		for (String how : List.of("text", "bytes", "object", "null")) {
			cases.http("anything", "declared as Object", how, (rules) -> rules.anything(how));
		}
		cases.http("nothing", "a null body", "null", (rules) -> rules.nothing(new Nothing("gone")))
			.typed("at", "10:00", (rules) -> rules.at(LocalDateTime.of(2024, 1, 1, 10, 0)))
			.typed("at", "10:00:01.5", (rules) -> rules.at(LocalDateTime.of(2024, 1, 1, 10, 0, 1, 500_000_000)))
			.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void handlersMayBeInherited(String path) {
		try (ConfigurableApplicationContext server = server(SimpleCrud.class)) {
			new Cases<>(Crud.class) //
				.typed("put", "1", (crud) -> crud.put(1L, new Simple("one")))
				.typed("one", "1", (crud) -> crud.one(1L))
				.typed("one", "2", (crud) -> crud.one(2L))
				.typed("all", "", Crud::all)
				.run(server, path);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void metersNameTheErrorItself(String path) {
		try (ConfigurableApplicationContext server = server(RulesController.class)) {
			Rules plainly = overHttp(Rules.class, url(server));
			assertThat(Ending.of(() -> plainly.failing("stack"))).contains("500");
			assertThat(exceptions(server)).containsExactly("StackOverflowError");
			new Cases<>(Rules.class).typed("failing", "stack", (rules) -> rules.failing("stack")).run(server, path);
			assertThat(exceptions(server)).containsExactly("StackOverflowError");
		}
	}

	private static Set<String> exceptions(ConfigurableApplicationContext server) {
		return server.getBean(MeterRegistry.class)
			.find("http.server.requests")
			.tag("uri", "/rules/failing")
			.timers()
			.stream()
			.map((timer) -> String.valueOf(timer.getId().getTag("exception")))
			.collect(Collectors.toSet());
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void mappingsOfTheSamePathAreLeftToHttp(String path) {
		try (ConfigurableApplicationContext server = server(RulesController.class, SamePath.class)) {
			new Cases<>(Rules.class) //
				.http("whole", "another mapping", "7", (rules) -> rules.whole(7))
				.typed("number", "7", (rules) -> rules.number(7))
				.run(server, path);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void otherMappingsMayMatch(String path) {
		new Cases<>(Routes.class) //
			.http("both", "another mapping", "p x", (routes) -> routes.both("p", "x"))
			.http("both", "another mapping", "item 17", (routes) -> routes.both("item", "17"))
			.typed("both", "a b", (routes) -> routes.both("a", "b"))
			.typed("first", "x", (routes) -> routes.first("x"))
			.typed("item", "17", (routes) -> routes.item(17))
			.http("item", "another mapping", "18", (routes) -> routes.item(18))
			.typed("rx", "ab", (routes) -> routes.rx("ab"))
			.http("rx", "does not match", "a b", (routes) -> routes.rx("a b"))
			.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void ownConvertersApply(String path) {
		try (ConfigurableApplicationContext server = server(RulesController.class, Converting.class)) {
			new Cases<>(Rules.class) //
				.http("number", "converter", "7", (rules) -> rules.number(7))
				.http("color", "converter", "GREEN", (rules) -> rules.color(Color.GREEN))
				.typed("whole", "7", (rules) -> rules.whole(7))
				.typed("repeated", "x", (rules) -> rules.repeated(" x "))
				.run(server, path);
		}
		try (ConfigurableApplicationContext server = server(RulesController.class, Trimming.class)) {
			new Cases<>(Rules.class) //
				.http("repeated", "converter", "x", (rules) -> rules.repeated(" x "))
				.http("texts", "converter", "two", (rules) -> rules.texts(List.of("a ", " b")))
				.typed("whole", "7", (rules) -> rules.whole(7))
				.run(server, path);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void defaultConvertersStayTyped(String path) {
		new Cases<>(Rules.class) //
			.typed("number", "7", (rules) -> rules.number(7))
			.typed("color", "GREEN", (rules) -> rules.color(Color.GREEN))
			.typed("repeated", "x", (rules) -> rules.repeated(" x "))
			.run(plain(), path);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void contentNegotiationIsLeftToHttp(String path) {
		try (ConfigurableApplicationContext server = server(RulesController.class, Negotiating.class)) {
			Rules plainly = overHttp(Rules.class, url(server));
			Rules typed = onPath(Rules.class, path, url(server));
			for (int i = 0; i < 20; i++) {
				assertThat(Ending.of(() -> typed.formatted("html")))
					.isEqualTo(Ending.of(() -> plainly.formatted("html")));
				typed.probe();
			}
			assertThat(this.last.get("formatted")).startsWith("http because");
			assertThat(reasons(server, Rules.class)).contains("negotiates");
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void apiVersionsAreValidated(String path) {
		try (ConfigurableApplicationContext server = server(RulesController.class, Versioned.class)) {
			new Cases<>(Rules.class) //
				.typed("version", "1.0", (rules) -> rules.version("1.0"))
				.typed("version", "9.0", (rules) -> rules.version("9.0"))
				.typed("version", "banana", (rules) -> rules.version("banana"))
				.typed("version", "1.0 again", (rules) -> rules.version("1.0"))
				.run(server, path);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void resolversAndHandlersThatCameFirstApply(String path) {
		try (ConfigurableApplicationContext server = server(RulesController.class, First.class)) {
			new Cases<>(Rules.class) //
				.http("number", "LongResolver", "7", (rules) -> rules.number(7))
				.http("simple", "SimpleHandler", "", Rules::simple)
				.typed("repeated", "x", (rules) -> rules.repeated("x"))
				.run(server, path);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void settingsOfTheHandlerAdapterApply(String path) {
		Map<Class<?>, String> settings = Map.of(OfBodies.class, "changes bodies", OfMethods.class, "HTTP methods only",
				OfSessions.class, "uses sessions", OfCaches.class, "headers for caches", InFront.class,
				"ForeignAdapter comes first");
		settings.forEach((type, reason) -> {
			try (ConfigurableApplicationContext server = server(RulesController.class, type)) {
				assertLeftToHttp(server, path, reason);
			}
		});
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void responsesBesideSessionAttributesAreNotCached(String path) {
		try (ConfigurableApplicationContext server = server(RememberingController.class)) {
			assertLeftToHttp(server, path, "@SessionAttributes");
		}
	}

	/** All methods have the outcome of HTTP, because of a setting of the server. */
	private void assertLeftToHttp(ConfigurableApplicationContext server, String path, String reason) {
		Rules plainly = overHttp(Rules.class, url(server));
		Rules typed = onPath(Rules.class, path, url(server));
		Map<String, Call<Rules>> calls = Map.of("simple", Rules::simple, "entity",
				(rules) -> rules.entity("application/json"), "emptyEntity", (rules) -> rules.emptyEntity(""), "nothing",
				(rules) -> rules.nothing(new Nothing("")));
		calls.forEach((method, call) -> {
			for (int i = 0; i < 20; i++) {
				assertThat(Ending.of(() -> call.on(typed))).as("%s, %s", method, reason)
					.isEqualTo(Ending.of(() -> call.on(plainly)));
			}
			assertThat(this.last.get(method)).as("%s, %s", method, reason).startsWith("http");
		});
		assertThat(reasons(server, Rules.class)).contains(reason);
	}

	private ConfigurableApplicationContext plain() {
		assertThat(this.plain).isNotNull();
		return this.plain;
	}

	/** A contract with a method that typed paths carry. */
	interface Probed {

		@GetExchange("/probe/of/all")
		String probe();

	}

	/** A value. */
	record Simple(String name) {
	}

	/** A value whose JSON is {@code null}. */
	static final class Nothing {

		@JsonCreator
		Nothing(String text) {
		}

		@JsonValue
		@Nullable String text() {
			return null;
		}

	}

	/** An enumeration. */
	enum Color {

		RED, GREEN

	}

	/** Methods for which controllers have rules. */
	@AffinityChannel
	@HttpExchange("/rules")
	interface Rules extends Probed {

		@GetExchange("/required")
		@Nullable String required(@RequestParam(required = false) @Nullable String q);

		@GetExchange("/header")
		@Nullable String header(@RequestHeader(name = "X-H", required = false) @Nullable String h);

		@GetExchange("/moved")
		String moved();

		@GetExchange("/renamed/{kind}")
		String renamed(@PathVariable String kind);

		@GetExchange("/converted")
		String converted(@RequestParam String text);

		@GetExchange("/conditional")
		String conditional(@RequestParam String text);

		@GetExchange("/repeated")
		String repeated(@RequestParam String text);

		@GetExchange("/texts")
		String texts(@RequestParam List<String> texts);

		@GetExchange("/array")
		String array(@RequestParam String[] texts);

		@GetExchange("/number")
		String number(@RequestParam long number);

		@GetExchange("/whole")
		String whole(@RequestParam int number);

		@GetExchange("/color")
		String color(@RequestParam Color color);

		@GetExchange("/formatted")
		Simple formatted(@RequestParam String format);

		@GetExchange("/version")
		String version(@RequestHeader("X-Version") String version);

		@GetExchange("/simple")
		Simple simple();

		@GetExchange("/entity")
		ResponseEntity<Simple> entity(@RequestParam String type);

		@GetExchange("/text-entity")
		ResponseEntity<String> textEntity(@RequestParam String type);

		@GetExchange("/bytes-entity")
		ResponseEntity<byte[]> bytesEntity(@RequestParam String type);

		@GetExchange("/empty-entity")
		ResponseEntity<Void> emptyEntity(@RequestParam String type);

		@GetExchange("/preset")
		Simple preset(@RequestParam String type);

		@GetExchange("/preset-text")
		String presetText(@RequestParam String type);

		@GetExchange("/preset-entity")
		ResponseEntity<Simple> presetEntity(@RequestParam String type);

		@GetExchange(url = "/plainly", accept = "text/plain")
		String plainly(@RequestParam String how);

		@GetExchange(url = "/octets", accept = "application/octet-stream")
		ResponseEntity<byte[]> octets(@RequestParam String how);

		@GetExchange(url = "/either", accept = { "text/plain", "application/json" })
		String either(@RequestParam String how);

		@GetExchange("/twice")
		String twice(@RequestParam("a") String first, @RequestParam("a") String second);

		@HttpExchange(method = "TRACE", url = "/trace")
		String trace();

		@GetExchange("/anything")
		ResponseEntity<?> anything(@RequestParam String how);

		@PostExchange("/nothing")
		String nothing(@RequestBody Nothing nothing);

		@GetExchange("/at")
		String at(@RequestParam @DateTimeFormat(iso = DateTimeFormat.ISO.DATE_TIME) LocalDateTime time);

		@GetExchange("/failing")
		@Nullable String failing(@RequestParam String how);

	}

	/**
	 * Operations that read.
	 *
	 * @param <T> the type of values
	 * @param <K> the type of keys
	 */
	interface Reads<T, K> {

		@GetExchange("/{id}")
		T one(@PathVariable("id") K id);

		@GetExchange
		List<T> all();

	}

	/** Methods that are inherited, and so are their handlers. */
	@AffinityChannel
	@HttpExchange("/crud")
	interface Crud extends Reads<Simple, Long>, Probed {

		@PutExchange("/{id}")
		Simple put(@PathVariable("id") Long id, @RequestBody Simple value);

	}

	/** Overlapping paths. */
	@AffinityChannel
	@HttpExchange
	interface Routes extends Probed {

		@GetExchange("/{a}/{b}")
		String both(@PathVariable String a, @PathVariable String b);

		@GetExchange("/p/{v}")
		String first(@PathVariable String v);

		@GetExchange("/item/{id}")
		String item(@PathVariable long id);

		@GetExchange("/rx/{v:[a-z]+}")
		String rx(@PathVariable String v);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ServerApplication {

	}

	@RestController
	static class RulesController implements Rules {

		@Override
		public String probe() {
			return "probe";
		}

		@Override
		public @Nullable String required(@RequestParam(required = true) String q) {
			return "required " + q;
		}

		@Override
		public @Nullable String header(@RequestHeader(name = "X-H", defaultValue = "HD") String h) {
			return "header " + h;
		}

		@Override
		@GetMapping("/gone-elsewhere")
		public String moved() {
			return "moved";
		}

		@Override
		public String renamed(String k) {
			return "renamed " + k;
		}

		@Override
		public String converted(
				@org.springframework.web.bind.annotation.ModelAttribute @RequestHeader("X-H") String text) {
			return "converted " + text;
		}

		@Override
		@GetMapping(path = "/conditional", params = "text=y")
		public String conditional(String text) {
			return "conditional " + text;
		}

		@Override
		public String repeated(@RequestParam("text") String text) {
			return "repeated [" + text + "]";
		}

		@Override
		public String texts(List<String> texts) {
			return String.join("|", texts) + "|";
		}

		@Override
		public String array(String[] texts) {
			return String.join("|", texts) + "|";
		}

		@Override
		public String number(long number) {
			return "number " + number;
		}

		@Override
		public String whole(int number) {
			return "whole " + number;
		}

		@Override
		public String color(Color color) {
			return "color " + color;
		}

		@Override
		public Simple formatted(String format) {
			return new Simple(format);
		}

		@Override
		public String version(String version) {
			return "version " + version;
		}

		@Override
		public Simple simple() {
			return new Simple("simple");
		}

		/** Without a character set, it depends on the client how letters are read. */
		private static String text(String type) {
			return type.contains("charset") ? "text ä" : "text";
		}

		private static <T> ResponseEntity<T> entityOf(String type, @Nullable T body) {
			ResponseEntity.BodyBuilder builder = ResponseEntity.ok();
			if (!type.isEmpty()) {
				builder.header(HttpHeaders.CONTENT_TYPE, type);
			}
			return builder.body(body);
		}

		@Override
		public ResponseEntity<Simple> entity(String type) {
			return entityOf(type, new Simple("entity"));
		}

		@Override
		public ResponseEntity<String> textEntity(String type) {
			return entityOf(type, text(type));
		}

		@Override
		public ResponseEntity<byte[]> bytesEntity(String type) {
			return entityOf(type, new byte[] { 'a', 'b' });
		}

		@Override
		public ResponseEntity<Void> emptyEntity(String type) {
			return entityOf(type, null);
		}

		private static String fail(String how) {
			switch (how) {
				case "error" -> throw new AssertionError("err");
				case "runtime" -> throw new IllegalStateException("broken");
				case "no message" -> throw new IllegalStateException();
				case "status" -> throw new ResponseStatusException(HttpStatus.CONFLICT, "taken");
				case "advised" -> throw new IllegalCallerException("advised");
				default -> {
					return how;
				}
			}
		}

		@ExceptionHandler
		ResponseEntity<Simple> advised(IllegalCallerException ex) {
			return ResponseEntity.status(460).body(new Simple(String.valueOf(ex.getMessage())));
		}

		@Override
		public String plainly(String how) {
			return fail(how);
		}

		@Override
		public ResponseEntity<byte[]> octets(String how) {
			return ResponseEntity.ok(fail(how).getBytes(StandardCharsets.UTF_8));
		}

		@Override
		public String either(String how) {
			return fail(how);
		}

		@Override
		public String twice(String first, String second) {
			return first + " and " + second;
		}

		@Override
		public String trace() {
			return "traced";
		}

		@Override
		public ResponseEntity<?> anything(String how) {
			return switch (how) {
				case "text" -> ResponseEntity.ok("text");
				case "bytes" -> ResponseEntity.ok(new ByteArrayResource(new byte[] { 'a' }));
				case "object" -> ResponseEntity.ok(new Simple("object"));
				default -> ResponseEntity.ok().build();
			};
		}

		@Override
		public String nothing(Nothing nothing) {
			return "nothing " + (nothing != null);
		}

		@Override
		public String at(LocalDateTime time) {
			return ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest()
				.getQueryString() + time;
		}

		private static void preset(HttpServletResponse response, String type) {
			response.setContentType(type);
		}

		@Override
		public Simple preset(String type) {
			preset(response(), type);
			return new Simple("preset");
		}

		@Override
		public String presetText(String type) {
			preset(response(), type);
			return text(type);
		}

		@Override
		public ResponseEntity<Simple> presetEntity(String type) {
			preset(response(), type);
			return ResponseEntity.ok(new Simple("preset"));
		}

		private static HttpServletResponse response() {
			ServletRequestAttributes attributes = (ServletRequestAttributes) RequestContextHolder
				.currentRequestAttributes();
			HttpServletResponse response = attributes.getResponse();
			assertThat(response).isNotNull();
			return response;
		}

		@Override
		public @Nullable String failing(String how) {
			switch (how) {
				case "stack" -> throw new StackOverflowError("deep");
				case "assertion" -> throw new AssertionError("wrong");
				case "error" -> throw new Error("err");
				case "nested" -> throw RulesController.<RuntimeException>unchecked(
						new ServletException("outer", new ServletException("middle", new Error("inner"))));
				case "servlet" -> throw RulesController
					.<RuntimeException>unchecked(new ServletException("outer", new IOException("inner")));
				case "bare servlet" -> throw RulesController.<RuntimeException>unchecked(new ServletException("bare"));
				case "no message" -> throw new Error();
				default -> throw new IllegalStateException("state");
			}
		}

		@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
		private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
			throw (E) thrown;
		}

	}

	abstract static class BaseCrud<T, K> {

		private final Map<K, T> values = new ConcurrentHashMap<>();

		public String probe() {
			return "probe";
		}

		public T one(K id) {
			T value = this.values.get(id);
			if (value == null) {
				throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no " + id);
			}
			return value;
		}

		public List<T> all() {
			return List.copyOf(this.values.values());
		}

		public T put(K id, T value) {
			this.values.put(id, value);
			return value;
		}

	}

	@RestController
	public static class SimpleCrud extends BaseCrud<Simple, Long> implements Crud {

	}

	@RestController
	static class RoutesController implements Routes {

		@Override
		public String probe() {
			return "probe";
		}

		@Override
		public String both(String a, String b) {
			return "both " + a + " " + b;
		}

		@Override
		public String first(String v) {
			return "first " + v;
		}

		@Override
		public String item(long id) {
			return "item " + id;
		}

		@GetMapping("/item/18")
		String eighteen() {
			return "eighteen";
		}

		@Override
		public String rx(String v) {
			return "rx " + v;
		}

	}

	@RestController
	static class SamePath {

		@GetMapping(path = "/rules/whole", params = "number=7")
		String seven() {
			return "seven";
		}

		@PostMapping("/rules/number")
		String post() {
			return "posted";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Converting implements WebMvcConfigurer {

		@Override
		public void addFormatters(FormatterRegistry registry) {
			registry.addConverter(String.class, Long.class, (text) -> Long.parseLong(text) + 1);
			registry.addConverter(String.class, Color.class,
					(text) -> text.toLowerCase(Locale.ROOT).startsWith("g") ? Color.RED : Color.GREEN);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Trimming {

		@Bean
		Converter<String, String> trimming() {
			return new Converter<>() {

				@Override
				public String convert(String source) {
					return StringUtils.trimAllWhitespace(source);
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Negotiating implements WebMvcConfigurer {

		@Override
		public void configureContentNegotiation(ContentNegotiationConfigurer configurer) {
			configurer.favorParameter(true).mediaType("html", MediaType.TEXT_HTML);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Versioned implements WebMvcConfigurer {

		@Override
		public void configureApiVersioning(ApiVersionConfigurer configurer) {
			configurer.useRequestHeader("X-Version").addSupportedVersions("1.0").setVersionRequired(false);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class First {

		@Bean
		static BeanPostProcessor first() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof RequestMappingHandlerAdapter adapter) {
						List<HandlerMethodArgumentResolver> resolvers = new ArrayList<>(List.of(new LongResolver()));
						resolvers.addAll(adapter.getArgumentResolvers());
						adapter.setArgumentResolvers(resolvers);
						List<HandlerMethodReturnValueHandler> handlers = new ArrayList<>(List.of(new SimpleHandler()));
						handlers.addAll(adapter.getReturnValueHandlers());
						adapter.setReturnValueHandlers(handlers);
					}
					return bean;
				}

			};
		}

	}

	/** Sets up the handler adapter before it starts. */
	private abstract static class Adapting implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof RequestMappingHandlerAdapter adapter) {
				adapt(adapter);
			}
			return bean;
		}

		abstract void adapt(RequestMappingHandlerAdapter adapter);

	}

	static final class OfBodies extends Adapting {

		@Override
		void adapt(RequestMappingHandlerAdapter adapter) {
			adapter.setResponseBodyAdvice(List.of(new ResponseBodyAdvice<>() {

				@Override
				public boolean supports(MethodParameter type, Class<? extends HttpMessageConverter<?>> converter) {
					return true;
				}

				@Override
				public @Nullable Object beforeBodyWrite(@Nullable Object body, MethodParameter type,
						MediaType mediaType, Class<? extends HttpMessageConverter<?>> converter,
						ServerHttpRequest request, ServerHttpResponse response) {
					return (body instanceof Simple) ? new Simple("advised") : body;
				}

			}));
		}

	}

	static final class OfMethods extends Adapting {

		@Override
		void adapt(RequestMappingHandlerAdapter adapter) {
			adapter.setSupportedMethods("GET");
		}

	}

	static final class OfSessions extends Adapting {

		@Override
		void adapt(RequestMappingHandlerAdapter adapter) {
			adapter.setSynchronizeOnSession(true);
		}

	}

	static final class OfCaches extends Adapting {

		@Override
		void adapt(RequestMappingHandlerAdapter adapter) {
			adapter.setCacheSeconds(60);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InFront {

		@Bean
		ForeignAdapter foreignAdapter(
				@Qualifier("requestMappingHandlerAdapter") RequestMappingHandlerAdapter requestMappingHandlerAdapter) {
			return new ForeignAdapter(requestMappingHandlerAdapter);
		}

	}

	/** Adds a header, and hands on. */
	static final class ForeignAdapter implements HandlerAdapter, Ordered {

		private final RequestMappingHandlerAdapter adapter;

		ForeignAdapter(RequestMappingHandlerAdapter adapter) {
			this.adapter = adapter;
		}

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public boolean supports(Object handler) {
			return this.adapter.supports(handler);
		}

		@Override
		public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
				throws Exception {
			response.addHeader("X-Foreign", "yes");
			return this.adapter.handle(request, response, handler);
		}

	}

	@RestController
	@SessionAttributes("cart")
	static class RememberingController extends RulesController {

	}

	private static final class LongResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType() == long.class;
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
				NativeWebRequest request, @Nullable WebDataBinderFactory factory) {
			return 4711L;
		}

	}

	private static final class SimpleHandler implements HandlerMethodReturnValueHandler {

		@Override
		public boolean supportsReturnType(MethodParameter returnType) {
			return returnType.getParameterType() == Simple.class;
		}

		@Override
		public void handleReturnValue(@Nullable Object value, MethodParameter returnType,
				ModelAndViewContainer container, NativeWebRequest request) throws IOException {
			container.setRequestHandled(true);
			HttpServletResponse response = request.getNativeResponse(HttpServletResponse.class);
			assertThat(response).isNotNull();
			response.setContentType("application/json");
			response.getWriter().write("{\"name\":\"handled\"}");
		}

	}

}
