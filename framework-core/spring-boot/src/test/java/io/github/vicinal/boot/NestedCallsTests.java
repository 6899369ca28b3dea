package io.github.vicinal.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.requestserver.RequestServer;
import org.junit.jupiter.api.AfterEach;
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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A calls B, which calls A back, with as many calls at once as A has permits: each
 * handler of A waits for a permit that another handler of A has.
 */
@Timeout(120)
class NestedCallsTests {

	private static final int PERMITS = 2;

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	private String start() {
		SpringApplication application = new SpringApplication(NestedApplication.class);
		application.setDefaultProperties(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"vicinal.server.requests.threads", PERMITS, "server.shutdown", "immediate"));
		ConfigurableApplicationContext context = application.run();
		this.applications.add(context);
		return "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
	}

	@AfterEach
	void stop() {
		this.applications.forEach(ConfigurableApplicationContext::close);
	}

	/** Cold servers know nothing of their requests yet. */
	@ParameterizedTest
	@ValueSource(ints = { 0, 100 })
	void theCycleIsBrokenByARejection(int warm) throws Exception {
		String a = start();
		String b = start();
		for (int i = 0; i < warm; i++) {
			assertThat(Handlers.get(a + "/end")).isEqualTo(200);
		}
		List<CompletableFuture<Integer>> calls = new ArrayList<>();
		for (int i = 0; i < PERMITS; i++) {
			calls.add(CompletableFuture.supplyAsync(() -> Handlers.get(a + "/begin?by=" + b + "&back=" + a),
					(task) -> new Thread(task).start()));
		}
		for (CompletableFuture<Integer> call : calls) {
			assertThat(call.get(40, TimeUnit.SECONDS)).isEqualTo(200);
		}
		for (ConfigurableApplicationContext application : this.applications) {
			RequestServer server = application.getBean(RequestServer.class);
			await().until(() -> server.running() == 0 && server.waiting() == 0);
		}
		assertThat(this.applications.get(0).getBean(Handlers.class).outcomes).hasSize(PERMITS).contains(503);
		assertThat(Handlers.get(a + "/end")).isEqualTo(200);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class NestedApplication {

	}

	@RestController
	static class Handlers {

		private static final RestClient CLIENT = client();

		final List<Integer> outcomes = new java.util.concurrent.CopyOnWriteArrayList<>();

		/** Barrier that all permits pass before the first call comes back. */
		private final CyclicBarrier all = new CyclicBarrier(PERMITS);

		private static RestClient client() {
			JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
			requests.setReadTimeout(Duration.ofSeconds(50));
			return RestClient.builder()
				.requestFactory(requests)
				.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
				})
				.build();
		}

		static int get(String url) {
			return CLIENT.get().uri(url).retrieve().toBodilessEntity().getStatusCode().value();
		}

		@GetMapping("/begin")
		void begin(@RequestParam String by, @RequestParam String back) throws Exception {
			this.all.await(20, TimeUnit.SECONDS);
			this.outcomes.add(get(by + "/middle?back=" + back));
		}

		@GetMapping("/middle")
		org.springframework.http.ResponseEntity<Void> middle(@RequestParam String back) {
			return org.springframework.http.ResponseEntity.status(get(back + "/end")).build();
		}

		@GetMapping("/end")
		void end() {
		}

	}

}
