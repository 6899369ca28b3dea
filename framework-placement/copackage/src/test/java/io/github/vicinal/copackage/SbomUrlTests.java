package io.github.vicinal.copackage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Bills of materials of applications that run. */
class SbomUrlTests {

	private static final String BOM = """
			{"bomFormat": "CycloneDX", "components": [
			 {"group": "org.springframework.boot", "name": "spring-boot", "version": "4.1.1"}]}""";

	private final CountDownLatch released = new CountDownLatch(1);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private HttpServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.threads);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.released.countDown();
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	private String url(String path) {
		return "http://localhost:%d%s".formatted(this.server.getAddress().getPort(), path);
	}

	private void answer(String path, int status, String body) {
		handle(path, (exchange) -> {
			exchange.sendResponseHeaders(status, 0);
			exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
		});
	}

	private void handle(String path, HttpHandler handler) {
		this.server.createContext(path, (HttpExchange exchange) -> {
			if (!exchange.getRequestURI().getPath().equals(path)) {
				exchange.sendResponseHeaders(404, -1);
			}
			else {
				handler.handle(exchange);
			}
			exchange.close();
		});
	}

	private Inventory read(String path) throws IOException {
		return read(path, Duration.ofMinutes(1));
	}

	private Inventory read(String path, Duration timeout) throws IOException {
		return new SbomUrl(timeout, 10_000).read("shop", url(path));
	}

	@Test
	void theEndpointNamesTheBillOfTheApplication() throws IOException {
		answer("/actuator/sbom", 200, "{\"ids\": [\"jvm\", \"application\", \"native\"]}");
		answer("/actuator/sbom/application", 200, BOM);
		assertThat(read("/actuator/sbom").springBoot()).isEqualTo("4.1.1");
		assertThat(read("/actuator/sbom/application").libraries()).hasSize(1);
		List<Inventory> read = Inventories.read(List.of("shop=" + url("/actuator/sbom")));
		assertThat(read).singleElement().satisfies((each) -> assertThat(each.name()).isEqualTo("shop"));
	}

	@Test
	void aFileThatIsNoBillOfMaterialsIsNamed() {
		answer("/html", 200, "<html>");
		answer("/other", 200, "{\"a\": 1}");
		answer("/away", 401, "");
		answer("/ids", 200, "{\"ids\": [\"../env\"]}");
		handle("/moved", (exchange) -> {
			exchange.getResponseHeaders().add("Location", url("/html"));
			exchange.sendResponseHeaders(302, -1);
		});
		refused("/html", "is no JSON");
		refused("/other", "is no bill of materials of CycloneDX");
		refused("/away", "answers with status 401");
		refused("/moved", "answers with status 302");
		refused("/ids", "names a bill of materials '../env'");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of(url("/html"))))
			.withMessageContaining("write NAME=" + url("/html"));
	}

	private void refused(String path, String message) {
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> read(path))
			.withMessageContaining(message)
			.withMessageContaining(url(path));
	}

	@Test
	void answersWithoutEndAreGivenUp() {
		handle("/large", (exchange) -> {
			exchange.sendResponseHeaders(200, 0);
			byte[] more = new byte[8192];
			while (this.released.getCount() > 0) {
				exchange.getResponseBody().write(more);
			}
		});
		handle("/silent", (exchange) -> await());
		handle("/slow", (exchange) -> {
			exchange.sendResponseHeaders(200, 0);
			exchange.getResponseBody().write('{');
			exchange.getResponseBody().flush();
			await();
		});
		assertThatIOException().isThrownBy(() -> read("/large")).withMessageContaining("more than 10000 bytes");
		assertThatIOException().isThrownBy(() -> read("/silent", Duration.ofMillis(1500)))
			.withMessageContaining("has not answered within 1500 ms");
		assertThatIOException().isThrownBy(() -> read("/slow", Duration.ofMillis(1500)))
			.withMessageContaining("has not answered within 1500 ms");
		String url = url("/gone");
		this.server.stop(0);
		assertThatIOException().isThrownBy(() -> new SbomUrl(Duration.ofSeconds(5), 100).read("shop", url))
			.withMessage("'%s' cannot be read: nothing accepts a connection there", url);
	}

	private void await() {
		try {
			this.released.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
