package io.github.vicinal.boot;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Handlers that go on after the time for which a server lets them end. By HTTP, the
 * connection is closed and the handler's thread is interrupted. The tests wait for most
 * of their time, so several run at once.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class OutlastingHandlerTests {

	/** After these, direct handlers run on the thread that calls. */
	private static final int SHORT_CALLS = 100;

	/** Longer than the five seconds that handlers get, also on a busy machine. */
	private static final Duration STUBBORN = Duration.ofSeconds(20);

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void release() {
		this.release.countDown();
	}

	@ParameterizedTest
	@InTurn(value = { "http,typed,0", "direct,typed,0", "direct,typed," + SHORT_CALLS, "shm,typed,0",
			"shm,typed," + SHORT_CALLS, "uds,typed,0", "http,exchange,0", "direct,exchange,0",
			"direct,exchange," + SHORT_CALLS, "shm,exchange,0", "shm,exchange," + SHORT_CALLS, "uds,exchange,0" },
			rows = 3)
	void isInterruptedAndItsCallerSeesALostConnection(String path, String kind, int before) throws Exception {
		ConfigurableApplicationContext server = server("500ms");
		ConfigurableApplicationContext client = client(server, path);
		Callable<String> call = connected(client, path, kind, before, "waits");
		WorkController controller = server.getBean(WorkController.class);
		CompletableFuture<String> outcome = outcome(call);
		assertThat(controller.started.await(10, TimeUnit.SECONDS)).isTrue();
		server.close();
		assertThat(controller.ended.get(1, TimeUnit.SECONDS)).isEqualTo("interrupted");
		assertThat(outcome.get(5, TimeUnit.SECONDS)).isEqualTo("I/O error");
		assertThat(controller.calls.get()).as("calls that began").isEqualTo(1);
	}

	@ParameterizedTest
	@InTurn(value = { "http,typed", "http,exchange", "direct,exchange", "direct,typed", "shm,typed", "shm,exchange",
			"uds,exchange", "uds,typed" }, rows = 2)
	void thatIgnoresInterruptsKeepsNeitherItsCallerNorTheServer(String path, String kind) throws Exception {
		ConfigurableApplicationContext server = server("200ms");
		ConfigurableApplicationContext client = client(server, path);
		Callable<String> call = connected(client, path, kind, 0, "ignores");
		WorkController controller = server.getBean(WorkController.class);
		controller.release = this.release;
		CompletableFuture<String> outcome = outcome(call);
		assertThat(controller.started.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> closed = closing(server);
		assertThat(outcome.get(5, TimeUnit.SECONDS)).isEqualTo("I/O error");
		closed.get(STUBBORN.toMillis(), TimeUnit.MILLISECONDS);
		assertThat(controller.ended).isNotDone();
	}

	@ParameterizedTest
	@InTurn(value = { "http,typed", "http,exchange", "direct,exchange", "direct,typed", "shm,typed", "shm,exchange",
			"uds,exchange", "uds,typed" }, rows = 2)
	void thatEndsInTimeIsAnswered(String path, String kind) throws Exception {
		ConfigurableApplicationContext server = server("20s");
		ConfigurableApplicationContext client = client(server, path);
		Callable<String> call = connected(client, path, kind, 0, "ignores");
		WorkController controller = server.getBean(WorkController.class);
		controller.release = this.release;
		ExchangeService exchanges = server.getBean(ExchangeService.class);
		CompletableFuture<String> outcome = outcome(call);
		assertThat(controller.started.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> closed = closing(server);
		RestClient plain = requests(client, "http");
		await().untilAsserted(() -> assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> plain.get().uri("/none").retrieve().toBodilessEntity()));
		if (kind.equals("exchange") && !path.equals("http")) {
			await()
				.untilAsserted(() -> assertThat(exchanges.kept()).as("exchanges that go on by further calls").isOne());
		}
		assertThat(outcome).isNotDone();
		this.release.countDown();
		assertThat(outcome.get(5, TimeUnit.SECONDS)).isEqualTo("released");
		closed.get(5, TimeUnit.SECONDS);
	}

	@ParameterizedTest
	@InTurn(value = { "http,deferred", "direct,streams", "direct,deferred", "uds,streams", "shm,deferred",
			"shm,streams", "uds,deferred" }, rows = 2)
	void thatIsAsynchronousIsCutOff(String path, String handler) throws Exception {
		ConfigurableApplicationContext server = server("300ms");
		ConfigurableApplicationContext client = client(server, path);
		connected(client, path, "exchange", 0, "waits");
		AsynchronousController controller = server.getBean(AsynchronousController.class);
		RestClient requests = requests(client, path);
		CompletableFuture<String> outcome = outcome(
				() -> requests.get().uri("/asynchronous/" + handler).retrieve().body(String.class));
		assertThat(controller.started.await(10, TimeUnit.SECONDS)).isTrue();
		server.close();
		assertThat(outcome.get(5, TimeUnit.SECONDS)).isEqualTo("I/O error");
		if (handler.equals("streams")) {
			assertThat(controller.ended.get(1, TimeUnit.SECONDS)).isEqualTo("cannot write");
		}
	}

	/**
	 * The thread that ends the paths is late, as on a busy machine. The web server
	 * interrupts the handler meanwhile.
	 */
	@ParameterizedTest
	@InTurn({ "http", "direct", "shm", "uds" })
	void isNotAnsweredAfterTheWebServerHasInterruptedIt(String path) throws Exception {
		ConfigurableApplicationContext server = server("200ms");
		ConfigurableApplicationContext client = client(server, path);
		Callable<String> call = connected(client, path, "exchange", 0, "waits");
		CountDownLatch late = new CountDownLatch(1);
		server.getBean(ServiceRegistry.class).register(new LateService(late));
		WorkController controller = server.getBean(WorkController.class);
		CompletableFuture<String> outcome = outcome(call);
		assertThat(controller.started.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> closed = closing(server);
		assertThat(controller.ended.get(10, TimeUnit.SECONDS)).isEqualTo("interrupted");
		assertThat(outcome.get(5, TimeUnit.SECONDS)).isEqualTo("I/O error");
		late.countDown();
		closed.get(STUBBORN.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** A service that holds up the end of all. */
	private record LateService(CountDownLatch late) implements Service {

		@Override
		public void stopAccepting() {
			try {
				this.late.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		@Override
		public Contract contract() {
			return ExchangeContractReader.contract(Late.class);
		}

		@Override
		public Optional<String> refusal() {
			return Optional.empty();
		}

		@Override
		public Codecs codecs() {
			return new Codecs(new JsonMapper(), true);
		}

		@Override
		public Reply invoke(CallFrame frame) {
			throw new UnsupportedOperationException("It is never called");
		}

	}

	@HttpExchange("/late")
	interface Late {

		@PostExchange
		String late();

	}

	private ConfigurableApplicationContext server(String grace) {
		Map<String, Object> properties = new HashMap<>();
		properties.put("server.shutdown", "graceful");
		properties.put("spring.lifecycle.timeout-per-shutdown-phase", grace);
		return this.applications.start(Server.class, properties);
	}

	private ConfigurableApplicationContext client(ConfigurableApplicationContext server, String path) {
		String url = "http://localhost:" + server.getEnvironment().getRequiredProperty("local.server.port");
		Map<String, Object> properties = new HashMap<>(Map.of("url", url, "spring.http.clients.imperative.factory",
				"http-components", "spring.http.clients.read-timeout", "60s"));
		if (path.equals("http")) {
			properties.put("vicinal.enabled", "false");
		}
		else {
			properties.put("vicinal.channels.work.paths", path);
			properties.put("vicinal.http-exchanges.paths", path);
		}
		return this.applications.start(Client.class, properties);
	}

	private static RestClient requests(ConfigurableApplicationContext client, String path) {
		RestClient.Builder builder = path.equals("http") ? RestClient.builder()
				: client.getBean(RestClient.Builder.class);
		return builder.baseUrl(client.getEnvironment().getRequiredProperty("url")).build();
	}

	/** Returns a call that takes the path, after some that are short. */
	private static Callable<String> connected(ConfigurableApplicationContext client, String path, String kind,
			int before, String job) throws Exception {
		Work work = client.getBean(Work.class);
		RestClient requests = requests(client, path);
		Callable<String> typed = () -> work.post("short");
		Callable<String> exchange = () -> requests.post().uri("/work/short").retrieve().body(String.class);
		Callable<String> call = kind.equals("typed") ? typed : exchange;
		if (!path.equals("http")) {
			await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
				assertThat(call.call()).isEqualTo("short");
				ChannelReport report = kind.equals("typed") ? client.getBean(ChannelsEndpoint.class).channel("Work")
						: client.getBean(Exchanges.class).report();
				assertThat(report).isNotNull();
				assertThat(report.peers().get(0).path()).as(report.peers().get(0).reason()).isEqualTo(path);
			});
		}
		for (int i = 0; i < before; i++) {
			assertThat(call.call()).isEqualTo("short");
		}
		return kind.equals("typed") ? () -> work.post(job)
				: () -> requests.post().uri("/work/" + job).retrieve().body(String.class);
	}

	/** Closes a server on a thread of its own. */
	private static CompletableFuture<Void> closing(ConfigurableApplicationContext server) {
		return CompletableFuture.runAsync(server::close, (task) -> new Thread(task, "closing").start());
	}

	private static CompletableFuture<String> outcome(Callable<String> call) {
		CompletableFuture<String> outcome = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				outcome.complete(call.call());
			}
			catch (ResourceAccessException ex) {
				outcome
					.complete(Thread.currentThread().isInterrupted() ? "I/O error, caller interrupted" : "I/O error");
			}
			catch (Exception ex) {
				outcome.complete((ex.getCause() instanceof IOException) ? "I/O error" : ex.toString());
			}
		}, "caller");
		caller.setDaemon(true);
		caller.start();
		return outcome;
	}

	@AffinityChannel
	@HttpExchange("/work")
	interface Work {

		@PostExchange("/{job}")
		String post(@PathVariable String job);

	}

	@RestController
	static class WorkController implements Work {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CompletableFuture<String> ended = new CompletableFuture<>();

		private final AtomicInteger calls = new AtomicInteger();

		private volatile CountDownLatch release = new CountDownLatch(1);

		@Override
		public String post(String job) {
			if (job.equals("short")) {
				return job;
			}
			this.calls.incrementAndGet();
			this.started.countDown();
			if (job.equals("waits")) {
				this.ended.complete(await(this.release) ? "released" : "interrupted");
			}
			else {
				while (!await(this.release)) {
					assertThat(this.ended).isNotDone();
				}
				this.ended.complete("released");
			}
			return this.ended.join();
		}

		private static boolean await(CountDownLatch latch) {
			try {
				return latch.await(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				return false;
			}
		}

	}

	@RestController
	static class AsynchronousController {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CompletableFuture<String> ended = new CompletableFuture<>();

		@GetMapping("/asynchronous/deferred")
		DeferredResult<String> deferred() {
			this.started.countDown();
			return new DeferredResult<>(60_000L);
		}

		@GetMapping("/asynchronous/streams")
		ResponseEntity<StreamingResponseBody> streams() {
			return ResponseEntity.ok(this::stream);
		}

		private void stream(OutputStream out) {
			try {
				// The client's reads pace it, a byte at a time.
				while (true) {
					out.write('x');
					out.flush();
					this.started.countDown();
				}
			}
			catch (IOException ex) {
				this.ended.complete("cannot write");
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ WorkController.class, AsynchronousController.class })
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Client {

		@Bean
		Work work(RestClient.Builder builder, Environment environment) {
			RestClient client = builder.baseUrl(environment.getRequiredProperty("url")).build();
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
				.build()
				.createClient(Work.class);
		}

	}

}
