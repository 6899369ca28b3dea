package io.github.vicinal.benchmarks.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.benchmarks.overload.OpenLoopClient.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that the client of the measurement counts, and from when. */
@Timeout(120)
class OpenLoopClientTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

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
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	private OpenLoopClient client() {
		return new OpenLoopClient(this.server.getAddress().getPort());
	}

	/** The length 0 means chunks, and -1 no body. */
	private static HttpHandler answer(int status, long length, String body) {
		return (exchange) -> {
			exchange.sendResponseHeaders(status, length);
			exchange.getResponseBody().write(body.getBytes(StandardCharsets.ISO_8859_1));
			exchange.close();
		};
	}

	@Test
	void bodiesWithLengthInChunksAndEmptyOnesAreRead() throws Exception {
		this.server.createContext("/length", answer(200, 4, "done"));
		this.server.createContext("/chunks", answer(200, 0, "{\"status\":\"0\\r\\n\"}".repeat(1_000)));
		this.server.createContext("/rejected", answer(503, -1, ""));
		this.server.createContext("/wrong", answer(500, 4, "done"));
		OpenLoopClient client = client();
		Stream length = client.stream("/length", 50);
		Stream chunks = client.stream("/chunks", 50);
		Stream rejected = client.stream("/rejected", 50);
		Stream wrong = client.stream("/wrong", 50);
		client.run(0, SECOND, 60 * SECOND);
		assertThat(length.sent).isPositive();
		assertThat(length.answered.getTotalCount()).isEqualTo(length.sent);
		assertThat(chunks.answered.getTotalCount()).isEqualTo(chunks.sent);
		assertThat(rejected.rejected.getTotalCount()).isEqualTo(rejected.sent);
		assertThat(wrong.failed).isEqualTo(wrong.sent);
		assertThat(length.failed + chunks.failed + rejected.failed).isZero();
	}

	/**
	 * No request waits for an answer, and each counts from when it was due. The JDK's
	 * server keeps no more than 200 idle connections.
	 */
	@Test
	void aServerThatStallsDelaysNoRequest() throws Exception {
		CountDownLatch all = new CountDownLatch(100);
		this.server.createContext("/stalls", (exchange) -> {
			all.countDown();
			try {
				all.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			answer(200, 4, "done").handle(exchange);
		});
		OpenLoopClient client = client();
		Stream stalls = client.stream("/stalls", 200);
		client.run(0, SECOND, 60 * SECOND);
		assertThat(stalls.sent).isBetween(150L, 250L);
		assertThat(stalls.answered.getTotalCount()).isEqualTo(stalls.sent);
		// The first 100 take half a second and are answered together.
		assertThat(stalls.answered.getMaxValue()).isGreaterThan(SECOND / 3);
		assertThat(stalls.answered.getValueAtPercentile(75)).isGreaterThan(SECOND / 8);
	}

	@Test
	void aConnectionThatEndsIsAFailureAndAnotherOneIsOpened() throws Exception {
		AtomicInteger came = new AtomicInteger();
		this.server.createContext("/ends", (exchange) -> {
			if (came.incrementAndGet() % 2 == 0) {
				exchange.sendResponseHeaders(200, 4);
			}
			exchange.close();
		});
		OpenLoopClient client = client();
		Stream ends = client.stream("/ends", 100);
		client.run(0, SECOND, 60 * SECOND);
		assertThat(ends.sent).isGreaterThan(50);
		assertThat(ends.failed).isEqualTo(ends.sent);
	}

	@Test
	void aConnectionThatTheServerEndsIsNotUsedAgain() throws Exception {
		this.server.createContext("/last", (exchange) -> {
			exchange.getResponseHeaders().set("Connection", "close");
			answer(503, -1, "").handle(exchange);
		});
		OpenLoopClient client = client();
		Stream last = client.stream("/last", 200);
		client.run(0, SECOND, 60 * SECOND);
		assertThat(last.sent).isPositive();
		assertThat(last.rejected.getTotalCount()).isEqualTo(last.sent);
		assertThat(last.failed).isZero();
	}

	@Test
	void unansweredRequestsAreFailures() throws Exception {
		CountDownLatch never = new CountDownLatch(1);
		this.server.createContext("/never", (exchange) -> {
			try {
				never.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		OpenLoopClient client = client();
		Stream stream = client.stream("/never", 100);
		client.run(0, SECOND / 2, SECOND / 10);
		never.countDown();
		assertThat(stream.sent).isPositive();
		assertThat(stream.failed).isEqualTo(stream.sent);
		assertThat(stream.inTime).isZero();
	}

}
