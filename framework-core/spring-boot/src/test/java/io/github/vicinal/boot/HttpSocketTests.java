package io.github.vicinal.boot;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.peer.PeerAnnouncement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Requests that typed paths cannot carry go to a peer of this host over its socket. */
@Timeout(60)
class HttpSocketTests {

	@TempDir
	private Path rendezvous;

	private ConfigurableApplicationContext server;

	private ConfigurableApplicationContext other;

	private ConfigurableApplicationContext client;

	@AfterEach
	void stop() {
		for (ConfigurableApplicationContext context : Arrays.asList(this.client, this.server, this.other)) {
			if (context != null) {
				context.close();
			}
		}
	}

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("spring.main.banner-mode", "off", "server.port", "0",
				"vicinal.rendezvous.directory", this.rendezvous.resolve("meet").toString(), "server.shutdown",
				"immediate", "management.endpoints.web.exposure.include", "*"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	private static String port(ConfigurableApplicationContext context) {
		return String.valueOf(context.getEnvironment().getProperty("local.server.port"));
	}

	private Uploads start(Map<String, Object> serverProperties, Map<String, Object> clientProperties) {
		Map<String, Object> ofServer = new TreeMap<>(Map.of("vicinal.server.http-socket", "true"));
		ofServer.putAll(serverProperties);
		this.server = start(UploadService.class, ofServer);
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.channels.uploads.http-socket", "true",
				"spring.http.serviceclient.uploads.base-url", "http://localhost:" + port(this.server)));
		all.putAll(clientProperties);
		this.client = start(UploadClient.class, all);
		return this.client.getBean(Uploads.class);
	}

	private PathReport http() {
		return this.client.getBean(ChannelsEndpoint.class)
			.channel("uploads")
			.peers()
			.get(0)
			.paths()
			.stream()
			.filter((report) -> report.path().equals("http"))
			.findFirst()
			.orElseThrow();
	}

	private Object transport() {
		return http().details().get("transport");
	}

	private static Resource file(int bytes) {
		byte[] content = new byte[bytes];
		Arrays.fill(content, (byte) 'x');
		return new ByteArrayResource(content) {

			@Override
			public String getFilename() {
				return "file.bin";
			}

		};
	}

	@Test
	void uploadsAndStreamsGoOverTheSocket() throws IOException {
		Uploads uploads = start(Map.of("server.tomcat.max-http-form-post-size", "10KB"), Map.of());
		assertThat(uploads.upload(file(100))).startsWith("100 bytes, port " + port(this.server));
		// The first answer names the socket.
		assertThat(uploads.upload(file(500_000))).isEqualTo("500000 bytes, port 0, from 127.0.0.1");
		assertThat(transport()).isEqualTo("unix domain socket");
		Resource stream = new InputStreamResource(new ByteArrayInputStream(new byte[300_000]));
		assertThat(uploads.stream(stream)).isEqualTo("300000 bytes, port 0");
		try (var files = Files.list(this.rendezvous.resolve("meet"))) {
			assertThat(files.map(String::valueOf)).anyMatch((name) -> name.endsWith(".http"));
		}
		this.server.close();
		try (var files = Files.list(this.rendezvous.resolve("meet"))) {
			assertThat(files.map(String::valueOf)).noneMatch((name) -> name.endsWith(".http"));
		}
	}

	@Test
	void aRedirectToAnotherPeerLeavesTheSocket() {
		this.other = start(UploadService.class, Map.of("vicinal.server.http-socket", "true"));
		Uploads uploads = start(Map.of(), Map.of());
		uploads.redirected(port(this.other));
		assertThat(uploads.redirected(port(this.other)).getBody()).isEqualTo("port " + port(this.other));
		uploads.upload(file(1));
		assertThat(uploads.redirected(port(this.server)).getBody()).isEqualTo("port 0");
		assertThat(transport()).isEqualTo("unix domain socket");
	}

	@Test
	void timeOutsHold() {
		Uploads uploads = start(Map.of(), Map.of("spring.http.serviceclient.uploads.read-timeout", "200ms"));
		uploads.upload(file(1));
		uploads.upload(file(1));
		assertThat(transport()).isEqualTo("unix domain socket");
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> uploads.slow(new InputStreamResource(new ByteArrayInputStream(new byte[1]))))
			.withCauseInstanceOf(SocketTimeoutException.class);
		assertThat(uploads.upload(file(3))).startsWith("3 bytes, port 0");
	}

	@Test
	void aRestartedPeerIsReachedByTcpFirst() {
		Uploads uploads = start(Map.of(), Map.of());
		uploads.target();
		assertThat(uploads.target()).isEqualTo("port 0");
		String port = port(this.server);
		this.server.close();
		this.server = start(UploadService.class, Map.of("server.port", port, "vicinal.server.http-socket", "true"));
		assertThat(uploads.target()).isEqualTo("port " + port);
		assertThat(uploads.target()).isEqualTo("port 0");
	}

	/** As while a server stops, between the look at the file and the connection. */
	@Test
	void aSocketWhoseFileIsGoneIsLeftForTcp() throws IOException {
		Uploads uploads = start(Map.of(), Map.of());
		uploads.upload(file(1));
		try (var files = Files.list(this.rendezvous.resolve("meet"))) {
			Path socket = files.filter((name) -> name.toString().endsWith(".http")).findFirst().orElseThrow();
			Files.delete(socket);
			Files.createSymbolicLink(socket, socket.resolveSibling("nothing"));
		}
		assertThat(uploads.upload(file(2))).startsWith("2 bytes, port " + port(this.server));
		assertThat(String.valueOf(transport())).startsWith("tcp: ");
	}

	@Test
	void aSocketWithoutServerIsLeftForTcp() throws IOException {
		Uploads uploads = start(Map.of(), Map.of());
		uploads.upload(file(1));
		try (var files = Files.list(this.rendezvous.resolve("meet"))) {
			Path socket = files.filter((name) -> name.toString().endsWith(".http")).findFirst().orElseThrow();
			Files.delete(socket);
			Files.writeString(socket, "no socket any more");
		}
		assertThat(uploads.upload(file(2))).startsWith("2 bytes, port " + port(this.server));
		assertThat(String.valueOf(transport())).startsWith("tcp: ");
	}

	/** It takes a prefix off each path, which the peer itself would not. */
	@Test
	@EnabledOnOs(value = OS.LINUX, disabledReason = "The system has one loopback address only")
	void aGatewayOnTheSamePortIsNotBypassed() throws IOException {
		this.server = start(UploadService.class,
				Map.of("server.address", "127.0.0.1", "vicinal.server.http-socket", "true"));
		int port = Integer.parseInt(port(this.server));
		AtomicInteger forwarded = new AtomicInteger();
		HttpServer gateway = HttpServer.create(new InetSocketAddress("127.0.0.2", port), 0);
		gateway.createContext("/api/", (exchange) -> {
			forwarded.incrementAndGet();
			forward(exchange, "http://127.0.0.1:" + port);
		});
		gateway.start();
		try {
			this.client = start(UploadClient.class,
					Map.of("spring.http.serviceclient.uploads.base-url", "http://127.0.0.2:" + port + "/api"));
			Uploads uploads = this.client.getBean(Uploads.class);
			for (int i = 1; i <= 3; i++) {
				assertThat(uploads.target()).isEqualTo("port " + port);
				assertThat(forwarded).hasValue(i);
			}
			assertThat(String.valueOf(transport())).startsWith("tcp: ").contains("127.0.0.1", "127.0.0.2", "forwards");
		}
		finally {
			gateway.stop(0);
		}
	}

	private static void forward(HttpExchange exchange, String to) throws IOException {
		String path = exchange.getRequestURI().toString().substring("/api".length());
		HttpRequest request = HttpRequest.newBuilder(URI.create(to + path))
			.header(PeerAnnouncement.REQUEST_HEADER,
					exchange.getRequestHeaders().getFirst(PeerAnnouncement.REQUEST_HEADER))
			.build();
		try {
			HttpResponse<byte[]> response = HttpClient.newHttpClient()
				.send(request, HttpResponse.BodyHandlers.ofByteArray());
			response.headers()
				.firstValue(PeerAnnouncement.HEADER)
				.ifPresent((value) -> exchange.getResponseHeaders().set(PeerAnnouncement.HEADER, value));
			exchange.getResponseHeaders().set("Content-Type", "text/plain");
			exchange.sendResponseHeaders(response.statusCode(), response.body().length);
			exchange.getResponseBody().write(response.body());
		}
		catch (InterruptedException ex) {
			throw new IOException(ex);
		}
		finally {
			exchange.close();
		}
	}

	@Test
	void bothSidesHaveToSwitchItOn() {
		Uploads uploads = start(Map.of("vicinal.server.http-socket", "false"), Map.of());
		uploads.upload(file(1));
		assertThat(uploads.upload(file(2))).contains("port " + port(this.server));
		assertThat(transport()).isEqualTo("tcp: the peer has no socket for HTTP");
		this.client.close();
		this.server.close();
		uploads = start(Map.of(), Map.of("vicinal.channels.uploads.http-socket", "false"));
		uploads.upload(file(1));
		assertThat(uploads.upload(file(2))).contains("port " + port(this.server));
		assertThat(transport()).isEqualTo("tcp: not allowed by configuration");
	}

	@AffinityChannel
	interface Uploads {

		@PostExchange(url = "/upload", contentType = "multipart/form-data")
		String upload(@RequestPart("file") Resource file);

		@PostExchange(url = "/stream", contentType = "application/octet-stream")
		String stream(@RequestBody Resource content);

		@PostExchange(url = "/slow", contentType = "application/octet-stream")
		String slow(@RequestBody Resource content);

		@GetExchange("/target")
		String target();

		@GetExchange("/redirected")
		ResponseEntity<String> redirected(@RequestParam("to") String port);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(UploadController.class)
	static class UploadService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "uploads", types = Uploads.class)
	static class UploadClient {

	}

	/** Does not implement the contract, so that every call goes by HTTP. */
	@RestController
	static class UploadController {

		@PostMapping("/upload")
		String upload(@RequestPart("file") MultipartFile file, HttpServletRequest request) {
			return "%d bytes, port %d, from %s".formatted(file.getSize(), request.getLocalPort(),
					request.getRemoteAddr());
		}

		@PostMapping("/stream")
		String stream(HttpServletRequest request) throws IOException {
			return "%d bytes, port %d".formatted(request.getInputStream().readAllBytes().length,
					request.getLocalPort());
		}

		@PostMapping("/slow")
		String slow() throws InterruptedException {
			boolean ended = new CountDownLatch(1).await(2, TimeUnit.SECONDS);
			return "slow " + ended;
		}

		@GetMapping("/redirected")
		ResponseEntity<String> redirected(@RequestParam("to") String port) {
			return ResponseEntity.status(HttpStatus.FOUND)
				.header("Location", "http://localhost:" + port + "/target")
				.build();
		}

		@GetMapping("/target")
		String target(HttpServletRequest request) {
			return "port " + request.getLocalPort();
		}

	}

}
