package io.github.vicinal.starter;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Starts applications, and waits for paths. */
final class Applications {

	private Applications() {
	}

	static ConfigurableApplicationContext start(Class<?> type, String... properties) {
		Map<String, Object> all = new HashMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "vicinalchannels", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s"));
		Arrays.stream(properties)
			.forEach((property) -> all.put(property.substring(0, property.indexOf('=')),
					property.substring(property.indexOf('=') + 1)));
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	static String url(ConfigurableApplicationContext server) {
		return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	static ChannelReport channel(ConfigurableApplicationContext client) {
		ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("quotes");
		assertThat(report).isNotNull();
		return report;
	}

	/** Calls until as many peers as there should be are reached by the path. */
	static void awaitPath(ConfigurableApplicationContext client, int peers, String path) {
		Quotes quotes = client.getBean(Quotes.class);
		await().untilAsserted(() -> {
			quotes.quote("A");
			assertThat(channel(client).peers()).hasSize(peers)
				.allSatisfy((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo(path));
		});
	}

}
