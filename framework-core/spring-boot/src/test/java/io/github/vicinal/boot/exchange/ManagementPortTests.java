package io.github.vicinal.boot.exchange;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests to the port of the management server stay there. */
@Timeout(120)
class ManagementPortTests {

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@Test
	void theManagementServerAnswersItself() {
		ConfigurableApplicationContext server = this.applications.start(ShopApplication.class,
				Map.of("server.port", "0", "management.server.port", "0", "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client("uds", "http-components");
		RestClient requests = client.getBean(RestClient.Builder.class).build();
		String main = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		String management = "http://localhost:" + server.getEnvironment().getProperty("local.management.port");
		for (int i = 0; i < 20; i++) {
			assertThat(requests.get().uri(main + "/text").retrieve().body(String.class)).isEqualTo("héllo");
			assertThat(requests.get().uri(management + "/actuator/health").retrieve().body(String.class))
				.contains("\"status\":\"UP\"");
		}
	}

}
