package io.github.vicinal.boot;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.Baskets.Basket;
import io.github.vicinal.boot.EndToEndTests.BasketClient;
import io.github.vicinal.boot.EndToEndTests.BasketService;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.testing.InTurn;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.coyote.AbstractProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Calls wait for their permit and are refused alike, whatever path they come by. */
@Timeout(60)
class RefusalTests {

	private ConfigurableApplicationContext server;

	private ConfigurableApplicationContext client;

	private final CountDownLatch end = new CountDownLatch(1);

	@AfterEach
	void stop() {
		this.end.countDown();
		if (this.client != null) {
			this.client.close();
		}
		this.server.close();
	}

	private static ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	/** One request at a time, which may take as long as a test does. */
	private void startServer(int queue) {
		this.server = start(BasketService.class,
				Map.of("vicinal.server.requests.threads", "1", "vicinal.server.requests.queue-capacity", queue,
						"vicinal.server.requests.interval", "1m", "management.endpoint.health.probes.enabled", "true",
						"management.endpoint.health.probes.add-additional-paths", "true"));
	}

	private Baskets client(String path, Map<String, Object> more) {
		Map<String, Object> properties = new TreeMap<>(more);
		properties.put("spring.http.serviceclient.baskets.base-url", url(""));
		properties.put("vicinal.channels.baskets.paths", path);
		// Apache's client would try once more by itself.
		properties.put("spring.http.clients.imperative.factory", "jdk");
		this.client = start(BasketClient.class, properties);
		Baskets baskets = this.client.getBean(Baskets.class);
		baskets.get(1);
		await().untilAsserted(
				() -> assertThat(this.client.getBean(ChannelsEndpoint.class).channel("baskets").peers().get(0).path())
					.isEqualTo(path));
		return baskets;
	}

	private String url(String path) {
		return "http://localhost:" + this.server.getEnvironment().getProperty("local.server.port") + path;
	}

	private RequestServer permits() {
		return this.server.getBean(RequestServer.class);
	}

	/** Takes the only permit until the test ends. */
	private void block() throws InterruptedException {
		CountDownLatch started = new CountDownLatch(1);
		permits().submit("blocker", Priority.CRITICAL, () -> {
			started.countDown();
			return this.end.await(30, TimeUnit.SECONDS);
		});
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@ParameterizedTest
	@InTurn(value = { "uds", "http", "direct", "shm" }, rows = 2)
	void aRefusedCallHasTheSameOutcomeOnEachPath(String path) throws InterruptedException {
		startServer(1);
		Baskets baskets = client(path, Map.of());
		int before = baskets.get(7).items().size();
		block();
		CompletableFuture<Integer> waits = permits().submit("other", Priority.CRITICAL, () -> 1);
		Throwable refused = catchThrowable(() -> baskets.get(7));
		assertThat(refused).isInstanceOf(HttpServerErrorException.ServiceUnavailable.class);
		HttpServerErrorException answer = (HttpServerErrorException) refused;
		assertThat(answer.getResponseHeaders().getFirst("Retry-After")).matches("[1-9]\\d*");
		assertThat(answer.getResponseHeaders().getFirst(Rejection.HEADER)).isEqualTo("queue-full");
		assertThat(answer.getResponseHeaders().getFirst("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.getResponseBodyAsString(StandardCharsets.UTF_8)).isEqualTo(
				"{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"Not executed: queue-full\"}");
		this.end.countDown();
		assertThat(waits.join()).isOne();
		assertThat(baskets.get(7).items()).hasSize(before);
		assertThat(this.server.getBean(RequestServer.class).report().refused())
			.containsExactly(Map.entry(Reason.QUEUE_FULL, 1L));
		assertThat(this.server.getBean(MeterRegistry.class)
			.get("http.server.requests")
			.tag("status", "503")
			.timer()
			.count()).isOne();
	}

	@ParameterizedTest
	@InTurn(value = { "http", "uds", "shm", "direct" }, rows = 2)
	void allThatAreAcceptedWaitAtTheSameTime(String path) throws InterruptedException {
		startServer(10);
		Baskets baskets = client(path, Map.of());
		for (int i = 0; i < 100; i++) {
			// Known to be short, so that it runs on the receiver's thread where there is
			// one.
			baskets.get(i);
		}
		block();
		List<CompletableFuture<Basket>> calls = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			int id = i;
			CompletableFuture<Basket> call = new CompletableFuture<>();
			new Thread(() -> call.complete(baskets.get(id))).start();
			calls.add(call);
		}
		await().untilAsserted(() -> assertThat(permits().waiting()).isEqualTo(5));
		assertThat(calls).noneMatch(CompletableFuture::isDone);
		this.end.countDown();
		for (int i = 0; i < 5; i++) {
			assertThat(calls.get(i).join().id()).isEqualTo(i);
		}
	}

	/** A typed call has the path that it would have by HTTP. */
	@ParameterizedTest
	@InTurn(value = { "http", "uds", "shm", "direct" }, rows = 2)
	@SuppressWarnings("try")
	void aRuleCountsOnEachPath(String path) throws InterruptedException {
		this.server = start(BasketService.class, Map.of("vicinal.server.requests.rules[0].path", "/baskets/7",
				"vicinal.server.requests.rules[0].max-in-flight", "1"));
		Baskets baskets = client(path, Map.of());
		CountDownLatch started = new CountDownLatch(1);
		Thread holder = new Thread(() -> {
			try (Permit permit = permits().enter("holder", Priority.NORMAL,
					List.of(new Bulkhead("rules[0] (/baskets/7)", 1)), RequestServer.NO_DEADLINE, () -> {
					})) {
				started.countDown();
				this.end.await(30, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		holder.start();
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(catchThrowable(() -> baskets.get(7)))
			.isInstanceOf(HttpServerErrorException.ServiceUnavailable.class);
		assertThat(baskets.get(8).id()).isEqualTo(8);
		this.end.countDown();
		holder.join(10_000);
		assertThat(baskets.get(7).id()).isEqualTo(7);
	}

	@ParameterizedTest
	@InTurn({ "uds", "shm", "direct" })
	void aCallWhoseDeadlinePassesInTheQueueIsNotExecuted(String path) throws InterruptedException {
		startServer(10);
		Baskets baskets = client(path, Map.of("vicinal.channels.baskets.timeout", "300ms"));
		block();
		long completed = permits().report().completed();
		assertThat(catchThrowable(() -> baskets.get(7))).isInstanceOf(ResourceAccessException.class);
		await().untilAsserted(() -> assertThat(permits().waiting()).isZero());
		assertThat(permits().report().refused()).containsExactly(Map.entry(Reason.DEADLINE, 1L));
		assertThat(permits().report().completed()).isEqualTo(completed);
	}

	@Test
	void endpointsAreNeverRefused() throws Exception {
		startServer(1);
		block();
		CompletableFuture<Integer> waits = permits().submit("other", Priority.CRITICAL, () -> 1);
		for (String path : List.of("/actuator", "/actuator/health", "/actuator/vicinalrequests", "/livez", "/readyz")) {
			assertThat(status(path)).as(path).isEqualTo(200);
		}
		assertThat(status("/baskets/1")).isEqualTo(503);
		assertThat(status("/nothing")).isEqualTo(404);
		this.end.countDown();
		waits.join();
		await().untilAsserted(() -> assertThat(status("/baskets/1")).isEqualTo(200));
	}

	/** A request belongs to the contract of its path, whatever its headers say. */
	@ParameterizedTest
	@CsvSource({ "Vicinal-Contract, shop.Other", "Vicinal-Contract, ''", "Vicinal-Channel, other" })
	void headersClaimNoContract(String header, String value) throws Exception {
		this.server = start(BasketService.class,
				Map.of("vicinal.server.requests.threads", "2", "vicinal.server.requests.max-per-channel", "1"));
		CountDownLatch started = new CountDownLatch(1);
		permits().submit(Baskets.class.getName(), Priority.NORMAL, () -> {
			started.countDown();
			return this.end.await(30, TimeUnit.SECONDS);
		});
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(status("/baskets/1", header, value)).isEqualTo(503);
		assertThat(permits().report().refused()).containsExactly(Map.entry(Reason.BULKHEAD, 1L));
		this.end.countDown();
		await().untilAsserted(() -> assertThat(status("/baskets/1", header, value)).isEqualTo(200));
	}

	/** A critical request would take the place of the one that waits. */
	@ParameterizedTest
	@CsvSource({ "Vicinal-Contract, shop.Important", "Vicinal-Priority, critical", "Priority, u=0" })
	void headersClaimNoPriority(String header, String value) throws Exception {
		this.server = start(BasketService.class,
				Map.of("vicinal.server.requests.threads", "1", "vicinal.server.requests.queue-capacity", "1",
						"vicinal.server.requests.priorities[shop.Important]", "critical"));
		block();
		CompletableFuture<Integer> waits = permits().submit("other", Priority.NORMAL, () -> 1);
		assertThat(status("/baskets/1", header, value)).isEqualTo(503);
		assertThat(permits().report().refused()).containsExactly(Map.entry(Reason.QUEUE_FULL, 1L));
		this.end.countDown();
		assertThat(waits.join()).isOne();
	}

	/** The claimed deadline passes while the request waits. */
	@ParameterizedTest
	@CsvSource({ "Vicinal-Deadline, 1", "grpc-timeout, 1m", "X-Envoy-Expected-Rq-Timeout-Ms, 1",
			"Vicinal-Refused, deadline" })
	void headersClaimNoDeadline(String header, String value) throws Exception {
		startServer(10);
		block();
		CompletableFuture<HttpResponse<Void>> request = HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create(url("/baskets/1"))).header(header, value).build(),
					BodyHandlers.discarding());
		await().untilAsserted(() -> assertThat(permits().waiting()).isOne());
		long waiting = System.nanoTime();
		await().until(() -> System.nanoTime() - waiting > TimeUnit.MILLISECONDS.toNanos(100));
		this.end.countDown();
		HttpResponse<Void> answer = request.join();
		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.headers().firstValue(Rejection.HEADER)).isEmpty();
		assertThat(permits().report().refused()).isEmpty();
	}

	/** Health checks find a thread although all requests run or wait that may. */
	@ParameterizedTest
	@CsvSource({ "7, 7, 230", "7, 5, 228", "7, 100000, 230" })
	void tomcatHasThreadsForThoseThatWait(int configured, int queue, int threads) {
		this.server = start(BasketService.class,
				Map.of("server.tomcat.threads.max", configured, "vicinal.server.requests.queue-capacity", queue));
		TomcatWebServer web = (TomcatWebServer) ((WebServerApplicationContext) this.server).getWebServer();
		assertThat(((AbstractProtocol<?>) web.getTomcat().getConnector().getProtocolHandler()).getMaxThreads())
			.isEqualTo(threads);
	}

	/**
	 * Four run, four wait, and sixteen more as long as the wait is expected to be short.
	 */
	@Test
	void aBurstOverHttpIsRejectedWhereItExceedsTheQueue() throws Exception {
		this.server = start(BasketService.class,
				Map.of("server.tomcat.threads.max", "4", "vicinal.server.requests.interval", "1m"));
		for (int i = 0; i < 4; i++) {
			block();
		}
		List<CompletableFuture<HttpResponse<Void>>> burst = burst(60);
		await().untilAsserted(() -> assertThat(burst.stream().filter(CompletableFuture::isDone)).hasSize(40));
		assertThat(permits().waiting()).isEqualTo(20);
		assertThat(burst.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
			.allMatch((answer) -> answer.statusCode() == 503)
			.allMatch((answer) -> answer.headers().firstValue("Retry-After").isPresent());
		assertThat(status("/actuator/health")).isEqualTo(200);
		this.end.countDown();
		assertThat(burst.stream().map((answer) -> answer.join().statusCode()).filter((status) -> status == 200))
			.hasSize(20);
		assertThat(permits().report().refused()).containsExactly(Map.entry(Reason.QUEUE_FULL, 40L));
	}

	/** The web server has 224 threads, of which 16 are for what takes no permit. */
	@Test
	void healthAnswersWhereTheQueueIsLongerThanThereAreThreads() throws Exception {
		this.server = start(BasketService.class,
				Map.of("server.tomcat.threads.max", "7", "vicinal.server.requests.threads", "1",
						"vicinal.server.requests.queue-capacity", "100000", "vicinal.server.requests.interval", "1m"));
		block();
		List<CompletableFuture<HttpResponse<Void>>> burst = burst(300);
		await().untilAsserted(
				() -> assertThat(permits().waiting() + burst.stream().filter(CompletableFuture::isDone).count())
					.isGreaterThanOrEqualTo(224));
		HttpRequest health = HttpRequest.newBuilder(URI.create(url("/actuator/health")))
			.timeout(Duration.ofSeconds(10))
			.build();
		assertThat(HttpClient.newHttpClient().send(health, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
		await().untilAsserted(() -> assertThat(burst.stream().filter(CompletableFuture::isDone)).hasSize(92));
		assertThat(permits().waiting()).isEqualTo(208);
		this.end.countDown();
		assertThat(burst.stream().map((answer) -> answer.join().statusCode()).filter((status) -> status == 200))
			.hasSize(208);
		assertThat(permits().report().refused()).containsExactly(Map.entry(Reason.BULKHEAD, 92L));
	}

	private List<CompletableFuture<HttpResponse<Void>>> burst(int count) {
		HttpClient client = HttpClient.newHttpClient();
		HttpRequest request = HttpRequest.newBuilder(URI.create(url("/baskets/1"))).version(Version.HTTP_1_1).build();
		List<CompletableFuture<HttpResponse<Void>>> burst = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			burst.add(client.sendAsync(request, BodyHandlers.discarding()));
		}
		return burst;
	}

	/**
	 * A browser hides a rejection from scripts of another origin that may not read it.
	 */
	@Test
	void scriptsOfOtherOriginsSeeTheRejection() throws Exception {
		this.server = start(CrossOrigin.class,
				Map.of("vicinal.server.requests.threads", "1", "vicinal.server.requests.queue-capacity", "1"));
		block();
		CompletableFuture<Integer> waits = permits().submit("other", Priority.CRITICAL, () -> 1);
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url("/baskets/1")))
			.header("Origin", "https://shop.example");
		HttpResponse<Void> rejected = HttpClient.newHttpClient().send(request.build(), BodyHandlers.discarding());
		assertThat(rejected.statusCode()).isEqualTo(503);
		assertThat(rejected.headers().firstValue("Access-Control-Allow-Origin")).contains("https://shop.example");
		HttpResponse<Void> preFlight = HttpClient.newHttpClient()
			.send(request.method("OPTIONS", HttpRequest.BodyPublishers.noBody())
				.header("Access-Control-Request-Method", "GET")
				.build(), BodyHandlers.discarding());
		assertThat(preFlight.statusCode()).isEqualTo(200);
		this.end.countDown();
		waits.join();
	}

	@Configuration
	@Import(BasketService.class)
	static class CrossOrigin implements WebMvcConfigurer {

		@Override
		public void addCorsMappings(CorsRegistry registry) {
			registry.addMapping("/**").allowedOrigins("https://shop.example");
		}

	}

	private int status(String path, String... headers) throws Exception {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return HttpClient.newHttpClient().send(request.build(), BodyHandlers.discarding()).statusCode();
	}

	@ParameterizedTest
	@InTurn(value = { "uds", "http", "direct", "shm" }, rows = 2)
	void acceptedRequestsEndBeforeTheServerDoes(String path) throws Exception {
		startServer(10);
		Baskets baskets = client(path, Map.of());
		block();
		CompletableFuture<Basket> call = CompletableFuture.supplyAsync(() -> baskets.get(7));
		await().untilAsserted(() -> assertThat(permits().waiting()).isOne());
		RequestServer closing = permits();
		CompletableFuture<Void> closed = CompletableFuture.runAsync(this.server::close);
		this.end.countDown();
		assertThat(call.join().id()).isEqualTo(7);
		closed.join();
		assertThat(closing.running()).isZero();
	}

	@Test
	void aContextThatIsStoppedAndStartedGoesOn() throws Exception {
		startServer(10);
		Baskets baskets = client("uds", Map.of());
		this.server.stop();
		assertThat(permits().submit("test", Priority.NORMAL, () -> 1).join()).isOne();
		assertThat(baskets.get(7).id()).isEqualTo(7);
		this.server.start();
		assertThat(status("/baskets/1")).isEqualTo(200);
	}

}
