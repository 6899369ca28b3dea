package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A response that goes on for longer than the time-out of its client, though never silent
 * for long. The time-out of the JDK's client is for all of it, as Spring uses it.
 */
@Timeout(120)
class TickingResponseTests {

	private static final Duration TIMEOUT = Duration.ofMillis(1500);

	private static final int TICK_MILLIS = 50;

	/** For eight seconds. */
	private static final int TICKS = 160;

	/** A response that takes longer was not ended by the client. */
	private static final int BOUND_MILLIS = 5000;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@ValueSource(strings = { "jdk", "jetty" })
	void endsWithTheTimeOutOfTheClient(String library) {
		ConfigurableApplicationContext server = this.applications.start(TickingApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", "direct", "server.shutdown", "immediate"));
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.client("direct", library);
		RestClient patient = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(patient, sent, "direct");
		assertThat(patient.get().uri("/ticks?times=2").retrieve().body(String.class)).isEqualTo("..");
		HttpClientSettings hurried = HttpClientSettings.defaults().withReadTimeout(TIMEOUT);
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl(base)
			.requestFactory(client.getBean(ClientHttpRequestFactoryBuilder.class).build(hurried))
			.build();
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ExchangeBehaviourTests.plain(library, hurried))
			.build();
		Map<String, Function<RestClient, Object>> ways = new LinkedHashMap<>();
		ways.put("nothing is read", (
				requests) -> requests.get().uri("/ticks?times=" + TICKS).retrieve().toBodilessEntity().getStatusCode());
		ways.put("all is read",
				(requests) -> requests.get().uri("/ticks?times=" + TICKS).retrieve().body(String.class));
		ways.put("it is closed in the middle",
				(requests) -> requests.get()
					.uri("/ticks?times=" + TICKS)
					.exchange((request, response) -> response.getBody().read()));
		ways.forEach((name, way) -> {
			String expected = observe(way, plain);
			long before = ExchangeBehaviourTests.calls(sent, "direct");
			assertThat(observe(way, exchanges)).as(name).isEqualTo(expected).startsWith("bounded");
			assertThat(ExchangeBehaviourTests.calls(sent, "direct")).isGreaterThan(before);
		});
	}

	private static String observe(Function<RestClient, Object> way, RestClient client) {
		long start = System.nanoTime();
		String seen;
		try {
			seen = "returned " + way.apply(client);
		}
		catch (RestClientException ex) {
			StringBuilder chain = new StringBuilder("threw");
			for (Throwable each = ex; each != null; each = each.getCause()) {
				chain.append(' ').append(each.getClass().getName());
			}
			seen = chain.toString();
		}
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		return ((millis < BOUND_MILLIS) ? "bounded, " : "longer, ") + seen;
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, Ticks.class })
	static class TickingApplication {

	}

	@RestController
	static class Ticks {

		private final CountDownLatch never = new CountDownLatch(1);

		@GetMapping("/ticks")
		void ticks(@RequestParam int times, HttpServletResponse response) throws IOException, InterruptedException {
			for (int i = 0; i < times; i++) {
				response.getOutputStream().write('.');
				response.flushBuffer();
				assertThat(this.never.await(TICK_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
			}
		}

	}

}
