package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A handler that works while it responds to a client that does not read: it gets to its
 * end, as over HTTP, where libraries read what is left before they use a connection
 * again.
 */
@Timeout(180)
class UnreadResponseTests {

	private static final int ROWS = 20;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@CsvSource({ "direct, http-components", "shm, http-components", "direct, jdk", "direct, simple",
			"direct, reactor" })
	void isMadeToItsEnd(String path, String library) {
		ConfigurableApplicationContext server = this.applications.start(WorkApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client(path, library);
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ExchangeBehaviourTests.plain(library))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, path);
		Work work = server.getBean(Work.class);
		if (library.equals("http-components")) {
			assertThat(readTwice(exchanges)).isEqualTo(readTwice(plain));
		}
		for (String uri : new String[] { "/rows", "/stream", "/nothing" }) {
			for (HttpMethod method : new HttpMethod[] { HttpMethod.GET, HttpMethod.POST, HttpMethod.HEAD }) {
				assertThat(worked(plain, method, "/work" + uri, work)).as("over HTTP").isEqualTo(ROWS + " done");
				long before = ExchangeBehaviourTests.calls(sent, path);
				assertThat(worked(exchanges, method, "/work" + uri, work)).as("%s %s", method, uri)
					.isEqualTo(ROWS + " done");
				assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThan(before);
			}
		}
	}

	/** Reads a response to its end, and then reads its body again. */
	private static String readTwice(RestClient client) {
		return client.get().uri("/work/rows").exchange((request, response) -> {
			try (InputStream body = response.getBody()) {
				body.readAllBytes();
			}
			try (InputStream body = response.getBody()) {
				return "read " + body.readAllBytes().length;
			}
			catch (IOException ex) {
				return ex.toString();
			}
		});
	}

	private static String worked(RestClient client, HttpMethod method, String uri, Work work) {
		work.begin();
		client.method(method).uri(uri).retrieve().toBodilessEntity();
		return await().until(work::end, (end) -> !end.isEmpty());
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, Work.class })
	static class WorkApplication {

	}

	@RestController
	@RequestMapping("/work")
	static class Work {

		private final CountDownLatch never = new CountDownLatch(1);

		private volatile String end = "";

		void begin() {
			this.end = "";
		}

		String end() {
			return this.end;
		}

		@RequestMapping("/rows")
		void rows(HttpServletResponse response) throws IOException {
			work(() -> {
				response.getOutputStream().print("row\n");
				response.flushBuffer();
			});
		}

		@RequestMapping("/stream")
		ResponseEntity<StreamingResponseBody> stream() {
			return ResponseEntity.ok((out) -> work(() -> {
				out.write('a');
				out.flush();
			}));
		}

		/** There is nothing to read, and still something to do. */
		@RequestMapping("/nothing")
		void nothing(HttpServletResponse response) throws IOException {
			response.setStatus(204);
			response.flushBuffer();
			work(() -> response.getOutputStream().flush());
		}

		private void work(Row row) throws IOException {
			int done = 0;
			try {
				while (done < ROWS) {
					row.write();
					done++;
					this.never.await(10, TimeUnit.MILLISECONDS);
				}
				this.end = done + " done";
			}
			catch (IOException ex) {
				this.end = done + " failed: " + ex;
				throw ex;
			}
			catch (InterruptedException ex) {
				this.end = done + " interrupted";
				Thread.currentThread().interrupt();
			}
		}

	}

	@FunctionalInterface
	interface Row {

		void write() throws IOException;

	}

}
