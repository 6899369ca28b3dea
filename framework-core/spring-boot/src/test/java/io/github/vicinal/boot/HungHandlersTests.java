package io.github.vicinal.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.requestserver.RequestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** All permits are held by handlers that do not return. */
@Timeout(120)
class HungHandlersTests {

	private static final int PERMITS = 2;

	/**
	 * One waiter only: neither an arrival nor an end looks at the queue once it is there.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Tag("every-jdk")
	void aWaiterIsRejectedAndHealthAnswers(boolean virtual) throws Exception {
		SpringApplication application = new SpringApplication(HungApplication.class);
		application.setDefaultProperties(
				Map.of("server.port", "0", "spring.main.banner-mode", "off", "vicinal.server.requests.threads", PERMITS,
						"server.shutdown", "immediate", "spring.threads.virtual.enabled", virtual));
		try (ConfigurableApplicationContext context = application.run()) {
			Handlers handlers = context.getBean(Handlers.class);
			JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
			requests.setReadTimeout(Duration.ofSeconds(20));
			RestClient client = RestClient.builder()
				.baseUrl("http://localhost:" + context.getEnvironment().getProperty("local.server.port"))
				.requestFactory(requests)
				.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
				})
				.build();
			for (int i = 0; i < 100; i++) {
				assertThat(status(client, "/fast")).isEqualTo(200);
			}
			List<CompletableFuture<Integer>> hung = new ArrayList<>();
			for (int i = 0; i < PERMITS; i++) {
				hung.add(CompletableFuture.supplyAsync(() -> status(client, "/hung"),
						(task) -> new Thread(task).start()));
			}
			RequestServer server = context.getBean(RequestServer.class);
			await().until(() -> server.running() == PERMITS);
			assertThat(status(client, "/fast")).isEqualTo(503);
			assertThat(status(client, "/actuator/health/liveness")).isEqualTo(200);
			assertThat(server.report().overloaded()).isTrue();
			handlers.end.countDown();
			for (CompletableFuture<Integer> request : hung) {
				assertThat(request.get(10, TimeUnit.SECONDS)).isEqualTo(200);
			}
			assertThat(status(client, "/fast")).isEqualTo(200);
			await().until(() -> !server.report().overloaded());
		}
	}

	/** The end of the phase is the end of the wait for it. */
	@Test
	void aHandlerThatNeverReturnsKeepsNobodyAtShutdown() {
		SpringApplication application = new SpringApplication(HungApplication.class);
		application.setDefaultProperties(Map.of("server.port", "0", "spring.main.banner-mode", "off", "server.shutdown",
				"graceful", "spring.lifecycle.timeout-per-shutdown-phase", "500ms"));
		ConfigurableApplicationContext context = application.run();
		RequestServer server = context.getBean(RequestServer.class);
		Handlers handlers = context.getBean(Handlers.class);
		RestClient client = RestClient
			.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port"));
		Thread caller = new Thread(() -> {
			try {
				status(client, "/stubborn");
			}
			catch (RuntimeException ex) {
				// Its connection ends with the server.
			}
		});
		caller.setDaemon(true);
		caller.start();
		await().until(() -> server.running() == 1);
		context.close();
		assertThat(server.running()).isOne();
		assertThat(context.isActive()).isFalse();
		handlers.end.countDown();
		await().until(() -> server.running() == 0);
	}

	private static int status(RestClient client, String path) {
		return client.get().uri(path).retrieve().toBodilessEntity().getStatusCode().value();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class HungApplication {

	}

	@RestController
	static class Handlers {

		final CountDownLatch end = new CountDownLatch(1);

		@GetMapping("/fast")
		String fast() {
			return "fast";
		}

		@GetMapping("/hung")
		String hung() throws InterruptedException {
			return String.valueOf(this.end.await(50, TimeUnit.SECONDS));
		}

		/** Is not even interrupted. */
		@GetMapping("/stubborn")
		String stubborn() {
			while (this.end.getCount() > 0) {
				LockSupport.parkNanos(1_000_000);
				Thread.interrupted();
			}
			return "ended";
		}

	}

}
