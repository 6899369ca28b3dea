package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.testing.InTurn;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A handler that writes its response itself: its client gets each part when it is
 * flushed, as over HTTP, also if all responses to such requests were short before.
 */
@Timeout(120)
class WrittenInPartsTests {

	/** Requests after which short responses count as usual. */
	private static final int SHORT_ONES = 6;

	private static final int MEGABYTES = 32;

	/** Bytes that may lie between handler and client: more than any socket's buffers. */
	private static final long MOST_BYTES = 12 << 20;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private RestClient connected(String path, String shortOne) {
		ConfigurableApplicationContext server = this.applications.start(PartsApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client(path, "http-components");
		RestClient requests = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(requests, sent, path);
		long before = ExchangeBehaviourTests.calls(sent, path);
		for (int i = 0; i < SHORT_ONES; i++) {
			requests.get().uri(shortOne).retrieve().toBodilessEntity();
		}
		assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThanOrEqualTo(before + SHORT_ONES);
		return requests;
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void comesWhenItIsFlushed(String path) {
		RestClient requests = connected(path, "/log?follow=false");
		String seen = requests.get().uri("/log?follow=true").exchange((request, response) -> {
			InputStream body = response.getBody();
			String first = new String(body.readNBytes(6), StandardCharsets.US_ASCII);
			requests.get().uri("/gate").retrieve().toBodilessEntity();
			return first + new String(body.readAllBytes(), StandardCharsets.US_ASCII);
		});
		assertThat(seen).isEqualTo("first second true");
	}

	/** Web servers send what does not fit into their buffers. */
	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void comesWhenItIsMuch(String path) {
		RestClient requests = connected(path, "/table?follow=false");
		String seen = requests.get().uri("/table?follow=true").exchange((request, response) -> {
			InputStream body = response.getBody();
			assertThat(body.readNBytes(10_000)).hasSize(10_000);
			requests.get().uri("/gate").retrieve().toBodilessEntity();
			String rest = new String(body.readAllBytes(), StandardCharsets.US_ASCII);
			return rest.substring(rest.lastIndexOf(' '));
		});
		assertThat(seen).isEqualTo(" true");
	}

	/** A handler may respond first and work later. */
	@ParameterizedTest
	@InTurn(value = { "direct, length", "shm, length", "shm, closed", "direct, closed", "direct, nothing",
			"shm, nothing" }, rows = 3)
	void isCompleteBeforeItsHandlerIs(String path, String kind) {
		RestClient requests = connected(path, "/early?kind=none");
		requests.get().uri("/early?kind=" + kind).retrieve().body(String.class);
		requests.get().uri("/gate").retrieve().toBodilessEntity();
		await().until(() -> requests.get().uri("/early/end").retrieve().body(String.class),
				(end) -> !String.valueOf(end).equals("none"));
		assertThat(requests.get().uri("/early/end").retrieve().body(String.class)).isEqualTo("true");
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void isNotKeptWhole(String path) {
		RestClient requests = connected(path, "/file?mb=0");
		Long written = requests.get().uri("/file?mb=" + MEGABYTES).exchange((request, response) -> {
			long atHead = Long.parseLong(String.valueOf(requests.get().uri("/progress").retrieve().body(String.class)));
			assertThat(response.getBody().transferTo(java.io.OutputStream.nullOutputStream()))
				.isEqualTo((long) MEGABYTES << 20);
			return atHead;
		});
		assertThat(written).isLessThan(MOST_BYTES);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, PartsController.class })
	static class PartsApplication {

	}

	@RestController
	static class PartsController {

		private static final int BLOCK_BYTES = 64 * 1024;

		private final CountDownLatch gate = new CountDownLatch(1);

		private final AtomicLong written = new AtomicLong();

		private volatile String earlyEnd = "none";

		@GetMapping("/log")
		void log(@RequestParam boolean follow, HttpServletResponse response) throws IOException, InterruptedException {
			response.getWriter().print("first ");
			response.flushBuffer();
			if (follow) {
				response.getWriter().print("second " + this.gate.await(10, TimeUnit.SECONDS));
			}
		}

		/** Never flushes. */
		@GetMapping("/table")
		void table(@RequestParam boolean follow, HttpServletResponse response)
				throws IOException, InterruptedException {
			if (follow) {
				response.getWriter().print("a row\n".repeat(20_000));
				response.getWriter().print(" " + this.gate.await(10, TimeUnit.SECONDS));
			}
		}

		@GetMapping("/early")
		void early(@RequestParam String kind, HttpServletResponse response) throws IOException, InterruptedException {
			switch (kind) {
				case "length" -> {
					response.setContentLength(2);
					response.getWriter().print("ok");
					response.flushBuffer();
				}
				case "closed" -> {
					response.getWriter().print("ok");
					response.getWriter().close();
				}
				case "nothing" -> {
					response.setStatus(204);
					response.flushBuffer();
				}
				default -> {
					return;
				}
			}
			this.earlyEnd = Boolean.toString(this.gate.await(10, TimeUnit.SECONDS));
		}

		@GetMapping("/early/end")
		String earlyEnd() {
			return this.earlyEnd;
		}

		@GetMapping("/gate")
		String gate() {
			this.gate.countDown();
			return "open";
		}

		@GetMapping("/file")
		void file(@RequestParam int mb, HttpServletResponse response) throws IOException {
			this.written.set(0);
			byte[] block = new byte[BLOCK_BYTES];
			for (long left = (long) mb << 20; left > 0; left -= BLOCK_BYTES) {
				response.getOutputStream().write(block);
				this.written.addAndGet(BLOCK_BYTES);
			}
		}

		@GetMapping("/progress")
		String progress() {
			return Long.toString(this.written.get());
		}

	}

}
