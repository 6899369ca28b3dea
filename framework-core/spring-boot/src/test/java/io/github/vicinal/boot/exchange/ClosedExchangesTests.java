package io.github.vicinal.boot.exchange;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** An application that was closed leaves no thread that connected its exchanges. */
@Timeout(120)
class ClosedExchangesTests {

	/** Well below the time after which an idle thread ends by itself. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	/** Threads of tests that ran before in this JVM. */
	private final Set<Thread> others = Set.copyOf(Thread.getAllStackTraces().keySet());

	private List<Thread> connectors() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.others.contains(thread) && thread.getName().equals("vicinal-connector"))
			.toList();
	}

	@Test
	void threadsThatConnectEndWithTheirApplication() {
		ConfigurableApplicationContext server = this.applications.start(ShopApplication.class,
				Map.of("server.port", "0", "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client("uds", "http-components");
		RestClient requests = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		await().untilAsserted(() -> {
			assertThat(requests.get().uri("/text").retrieve().body(String.class)).isEqualTo("héllo");
			assertThat(connectors()).isNotEmpty();
		});
		client.close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(connectors()).isEmpty());
	}

}
