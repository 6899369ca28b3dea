package io.github.vicinal.boot;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.vicinal.boot.EndToEndTests.BasketClient;
import io.github.vicinal.boot.EndToEndTests.BasketService;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A client that was closed leaves nothing in its JVM. */
@Timeout(120)
class ClosedClientTests {

	private static final int CLIENTS = 10;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private static List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("vicinal-connector") || name.startsWith("vicinal-async"))
			.toList();
	}

	private static void callAndClose(String port) {
		SpringApplication application = new SpringApplication(BasketClient.class);
		application.setDefaultProperties(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"spring.http.serviceclient.baskets.base-url", "http://localhost:" + port,
				"vicinal.channels.baskets.paths", "uds", "vicinal.server.enabled", "false",
				"spring.cloud.loadbalancer.enabled", "false", "server.shutdown", "immediate",
				"management.endpoints.web.exposure.include", "*"));
		try (ConfigurableApplicationContext client = application.run()) {
			Baskets baskets = client.getBean(Baskets.class);
			ChannelsEndpoint endpoint = client.getBean(ChannelsEndpoint.class);
			await().untilAsserted(() -> {
				baskets.get(1);
				assertThat(endpoint.channel("baskets").peers().get(0).path()).isEqualTo("uds");
			});
		}
	}

	@Test
	void threadsAndMBeansAreAsBefore() {
		String port = this.applications.start(BasketService.class, Map.of())
			.getEnvironment()
			.getRequiredProperty("local.server.port");
		callAndClose(port);
		int beans = ManagementFactory.getPlatformMBeanServer().getMBeanCount();
		for (int i = 0; i < CLIENTS; i++) {
			callAndClose(port);
		}
		assertThat(ManagementFactory.getPlatformMBeanServer().getMBeanCount()).isEqualTo(beans);
		await().untilAsserted(() -> assertThat(threads()).isEmpty());
	}

}
