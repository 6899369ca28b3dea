package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.Applications;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import io.netty.handler.timeout.ReadTimeoutException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.client.MultipartBodyBuilder;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Exchanges of {@code WebClient} behave as its requests over HTTP, on each path. */
@Timeout(300)
class ReactiveExchangeTests {

	private static final int ATTEMPTS = 3;

	private static final Duration READ_TIMEOUT = Duration.ofSeconds(20);

	@RegisterExtension
	final Applications applications = new Applications();

	/** HTTP libraries below {@code WebClient}. */
	enum Library {

		JDK("jdk"), NETTY("reactor");

		private final String connector;

		Library(String connector) {
			this.connector = connector;
		}

		ClientHttpConnectorBuilder<?> builder() {
			return (this == JDK) ? ClientHttpConnectorBuilder.jdk() : ClientHttpConnectorBuilder.reactor();
		}

		Class<? extends Throwable> timeout() {
			return (this == JDK) ? HttpTimeoutException.class : ReadTimeoutException.class;
		}

	}

	private Exchanges sent;

	private String base;

	/** Starts a server, and a client whose exchanges take a path. */
	private WebClient connected(String path, Duration timeout) {
		return connected(Library.JDK, path, timeout);
	}

	private WebClient connected(Library library, String path, Duration timeout) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, path, "default");
		this.base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.client(path, "jdk", library.connector);
		this.sent = client.getBean(Exchanges.class);
		ClientHttpConnectorBuilder<?> builder = client.getBean(ClientHttpConnectorBuilder.class);
		WebClient patient = client(builder, READ_TIMEOUT);
		await("time to connect", () -> {
			assertThat(patient.get().uri("/text").retrieve().bodyToMono(String.class).block()).isEqualTo("héllo");
			return calls(path) > 0;
		});
		return client(builder, timeout);
	}

	private WebClient client(ClientHttpConnectorBuilder<?> builder, Duration timeout) {
		return WebClient.builder()
			.baseUrl(this.base)
			.codecs((codecs) -> codecs.defaultCodecs().maxInMemorySize(32 << 20))
			.clientConnector(builder.build(HttpClientSettings.defaults().withReadTimeout(timeout)))
			.build();
	}

	@TestFactory
	Stream<DynamicTest> direct() {
		return compared(Library.JDK, "direct");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> shm() {
		return compared(Library.JDK, "shm");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> uds() {
		return compared(Library.JDK, "uds");
	}

	@Tag("deep")
	@TestFactory
	Stream<DynamicTest> nettyOverDirect() {
		return compared(Library.NETTY, "direct");
	}

	@TestFactory
	Stream<DynamicTest> nettyOverShm() {
		return compared(Library.NETTY, "shm");
	}

	/** They go over HTTP. */
	@TestFactory
	Stream<DynamicTest> whatTheLibraryWritesItself() {
		return whatItWrites(Library.JDK);
	}

	@TestFactory
	Stream<DynamicTest> whatNettyWritesItself() {
		return whatItWrites(Library.NETTY);
	}

	private Stream<DynamicTest> whatItWrites(Library library) {
		WebClient exchanges = connected(library, "shm", READ_TIMEOUT);
		WebClient plain = client(library.builder(), READ_TIMEOUT);
		Map<String, Function<WebClient, String>> all = new LinkedHashMap<>();
		for (String name : List.of("Transfer-Encoding", "TE", "Trailer", "Keep-Alive", "Proxy-Connection", "Upgrade",
				"Connection", "Host")) {
			all.put(name, (client) -> show(client.get().uri("/seen/x").header(name, "trailers")));
			all.put(name + " with a body",
					(client) -> show(client.post().uri("/seen/x").header(name, "chunked").bodyValue(Map.of("a", 1))));
		}
		all.put("a URI beyond ASCII", (client) -> show(client.get().uri(URI.create(this.base + "/seen/ä?q=ö"))));
		all.put("an empty query", (client) -> show(client.get().uri(URI.create(this.base + "/seen/x?"))));
		all.put("a value beyond ASCII", (client) -> show(client.get().uri("/seen/x").header("X-A", "ü")));
		all.put("a length that is too short",
				(client) -> show(client.post().uri("/count").header("Content-Length", "5").bodyValue("x".repeat(9))));
		all.put("a length that is too long",
				(client) -> show(client.post().uri("/count").header("Content-Length", "15").bodyValue("x".repeat(9))));
		// Last, because the server takes the next request on the connection for the body.
		all.put("a length without a body", (client) -> show(client.get().uri("/seen/x").header("Content-Length", "5")));
		return all.entrySet()
			.stream()
			.map((each) -> DynamicTest.dynamicTest(each.getKey(),
					() -> assertThat(observe(each.getValue(), exchanges)).isEqualTo(observe(each.getValue(), plain))));
	}

	private Stream<DynamicTest> compared(Library library, String path) {
		WebClient exchanges = connected(library, path, READ_TIMEOUT);
		WebClient plain = client(library.builder(), READ_TIMEOUT);
		Map<String, Function<WebClient, String>> behaviours = behaviours(library);
		long before = calls(path);
		long beforeHttp = calls("http");
		List<DynamicTest> tests = new ArrayList<>();
		behaviours.forEach((name, behaviour) -> tests.add(DynamicTest.dynamicTest(name, () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				assertThat(observe(behaviour, exchanges)).as("attempt %d", i).isEqualTo(observe(behaviour, plain));
			}
		})));
		tests.add(DynamicTest.dynamicTest("went over the path", () -> {
			assertThat(calls(path) - before).isGreaterThan((ATTEMPTS - 1L) * behaviours.size());
			assertThat(calls("http") - beforeHttp).isLessThan(20);
		}));
		return tests.stream();
	}

	@ParameterizedTest
	@InTurn(value = { "JDK,direct", "JDK,shm", "NETTY,shm", "NETTY,direct" }, rows = 2)
	void aClientThatWaitsTooLongGetsATimeOut(Library library, String path) {
		WebClient hurried = connected(library, path, Duration.ofMillis(300));
		for (int i = 0; i < ATTEMPTS; i++) {
			assertThatExceptionOfType(WebClientRequestException.class)
				.isThrownBy(() -> hurried.get().uri("/slow?ms=5000").retrieve().bodyToMono(String.class).block())
				.withCauseInstanceOf(library.timeout());
		}
	}

	/** As the JDK's client counts it. */
	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void aBodyThatTakesTooLongIsAbandoned(String path) {
		WebClient hurried = connected(path, Duration.ofMillis(300));
		for (int i = 0; i < ATTEMPTS; i++) {
			assertThatExceptionOfType(WebClientRequestException.class)
				.isThrownBy(() -> hurried.post()
					.uri("/count")
					.contentType(MediaType.APPLICATION_OCTET_STREAM)
					.body(Flux.never(), DataBuffer.class)
					.retrieve()
					.bodyToMono(String.class)
					.block())
				.withCauseInstanceOf(HttpTimeoutException.class);
		}
	}

	@ParameterizedTest
	@InTurn(value = { "JDK,direct", "JDK,shm", "NETTY,shm", "NETTY,direct" }, rows = 2)
	void aResponseIsReadAsItIsRequested(Library library, String path) {
		WebClient exchanges = connected(library, path, READ_TIMEOUT);
		AtomicInteger seen = new AtomicInteger();
		BaseSubscriber<DataBuffer> reader = new BaseSubscriber<>() {

			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				subscription.request(2);
			}

			@Override
			protected void hookOnNext(DataBuffer buffer) {
				DataBufferUtils.release(buffer);
				seen.incrementAndGet();
			}

		};
		exchanges.get()
			.uri("/stream?mb=64")
			.exchangeToFlux((response) -> response.bodyToFlux(DataBuffer.class))
			.subscribe(reader);
		await("two buffers", () -> seen.get() == 2);
		assertThat(written(exchanges)).endsWith("running");
		assertThat(Long.parseLong(written(exchanges).split(" ", -1)[0])).isLessThan(16L << 20);
		assertThat(seen).hasValue(2);
		reader.cancel();
		await("the server's failure", () -> written(exchanges).endsWith("failed"));
	}

	private static String written(WebClient client) {
		return String.valueOf(client.get().uri("/written").retrieve().bodyToMono(String.class).block());
	}

	/** More than there are permits. */
	@Test
	void aCancelledRequestGivesItsThreadBack() {
		WebClient exchanges = connected("shm", READ_TIMEOUT);
		for (int i = 0; i < ExchangeThreads.MAX_EXCHANGES + 20; i++) {
			assertThat(exchanges.get()
				.uri("/bytes?kb=2000")
				.exchangeToFlux((response) -> response.bodyToFlux(DataBuffer.class))
				.doOnNext(DataBufferUtils::release)
				.take(1)
				.count()
				.block()).isEqualTo(1);
		}
		long before = calls("shm");
		await("an exchange over the path", () -> {
			assertThat(exchanges.get().uri("/text").retrieve().bodyToMono(String.class).block()).isEqualTo("héllo");
			return calls("shm") > before + 5;
		});
	}

	@Test
	void moreRequestsThanThereAreThreadsGoOverHttp() {
		WebClient exchanges = connected("shm", READ_TIMEOUT);
		long before = calls("http");
		int count = ExchangeThreads.MAX_EXCHANGES + 40;
		assertThat(Flux.range(0, count)
			.flatMap((i) -> exchanges.get().uri("/together?count=" + count).retrieve().bodyToMono(String.class), count)
			.distinct()
			.collectList()
			.block()).containsExactly("together");
		assertThat(calls("http") - before).isGreaterThanOrEqualTo(40);
	}

	/** The server responds at once, and reads nothing. */
	@Test
	void aPublisherIsCancelledOnceTheServerHasResponded() {
		WebClient exchanges = connected("shm", READ_TIMEOUT);
		AtomicBoolean cancelled = new AtomicBoolean();
		Flux<DataBuffer> endless = Flux.<DataBuffer>generate((sink) -> sink.next(buffer(100_000)))
			.doOnCancel(() -> cancelled.set(true));
		assertThat(exchanges.post()
			.uri("/reject")
			.contentType(MediaType.APPLICATION_OCTET_STREAM)
			.body(endless, DataBuffer.class)
			.exchangeToMono((response) -> Mono.just(response.statusCode().value()))
			.block()).isEqualTo(413);
		await("the publisher's end", cancelled::get);
	}

	/** The JDK's client follows redirects and does not report them to its connector. */
	@Test
	void theAnnouncementOfARedirectsTargetIsNotThatOfTheServer() throws IOException {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "uds", "default");
		this.base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		HttpServer redirecting = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
		redirecting.createContext("/", (exchange) -> {
			exchange.getResponseHeaders().set("Location", this.base + exchange.getRequestURI());
			exchange.sendResponseHeaders(302, -1);
			exchange.close();
		});
		redirecting.start();
		try {
			ConfigurableApplicationContext client = this.applications
				.start(ExchangeBehaviourTests.ClientApplication.class,
						Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.peers", "localhost",
								"vicinal.http-exchanges.paths", "uds", "spring.http.clients.reactive.connector",
								"jdk"));
			this.sent = client.getBean(Exchanges.class);
			WebClient requests = client(client.getBean(ClientHttpConnectorBuilder.class), READ_TIMEOUT);
			String redirectingUrl = "http://localhost:" + redirecting.getAddress().getPort();
			Function<String, String> text = (url) -> String
				.valueOf(requests.get().uri(url + "/text").retrieve().bodyToMono(String.class).block());
			for (int i = 0; i < 10; i++) {
				assertThat(text.apply(redirectingUrl)).isEqualTo("héllo");
			}
			await("time to connect", () -> {
				assertThat(text.apply(this.base)).isEqualTo("héllo");
				return calls("uds") > 0;
			});
			for (int i = 0; i < 10; i++) {
				assertThat(text.apply(redirectingUrl)).isEqualTo("héllo");
			}
			assertThat(this.sent.report().peers()).hasSize(2)
				.filteredOn((peer) -> redirectingUrl.endsWith(peer.address()))
				.singleElement()
				.extracting(PeerReport::path)
				.isEqualTo("http");
		}
		finally {
			redirecting.stop(0);
		}
	}

	private static Map<String, Function<WebClient, String>> behaviours(Library library) {
		Map<String, Function<WebClient, String>> all = new LinkedHashMap<>();
		requests(library, all);
		bodies(all);
		responses(all);
		return all;
	}

	private static void requests(Library library, Map<String, Function<WebClient, String>> all) {
		all.put("text", (client) -> show(client.get().uri("/text")));
		all.put("headers and cookies",
				(client) -> show(client.get()
					.uri("/seen/x?q=1&ü={v}", "ü x")
					.header("X-Trace", "t", "u")
					.cookie("a", "b")
					.cookie("c", "d")));
		all.put("POST without body", (client) -> show(client.post().uri("/seen/x")));
		all.put("DELETE", (client) -> show(client.delete().uri("/seen/x")));
		all.put("JSON", (client) -> show(client.post().uri("/seen/x").bodyValue(Map.of("a", 1))));
		all.put("unknown path", (client) -> show(client.get().uri("/none").accept(MediaType.APPLICATION_JSON)));
		all.put("HEAD", (client) -> show(client.head().uri("/text")));
		all.put("HEAD of much", (client) -> show(client.head().uri("/bytes?kb=2000")));
		all.put("header of 10 KB", (client) -> show(client.get().uri("/text").header("X-Long", "x".repeat(10_000))));
		all.put("header that the library refuses",
				(client) -> show(client.get().uri("/text").header("Expect", "100-continue")));
		all.put("value that the library refuses", (client) -> show(client.get().uri("/text").header("X-A", "a\nb: c")));
		all.put("native request",
				(client) -> show(client.get()
					.uri("/text")
					.httpRequest((request) -> assertThat(request.<Object>getNativeRequest())
						.isInstanceOf((library == Library.JDK) ? java.net.http.HttpRequest.class
								: reactor.netty.http.client.HttpClientRequest.class))));
	}

	private static void bodies(Map<String, Function<WebClient, String>> all) {
		all.put("object", (client) -> show(client.post().uri("/orders").bodyValue(ShopApplication.Order.sample())));
		all.put("empty body", (client) -> show(count(client).body(Mono.empty(), String.class)));
		all.put("no body", (client) -> show(client.post().uri("/count")));
		all.put("bytes in many buffers",
				(client) -> show(count(client).body(Flux.range(0, 900).map((i) -> buffer(8000)), DataBuffer.class)));
		all.put("bytes of known length", (client) -> show(count(client).contentLength(900 * 800)
			.body(Flux.range(0, 900).map((i) -> buffer(800)), DataBuffer.class)));
		all.put("bytes that come slowly", (client) -> show(count(client)
			.body(Flux.interval(Duration.ofMillis(20)).take(5).map((i) -> buffer(100)), DataBuffer.class)));
		all.put("JSON lines",
				(client) -> show(client.post()
					.uri("/count")
					.contentType(MediaType.APPLICATION_NDJSON)
					.body(Flux.range(0, 50).map((i) -> Map.of("i", i)), Map.class)));
		all.put("body that fails", (client) -> show(count(client)
			.body(Flux.just(buffer(10)).concatWith(Flux.error(new IllegalStateException("oops"))), DataBuffer.class)));
		all.put("body that fails at once",
				(client) -> show(count(client).body(Mono.error(new IllegalStateException("oops")), DataBuffer.class)));
		all.put("form", (client) -> show(
				client.post().uri("/form").body(BodyInserters.fromFormData("a", "ü b").with("a", "2").with("b", ""))));
		all.put("multipart", (client) -> {
			MultipartBodyBuilder parts = new MultipartBodyBuilder();
			parts.part("name", "name");
			parts.part("file", new ByteArrayResource(new byte[700_000])).filename("f.bin");
			return show(client.post().uri("/upload").bodyValue(parts.build()));
		});
		all.put("1 MB that comes back",
				(client) -> show(client.post()
					.uri("/mirror")
					.contentType(MediaType.APPLICATION_OCTET_STREAM)
					.bodyValue(new byte[1 << 20])));
		all.put("body that is not read", (client) -> show(client.post().uri("/reject").bodyValue(new byte[10_000])));
	}

	private static void responses(Map<String, Function<WebClient, String>> all) {
		all.put("no content", (client) -> show(client.get().uri("/nothing")));
		all.put("not modified", (client) -> show(client.get().uri("/etag").header("If-None-Match", "\"v1\"")));
		all.put("odd headers", (client) -> show(client.get().uri("/oddheader")));
		all.put("cookies", (client) -> show(client.get().uri("/cookie").cookie("taste", "sour")));
		all.put("session", (client) -> show(client.get().uri("/session")));
		all.put("exception", (client) -> show(client.get().uri("/fail").accept(MediaType.APPLICATION_JSON)));
		all.put("status exception", (client) -> show(client.get().uri("/teapot").accept(MediaType.APPLICATION_JSON)));
		all.put("deferred", (client) -> show(client.get().uri("/deferred?ms=30")));
		all.put("slow", (client) -> show(client.get().uri("/slow?ms=700")));
		all.put("5 MB", (client) -> show(client.get().uri("/bytes?kb=5000")));
		all.put("stream of 5 MB", (client) -> show(client.get().uri("/stream?mb=5")));
		all.put("fails in the middle", (client) -> {
			try {
				return show(client.get().uri("/broken"));
			}
			catch (RuntimeException ex) {
				return "failed";
			}
		});
		for (int kilobytes : new int[] { 1, 2, 2000, 2001 }) {
			all.put("compressed by the handler, " + kilobytes + " KB",
					(client) -> show(client.get().uri("/zipped?kb=" + kilobytes)));
		}
		all.put("HEAD of what the handler compresses", (client) -> show(client.head().uri("/zipped?kb=2")));
		all.put("redirect", (client) -> show(client.get().uri("/redirect")));
		all.put("redirect to nowhere", (client) -> show(client.get().uri("/status?code=302")));
		all.put("permanent redirect", (client) -> show(client.get().uri("/redirect?status=308")));
		all.put("redirect of POST",
				(client) -> show(client.post().uri("/redirect?status=307").bodyValue(Map.of("a", 1))));
		all.put("redirect of POST to GET",
				(client) -> withoutHeaders(show(client.post().uri("/redirect?status=303").bodyValue(Map.of("a", 1)))));
		all.put("server-sent events",
				(client) -> String.valueOf(client.get()
					.uri("/sse")
					.retrieve()
					.bodyToFlux(ServerSentEvent.class)
					.map((event) -> event.id() + event.data())
					.collectList()
					.block()));
		all.put("events come as they are sent",
				(client) -> String.valueOf(client.get()
					.uri("/gated")
					.retrieve()
					.bodyToFlux(String.class)
					.concatMap((event) -> event.equals("first")
							? client.get().uri("/open").retrieve().bodyToMono(String.class).map((opened) -> event)
							: Mono.just(event))
					.collectList()
					.block()));
		all.put("only some of the body",
				(client) -> client.get()
					.uri("/text")
					.exchangeToFlux((response) -> response.bodyToFlux(DataBuffer.class))
					.doOnNext(DataBufferUtils::release)
					.take(1)
					.count()
					.block() + " part");
	}

	/** Only the connector says of a request of GET that it has no body. */
	private static String withoutHeaders(String shown) {
		return shown.replaceAll("\"headers\":\\{[^}]*}", "").replaceAll("\"length\":(0|-1)", "");
	}

	private static WebClient.RequestBodySpec count(WebClient client) {
		return client.post().uri("/count").contentType(MediaType.APPLICATION_OCTET_STREAM);
	}

	private static DataBuffer buffer(int size) {
		return DefaultDataBufferFactory.sharedInstance.wrap(new byte[size]);
	}

	private static String show(WebClient.RequestHeadersSpec<?> spec) {
		return spec
			.exchangeToMono((response) -> response.bodyToMono(byte[].class).defaultIfEmpty(new byte[0]).map((body) -> {
				Map<String, Object> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
				response.headers()
					.asHttpHeaders()
					.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
				headers.keySet().removeAll(List.of("connection", "keep-alive", "vicinal-peer", "date"));
				String text = (body.length > 1500) ? body.length + " bytes" : new String(body, StandardCharsets.UTF_8);
				boolean mayChange = ExchangeDetailTests.mayChange(response.headers().asHttpHeaders());
				return (response.statusCode().value() + " " + headers + (mayChange ? " may change " : " ")
						+ response.cookies() + " " + text)
					.replaceAll("timestamp\":\"[^\"]*", "timestamp\":\"T")
					.replaceAll("=[0-9A-F]{32}", "=ID")
					.replaceAll("\"(connection|upgrade|http2-settings)\":\"[^\"]*\",?", "")
					.replaceAll("content-length=\\[\\d+], (content-type=\\[application/json]} \\{[^{]*\\{\"async)",
							"$1");
			}))
			.block();
	}

	private static String observe(Function<WebClient, String> behaviour, WebClient client) {
		try {
			return behaviour.apply(client);
		}
		catch (RuntimeException ex) {
			return "threw " + ex.getClass().getName() + " by "
					+ ((ex.getCause() != null) ? ex.getCause().getClass().getName() : "nothing");
		}
	}

	private void await(String what, BooleanSupplier condition) {
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("%s; report: %s", what, this.sent.report()).isLessThan(end);
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
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
