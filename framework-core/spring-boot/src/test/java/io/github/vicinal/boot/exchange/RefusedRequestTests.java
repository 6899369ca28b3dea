package io.github.vicinal.boot.exchange;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.exchange.ExchangeMessage;
import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.Begin;
import io.github.vicinal.exchange.ExchangeMessage.End;
import io.github.vicinal.exchange.ExchangeMessage.Pull;
import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ResponseHead;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A request that a web server refuses over TCP is refused as an exchange, too. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class RefusedRequestTests {

	static final int REFUSED = 400;

	private static final String[] METHODS = { "GET", "POST", "GE T", "P(T", "", "CONNECT", "get", "G\u0001T", "PÄT" };

	private static final String[] TARGETS = { "/text", "/te xt", "/text?x=\u0000", "*", "text", "/text#f", "/a\\b",
			"/text?a={b}", "/text?a=\"", "/%2e%2e/text", "/t\u00e4xt", "/text?q=a|b", "/te\txt", "//text", "/a<b>" };

	private static final String[] NAMES = { "X-A", "X A", "X:A", "", "X\u00e4", "X-A ", " X-A", "X\tA", "X@A" };

	private static final String[] VALUES = { "a", "", "a\tb", "\u0001", "\u007f", "ä", "a\u0000b", "x".repeat(9000) };

	private static final String[] HOSTS = { "localhost", "localhost:8080", "a b", "localhost:99999", "", "[::1]",
			"[::1", "a,b", "user@localhost", "lo/cal" };

	private static final String[] LENGTHS = { "0", "-1", "+0", "0x0", "0,0", "", " 0", "99999999999999999999" };

	private static final String[] ENCODINGS = { "identity", "gzip, chunked", "chunked, chunked", "x", "" };

	private static final String[] EXPECTATIONS = { "100-continue", "200-ok" };

	private ConfigurableApplicationContext context;

	private ExchangeService service;

	private int port;

	private String ticket = "";

	@BeforeAll
	void start() throws IOException {
		SpringApplication application = new SpringApplication(ShopApplication.class);
		application.setDefaultProperties(
				Map.of("server.port", "0", "spring.main.banner-mode", "off", "vicinal.server.paths", "direct"));
		this.context = application.run();
		this.port = Integer.parseInt(String.valueOf(this.context.getEnvironment().getProperty("local.server.port")));
		this.service = this.context.getBean(ExchangeService.class);
		String announced = header(
				send("GET", "/text", List.of("Host", "localhost", PeerAnnouncement.REQUEST_HEADER,
						HttpExchanges.contract().name(), PeerAnnouncement.SENT_HEADERS_HEADER, "host")),
				PeerAnnouncement.HEADER);
		try {
			this.ticket = PeerAnnouncement.parse(announced).ticket();
		}
		catch (PeerAnnouncement.MalformedAnnouncementException ex) {
			throw new IOException(ex);
		}
		assertThat(this.ticket).isNotEmpty();
	}

	@AfterAll
	void stop() {
		this.context.close();
	}

	private static String header(List<String> response, String name) {
		return response.stream()
			.filter((line) -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
			.map((line) -> line.substring(name.length() + 1).strip())
			.findFirst()
			.orElse("");
	}

	/** Sends a request over TCP as it is, and returns the lines of the response. */
	private List<String> send(String method, String target, List<String> fields) throws IOException {
		StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
		for (int i = 0; i < fields.size(); i += 2) {
			request.append(fields.get(i)).append(": ").append(fields.get(i + 1)).append("\r\n");
		}
		request.append("Connection: close\r\n\r\n");
		List<String> lines = new ArrayList<>();
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
			socket.shutdownOutput();
			BufferedReader reader = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
			String line = reader.readLine();
			while (line != null) {
				lines.add(line);
				line = reader.readLine();
			}
		}
		catch (java.net.SocketException ex) {
			// Closed by the server while it had more to read: as good as refused.
			return List.of("HTTP/1.1 400");
		}
		return lines;
	}

	final int statusByTcp(String method, String target, List<String> fields) throws IOException {
		List<String> lines = send(method, target, fields);
		return lines.isEmpty() ? REFUSED : Integer.parseInt(lines.get(0).split(" ", -1)[1]);
	}

	final int status(String method, String target, List<String> fields) {
		try {
			return executed(method, target, fields);
		}
		catch (HttpRequiredException ex) {
			return leftToHttp(ex);
		}
	}

	/** Returns the status of a request that the client has to send over HTTP. */
	int leftToHttp(HttpRequiredException reason) {
		throw reason;
	}

	private int executed(String method, String target, List<String> fields) {
		HttpFields.Builder builder = HttpFields.builder();
		for (int i = 0; i < fields.size(); i += 2) {
			builder.add(fields.get(i), fields.get(i + 1));
		}
		ResponseHead head = answered(
				new Begin(new RequestHead(method, target, builder.build()), ByteBuffer.allocate(0), true))
			.head();
		return Objects.requireNonNull(head).status();
	}

	/** Returns the answer that has the head of the response. */
	private Answer answered(Begin begin) {
		Answer answer = call("begin", begin);
		while (answer.head() == null) {
			assertThat(answer.end()).isEqualTo(End.OPEN);
			answer = call("pull", new Pull(answer.exchange()));
		}
		return answer;
	}

	private Answer call(String name, ExchangeMessage message) {
		ContractMethod method = HttpExchanges.contract()
			.methods()
			.stream()
			.filter((each) -> each.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
		Reply reply = this.service.invoke(new CallFrame(HttpExchanges.contract(), method, new Object[] { message },
				CallFrame.NO_DEADLINE, new HashMap<>(Map.of(PeerAnnouncement.TICKET_HEADER, this.ticket))));
		return (Answer) ((Reply.Value) reply).body();
	}

	/** A request, mostly wrong in one or two places. */
	record Crafted(String method, String target, List<String> fields) {
	}

	Crafted requests(Gen gen) {
		String method = (gen.integer(0, 4) == 0) ? gen.one(METHODS) : "GET";
		String target = (gen.integer(0, 3) == 0) ? gen.one(TARGETS) : "/text";
		List<String> fields = new ArrayList<>();
		int hosts = (gen.integer(0, 5) == 0) ? gen.integer(0, 2) : 1;
		for (int i = 0; i < hosts; i++) {
			fields.addAll(List.of("Host", (gen.integer(0, 3) == 0) ? gen.one(HOSTS) : "localhost"));
		}
		if (gen.integer(0, 3) == 0) {
			fields.addAll(List.of(gen.one(NAMES), gen.one(VALUES)));
		}
		if (gen.integer(0, 4) == 0) {
			fields.addAll(List.of("Content-Length", gen.one(LENGTHS)));
		}
		if (gen.integer(0, 9) == 0) {
			fields.addAll(List.of("Content-Length", gen.one(LENGTHS)));
		}
		if (gen.integer(0, 6) == 0) {
			fields.addAll(List.of("Transfer-Encoding", gen.one(ENCODINGS)));
		}
		if (gen.integer(0, 9) == 0) {
			fields.addAll(List.of("Expect", gen.one(EXPECTATIONS)));
		}
		return new Crafted(method, target, fields);
	}

	@Property(tries = 1500)
	void requestsThatTcpRefusesAreRefused(@ForAll("requests") Crafted request) throws IOException {
		int expected = statusByTcp(request.method(), request.target(), request.fields());
		int got = status(request.method(), request.target(), request.fields());
		if (expected >= REFUSED) {
			assertThat(got).as("%s by TCP: %d", request, expected).isGreaterThanOrEqualTo(REFUSED);
		}
	}

	@Test
	void lineEndsAreRefused() {
		assertThat(status("GET", "/text", List.of("Host", "localhost", "X-A", "a\r\nX-B: b"))).isEqualTo(REFUSED);
		assertThat(status("GET", "/text", List.of("Host", "localhost", "X-A\r\nX-B", "b"))).isEqualTo(REFUSED);
		assertThat(status("GET", "/text HTTP/1.1\r\nX-A: b", List.of("Host", "localhost"))).isEqualTo(REFUSED);
		assertThat(status("GET /other HTTP/1.1\r\nX: ", "/text", List.of("Host", "localhost"))).isEqualTo(REFUSED);
	}

	@Test
	void twoWaysToSayTheLengthAreRefused() {
		assertThat(status("POST", "/count",
				List.of("Host", "localhost", "Content-Length", "0", "Transfer-Encoding", "chunked")))
			.isEqualTo(REFUSED);
		assertThat(status("POST", "/count", List.of("Host", "localhost", "Content-Length", "0", "content-length", "0")))
			.isEqualTo(REFUSED);
	}

	/** Equal ones, too: the oracle is the web server. */
	@ParameterizedTest
	@ValueSource(strings = { "0 0", "0 5", "5 0", "3 3" })
	void severalLengthsAreRefused(String lengths) throws IOException {
		List<String> fields = new ArrayList<>(List.of("Host", "localhost"));
		for (String length : lengths.split(" ", -1)) {
			fields.addAll(List.of("Content-Length", length));
		}
		assertThat(statusByTcp("POST", "/count", fields)).isEqualTo(REFUSED);
		assertThat(status("POST", "/count", fields)).isEqualTo(REFUSED);
	}

	/** By a socket, the rest would be the next request. */
	@Test
	void aBodyThatIsLongerThanItsLengthIsReadToItsLength() {
		HttpFields fields = HttpFields.builder().add("Host", "localhost").add("Content-Length", "3").build();
		Answer answer = answered(new Begin(new RequestHead("POST", "/count", fields),
				ByteBuffer.wrap("abcGET /text HTTP/1.1".getBytes(StandardCharsets.US_ASCII)), true));
		assertThat(Objects.requireNonNull(answer.head()).status()).isEqualTo(200);
		StringBuilder body = new StringBuilder();
		while (answer.end() == End.OPEN) {
			body.append(StandardCharsets.US_ASCII.decode(answer.body()));
			answer = call("pull", new Pull(answer.exchange()));
		}
		assertThat(body.append(StandardCharsets.US_ASCII.decode(answer.body()))).contains("\"count\":3,");
	}

	@Test
	void aBodyThatIsShorterThanItsLengthFails() {
		assertThat(status("POST", "/count", List.of("Host", "localhost", "Content-Length", "5")))
			.isGreaterThanOrEqualTo(REFUSED);
	}

	@Test
	void goodRequestsAreServed() {
		assertThat(status("GET", "/text", List.of("Host", "localhost"))).isEqualTo(200);
		assertThat(status("POST", "/count", List.of("Host", "localhost", "Content-Length", "0"))).isEqualTo(200);
	}

	@Test
	void aStrangerHasToComeByHttp() {
		String known = this.ticket;
		this.ticket = "";
		try {
			assertThatExceptionOfType(HttpRequiredException.class)
				.isThrownBy(() -> status("GET", "/text", List.of("Host", "localhost")));
		}
		finally {
			this.ticket = known;
		}
	}

}
