package io.github.vicinal.boot.exchange;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.converter.HttpMessageConversionException;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Exchanges and requests over HTTP to the letter: names of fields as they are spelled,
 * texts of statuses, messages of exceptions, odd paths, statuses and fields.
 */
@Timeout(300)
class ExactExchangeTests {

	private static final int ATTEMPTS = 3;

	/**
	 * Of Reactor Netty's fields, Spring lists each spelling of a name, with all values.
	 */
	private static final String LISTED_TWICE = ", x-mixed-case=[1, 2, 3]";

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@TempDir
	Path files;

	@TestFactory
	Stream<DynamicTest> ofApache() throws IOException {
		return compared("direct", "http-components");
	}

	@TestFactory
	Stream<DynamicTest> ofTheJdk() throws IOException {
		return compared("direct", "jdk");
	}

	@TestFactory
	Stream<DynamicTest> ofUrlConnection() throws IOException {
		return compared("shm", "simple");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> ofReactor() throws IOException {
		return compared("direct", "reactor");
	}

	/** Makes a request, and describes what came of it. */
	@FunctionalInterface
	interface Exchange extends BiFunction<RestClient, String, String> {

	}

	private Stream<DynamicTest> compared(String path, String library) throws IOException {
		Files.writeString(this.files.resolve("static.txt"), "0123456789".repeat(50), StandardCharsets.US_ASCII);
		ConfigurableApplicationContext server = this.applications.start(ExactApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate",
						"spring.web.resources.static-locations", this.files.toUri().toString(),
						"spring.web.resources.cache.period", "7s"));
		ConfigurableApplicationContext client = this.applications.client(path, library);
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = overHttp(library, base);
		Exchanges sent = client.getBean(Exchanges.class);
		Map<String, Exchange> all = all(library);
		List<DynamicTest> tests = new ArrayList<>();
		tests.add(DynamicTest.dynamicTest("is connected", () -> ExchangeBehaviourTests.connect(exchanges, sent, path)));
		all.forEach((name, exchange) -> tests.add(DynamicTest.dynamicTest(name, () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				String expected = normal(name, observe(exchange, plain, base)).replace(LISTED_TWICE, "");
				String observed = normal(name, observe(exchange, exchanges, base)).replace(LISTED_TWICE, "");
				if (!observed.equals(expected)
						&& !isRightToo(name, observed, () -> normal(name, observe(exchange, plain, base)))) {
					assertThat(observed).as("attempt %d", i).isEqualTo(expected);
				}
			}
		})));
		tests.add(DynamicTest.dynamicTest("went over the path",
				() -> assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThan(all.size())));
		return tests.stream();
	}

	/**
	 * Returns what was observed, without what a web server does differently each time.
	 * @param name name of the exchange
	 * @param observed what came of it
	 */
	String normal(String name, String observed) {
		return observed;
	}

	/**
	 * Returns whether a web server may do what was observed, although it has done
	 * something else over HTTP.
	 * @param name name of the exchange
	 * @param observed what an exchange has shown
	 * @param overHttp does the same over HTTP again
	 */
	boolean isRightToo(String name, String observed, Supplier<String> overHttp) {
		return false;
	}

	private RestClient overHttp(String library, String base) {
		return this.applications.start(ExchangeBehaviourTests.ClientApplication.class,
				Map.of("spring.main.web-application-type", "none", "vicinal.enabled", "false",
						"spring.http.clients.imperative.factory", library, "spring.http.clients.read-timeout", "20s"))
			.getBean(RestClient.Builder.class)
			.baseUrl(base)
			.build();
	}

	private static String observe(Exchange exchange, RestClient client, String base) {
		try {
			return exchange.apply(client, base).replace(base, "http://base");
		}
		catch (RestClientException | IllegalArgumentException | HttpMessageConversionException ex) {
			return "threw " + ex.getClass().getName() + " by "
					+ ((ex.getCause() != null) ? ex.getCause().getClass().getName() : "nothing");
		}
	}

	private static Map<String, Exchange> all(String library) {
		Map<String, Exchange> all = new LinkedHashMap<>();
		requests(all, library);
		paths(all);
		statuses(all);
		responses(all, library);
		resources(all);
		return all;
	}

	private static Exchange get(String uri) {
		return (client, base) -> show(client.get().uri(URI.create(base + uri)));
	}

	private static Exchange get(String uri, String name, String... values) {
		return (client, base) -> show(client.get().uri(URI.create(base + uri)).header(name, values));
	}

	private static void requests(Map<String, Exchange> all, String library) {
		all.put("names", get("/names", "x-lOWER-Upper", "1"));
		all.put("names of POST", (client, base) -> show(client.post().uri("/names").body(Map.of("a", 1))));
		all.put("names in a map", get("/map", "X-One", "1"));
		all.put("values", get("/values", "X-A", "1", "", "a\tb", "  c  ", "a, b"));
		all.put("an empty value", get("/values", "X-A", ""));
		all.put("facts", get("/facts/x?a=1&a=2&b"));
		all.put("facts of POST",
				(client, base) -> show(client.post()
					.uri("/facts")
					.contentType(MediaType.parseMediaType("text/plain;charset=ISO-8859-1"))
					.body("text")));
		all.put("locales", get("/facts", "Accept-Language", "fr;q=0.3, de, *;q=0.1", "en;q=junk"));
		for (String cookie : List.of("a=b", "a=b; c=\"d e\"", "a=\"\"", "a", "=b", "a=b;c", "$Version=1; a=b; $Path=/",
				"a=b, c=d", "a=%20; a=2", "JSESSIONID=none")) {
			all.put("cookie " + cookie, get("/cookies", "Cookie", cookie));
		}
		all.put("what is accepted is no type", get("/text", "Accept", "junk"));
		all.put("what is accepted is not there", get("/map", "Accept", "image/png"));
		all.put("credentials that are none", get("/text", "Authorization", "junk"));
		all.put("another method in a header",
				(client, base) -> show(client.post().uri("/facts").header("X-HTTP-Method-Override", "DELETE")));
		all.put("a connection that ends", get("/text", "Connection", "close"));
		all.put("upgrade to what is not there", get("/text", "Upgrade", "foo/2"));
		for (String method : List.of("TRACE", "PROPFIND", "PURGE", "OPTIONS", "LINK")) {
			if (!library.equals("simple") || method.equals("TRACE") || method.equals("OPTIONS")) {
				all.put("method " + method,
						(client, base) -> show(client.method(HttpMethod.valueOf(method)).uri("/facts")));
			}
		}
		all.put("a body of DELETE",
				(client, base) -> show(client.method(HttpMethod.DELETE).uri("/facts").body("some text")));
		all.put("a form by PUT",
				(client, base) -> show(client.put()
					.uri("/values?a=0")
					.contentType(MediaType.APPLICATION_FORM_URLENCODED)
					.body("a=1&a=%C3%A4&b=+&c&=d&%zz=e")));
		all.put("a form by POST",
				(client, base) -> show(client.post()
					.uri("/values?a=0")
					.contentType(MediaType.APPLICATION_FORM_URLENCODED)
					.body("a=1&a=%C3%A4&b=+&c&=d&e=%")));
		all.put("a value that is folded", get("/values", "X-A", "a\r\n b"));
		all.put("a value of two lines", get("/values", "X-A", "a\r\nX-B: b"));
		all.put("a body that is compressed", (client,
				base) -> show(client.post().uri("/facts").header("Content-Encoding", "gzip").body(compressed("text"))));
		all.put("a body that says it is compressed",
				(client, base) -> show(client.post().uri("/facts").header("Content-Encoding", "gzip").body("not so")));
		all.put("a type that is none",
				(client, base) -> show(client.post().uri("/facts").header("Content-Type", "junk").body(new byte[3])));
		all.put("multipart without a boundary", (client, base) -> show(
				client.post().uri("/upload").header("Content-Type", "multipart/form-data").body(new byte[3])));
		all.put("multipart that breaks off",
				(client, base) -> show(client.post()
					.uri("/upload")
					.header("Content-Type", "multipart/form-data; boundary=x")
					.body("--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nabc")));
	}

	private static byte[] compressed(String text) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
			out.write(text.getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private static void paths(Map<String, Exchange> all) {
		for (String path : List.of("/facts;jsessionid=abc", "/facts/;jsessionid=abc/x", "/facts;v=1;w=2/x;y",
				"/a/../facts", "/./facts", "/../facts", "/facts/", "//facts", "/facts//x", "/f%61cts", "/facts/%20",
				"/facts/%2520", "/facts/%2F", "/facts/%5C", "/facts/%3B", "/facts/%3Fx", "/facts/%2e%2e/text",
				"/%2e/facts", "/facts/%0a", "/facts/%7f", "/facts/%C3%A4", "/facts/%C3", "/facts/%FF", "/facts/a:b@c",
				"/facts/$&'()*+,=!", "/facts?", "/facts??", "/facts?a=%FF", "/facts?a=%00", "/facts?a=%C3%A4&%C3%A4=b",
				"/facts?=&&a&=b", "/facts?a=1;b=2", "/facts?a=[]", "/facts?a[]=1", "/facts?a=?/", "/facts#fragment",
				"/facts?a=b+c%2Bd")) {
			all.put("path " + path, get(path));
		}
	}

	private static void statuses(Map<String, Exchange> all) {
		for (int code : new int[] { 200, 201, 202, 203, 206, 226, 299, 300, 305, 400, 404, 418, 421, 499, 500, 503, 509,
				599, 600, 999 }) {
			all.put("status " + code, get("/code/" + code));
			all.put("status %d with a body".formatted(code), get("/code/%d?body=text".formatted(code)));
			all.put("entity of " + code, get("/entity/" + code));
			all.put("HEAD of " + code, (client, base) -> show(client.head().uri("/entity/" + code)));
			all.put("exception of " + code, (client, base) -> raised(client, "/entity/" + code));
		}
		for (int code : new int[] { 204, 205, 304 }) {
			all.put("status " + code, get("/code/" + code));
			all.put("entity of " + code, get("/entity/" + code));
			all.put("HEAD of " + code, (client, base) -> show(client.head().uri("/entity/" + code)));
		}
		for (int code : new int[] { 400, 401, 404, 409, 500, 599 }) {
			all.put("error " + code, get("/error/" + code, "Accept", "application/json"));
		}
	}

	private static void responses(Map<String, Exchange> all, String library) {
		all.put("fields", get("/fields"));
		all.put("baked cookies", get("/baked"));
		// These two refuse names that are no tokens.
		for (String name : library.equals("jdk") || library.equals("reactor")
				? List.of("X:A", "X-%E2%82%AC", "Content-Length", "Connection", "Content-Type", "Date", "Upgrade")
				: List.of("X:A", "X-%C3%A4", "X-%E2%82%AC", "(X)", "Content-Length", "Connection", "Content-Type",
						"Date", "Upgrade")) {
			all.put("a field " + name, get("/with?name=%s&value=text".formatted(name)));
		}
		for (String value : List.of("%0A", "a%0D%0AX-B:%20c", "%00", "%7F", "%E2%82%AC", "%C3%A4", "%09a%09")) {
			all.put("a value " + value, get("/with?name=X-A&value=" + value));
		}
		all.put("more than was said", get("/length?said=3&written=5"));
		all.put("nothing was said", get("/length?said=0&written=0"));
		all.put("less than nothing was said", get("/length?said=-1&written=5"));
		all.put("HEAD of what was said", (client, base) -> show(client.head().uri("/length?said=77&written=0")));
		all.put("HEAD of more", (client, base) -> show(client.head().uri("/length?said=77&written=100")));
		all.put("a response that ends the connection", get("/closes"));
		all.put("another encoding", get("/encoded"));
		all.put("a buffer", get("/buffer"));
		all.put("a reset", get("/reset"));
		all.put("a session by URL",
				(client, base) -> show(client.get().uri("/url")).replaceAll("[0-9A-F]{32}|node0[a-z0-9.]+", "ID"));
		for (String to : List.of("/text", "text", "../text", "?a=b", "//localhost/x", "http://other.invalid/", "#a",
				"/code/404?body=x")) {
			all.put("a redirect to " + to, (client, base) -> show(client.head().uri("/redirected?to={to}", to)));
		}
		for (String to : List.of("/facts/y?b=c", "/text", "/none", "/error/409", "/code/503?body=x")) {
			all.put("asynchronous dispatch to " + to, (client,
					base) -> show(client.get().uri("/dispatched?to={to}", to).accept(MediaType.APPLICATION_JSON)));
			all.put("forward to " + to, (client,
					base) -> show(client.get().uri("/forwarded?to={to}", to).accept(MediaType.APPLICATION_JSON)));
			all.put("include of " + to, (client,
					base) -> show(client.get().uri("/included?what={to}", to).accept(MediaType.APPLICATION_JSON)));
		}
	}

	private static void resources(Map<String, Exchange> all) {
		for (String uri : List.of("/resource", "/static.txt")) {
			all.put("all of " + uri, get(uri));
			all.put("HEAD of " + uri, (client, base) -> show(client.head().uri(uri)));
			for (String range : List.of("bytes=0-9", "bytes=-5", "bytes=490-", "bytes=0-1,5-6", "bytes=5000-", "junk",
					"bytes=9-0", "lines=1-2")) {
				all.put("%s of %s".formatted(range, uri), get(uri, "Range", range));
				all.put("HEAD, %s of %s".formatted(range, uri),
						(client, base) -> show(client.head().uri(uri).header("Range", range)));
			}
		}
		all.put("a file that was not changed",
				get("/static.txt", "If-Modified-Since", "Thu, 31 Dec 2099 00:00:00 GMT"));
		all.put("a file that was changed", get("/static.txt", "If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"));
		for (String method : List.of("GET", "HEAD", "POST")) {
			for (String[] condition : new String[][] { { "If-None-Match", "\"v7\"" }, { "If-None-Match", "W/\"v7\"" },
					{ "If-None-Match", "*" }, { "If-Match", "\"v8\"" }, { "If-Match", "\"v7\"" },
					{ "If-Modified-Since", "Fri, 02 Jan 2026 03:04:05 GMT" },
					{ "If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT" }, { "If-Modified-Since", "junk" } }) {
				all.put("%s, %s: %s".formatted(method, condition[0], condition[1]),
						(client, base) -> show(client.method(HttpMethod.valueOf(method))
							.uri("/validated")
							.header(condition[0], condition[1])));
			}
		}
	}

	/** Text of an exception. */
	private static String raised(RestClient client, String uri) {
		try {
			return String.valueOf(client.get().uri(uri).retrieve().body(String.class));
		}
		catch (HttpStatusCodeException ex) {
			return ex.getClass().getName() + ": " + ex.getMessage() + ", " + ex.getStatusText();
		}
		catch (RestClientException ex) {
			return ex.getClass().getName() + ": " + ex.getMessage();
		}
	}

	private static String show(RestClient.RequestHeadersSpec<?> spec) {
		String shown = spec.exchange((request, response) -> describe(response));
		return String.valueOf(shown);
	}

	private static String describe(ClientHttpResponse response) throws IOException {
		Map<String, Object> fields = new TreeMap<>();
		response.getHeaders().forEach(fields::put);
		// Those of the connection, and of Vicinal.
		fields.keySet()
			.removeIf((name) -> List.of("connection", "keep-alive", "vicinal-peer")
				.contains(name.toLowerCase(Locale.ROOT)));
		fields.replaceAll((name, values) -> name.equalsIgnoreCase("Date") && !values.toString().contains("1970") ? "now"
				: values);
		String body = new String(response.getBody().readAllBytes(), StandardCharsets.ISO_8859_1);
		String text = "%d '%s' %s %s".formatted(response.getStatusCode().value(), response.getStatusText(), fields,
				body);
		return text.replaceAll("timestamp\":\"[^\"]*", "timestamp\":\"T")
			.replaceAll("<div id='created'>[^<]*", "<div>")
			.replaceAll("boundary=[A-Za-z0-9'_-]+", "boundary=B")
			.replaceAll("\r\n--[A-Za-z0-9'_-]+", "\r\n--B")
			.replaceAll("(?i)(content-length)=\\[\\d+](?=.*boundary=B)", "$1=[some]")
			.replaceAll("\"session\":\"(?:[0-9A-F]{32}|node0[a-z0-9.]+)", "\"session\":\"ID")
			.replaceAll("JSESSIONID=(?:[0-9A-F]{32}|node0[a-z0-9.]+)", "JSESSIONID=ID");
	}

}
