package io.github.vicinal.boot.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.requestserver.RequestServer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A calls B, which calls A back, by requests without a contract that take other paths
 * than HTTP, and as many at once as A has permits.
 */
@Timeout(120)
class NestedExchangesTests {

	private static final int PERMITS = 2;

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private ConfigurableApplicationContext start(String path) {
		return this.applications.start(NestedApplication.class,
				Map.of("server.port", "0", "server.shutdown", "immediate", "vicinal.server.paths", path,
						"vicinal.http-exchanges.paths", path, "vicinal.server.requests.threads", PERMITS,
						"vicinal.confirm-interval", "0s", "spring.http.clients.imperative.factory", "jdk",
						"spring.http.clients.read-timeout", "50s"));
	}

	private static String url(ConfigurableApplicationContext application) {
		return "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
	}

	/** Lets requests of one application to another take the path. */
	private static void connect(ConfigurableApplicationContext from, ConfigurableApplicationContext to, String path) {
		Handlers handlers = from.getBean(Handlers.class);
		Exchanges sent = from.getBean(Exchanges.class);
		await().untilAsserted(() -> {
			for (int i = 0; i < 20; i++) {
				assertThat(handlers.get(url(to) + "/end")).isEqualTo(200);
			}
			assertThat(ExchangeBehaviourTests.calls(sent, path)).isPositive();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "uds", "shm", "direct" })
	void theCycleIsBrokenByARejection(String path) throws Exception {
		ConfigurableApplicationContext a = start(path);
		ConfigurableApplicationContext b = start(path);
		connect(a, b, path);
		connect(b, a, path);
		RestClient outside = RestClient.create(url(a));
		List<CompletableFuture<Integer>> calls = new ArrayList<>();
		for (int i = 0; i < PERMITS; i++) {
			calls.add(CompletableFuture.supplyAsync(() -> outside.get()
				.uri("/begin?by={by}&back={back}", url(b), url(a))
				.retrieve()
				.toBodilessEntity()
				.getStatusCode()
				.value(), (task) -> new Thread(task).start()));
		}
		for (CompletableFuture<Integer> call : calls) {
			assertThat(call.get(40, TimeUnit.SECONDS)).isEqualTo(200);
		}
		for (ConfigurableApplicationContext application : List.of(a, b)) {
			RequestServer server = application.getBean(RequestServer.class);
			await().until(() -> server.running() == 0 && server.waiting() == 0);
		}
		assertThat(a.getBean(Handlers.class).outcomes).hasSize(PERMITS).contains(503);
		assertThat(b.getBean(Handlers.class).get(url(a) + "/end")).isEqualTo(200);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class NestedApplication {

	}

	@RestController
	static class Handlers {

		final List<Integer> outcomes = new CopyOnWriteArrayList<>();

		private final RestClient client;

		/** Barrier that all permits pass before the first request comes back. */
		private final CyclicBarrier all = new CyclicBarrier(PERMITS);

		Handlers(RestClient.Builder client) {
			this.client = client.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
			}).build();
		}

		int get(String url) {
			return this.client.get().uri(url).retrieve().toBodilessEntity().getStatusCode().value();
		}

		@GetMapping("/begin")
		void begin(@RequestParam String by, @RequestParam String back) throws Exception {
			this.all.await(20, TimeUnit.SECONDS);
			this.outcomes.add(get(by + "/middle?back=" + back));
		}

		@GetMapping("/middle")
		ResponseEntity<Void> middle(@RequestParam String back) {
			return ResponseEntity.status(get(back + "/end")).build();
		}

		@GetMapping("/end")
		void end() {
		}

	}

}
