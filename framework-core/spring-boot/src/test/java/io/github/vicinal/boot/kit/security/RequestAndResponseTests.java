package io.github.vicinal.boot.kit.security;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.testing.InTurn;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletConnection;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClientException;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Request and response as a handler sees them, method by method, on the typed paths and
 * over HTTP.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestAndResponseTests {

	/** Methods whose result differs, and why. */
	private static final Map<String, String> DIFFERING = Map.of( //
			"getRemotePort()", "a typed call has no port", //
			"getRequestId()", "unique for each request", //
			"getServletConnection()", "unique for each connection", //
			"getProtocolRequestId()", "empty for HTTP/1.1, as here", //
			"getAttributeNames()", "those of Spring MVC are looked at one by one; it keeps more for itself", //
			"getServletContext()", "an object of the container, compared by its path", //
			"hashCode()", "of the object");

	/** Calls of a typed path until it is taken. */
	private static final int MAX_CALLS = 200;

	@RegisterExtension
	private final BeforeAllCallback shared = (context) -> this.clients = Clients.of(context);

	private @Nullable Clients clients;

	private @Nullable ConfigurableApplicationContext plain;

	private @Nullable ConfigurableApplicationContext filtered;

	/** Question to the handler. */
	@AffinityChannel
	@HttpExchange("/cases")
	interface Cases {

		@GetExchange("/{name}")
		Map<String, String> ask(@PathVariable String name, @RequestParam List<String> tags, @RequestParam String empty,
				@RequestHeader("X-Date") String date, @RequestHeader("X-Number") int number);

		@PostExchange("/{name}")
		Map<String, String> send(@PathVariable String name, @RequestBody List<String> body);

		@PostExchange(url = "/text", contentType = "text/plain;charset=UTF-8")
		Map<String, String> text(@RequestBody String body);

		@GetExchange("/answers/{how}")
		@Nullable String answer(@PathVariable String how);

		@HttpExchange(method = "HEAD", url = "/lengths")
		ResponseEntity<Void> length();

		@GetExchange("/early/{type}")
		List<String> early(@PathVariable String type);

		@GetExchange("/dispatches/{how}")
		@Nullable String dispatch(@PathVariable String how);

		@GetExchange("/async/{how}")
		@Nullable String async(@PathVariable String how);

	}

	@BeforeAll
	void start() {
		this.plain = server(false);
		this.filtered = server(true);
	}

	@AfterAll
	void stop() {
		for (ConfigurableApplicationContext context : Arrays.asList(this.plain, this.filtered)) {
			if (context != null) {
				context.close();
			}
		}
	}

	private Clients clients() {
		assertThat(this.clients).isNotNull();
		return this.clients;
	}

	private ConfigurableApplicationContext server(boolean filter) {
		Map<String, Object> properties = clients().properties();
		properties.put("server.port", "0");
		properties.put("server.shutdown", "immediate");
		return new SpringApplicationBuilder(ServerApplication.class).web(WebApplicationType.SERVLET)
			.properties(properties)
			.initializers((context) -> {
				context.getBeanFactory().registerSingleton("ledger", new Ledger());
				if (filter) {
					((GenericApplicationContext) context).registerBean("filter", FilterRegistrationBean.class,
							() -> new FilterRegistrationBean<>(
									(request, response, chain) -> chain.doFilter(request, response)));
				}
			})
			.run();
	}

	private String url(boolean filter) {
		ConfigurableApplicationContext context = filter ? this.filtered : this.plain;
		assertThat(context).isNotNull();
		return "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
	}

	private Ledger ledger(boolean filter) {
		ConfigurableApplicationContext context = filter ? this.filtered : this.plain;
		assertThat(context).isNotNull();
		return context.getBean(Ledger.class);
	}

	/** Calls until the path has carried a call, and returns what that call returned. */
	private <T extends @Nullable Object> T typed(String path, boolean filter, Function<Cases, T> call) {
		Cases cases = clients().onPath(Cases.class, path, url(filter), (builder) -> {
		});
		Map<String, Integer> carried = new TreeMap<>();
		for (int i = 0; i < MAX_CALLS; i++) {
			clients().drainCarried();
			T result = call.apply(cases);
			Map<String, Integer> last = clients().drainCarried();
			if (last.keySet().stream().anyMatch((way) -> way.equals(path) || way.startsWith(path + " "))) {
				return result;
			}
			last.forEach((way, calls) -> carried.merge(way, calls, Integer::sum));
		}
		return fail("%s was never taken: %s", path, carried);
	}

	/** Returns a client whose next call goes over the path. */
	private Cases warmed(String path, boolean filter) {
		Cases cases = clients().onPath(Cases.class, path, url(filter), (builder) -> {
		});
		Map<String, Integer> last = Map.of();
		for (int i = 0; i < MAX_CALLS; i++) {
			clients().drainCarried();
			cases.answer("getters");
			last = clients().drainCarried();
			if (last.keySet().stream().anyMatch((way) -> way.startsWith(path))) {
				return cases;
			}
		}
		return fail("%s was never taken: %s", path, last);
	}

	private Cases overHttp(boolean filter) {
		return clients().overHttp(Cases.class, url(filter), (builder) -> {
		});
	}

	private static void compare(Map<String, String> expected, Map<String, String> actual) {
		Map<String, String> differences = new TreeMap<>();
		Set<String> methods = new TreeSet<>(expected.keySet());
		methods.addAll(actual.keySet());
		methods.removeAll(DIFFERING.keySet());
		for (String method : methods) {
			if (!String.valueOf(expected.get(method)).equals(actual.get(method))) {
				differences.put(method,
						"over HTTP " + expected.get(method) + ", on the path " + actual.get(method) + "\n");
			}
		}
		assertThat(differences).isEmpty();
		assertThat(expected).hasSizeGreaterThan(60);
	}

	private static Map<String, String> ask(Cases cases) {
		return cases.ask("a b", List.of("x", "y z"), "", "Tue, 03 Jun 2025 11:05:30 GMT", 17);
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "uds,false", "shm,true", "uds,true", "direct,true" }, rows = 2)
	void requestsWithoutBodyAreAlike(String path, boolean filter) {
		Map<String, String> expected = ask(overHttp(filter));
		Map<String, String> actual = typed(path, filter, RequestAndResponseTests::ask);
		compare(expected, actual);
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "shm,true", "direct,true" }, rows = 2)
	void requestsWithTextAreAlike(String path, boolean filter) {
		compare(overHttp(filter).text("some text"), typed(path, filter, (cases) -> cases.text("some text")));
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "shm,true", "direct,true" }, rows = 2)
	void requestsWithJsonAreAlike(String path, boolean filter) {
		Map<String, String> expected = overHttp(filter).send("json", List.of("a"));
		Map<String, String> actual = typed(path, filter, (cases) -> cases.send("json", List.of("a")));
		compare(expected, actual);
	}

	/** Headers that Spring derives from a value come too late then. */
	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "uds,false", "shm,true", "uds,true", "direct,true" }, rows = 2)
	void responsesThatAreSentBeforeTheirValueAreAlike(String path, boolean filter) {
		for (String type : List.of("none", "json", "text")) {
			String expected = Ending.of(() -> overHttp(filter).early(type));
			String actual = typed(path, filter, (cases) -> Ending.of(() -> cases.early(type)));
			assertThat(actual).as(type).isEqualTo(expected);
		}
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "uds,false", "shm,true", "uds,true", "direct,true" }, rows = 2)
	void responsesAreAlikeAndNoHandlerRunsTwice(String path, boolean filter) {
		List<String> differences = new ArrayList<>();
		Cases cases = warmed(path, filter);
		for (String how : CasesController.ANSWERS) {
			ledger(filter).reset();
			String expected = Ending.of(() -> overHttp(filter).answer(how));
			Map<String, Integer> once = ledger(filter).entries();
			String actual = "nothing";
			Set<String> ways = Set.of();
			// A call in a while confirms the address over HTTP.
			for (int i = 0; i < 3 && ways.stream().noneMatch((way) -> way.startsWith(path)); i++) {
				clients().drainCarried();
				ledger(filter).reset();
				actual = Ending.of(() -> cases.answer(how));
				ways = clients().drainCarried().keySet();
			}
			if (ways.stream().noneMatch((way) -> way.startsWith(path))) {
				differences.add("%s was carried by %s".formatted(how, ways));
			}
			if (!expected.equals(actual)) {
				differences.add("%s%n  over HTTP   %s%n  on the path %s%n".formatted(how, expected, actual));
			}
			if (!once.equals(ledger(filter).entries())) {
				differences.add("%s: over HTTP %s, on the path %s".formatted(how, once, ledger(filter).entries()));
			}
		}
		assertThat(differences).isEmpty();
	}

	/** Over HTTP, the client waits until the server closes the connection. */
	@ParameterizedTest
	@InTurn(value = { "direct,false", "uds,false", "direct,true" }, rows = 2)
	void aResponseThatIsShorterThanItSaysBreaksOff(String path, boolean filter) {
		Cases cases = warmed(path, filter);
		assertThatExceptionOfType(RestClientException.class).isThrownBy(() -> cases.answer("short value"))
			.withRootCauseInstanceOf(IOException.class);
	}

	/** The length is that of the body that a GET would have. */
	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "uds,false", "shm,true", "uds,true", "direct,true" }, rows = 2)
	void aHeadRequestGetsTheLengthAndNoBody(String path, boolean filter) {
		assertThat(overHttp(filter).length().getHeaders().getContentLength()).isEqualTo(42);
		Cases cases = warmed(path, filter);
		clients().drainCarried();
		for (int i = 0; i < 3; i++) {
			ResponseEntity<Void> response = cases.length();
			assertThat(response.getStatusCode().value()).isEqualTo(200);
			assertThat(response.getHeaders().getContentLength()).isEqualTo(42);
		}
		assertThat(clients().drainCarried().keySet()).anyMatch((way) -> way.startsWith(path));
	}

	/** Without a filter the request is none of the container's. */
	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "uds,false", "shm,true", "uds,true", "direct,true" }, rows = 2)
	void dispatchesByHandlersAreNeverMadeTwice(String path, boolean filter) {
		try (ConfigurableApplicationContext context = server(filter)) {
			String url = "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
			Ledger ledger = context.getBean(Ledger.class);
			Cases plainly = clients().overHttp(Cases.class, url, (builder) -> {
			});
			Cases cases = clients().onPath(Cases.class, path, url, (builder) -> {
			});
			boolean carried = false;
			for (int i = 0; i < MAX_CALLS && !carried; i++) {
				clients().drainCarried();
				cases.dispatch("nothing");
				carried = clients().drainCarried().keySet().stream().anyMatch((way) -> way.startsWith(path));
			}
			assertThat(carried).as("carried by %s", path).isTrue();
			for (String how : List.of("includes", "forwards")) {
				String expected = Ending.of(() -> plainly.dispatch(how));
				ledger.reset();
				String first = Ending.of(() -> cases.dispatch(how));
				assertThat(ledger.entries()).containsEntry(how, 1);
				assertThat(first).isEqualTo(expected);
				assertThat(Ending.of(() -> cases.dispatch(how))).isEqualTo(expected);
			}
		}
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,false", "uds,false", "shm,true", "uds,true", "direct,true" }, rows = 2)
	void asynchronousHandlersEndAsOverHttp(String path, boolean filter) {
		ConfigurableApplicationContext known = filter ? this.filtered : this.plain;
		assertThat(known).isNotNull();
		// A handler that was seen to be asynchronous stays with HTTP.
		try (ConfigurableApplicationContext context = server(filter)) {
			List<String> differences = new ArrayList<>();
			Ledger ledger = context.getBean(Ledger.class);
			String url = "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
			Cases plainly = clients().overHttp(Cases.class, url, (builder) -> {
			});
			Map<String, String> expected = new TreeMap<>();
			Map<String, Map<String, Integer>> entries = new TreeMap<>();
			for (String how : CasesController.ASYNC) {
				ledger.reset();
				expected.put(how, Ending.of(() -> plainly.async(how)));
				entries.put(how, ledger.entries());
			}
			boolean carried = false;
			Cases cases = clients().onPath(Cases.class, path, url, (builder) -> {
			});
			for (int i = 0; i < MAX_CALLS && !carried; i++) {
				clients().drainCarried();
				cases.async("synchronous");
				carried = clients().drainCarried().keySet().stream().anyMatch((way) -> way.startsWith(path));
			}
			assertThat(carried).as("carried by %s", path).isTrue();
			for (String how : CasesController.ASYNC) {
				ledger.reset();
				String actual = Ending.of(() -> cases.async(how));
				if (!actual.equals(expected.get(how)) || !ledger.entries().equals(entries.get(how))) {
					differences.add("%s%n  over HTTP   %s %s%n  on the path %s %s%n".formatted(how, expected.get(how),
							entries.get(how), actual, ledger.entries()));
				}
			}
			assertThat(differences).isEmpty();
			assertThat(clients().drainCarried().keySet()).anyMatch((way) -> way.contains("asynchronous processing"));
		}
	}

	/** Each server has seen no asynchronous handler before. */
	@ParameterizedTest
	@InTurn(value = { "direct,false", "uds,false", "direct,true" }, rows = 2)
	void firstCallsOfAsynchronousHandlersEndAsOverHttp(String path, boolean filter) {
		List<String> differences = new ArrayList<>();
		for (String how : List.of("written", "error", "dispatched", "flushed")) {
			try (ConfigurableApplicationContext context = server(filter)) {
				Ledger ledger = context.getBean(Ledger.class);
				String url = "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
				Cases plainly = clients().overHttp(Cases.class, url, (builder) -> {
				});
				String expected = Ending.of(() -> plainly.async(how));
				Map<String, Integer> entries = ledger.entries();
				String actual = firstAsync(path, context, how);
				if (!actual.equals(expected) || !ledger.entries().equals(entries)) {
					differences.add("%s%n  over HTTP   %s %s%n  on the path %s %s%n".formatted(how, expected, entries,
							actual, ledger.entries()));
				}
			}
		}
		assertThat(differences).isEmpty();
	}

	/**
	 * Over HTTP, the thread that waits is another one. The container may lose the
	 * connection, which is no outcome to compare with.
	 */
	@ParameterizedTest
	@InTurn(value = { "direct,false", "uds,false", "uds,true", "direct,true" }, rows = 2)
	void anInterruptOfTheHandlersThreadDoesNotEndAsynchronousProcessing(String path, boolean filter) {
		for (String how : List.of("interrupted", "interrupted and written")) {
			try (ConfigurableApplicationContext context = server(filter)) {
				assertThat(firstAsync(path, context, how)).as(how)
					.isEqualTo(how.equals("interrupted") ? "null" : "from another thread");
				assertThat(context.getBean(Ledger.class).entries()).containsEntry(how + " REQUEST", 1);
			}
		}
		assertThat(Thread.interrupted()).isFalse();
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "uds,false", "direct,true" }, rows = 2)
	void aDispatchToAnotherHandlerFailsOnceAndGoesOverHttpThen(String path, boolean filter) {
		try (ConfigurableApplicationContext context = server(filter)) {
			String url = "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
			assertThat(firstAsync(path, context, "dispatched elsewhere")).contains("500");
			Cases cases = clients().onPath(Cases.class, path, url, (builder) -> {
			});
			assertThat(cases.async("dispatched elsewhere")).isEqualTo("synchronous");
			assertThat(cases.async("dispatched elsewhere")).isEqualTo("synchronous");
			assertThat(clients().drainCarried().keySet()).noneMatch((way) -> way.startsWith(path));
		}
	}

	/** Makes the first asynchronous call of a server, which the path carries. */
	private String firstAsync(String path, ConfigurableApplicationContext context, String how) {
		String url = "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
		Cases cases = clients().onPath(Cases.class, path, url, (builder) -> {
		});
		boolean carried = false;
		for (int i = 0; i < MAX_CALLS && !carried; i++) {
			clients().drainCarried();
			cases.async("synchronous");
			carried = clients().drainCarried().keySet().stream().anyMatch((way) -> way.startsWith(path));
		}
		assertThat(carried).as("carried by %s", path).isTrue();
		context.getBean(Ledger.class).reset();
		String ending = Ending.of(() -> cases.async(how));
		assertThat(clients().drainCarried().keySet()).anyMatch((way) -> way.startsWith(path));
		return ending;
	}

	@RestController
	static class CasesController implements Cases {

		static final List<String> ANSWERS = List.of("flushes", "flushes and throws", "fills and throws",
				"promises and throws", "flushes and sends", "flushes and resets", "sends and sets", "sends and throws",
				"writer and stream", "stream and value", "written and length", "late buffer", "committed", "redirect",
				"content type", "charset", "status and throws", "headers and throws", "getters", "odd headers",
				"odd length", "odd charset", "odd type", "odd type and value", "odd type and error", "odd attributes",
				"closed stream and value", "closed writer and value", "closed stream and throws", "late session",
				"late cookie", "no such charset", "no media type", "wildcard type", "error of no error", "odd statuses",
				"charset and value", "writer and charset", "reset and value", "empty type", "length and value",
				"error page type", "redirect to nothing");

		static final List<String> ASYNC = List.of("completed before", "completed", "written", "error", "twice",
				"dispatched", "timed out", "getter", "flushed");

		private final Ledger ledger;

		CasesController(Ledger ledger) {
			this.ledger = ledger;
		}

		private static ServletRequestAttributes attributes() {
			return (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
		}

		@Override
		public Map<String, String> ask(String name, List<String> tags, String empty, String date, int number) {
			return described();
		}

		@Override
		public Map<String, String> send(String name, List<String> body) {
			return described();
		}

		@Override
		public Map<String, String> text(String body) {
			return described();
		}

		private static Map<String, String> described() {
			HttpServletRequest request = attributes().getRequest();
			HttpServletResponse response = response();
			Map<String, String> described = new TreeMap<>();
			for (Method method : HttpServletRequest.class.getMethods()) {
				for (Object[] arguments : arguments(method)) {
					String name = method.getName() + "(" + String.join(",",
							Arrays.stream(arguments).map((each) -> (each instanceof String text) ? text : "").toList())
							+ ")";
					described.put(name, outcome(method, request, arguments));
				}
			}
			for (Method method : HttpServletResponse.class.getMethods()) {
				if (method.getParameterCount() == 0
						&& (method.getName().startsWith("get") || method.getName().startsWith("is"))
						&& !method.getName().equals("getOutputStream") && !method.getName().equals("getWriter")) {
					described.put("response." + method.getName(), outcome(method, response));
				}
			}
			described.put("response.containsHeader", String.valueOf(response.containsHeader("Content-Type")));
			described.put("response.encodeURL", response.encodeURL("/a?b=c#d"));
			described.put("response.encodeRedirectURL", response.encodeRedirectURL("/a?b=c#d"));
			return described;
		}

		private static HttpServletResponse response() {
			HttpServletResponse response = attributes().getResponse();
			assertThat(response).isNotNull();
			return response;
		}

		/** In an order in which no method changes what another one says. */
		private static List<Object[]> arguments(Method method) {
			Class<?>[] types = method.getParameterTypes();
			String name = method.getName();
			if (Set
				.of("getInputStream", "startAsync", "getAsyncContext", "getSession", "changeSessionId", "logout",
						"setCharacterEncoding", "setAttribute", "removeAttribute")
				.contains(name)) {
				return List.of();
			}
			if (types.length == 0) {
				return Collections.singletonList(new Object[0]);
			}
			if (Arrays.equals(types, new Class<?>[] { String.class })) {
				return switch (name) {
					case "getHeader", "getHeaders", "getIntHeader",
							"getDateHeader" ->
						List.of(new Object[] { "x-number" }, new Object[] { "X-Date" }, new Object[] { "X-None" },
								new Object[] { "cookie" }, new Object[] { "accept" }, new Object[] { "content-type" },
								new Object[] { "HOST" });
					case "getParameter", "getParameterValues" ->
						List.of(new Object[] { "tags" }, new Object[] { "empty" }, new Object[] { "none" });
					case "isUserInRole" ->
						List.of(new Object[] { "ADMIN" }, new Object[] { "*" }, new Object[] { "**" });
					case "getAttribute" -> List.of(new Object[] { "none" },
							new Object[] { "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern" },
							new Object[] { "org.springframework.web.servlet.HandlerMapping.pathWithinHandlerMapping" },
							new Object[] { "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables" },
							new Object[] { "org.springframework.web.servlet.HandlerMapping.bestMatchingHandler" },
							new Object[] { "org.springframework.web.servlet.DispatcherServlet.CONTEXT" },
							new Object[] { "org.springframework.web.servlet.DispatcherServlet.LOCALE_RESOLVER" },
							new Object[] { "jakarta.servlet.error.status_code" });
					case "getPart" -> Collections.singletonList(new Object[] { "file" });
					case "getRequestDispatcher" -> List.of(new Object[] { "/cases/x" }, new Object[] { "x" });
					default -> List.of();
				};
			}
			return name.equals("login") ? Collections.singletonList(new Object[] { "alice", "a" })
					: name.equals("authenticate") ? Collections.singletonList(new Object[] { response() }) : List.of();
		}

		private static String outcome(Method method, Object target, Object... arguments) {
			try {
				return text(method.invoke(target, arguments));
			}
			catch (InvocationTargetException ex) {
				return "throws " + ex.getTargetException().getClass().getName();
			}
			catch (ReflectiveOperationException ex) {
				return ex.toString();
			}
		}

		private static String text(@Nullable Object value) {
			try {
				if (value instanceof Enumeration<?> all) {
					List<String> texts = new ArrayList<>(Collections.list(all).stream().map(String::valueOf).toList());
					texts.removeIf((text) -> Set
						.of("vicinal-contract", "vicinal-headers", "connection", "upgrade", "http2-settings")
						.contains(text.toLowerCase(java.util.Locale.ROOT)));
					texts.replaceAll((text) -> text.toLowerCase(java.util.Locale.ROOT));
					texts.sort(Comparator.naturalOrder());
					return texts.toString();
				}
				if (value instanceof Map<?, ?> map) {
					Map<String, String> texts = new TreeMap<>();
					map.forEach((key, each) -> texts.put(String.valueOf(key), text(each)));
					return texts.toString();
				}
				if (value instanceof Object[] array) {
					return Arrays.stream(array).map(CasesController::text).toList().toString();
				}
				if (value instanceof Cookie cookie) {
					return cookie.getName() + "=" + cookie.getValue() + cookie.getAttributes();
				}
				if (value instanceof HttpServletMapping mapping) {
					return mapping.getMappingMatch() + " " + mapping.getMatchValue() + " " + mapping.getPattern() + " "
							+ mapping.getServletName();
				}
				if (value instanceof ServletConnection connection) {
					return connection.getProtocol() + connection.isSecure();
				}
				if (value instanceof InputStream stream) {
					return "stream " + stream.read();
				}
				if (value instanceof BufferedReader reader) {
					return "reader " + reader.read();
				}
				if (value instanceof Collection<?> collection) {
					return collection.stream().map(CasesController::text).sorted().toList().toString();
				}
			}
			catch (IOException ex) {
				return ex.toString();
			}
			return (value == null || value instanceof String || value instanceof Number || value instanceof Boolean
					|| value instanceof Enum || value instanceof StringBuffer || value instanceof java.util.Locale)
							? String.valueOf(value) : "an object";
		}

		@Override
		public @Nullable String answer(String how) {
			this.ledger.note(how);
			HttpServletResponse response = response();
			try {
				switch (how) {
					case "flushes" -> {
						response.setHeader("X-Before", "1");
						response.flushBuffer();
						response.setHeader("X-After", "1");
						response.setStatus(202);
					}
					case "flushes and throws" -> {
						response.getOutputStream().write("begun".getBytes());
						response.flushBuffer();
						throw new IllegalStateException(how);
					}
					case "fills and throws" -> {
						response.setStatus(409);
						response.getOutputStream().write(new byte[20_000]);
						throw new IllegalStateException(how);
					}
					case "promises and throws" -> {
						response.setStatus(404);
						response.setContentType("text/plain");
						response.setContentLength(5);
						response.getOutputStream().write("whole".getBytes());
						response.flushBuffer();
						throw new IllegalStateException(how);
					}
					case "flushes and sends" -> {
						response.flushBuffer();
						response.sendError(404);
					}
					case "flushes and resets" -> {
						response.flushBuffer();
						response.reset();
					}
					case "sends and sets" -> {
						response.sendError(409, how);
						response.setStatus(202);
						response.setHeader("X-After", "1");
						this.ledger.note("committed " + response.isCommitted());
					}
					case "sends and throws" -> {
						response.sendError(409, how);
						throw new IllegalStateException(how);
					}
					case "writer and stream" -> {
						response.getWriter();
						response.getOutputStream();
					}
					case "stream and value" -> {
						response.setContentType("text/plain");
						response.getOutputStream().write("first, ".getBytes());
					}
					case "written and length" -> {
						response.setContentType("text/plain");
						response.setContentLength(3);
						response.getOutputStream().write("abcdef".getBytes());
						return null;
					}
					case "late buffer" -> {
						response.getOutputStream().write(1);
						response.setBufferSize(100_000);
					}
					case "committed" -> {
						this.ledger.note("committed " + response.isCommitted() + response.getBufferSize());
						response.getOutputStream().write(new byte[response.getBufferSize() - 1]);
						this.ledger.note("committed " + response.isCommitted());
						response.getOutputStream().write(new byte[2]);
						this.ledger.note("committed " + response.isCommitted());
						return null;
					}
					case "redirect" -> response.setHeader("Location", "/elsewhere");
					case "content type" -> {
						response.setContentType("text/html;charset=ISO-8859-1");
						this.ledger.note(response.getContentType() + response.getCharacterEncoding()
								+ response.getHeaderNames() + response.getHeader("content-type"));
					}
					case "charset" -> {
						response.setCharacterEncoding("UTF-16");
						this.ledger.note(response.getContentType() + response.getCharacterEncoding());
					}
					case "status and throws" -> {
						response.setStatus(202);
						throw new IllegalStateException(how);
					}
					case "headers and throws" -> {
						response.setHeader("X-Before", "1");
						response.setContentType("text/html");
						response.addCookie(new Cookie("a", "b"));
						throw new IllegalStateException(how);
					}
					case "getters" -> {
						response.addHeader("X-A", "1");
						response.addHeader("X-A", "2");
						response.setIntHeader("X-B", 3);
						response.setDateHeader("X-C", 0);
						response.setContentLength(10);
						this.ledger.note(response.getHeaders("X-A") + response.getHeader("x-b")
								+ response.getHeader("X-c") + new TreeSet<>(response.getHeaderNames())
								+ response.containsHeader("X-None") + response.getHeader("Content-Length"));
						response.setContentLengthLong(-1);
						response.setLocale(java.util.Locale.GERMANY);
						this.ledger.note(response.getLocale() + response.getCharacterEncoding()
								+ response.getHeader("Content-Language"));
					}
					default -> {
						return odd(how, attributes().getRequest(), response);
					}
				}
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
			return how;
		}

		/** An action that may fail. */
		@FunctionalInterface
		interface Action {

			@Nullable Object run() throws Exception;

		}

		private void attempt(String name, Action action) {
			try {
				this.ledger.note(name + " " + text(action.run()));
			}
			catch (Exception ex) {
				this.ledger.note(name + " threw " + ex.getClass().getName());
			}
		}

		private void perform(String name, Runnable action) {
			attempt(name, () -> {
				action.run();
				return "done";
			});
		}

		/** Arguments that no handler should use. */
		private @Nullable String odd(String how, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			switch (how) {
				case "odd headers" -> {
					perform("null value", () -> response.addHeader("X-Null", null));
					perform("null set", () -> response.setHeader("X-Null", null));
					perform("null name", () -> response.setHeader(null, "x"));
					perform("no name", () -> response.addHeader("", "x"));
					perform("empty value", () -> response.setHeader("X-Empty", ""));
					perform("null cookie", () -> response.addCookie(null));
					perform("date", () -> response.addDateHeader("X-Date", -1));
					attempt("names", () -> new TreeSet<>(response.getHeaderNames()));
					attempt("contains null", () -> response.containsHeader(null));
					attempt("get null", () -> response.getHeader(null));
					attempt("all of null", () -> response.getHeaders(null));
					attempt("request empty", () -> request.getHeader(""));
				}
				case "odd length" -> {
					response.setContentType("text/plain");
					perform("no number", () -> response.setHeader("Content-Length", "x"));
					attempt("length", () -> response.getHeader("Content-Length"));
					response.getOutputStream().write("abc".getBytes());
					return null;
				}
				case "odd charset" -> {
					perform("null", () -> response.setCharacterEncoding((String) null));
					perform("unknown", () -> response.setCharacterEncoding("nonsense"));
					attempt("encoding", response::getCharacterEncoding);
					attempt("of request", () -> {
						request.setCharacterEncoding("nonsense");
						return "done";
					});
				}
				case "no such charset" -> {
					response.setContentType("text/plain;charset=nonsense");
					attempt("type", response::getContentType);
					attempt("encoding", response::getCharacterEncoding);
					response.getWriter().write("abc");
					return null;
				}
				case "odd type" -> {
					perform("type", () -> response.setContentType("no type"));
					attempt("type", response::getContentType);
					response.getOutputStream().write("abc".getBytes());
					return null;
				}
				case "odd type and value" -> response.setContentType("no type");
				case "odd type and error" -> {
					response.setContentType("no type");
					response.sendError(404, how);
				}
				case "error page type" -> {
					response.setContentType("text/csv");
					response.sendError(404, how);
				}
				case "no media type" -> response.setHeader("Content-Type", "text");
				case "wildcard type" -> response.setContentType("text/*");
				case "empty type" -> response.setContentType("");
				case "odd attributes" -> {
					perform("null name", () -> request.setAttribute(null, "x"));
					perform("null value", () -> request.setAttribute("none", null));
					attempt("get null", () -> request.getAttribute(null));
					perform("remove null", () -> request.removeAttribute(null));
					attempt("parameter", () -> request.getParameter(null));
					attempt("dispatcher", () -> request.getRequestDispatcher(null));
					attempt("part", () -> request.getPart(null));
					attempt("role", () -> request.isUserInRole(null));
					attempt("change", request::changeSessionId);
					attempt("async", request::getAsyncContext);
					attempt("trailers", request::getTrailerFields);
					attempt("real path", () -> request.getServletContext().getRealPath("/none"));
				}
				case "closed stream and value" -> {
					response.getOutputStream().write("closed".getBytes());
					response.getOutputStream().close();
					response.getOutputStream().write(1);
				}
				case "closed writer and value" -> {
					response.getWriter().write("closed");
					response.getWriter().close();
					response.getWriter().write("more");
				}
				case "closed stream and throws" -> {
					response.getOutputStream().close();
					throw new IllegalStateException(how);
				}
				case "late session" -> {
					response.flushBuffer();
					attempt("session", () -> request.getSession().isNew());
				}
				case "late cookie" -> {
					response.flushBuffer();
					perform("cookie", () -> response.addCookie(new Cookie("late", "1")));
					attempt("redirect", () -> {
						response.sendRedirect("/elsewhere");
						return "done";
					});
				}
				case "error of no error" -> response.sendError(200, how);
				case "odd statuses" -> {
					response.setStatus(207);
					attempt("status", response::getStatus);
				}
				case "redirect to nothing" -> attempt("redirect", () -> {
					response.sendRedirect("");
					return "done";
				});
				case "charset and value" -> {
					response.setContentType("text/plain");
					response.setCharacterEncoding("UTF-16BE");
				}
				case "writer and charset" -> {
					response.setContentType("text/plain");
					response.getWriter().write("gr\u00fcn");
					response.setCharacterEncoding("UTF-8");
					attempt("encoding", response::getCharacterEncoding);
					return null;
				}
				case "reset and value" -> {
					response.setHeader("X-A", "1");
					response.setStatus(409);
					response.getOutputStream().write(1);
					response.reset();
				}
				case "length and value" -> response.setContentLength(3);
				case "short value" -> response.setContentLength(100);
				default -> throw new IllegalArgumentException(how);
			}
			return how;
		}

		@Override
		public ResponseEntity<Void> length() {
			return ResponseEntity.ok().contentLength(42).build();
		}

		@Override
		public List<String> early(String type) {
			HttpServletResponse response = response();
			if (!type.equals("none")) {
				response.setContentType(type.equals("json") ? "application/json" : "text/plain");
			}
			flush(response);
			return List.of("a", "b");
		}

		@Override
		public @Nullable String dispatch(String how) {
			this.ledger.note(how);
			try {
				switch (how) {
					case "nothing" -> {
						return how;
					}
					case "includes" -> include(response());
					default -> forward(response());
				}
			}
			catch (IOException | ServletException ex) {
				throw new IllegalStateException(ex);
			}
			return null;
		}

		private static void forward(HttpServletResponse response) throws ServletException, IOException {
			HttpServletRequest request = attributes().getRequest();
			RequestDispatcher dispatcher = request.getRequestDispatcher("/cases/answers/redirect");
			assertThat(dispatcher).isNotNull();
			dispatcher.forward(request, response);
		}

		private static void include(HttpServletResponse response) throws ServletException, IOException {
			HttpServletRequest request = attributes().getRequest();
			RequestDispatcher dispatcher = request.getRequestDispatcher("/cases/async/synchronous?a=b");
			assertThat(dispatcher).isNotNull();
			dispatcher.include(request, response);
		}

		@Override
		public @Nullable String async(String how) {
			HttpServletRequest request = attributes().getRequest();
			HttpServletResponse response = response();
			this.ledger.note(how + " " + request.getDispatcherType());
			if (how.equals("synchronous")) {
				return how;
			}
			if (request.getDispatcherType() == jakarta.servlet.DispatcherType.ASYNC) {
				return "again";
			}
			this.ledger.note("supported " + request.isAsyncSupported() + request.isAsyncStarted());
			if (how.equals("getter")) {
				return String.valueOf(request.getAsyncContext().getTimeout());
			}
			if (how.equals("interrupted and written")) {
				Thread.currentThread().interrupt();
			}
			if (how.equals("flushed")) {
				flush(response);
			}
			AsyncContext context = request.startAsync();
			this.ledger.note("started " + request.isAsyncStarted() + context.getTimeout()
					+ context.hasOriginalRequestAndResponse());
			switch (how) {
				case "completed before" -> context.complete();
				case "completed" -> context.start(context::complete);
				case "interrupted" -> {
					Thread.currentThread().interrupt();
					context.start(context::complete);
				}
				case "dispatched elsewhere" -> context.dispatch("/cases/async/synchronous");
				case "interrupted and written", "flushed", "written" -> context.start(() -> {
					try {
						response.setContentType("text/plain");
						response.getOutputStream().write("from another thread".getBytes());
					}
					catch (IOException ex) {
						this.ledger.note(ex.toString());
					}
					context.complete();
				});
				case "error" -> context.start(() -> {
					try {
						((HttpServletResponse) context.getResponse()).sendError(409);
					}
					catch (IOException ex) {
						this.ledger.note(ex.toString());
					}
					context.complete();
				});
				case "twice" -> {
					context.complete();
					request.startAsync();
				}
				case "dispatched" -> context.start(context::dispatch);
				case "timed out" -> context.setTimeout(50);
				default -> throw new IllegalArgumentException(how);
			}
			return null;
		}

	}

	private static void flush(HttpServletResponse response) {
		try {
			response.flushBuffer();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(CasesController.class)
	static class ServerApplication {

	}

}
