package io.github.vicinal.boot.exchange;

import java.util.Map;

import io.github.vicinal.boot.Forwarder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Exchanges follow an address that moves, also if connections that are open stay where
 * they are, as proxies let those to a retiring service end by themselves.
 */
@Timeout(120)
class MovedExchangesTests {

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@CsvSource({ "direct, http-components", "uds, jdk" })
	void followAnAddressThatMoves(String path, String library) throws Exception {
		int blue = server("blue", path);
		int green = server("green", path);
		try (Forwarder proxy = new Forwarder(blue)) {
			// What sends connections on has another port, so the server must be named.
			ConfigurableApplicationContext client = this.applications.start(
					ExchangeBehaviourTests.ClientApplication.class,
					Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.paths", path,
							"vicinal.http-exchanges.peers", "localhost", "vicinal.confirm-interval", "500ms",
							"vicinal.reconnect-delay", "10ms", "spring.http.clients.imperative.factory", library));
			RestClient exchanges = client.getBean(RestClient.Builder.class)
				.baseUrl("http://localhost:" + proxy.port())
				.build();
			Exchanges sent = client.getBean(Exchanges.class);
			ExchangeBehaviourTests.connect(exchanges, sent, path);
			assertThat(colour(exchanges)).isEqualTo("blue");
			proxy.forwardNewConnectionsTo(green);
			await().untilAsserted(() -> assertThat(colour(exchanges)).isEqualTo("green"));
			long before = ExchangeBehaviourTests.calls(sent, path);
			await().untilAsserted(() -> {
				assertThat(colour(exchanges)).isEqualTo("green");
				assertThat(ExchangeBehaviourTests.calls(sent, path)).as(() -> String.valueOf(sent.report()))
					.isGreaterThan(before);
			});
		}
	}

	private static String colour(RestClient client) {
		return String.valueOf(client.post().uri("/colour").retrieve().body(String.class));
	}

	private int server(String colour, String path) {
		return this.applications
			.start(ColourApplication.class, Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown",
					"immediate", "colour", colour))
			.getEnvironment()
			.getRequiredProperty("local.server.port", Integer.class);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, ColourController.class })
	static class ColourApplication {

	}

	@RestController
	static class ColourController {

		private final Environment environment;

		ColourController(Environment environment) {
			this.environment = environment;
		}

		@PostMapping("/colour")
		String colour() {
			return this.environment.getRequiredProperty("colour");
		}

	}

}
