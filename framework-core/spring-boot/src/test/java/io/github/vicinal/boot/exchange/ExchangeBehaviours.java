package io.github.vicinal.boot.exchange;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.github.vicinal.boot.exchange.ShopApplication.Order;
import org.slf4j.MDC;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamResource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.RestClient;

/** Requests as both sides see them, to be compared between two ways of sending. */
final class ExchangeBehaviours {

	private static final ThreadLocal<String> LAST_FAILURE = new ThreadLocal<>();

	private ExchangeBehaviours() {
	}

	/** One behaviour: makes requests and describes what came of them. */
	@FunctionalInterface
	interface Behaviour {

		Object observe(RestClient client, String base) throws Exception;

	}

	/**
	 * The JDK's client asks for another protocol with some of its requests, of which
	 * exchanges know nothing.
	 */
	private static String withoutUpgrade(String text) {
		return text.replaceAll("\"(connection|upgrade|http2-settings)\":\"[^\"]*\",?", "")
			.replaceAll("content-length=\\[\\d+], (content-type=\\[application/json], date=some} \\{\"async)", "$1");
	}

	private static String show(RestClient.RequestHeadersSpec<?> spec) {
		String shown = spec.exchange((request, response) -> describe(response));
		return withoutUpgrade(String.valueOf(shown));
	}

	private static String describe(ClientHttpResponse response) throws IOException {
		Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		response.getHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.toString()));
		headers.keySet().removeAll(List.of("connection", "keep-alive", "vicinal-peer"));
		headers.computeIfPresent("date", (name, value) -> "some");
		byte[] body = response.getBody().readAllBytes();
		if (new String(body, StandardCharsets.UTF_8).contains("JSESSIONID=node")) {
			// The names of Jetty's sessions differ in length.
			headers.remove("content-length");
		}
		String text = (body.length > 1500) ? body.length + " bytes"
				: new String(body, StandardCharsets.UTF_8).replaceAll("timestamp\":\"[^\"]*", "timestamp\":\"T");
		return (response.getStatusCode().value() + " " + headers + " " + text)
			.replaceAll("=([0-9A-F]{32}|node0[a-z0-9.]+)", "=ID")
			.replaceAll("<div id='created'>[^<]*", "<div>");
	}

	/** Returns all behaviours by name. */
	static Map<String, Behaviour> all() {
		Map<String, Behaviour> all = new LinkedHashMap<>();
		requests(all);
		bodies(all);
		responses(all);
		asynchronous(all);
		state(all);
		return all;
	}

	/** Returns the behaviours of an application with Spring Security, by name. */
	static Map<String, Behaviour> secured() {
		Map<String, Behaviour> all = new LinkedHashMap<>();
		all.put("nobody", (client, base) -> show(client.get().uri("/text")));
		all.put("nobody, 2 MB", (client, base) -> outcome(() -> show(
				client.post().uri("/count").contentType(MediaType.APPLICATION_OCTET_STREAM).body(bytes(2 << 20)))));
		all.put("wrong password", (client, base) -> show(client.get().uri("/me").headers(as("user", "wrong"))));
		all.put("a user", (client, base) -> show(client.get().uri("/me").headers(as("user", "secret"))));
		all.put("another user", (client, base) -> show(client.get().uri("/me").headers(as("boss", "secret"))));
		all.put("a rule on the path, not met",
				(client, base) -> show(client.get().uri("/etag").headers(as("user", "secret"))));
		all.put("a rule on the path, met",
				(client, base) -> show(client.get().uri("/etag").headers(as("boss", "secret"))));
		all.put("a rule on a parameter",
				(client, base) -> show(client.get().uri("/text?colour=red").headers(as("boss", "secret"))));
		all.put("a rule on a parameter in a form", (client, base) -> {
			MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
			form.add("colour", "red");
			return show(client.post()
				.uri("/form")
				.contentType(MediaType.APPLICATION_FORM_URLENCODED)
				.headers(as("user", "secret"))
				.body(form));
		});
		all.put("a rule on a method, not met",
				(client, base) -> show(client.get().uri("/bosses").headers(as("user", "secret"))));
		all.put("a rule on a method, met",
				(client, base) -> show(client.get().uri("/bosses").headers(as("boss", "secret"))));
		all.put("a body", (client,
				base) -> show(client.post().uri("/orders").headers(as("user", "secret")).body(Order.sample())));
		all.put("an asynchronous handler",
				(client, base) -> show(client.get().uri("/later").headers(as("user", "secret"))));
		all.put("an asynchronous handler, nobody", (client, base) -> show(client.get().uri("/later")));
		all.put("a path for the firewall",
				(client, base) -> show(client.get().uri(URI.create(base + "/seen//x")).headers(as("user", "secret"))));
		all.put("an unknown path", (client, base) -> show(client.get().uri("/none").headers(as("user", "secret"))));
		all.put("the caller's own authentication", (client, base) -> {
			SecurityContextHolder.getContext()
				.setAuthentication(new TestingAuthenticationToken("caller", "x", "ROLE_ADMIN"));
			try {
				return show(client.get().uri("/me")) + " after: "
						+ SecurityContextHolder.getContext().getAuthentication().getName();
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		});
		return all;
	}

	private static Consumer<HttpHeaders> as(String user, String password) {
		return (headers) -> headers.setBasicAuth(user, password);
	}

	private static void requests(Map<String, Behaviour> all) {
		all.put("path, query, header", (client, base) -> show(
				client.get().uri("/orders/{id}/lines/{l}?q={q}", "a b c;d", "ü", "x&y=z ü").header("X-Trace", "t")));
		all.put("encoded path, matrix, double query",
				(client, base) -> show(client.get().uri(URI.create(base + "/seen/a%20b/c;v=1/../d?x=1&x=2&%20=+"))));
		all.put("encoded slash", (client, base) -> show(client.get().uri(URI.create(base + "/seen/a%2Fb"))));
		all.put("bad escape", (client, base) -> show(client.get().uri(URI.create(base + "/seen/%00"))));
		all.put("double slash", (client, base) -> show(client.get().uri(URI.create(base + "//seen//x"))));
		all.put("no path", (client, base) -> show(client.get().uri(URI.create(base))));
		all.put("what a handler of GET sees",
				(client, base) -> show(client.get().uri("/seen/x?a=1").header("X-A", "1", "2")));
		all.put("what a handler of POST sees",
				(client, base) -> show(client.post().uri("/seen/x").body(Map.of("a", 1))));
		all.put("what a handler of POST without body sees", (client, base) -> show(client.post().uri("/seen/x")));
		all.put("what a handler of DELETE sees", (client, base) -> show(client.delete().uri("/seen/x")));
		all.put("Accept-Language",
				(client, base) -> show(client.get().uri("/seen/x").header("Accept-Language", "fr, de;q=0.5")));
		all.put("missing header", (client, base) -> show(client.get().uri("/orders/1/lines/2")));
		all.put("Location", (client, base) -> show(client.post().uri("/created?x=1")));
		all.put("header of 7 KB", (client, base) -> show(client.get().uri("/text").header("X-Long", "x".repeat(7000))));
		all.put("header of 10 KB",
				(client, base) -> show(client.get().uri("/text").header("X-Long", "x".repeat(10_000))));
		all.put("120 headers", (client, base) -> show(client.get().uri("/text").headers((headers) -> {
			for (int i = 0; i < 120; i++) {
				headers.add("X-" + i, "v");
			}
		})));
		all.put("a URI beyond ASCII", (client, base) -> show(client.get().uri(URI.create(base + "/seen/ä?q=ö"))));
		all.put("an empty query", (client, base) -> show(client.get().uri(URI.create(base + "/seen/x?"))));
		all.put("another Host",
				(client, base) -> outcome(() -> show(client.get().uri("/seen/x").header("Host", "a.example"))));
		all.put("an empty Host", (client, base) -> outcome(() -> show(client.get().uri("/seen/x").header("Host", ""))));
		all.put("a Host that is none",
				(client, base) -> outcome(() -> show(client.get().uri("/seen/x").header("Host", "a b"))));
		all.put("Expect", (client, base) -> outcome(
				() -> show(client.post().uri("/seen/x").header("Expect", "100-continue").body(Map.of("a", 1)))));
		all.put("Proxy-Connection",
				(client, base) -> outcome(() -> show(client.get().uri("/seen/x").header("Proxy-Connection", "close"))));
		all.put("a length without a body",
				(client, base) -> outcome(() -> show(client.get().uri("/seen/x").header("Content-Length", "5"))));
		all.put("an own Transfer-Encoding", (client, base) -> outcome(
				() -> show(client.post().uri("/seen/x").header("Transfer-Encoding", "chunked").body(Map.of("a", 1)))));
		all.put("OPTIONS", (client, base) -> show(client.options().uri("/orders")));
		all.put("HEAD", (client, base) -> show(client.head().uri("/text")));
		all.put("HEAD of a stream", (client, base) -> show(client.head().uri("/stream?mb=1")));
		all.put("HEAD of events", (client, base) -> show(client.head().uri("/sse")));
		all.put("HEAD of what is not there", (client, base) -> show(client.head().uri("/none")));
		all.put("an Expect that is unknown",
				(client, base) -> outcome(() -> show(client.get().uri("/text").header("Expect", "wonders"))));
		for (int status : new int[] { 299, 600 }) {
			all.put("status " + status,
					(client, base) -> outcome(() -> show(client.get().uri("/status?code=" + status))));
		}
		all.put("HEAD of much", (client, base) -> show(client.head().uri("/bytes?kb=2000")));
		all.put("unknown path", (client, base) -> show(client.get().uri("/none").accept(MediaType.APPLICATION_JSON)));
		all.put("unknown path as a page",
				(client, base) -> show(client.get().uri("/none").accept(MediaType.TEXT_HTML)));
		all.put("wrong method",
				(client, base) -> show(client.delete().uri("/orders").accept(MediaType.APPLICATION_JSON)));
	}

	private static void bodies(Map<String, Behaviour> all) {
		all.put("JSON", (client, base) -> show(client.post().uri("/orders").body(Order.sample())));
		all.put("JSON by PUT", (client, base) -> show(client.put().uri("/orders/7").body(Order.sample())));
		all.put("wrong type",
				(client, base) -> show(client.post().uri("/orders").contentType(MediaType.TEXT_PLAIN).body("x")));
		all.put("malformed JSON",
				(client, base) -> show(client.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).body("{")));
		all.put("form", (client, base) -> {
			MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
			form.add("a", "ü b");
			form.add("a", "2");
			return show(client.post().uri("/form?a=0").contentType(MediaType.APPLICATION_FORM_URLENCODED).body(form));
		});
		all.put("multipart", (client, base) -> {
			MultiValueMap<String, Object> parts = new LinkedMultiValueMap<>();
			parts.add("name", "näme");
			parts.add("file", new ByteArrayResource(new byte[700_000]) {

				@Override
				public String getFilename() {
					return "f.bin";
				}

			});
			return show(client.post().uri("/upload").contentType(MediaType.MULTIPART_FORM_DATA).body(parts));
		});
		all.put("5 MB of known length", (client, base) -> show(
				client.post().uri("/count").contentType(MediaType.APPLICATION_OCTET_STREAM).body(bytes(5 << 20))));
		all.put("5 MB of unknown length",
				(client, base) -> show(client.post()
					.uri("/count")
					.contentType(MediaType.APPLICATION_OCTET_STREAM)
					.body(new InputStreamResource(new ByteArrayInputStream(bytes(5 << 20))))));
		all.put("1 MB that comes back", (client, base) -> show(
				client.post().uri("/mirror").contentType(MediaType.APPLICATION_OCTET_STREAM).body(bytes(1 << 20))));
		all.put("body that is not read", (client, base) -> show(client.post().uri("/reject").body(new byte[100_000])));
		all.put("Expect, not read", (client,
				base) -> show(client.post().uri("/reject").header("Expect", "100-continue").body(new byte[1000])));
		all.put("Expect, read", (client,
				base) -> show(client.post().uri("/count").header("Expect", "100-continue").body(new byte[1000])));
	}

	private static byte[] bytes(int length) {
		byte[] bytes = new byte[length];
		for (int i = 0; i < length; i++) {
			bytes[i] = (byte) (i * 31);
		}
		return bytes;
	}

	private static void responses(Map<String, Behaviour> all) {
		all.put("text", (client, base) -> show(client.get().uri("/text")));
		all.put("no content", (client, base) -> show(client.get().uri("/nothing")));
		all.put("not modified", (client, base) -> show(client.get().uri("/etag").header("If-None-Match", "\"v1\"")));
		all.put("ETag", (client, base) -> show(client.get().uri("/etag")));
		// Tomcat writes the end of a chunked body over TCP, without saying that it is
		// one.
		all.put("a field of 9,000 characters",
				(client, base) -> outcome(() -> show(client.get().uri("/field?length=9000")).substring(0, 4)));
		all.put("trailers", (client, base) -> show(client.get().uri("/trailers")));
		all.put("odd headers", (client, base) -> show(client.get().uri("/oddheader")));
		all.put("exception", (client, base) -> show(client.get().uri("/fail").accept(MediaType.APPLICATION_JSON)));
		all.put("status exception",
				(client, base) -> show(client.get().uri("/teapot").accept(MediaType.APPLICATION_JSON)));
		all.put("sendError", (client, base) -> show(client.get().uri("/senderror").accept(MediaType.APPLICATION_JSON)));
		all.put("problem detail", (client, base) -> show(client.get().uri("/parse").header("X-Number", "x")));
		all.put("300 KB", (client, base) -> show(client.get().uri("/bytes?kb=300")));
		all.put("5 MB", (client, base) -> show(client.get().uri("/bytes?kb=5000")));
		all.put("stream of 5 MB", (client, base) -> show(client.get().uri("/stream?mb=5")));
		all.put("fails in the middle", (client, base) -> outcome(() -> show(client.get().uri("/broken"))));
		all.put("redirect", (client, base) -> show(client.get().uri("/redirect")));
		all.put("permanent redirect", (client, base) -> show(client.get().uri("/redirect?status=308")));
		all.put("redirect of POST",
				(client, base) -> withoutHeaders(show(client.post().uri("/redirect?status=303").body(Map.of("a", 1)))));
	}

	/** The headers that a redirect keeps differ from library to library. */
	private static String withoutHeaders(String shown) {
		return shown.replaceAll("\"headers\":\\{[^}]*}", "");
	}

	/** Returns what failed last on this thread, for people. */
	static String lastFailure() {
		return Objects.requireNonNullElse(LAST_FAILURE.get(), "nothing");
	}

	/** The kind of failure; messages name sockets. */
	private static String outcome(java.util.concurrent.Callable<String> call) throws Exception {
		try {
			return call.call();
		}
		catch (IOException | RuntimeException ex) {
			StringWriter trace = new StringWriter();
			ex.printStackTrace(new PrintWriter(trace));
			LAST_FAILURE.set(trace.toString());
			return "failed";
		}
	}

	private static void asynchronous(Map<String, Behaviour> all) {
		all.put("deferred", (client, base) -> show(client.get().uri("/deferred?ms=30")));
		all.put("deferred at once", (client, base) -> show(client.get().uri("/deferred?ms=0")));
		all.put("asynchronous time-out", (client, base) -> show(client.get().uri("/deferred?ms=9000&timeout=200")));
		all.put("future", (client, base) -> show(client.get().uri("/future")));
		all.put("server-sent events",
				(client, base) -> show(client.get().uri("/sse").accept(MediaType.TEXT_EVENT_STREAM)));
		all.put("events come as they are sent",
				(client, base) -> client.get().uri("/gated").exchange((request, response) -> {
					int first = response.getBody().read();
					String opened = client.get().uri("/open").retrieve().body(String.class);
					return first + " " + opened + " "
							+ new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8);
				}));
		all.put("non-blocking 300 KB",
				(client, base) -> show(client.post().uri("/nonblocking").body(new byte[300_000])));
		all.put("non-blocking 20 bytes", (client, base) -> show(client.post().uri("/nonblocking").body(new byte[20])));
		all.put("slow handler", (client, base) -> show(client.get().uri("/slow?ms=700")));
	}

	private static void state(Map<String, Behaviour> all) {
		all.put("session", (client, base) -> {
			String cookie = String
				.valueOf(client.get().uri("/session").retrieve().toBodilessEntity().getHeaders().getFirst("Set-Cookie"))
				.split(";", -1)[0];
			return show(client.get().uri("/session").header("Cookie", cookie));
		});
		all.put("cookies of the client", (client, base) -> {
			client.get().uri("/cookie").retrieve().toBodilessEntity();
			return show(client.get().uri("/cookie"));
		});
		all.put("state of the calling thread", (client, base) -> {
			MDC.put("who", "caller");
			LocaleContextHolder.setLocale(Locale.JAPAN);
			try {
				return show(client.get().uri("/thread")) + " after: " + MDC.get("who")
						+ LocaleContextHolder.getLocale();
			}
			finally {
				MDC.clear();
				LocaleContextHolder.resetLocaleContext();
			}
		});
		all.put("any method", (client, base) -> show(client.method(HttpMethod.valueOf("PURGE")).uri("/seen/x")));
	}

}
