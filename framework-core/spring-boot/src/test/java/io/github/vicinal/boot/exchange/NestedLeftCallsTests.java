package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A calls B, which calls A back, which sends a request of its own: all on one thread, as
 * they are in one JVM. The request looks like the first call, but is none of a channel.
 */
@Timeout(120)
class NestedLeftCallsTests {

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private ConfigurableApplicationContext start(String library, Map<String, Object> more) {
		Map<String, Object> properties = new TreeMap<>(Map.of("server.port", "0", "server.shutdown", "immediate",
				"vicinal.confirm-interval", "1h", "vicinal.compare-paths", "false",
				"spring.http.clients.imperative.factory", library, "management.endpoints.web.exposure.include", "*"));
		properties.putAll(more);
		return this.applications.start(Application.class, properties);
	}

	private static String url(ConfigurableApplicationContext application) {
		return "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdk", "http-components" })
	void requestsOfHandlersBelongToNoCallOfTheirThread(String library) {
		ConfigurableApplicationContext b = start(library, Map.of());
		ConfigurableApplicationContext c = start(library, Map.of());
		ConfigurableApplicationContext a = start(library,
				Map.of("vicinal.channels.calls.instances", url(b), "vicinal.channels.calls.locality", "false"));
		Calls calls = a.getBean(Calls.class);
		String back = url(a) + "/back?next=" + url(c) + "/any";
		await().untilAsserted(() -> {
			assertThat(calls.any(back)).isEqualTo(Map.of("by", url(c)));
			ChannelReport exchanges = a.getBean(ChannelsEndpoint.class).channel("http-exchanges");
			assertThat(exchanges).isNotNull();
			assertThat(exchanges.peers()).anySatisfy((peer) -> {
				assertThat(url(b)).endsWith(peer.address());
				assertThat(peer.path()).isEqualTo("direct");
			});
		});
		for (int i = 0; i < 200; i++) {
			assertThat(calls.any(back)).isEqualTo(Map.of("by", url(c)));
		}
	}

	@AffinityChannel(name = "calls")
	interface Calls {

		@GetExchange("/any")
		Object any(@RequestParam String next);

	}

	@RestController
	static class Controller {

		private final RestClient client;

		private final Environment environment;

		Controller(RestClient.Builder builder, Environment environment) {
			this.client = builder.build();
			this.environment = environment;
		}

		@GetMapping("/any")
		Map<?, ?> any(@RequestParam(required = false) @Nullable String next) {
			return (next != null) ? get(next)
					: Map.of("by", "http://127.0.0.1:" + this.environment.getProperty("local.server.port"));
		}

		@GetMapping("/back")
		Map<?, ?> back(@RequestParam String next) {
			return get(next);
		}

		private Map<?, ?> get(String next) {
			return this.client.get().uri(URI.create(next)).retrieve().body(Map.class);
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Controller.class)
	static class Application {

		@Bean
		Calls calls(RestClient.Builder builder) {
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.baseUrl("http://b").build()))
				.build()
				.createClient(Calls.class);
		}

	}

}
