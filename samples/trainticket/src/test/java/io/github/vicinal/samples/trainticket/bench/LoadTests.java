package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class LoadTests {

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final ExecutorService executor = Executors.newCachedThreadPool();

	private final AtomicInteger received = new AtomicInteger();

	private HttpServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.executor);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
		this.executor.shutdownNow();
	}

	@Test
	@DisplayName("the open loop sends at its rate although nothing is answered, and counts latency from the plan")
	void openLoop() throws Exception {
		CountDownLatch allSent = new CountDownLatch(20);
		this.server.createContext("/", (exchange) -> {
			allSent.countDown();
			await(allSent);
			answer(exchange, 200);
		});

		LoadResult result = new OpenLoop(100).run(this.client, request(), Duration.ofMillis(200));

		assertThat(result.operations()).isEqualTo(20);
		assertThat(result.errors()).isZero();
		assertThat(result.percentileMillis(99)).isGreaterThan(150);
	}

	@Test
	@DisplayName("bad answers count as errors, not as latencies")
	void errors() throws Exception {
		this.server.createContext("/",
				(exchange) -> answer(exchange, (this.received.incrementAndGet() % 2 == 0) ? 200 : 503));

		LoadResult result = new OpenLoop(100).run(this.client, request(), Duration.ofMillis(100));

		assertThat(result.operations()).isEqualTo(10);
		assertThat(result.errors()).isEqualTo(5);
		assertThat(result.firstError()).isEqualTo("status 503");
	}

	@Test
	@DisplayName("the closed loop has as many requests under way as it has callers")
	void closedLoop() throws Exception {
		CountDownLatch threeAtOnce = new CountDownLatch(3);
		this.server.createContext("/", (exchange) -> {
			threeAtOnce.countDown();
			await(threeAtOnce);
			answer(exchange, 200);
		});

		LoadResult result = new ClosedLoop(3).run(this.client, request(), Duration.ofMillis(100));

		assertThat(result.operations()).isGreaterThanOrEqualTo(3);
		assertThat(result.errors()).isZero();
	}

	private HttpRequest request() {
		return HttpRequest.newBuilder(URI.create("http://localhost:" + this.server.getAddress().getPort()))
			.timeout(Duration.ofSeconds(30))
			.build();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void answer(HttpExchange exchange, int status) throws IOException {
		exchange.sendResponseHeaders(status, -1);
		exchange.close();
	}

}
