package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.report.ChannelReport.PathReport;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What HTTP libraries add to requests and do to responses, what the web server does on
 * its way to a socket, and what its access log says: the same for exchanges and over
 * HTTP.
 */
@Timeout(180)
class ExchangeDetailTests {

	/** Number of further requests over HTTP where its answer varies. */
	private static final int TRIES = 20;

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private static final Set<String> FOLLOWED = Set.of("a redirect to the root", "the context path alone",
			"the context path with a query");

	private static final ClientHttpRequestInterceptor ANY = (request, body, execution) -> {
		request.getHeaders().set("X-Intercepted", "yes");
		return execution.execute(request, body);
	};

	/** A request, by which the client sees its response. */
	@FunctionalInterface
	interface Exchange {

		RestClient.RequestHeadersSpec<?> of(RestClient client);

	}

	@ParameterizedTest
	@ValueSource(strings = { "http-components", "jdk", "simple" })
	void areThoseOfHttp(String library) throws Exception {
		ConfigurableApplicationContext server = this.applications.start(server(),
				Map.of("server.port", "0", "server.shutdown", "immediate", "vicinal.server.paths", "direct",
						"server.servlet.context-path", "/app", "server.compression.enabled", "true",
						"server.compression.mime-types", "text/plain"));
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port") + "/app";
		RestClient plain = overHttp(library, base);
		ConfigurableApplicationContext application = this.applications.client("direct", library);
		RestClient exchanges = application.getBean(RestClient.Builder.class).baseUrl(base).build();
		Exchanges sent = application.getBean(Exchanges.class);
		BlockingQueue<String> log = server.getBean(AccessLog.class).lines();
		connect(exchanges, sent);
		while (log.poll(1, TimeUnit.SECONDS) != null) {
			assertThat(sent.report()).isNotNull();
		}
		SoftAssertions differences = new SoftAssertions();
		for (Map.Entry<String, Exchange> each : all(library).entrySet()) {
			// The first ones are executed by a thread of the server, later ones by the
			// caller's.
			for (int i = 0; i < 3; i++) {
				int requests = FOLLOWED.contains(each.getKey()) ? 2 : 1;
				String expected = observe(each.getValue(), plain, log, requests);
				String observed = observe(each.getValue(), exchanges, log, requests);
				for (int again = 0; again < TRIES && varies(each.getKey()) && !observed.equals(expected); again++) {
					expected = observe(each.getValue(), plain, log, requests);
				}
				differences.assertThat(observed).as("%s, %d", each.getKey(), i).isEqualTo(expected);
			}
		}
		differences.assertAll();
		assertThat(calls(sent)).as("exchanges").isGreaterThan(all(library).size());
	}

	/** Whether what HTTP gives depends on the moment, so that it is asked again. */
	boolean varies(String name) {
		return false;
	}

	/** The application, which has an {@link AccessLog}. */
	Class<?> server() {
		return TomcatDetails.class;
	}

	private RestClient overHttp(String library, String base) {
		ConfigurableApplicationContext application = this.applications
			.start(ExchangeBehaviourTests.ClientApplication.class,
					Map.of("spring.main.web-application-type", "none", "vicinal.enabled", "false",
							"spring.http.clients.imperative.factory", library, "spring.http.clients.read-timeout",
							"20s"));
		return application.getBean(RestClient.Builder.class).baseUrl(base).build();
	}

	private static Map<String, Exchange> all(String library) {
		Map<String, Exchange> all = new LinkedHashMap<>();
		all.put("fields of each method", (client) -> client.get().uri("/fields").header("Accept", "text/plain"));
		all.put("a user agent of the client",
				(client) -> client.get().uri("/fields").header("Accept", "text/plain").header("User-Agent", "own/1"));
		all.put("none again", (client) -> client.get().uri("/fields").header("Accept", "text/plain"));
		all.put("no media type is asked for", (client) -> client.get().uri("/fields"));
		all.put("DELETE", (client) -> client.delete().uri("/fields"));
		all.put("PUT", (client) -> client.put().uri("/fields").body("some"));
		all.put("POST of nothing", (client) -> client.post().uri("/fields"));
		all.put("POST of bytes", (client) -> client.post().uri("/fields").body(new byte[10]));
		all.put("two cookies", (client) -> client.get().uri("/fields").header("Cookie", "a=b", "c=d"));
		all.put("an error", (client) -> client.get().uri("/none").header("Accept", "application/json"));
		all.put("an error of DELETE", (client) -> client.delete().uri("/none"));
		all.put("compressed, asked for",
				(client) -> client.get().uri("/long").header("Accept", "*/*").header("Accept-Encoding", "gzip"));
		all.put("compressed, HEAD",
				(client) -> client.head().uri("/long").header("Accept", "*/*").header("Accept-Encoding", "gzip"));
		all.put("not compressed, asked for",
				(client) -> client.get().uri("/long").header("Accept", "*/*").header("Accept-Encoding", "identity"));
		all.put("not what it says", (client) -> client.get().uri("/lie").header("Accept", "*/*"));
		all.put("trailers", (client) -> client.post().uri("/trailers").header("Accept", "*/*"));
		all.put("trailers that come too late", (client) -> client.get().uri("/late").header("Accept", "*/*"));
		all.put("chunks", (client) -> client.get().uri("/chunks").header("Accept", "*/*"));
		all.put("a failure behind the end", (client) -> client.get().uri("/ended").header("Accept", "*/*"));
		all.put("a failure in the middle", (client) -> client.get().uri("/middle").header("Accept", "*/*"));
		// Not GET: libraries send such a request again.
		all.put("a handler that interrupts itself", (client) -> client.post().uri("/interrupted"));
		all.put("a handler that interrupts itself and writes much",
				(client) -> client.post().uri("/interrupted/much?length=0").header("Accept", "*/*"));
		all.put("a handler that interrupts itself and writes what it said",
				(client) -> client.post().uri("/interrupted/much?length=30000").header("Accept", "*/*"));
		all.put("a redirect to nowhere", (client) -> client.get().uri("/nowhere").header("Accept", "*/*"));
		all.put("a challenge", (client) -> client.get().uri("/challenge?status=401").header("Accept", "*/*"));
		all.put("a challenge of a body",
				(client) -> client.post().uri("/challenge?status=401").header("Accept", "*/*").body("some"));
		all.put("a challenge of a proxy",
				(client) -> client.put().uri("/challenge?status=407").header("Accept", "*/*").body("some"));
		all.put("a challenge of DELETE",
				(client) -> client.delete().uri("/challenge?status=401").header("Accept", "*/*"));
		all.put("a redirect to the root", (client) -> client.get().uri("/redirect?to=/app/").header("Accept", "*/*"));
		all.put("the context path alone", (client) -> client.get().header("Accept", "*/*"));
		all.put("the context path with a query", (client) -> client.get().uri("?a=b").header("Accept", "*/*"));
		all.put("HEAD", (client) -> client.head().uri("/fields").header("Accept", "text/plain"));
		for (HttpMethod method : List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE, HttpMethod.POST,
				HttpMethod.PUT)) {
			all.put("intercepted " + method, (client) -> intercepted(client).method(method).uri("/fields"));
		}
		all.put("intercepted with a body", (client) -> intercepted(client).post().uri("/fields").body("some"));
		if (!library.equals("simple")) {
			all.put("PATCH", (client) -> client.method(HttpMethod.PATCH).uri("/fields").body("some"));
		}
		return all;
	}

	/** Interceptors are given the body as a whole, so Spring knows its length. */
	private static RestClient intercepted(RestClient client) {
		return client.mutate().requestInterceptor(ANY).build();
	}

	/** Returns what the client sees, and what the server's log says. */
	private static String observe(Exchange exchange, RestClient client, BlockingQueue<String> log, int requests)
			throws Exception {
		String seen;
		try {
			seen = exchange.of(client).exchange((request, response) -> describe(response));
		}
		catch (ResourceAccessException ex) {
			seen = "failed";
		}
		// The server logs a request after its client has the response.
		Set<String> lines = new TreeSet<>();
		for (int i = 0; i < requests; i++) {
			lines.add(String.valueOf(log.poll(10, TimeUnit.SECONDS)));
		}
		return seen + lines;
	}

	static boolean mayChange(HttpHeaders headers) {
		try {
			headers.set("X-Changed", "yes");
			return true;
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

	private static String describe(ClientHttpResponse response) throws IOException {
		Map<String, String> headers = new TreeMap<>();
		response.getHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.toString()));
		headers.keySet().removeAll(List.of("connection", "keep-alive", "vicinal-peer", "date"));
		String body;
		try {
			body = new String(response.getBody().readAllBytes(), StandardCharsets.ISO_8859_1);
		}
		catch (IOException ex) {
			body = "cut off";
		}
		return "%s '%s' %s%s %s".formatted(response.getStatusCode(), response.getStatusText(), headers,
				mayChange(response.getHeaders()) ? " that may be changed" : "",
				body.replaceAll("\"timestamp\":\"[^\"]*", "").replaceAll("<div id='created'>[^<]*", ""));
	}

	private static void connect(RestClient client, Exchanges sent) {
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		while (calls(sent) == 0) {
			client.get().uri("/chunks").header("Accept", "*/*").retrieve().toBodilessEntity();
			assertThat(System.nanoTime()).as("time to connect; report: %s", sent.report()).isLessThan(end);
		}
	}

	private static long calls(Exchanges exchanges) {
		var report = exchanges.report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((each) -> each.path().equals("direct"))
					.mapToLong(PathReport::calls)
					.sum();
	}

	/** The lines of the access log: method, target, status and bytes of the body. */
	@FunctionalInterface
	interface AccessLog {

		BlockingQueue<String> lines();

	}

	@RestController
	static class DetailController {

		@RequestMapping("/fields")
		String fields(HttpServletRequest request) {
			Map<String, String> fields = new TreeMap<>();
			for (String name : java.util.Collections.list(request.getHeaderNames())) {
				fields.put(name.toLowerCase(Locale.ROOT),
						java.util.Collections.list(request.getHeaders(name)).toString());
			}
			fields.keySet()
				.removeIf((name) -> name.startsWith("vicinal") || name.equals("connection") || name.equals("upgrade")
						|| name.equals("http2-settings") || name.equals("accept-encoding"));
			return fields.toString();
		}

		@GetMapping("/long")
		String longText() {
			return "text ".repeat(2000);
		}

		@GetMapping("/lie")
		void lie(HttpServletResponse response) throws IOException {
			response.setHeader("Content-Encoding", "gzip");
			response.getOutputStream().print("not compressed");
		}

		@RequestMapping("/trailers")
		void trailers(HttpServletResponse response) throws IOException {
			response.setTrailerFields(() -> Map.of("X-Sum", "1"));
			response.setHeader("X-A", "b");
			response.getOutputStream().print("body");
		}

		@GetMapping("/late")
		void late(HttpServletResponse response) throws IOException {
			response.setContentLength(4);
			response.getOutputStream().print("body");
			response.flushBuffer();
			response.setTrailerFields(Map::of);
		}

		@GetMapping("/chunks")
		void chunks(HttpServletResponse response) throws IOException {
			for (int i = 0; i < 3; i++) {
				response.getOutputStream().print("part");
				response.flushBuffer();
			}
		}

		@GetMapping("/ended")
		void ended(HttpServletResponse response) throws IOException {
			response.getWriter().print("all there is");
			response.getWriter().close();
			throw new IOException("too late");
		}

		@GetMapping("/middle")
		void middle(HttpServletResponse response) throws IOException {
			response.getWriter().print("some of it");
			response.flushBuffer();
			throw new IOException("in the middle");
		}

		@RequestMapping("/interrupted")
		@Nullable String interrupted() {
			Thread.currentThread().interrupt();
			return "answer";
		}

		@RequestMapping("/interrupted/much")
		void interruptedBeforeMuch(HttpServletResponse response, int length) throws IOException {
			if (length > 0) {
				response.setContentLength(length);
			}
			Thread.currentThread().interrupt();
			response.getOutputStream().write(new byte[30_000]);
		}

		@RequestMapping("/challenge")
		void challenge(HttpServletResponse response, int status) throws IOException {
			response.setStatus(status);
			response.setHeader("WWW-Authenticate", "Basic realm=\"details\"");
			response.getOutputStream().print("who is it?");
		}

		@GetMapping("/nowhere")
		void nowhere(HttpServletResponse response) {
			response.setStatus(302);
		}

		@GetMapping("/redirect")
		void redirect(HttpServletResponse response, String to) {
			response.setStatus(302);
			response.setHeader("Location", to);
		}

		@GetMapping("/")
		String root() {
			return "root";
		}

	}

}
