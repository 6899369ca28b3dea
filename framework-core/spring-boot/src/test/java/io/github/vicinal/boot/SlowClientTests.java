package io.github.vicinal.boot;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.requestserver.RequestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.util.StreamUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.multipart.MultipartFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Clients that send or read slowly keep no permit from others. */
@Timeout(60)
class SlowClientTests {

	private static final int PERMITS = 2;

	private static final int SLOW = 4 * PERMITS;

	private static final int LARGE = 64 << 20;

	private final List<Socket> sockets = new ArrayList<>();

	private ConfigurableApplicationContext server;

	private RestClient client;

	@BeforeEach
	void start() {
		SpringApplication application = new SpringApplication(SlowApplication.class);
		application.setDefaultProperties(
				Map.of("server.port", "0", "spring.main.banner-mode", "off", "vicinal.server.requests.threads", PERMITS,
						"vicinal.server.requests.queue-capacity", "100", "server.shutdown", "immediate"));
		this.server = application.run();
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(Duration.ofSeconds(10));
		this.client = RestClient.builder().baseUrl("http://localhost:" + port()).requestFactory(requests).build();
	}

	private int port() {
		return Integer.parseInt(this.server.getEnvironment().getProperty("local.server.port"));
	}

	@AfterEach
	void stop() throws IOException {
		for (Socket socket : this.sockets) {
			socket.close();
		}
		this.server.close();
	}

	private Socket send(String text) throws IOException {
		Socket socket = new Socket("localhost", port());
		this.sockets.add(socket);
		OutputStream out = socket.getOutputStream();
		out.write(text.getBytes(StandardCharsets.ISO_8859_1));
		out.flush();
		return socket;
	}

	/** Requests that have passed the filters in front of the application's. */
	private Semaphore begun() {
		return this.server.getBean(Entrance.class).begun;
	}

	private void othersAreServed() {
		for (int i = 0; i < 10; i++) {
			assertThat(this.client.get().uri("/fast").retrieve().body(String.class)).isEqualTo("fast");
		}
	}

	private static String rest(Socket socket) throws IOException {
		InputStream in = socket.getInputStream();
		return StreamUtils.copyToString(in, StandardCharsets.ISO_8859_1);
	}

	@ParameterizedTest
	@CsvSource({ "/bytes, application/octet-stream, 0123456789, 10", "/characters, text/plain, 0123456789, 10",
			"/text, text/plain, 0123456789, 10", "/form, application/x-www-form-urlencoded, a=3456789, 3456789" })
	void uploadsThatAreSlow(String path, String type, String body, String outcome) throws Exception {
		upload(path, type, body, outcome);
	}

	@Test
	void filesThatAreSlow() throws Exception {
		upload("/file", "multipart/form-data; boundary=b",
				"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n0123456789\r\n--b--\r\n",
				"10");
	}

	private void upload(String path, String type, String body, String outcome) throws Exception {
		for (int i = 0; i < SLOW; i++) {
			send("POST %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
				.formatted(path, type, body.length(), body.substring(0, 1)));
		}
		assertThat(begun().tryAcquire(SLOW, 20, TimeUnit.SECONDS)).as("all begin").isTrue();
		othersAreServed();
		for (Socket socket : this.sockets) {
			socket.getOutputStream().write(body.substring(1).getBytes(StandardCharsets.ISO_8859_1));
			assertThat(rest(socket)).contains("200").endsWith(outcome);
		}
		await().untilAsserted(() -> assertThat(this.server.getBean(RequestServer.class).report().running()).isZero());
		othersAreServed();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/large", "/many", "/print", "/flushed" })
	void readersThatAreSlow(String path) throws Exception {
		for (int i = 0; i < SLOW; i++) {
			send("GET %s HTTP/1.0\r\nHost: a\r\nConnection: close\r\n\r\n".formatted(path));
			assertThat(begun().tryAcquire(20, TimeUnit.SECONDS)).as("request %d", i).isTrue();
		}
		othersAreServed();
		String answer = rest(this.sockets.get(0));
		assertThat(answer.substring(answer.length() - 8)).isEqualTo("x".repeat(8));
		assertThat(answer.length()).isGreaterThan(LARGE);
	}

	@Test
	void aClientThatGoesAwayGivesItsPermitBack() throws Exception {
		for (int i = 0; i < SLOW; i++) {
			send("POST /bytes HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0");
			assertThat(begun().tryAcquire(20, TimeUnit.SECONDS)).isTrue();
		}
		for (Socket socket : this.sockets) {
			socket.close();
		}
		await().untilAsserted(() -> assertThat(this.server.getBean(RequestServer.class).report().running()).isZero());
		othersAreServed();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Handlers.class, Entrance.class })
	static class SlowApplication {

	}

	static class Entrance extends OncePerRequestFilter {

		final Semaphore begun = new Semaphore(0);

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			this.begun.release();
			chain.doFilter(request, response);
		}

	}

	@RestController
	static class Handlers {

		@GetMapping("/fast")
		String fast() {
			return "fast";
		}

		@PostMapping("/bytes")
		int bytes(HttpServletRequest request) throws IOException {
			return request.getInputStream().readAllBytes().length;
		}

		@PostMapping("/characters")
		int characters(HttpServletRequest request) throws IOException {
			try (Reader reader = request.getReader()) {
				return new BufferedReader(reader).readLine().length();
			}
		}

		@PostMapping("/text")
		int text(@RequestBody String text) {
			return text.length();
		}

		@PostMapping("/file")
		long file(@RequestParam MultipartFile file) {
			return file.getSize();
		}

		@PostMapping("/form")
		String form(HttpServletRequest request) {
			return request.getParameter("a");
		}

		@GetMapping("/large")
		void large(HttpServletResponse response) throws IOException {
			response.getOutputStream().write("x".repeat(LARGE).getBytes(StandardCharsets.ISO_8859_1));
		}

		@GetMapping("/many")
		void many(HttpServletResponse response) throws IOException {
			byte[] part = "x".repeat(1000).getBytes(StandardCharsets.ISO_8859_1);
			for (int i = 0; i <= LARGE / part.length; i++) {
				response.getOutputStream().write(part);
			}
		}

		@GetMapping("/print")
		void print(HttpServletResponse response) throws IOException {
			response.setContentType(MediaType.TEXT_PLAIN_VALUE);
			String part = "x".repeat(1000);
			for (int i = 0; i <= LARGE / part.length(); i++) {
				response.getWriter().print(part);
			}
			assertThat(response.getWriter().checkError()).isFalse();
		}

		@GetMapping("/flushed")
		void flushed(HttpServletResponse response) throws IOException {
			byte[] part = "x".repeat(8000).getBytes(StandardCharsets.ISO_8859_1);
			for (int i = 0; i <= LARGE / part.length; i++) {
				response.getOutputStream().write(part);
				response.flushBuffer();
			}
		}

	}

}
