package io.github.vicinal.boot.exchange;

import java.util.Collections;
import java.util.Map;

import io.github.vicinal.boot.exchange.ShopApplication.Line;
import io.github.vicinal.boot.exchange.ShopApplication.Order;
import io.github.vicinal.exchange.ExchangeService;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A body whose first part is not taken goes over HTTP, although converters put exceptions
 * of their own around what the stream has thrown.
 */
@Timeout(120)
class UntakenBodyTests {

	private static final int LINES = 20_000;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@ValueSource(strings = { "http-components", "jdk", "simple" })
	void goesOverHttp(String library) {
		ConfigurableApplicationContext server = this.applications.start(ShopApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", "shm", "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client("shm", library);
		RestClient requests = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		ExchangeBehaviourTests.connect(requests, client.getBean(Exchanges.class), "shm");
		server.getBean(ExchangeService.class).stopAccepting();
		Order order = new Order(1, "much", false, "", Collections.nCopies(LINES, new Line("article", 1, 2)));
		for (int i = 0; i < 3; i++) {
			assertThat(requests.post().uri("/orders").body(order).retrieve().body(Order.class)).isEqualTo(order);
		}
	}

}
