package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Requests that go over HTTP are framed as they are without a channel, and typed calls
 * show the same.
 */
@Timeout(60)
class BodyLengthTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@ValueSource(strings = { "http-components", "jdk", "simple" })
	void bodiesAreSentAlike(String httpClient) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		Map<String, Object> client = Map.of("spring.http.serviceclient.framed.base-url", url,
				"spring.http.clients.imperative.factory", httpClient);
		Framed expected = start(Client.class, with(client, "vicinal.enabled", "false")).getBean(Framed.class);
		Framed found = start(Client.class, with(client, "vicinal.channels.framed.paths", "http")).getBean(Framed.class);
		for (int i = 0; i < 3; i++) {
			assertThat(found.json(Map.of("a", 1))).isEqualTo(expected.json(Map.of("a", 1)));
			assertThat(found.text("text")).isEqualTo(expected.text("text"));
			assertThat(found.none()).isEqualTo(expected.none());
			assertThat(found.get()).isEqualTo(expected.get());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "http-components", "jdk", "simple" })
	void typedCallsShowTheSame(String httpClient) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		Map<String, Object> client = Map.of("spring.http.serviceclient.framed.base-url", url,
				"spring.http.clients.imperative.factory", httpClient, "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s");
		Framed expected = start(Client.class, with(client, "vicinal.enabled", "false")).getBean(Framed.class);
		ConfigurableApplicationContext typed = start(Client.class, client);
		Framed found = typed.getBean(Framed.class);
		await().untilAsserted(() -> {
			found.get();
			assertThat(typed.getBean(ChannelsEndpoint.class).channel("framed").peers().get(0).path())
				.isEqualTo("direct");
		});
		// Nothing of these has been seen over HTTP.
		assertThat(found.json(Map.of("a", 1))).isEqualTo(expected.json(Map.of("a", 1)));
		assertThat(found.text("text")).isEqualTo(expected.text("text"));
		// HttpURLConnection calls an empty body form data, which is documented.
		String form = "application/x-www-form-urlencoded";
		assertThat(found.none()).isEqualTo(expected.none().replace(form, "null"));
		assertThat(found.delete()).isEqualTo(expected.delete().replace(form, "null"));
		assertThat(found.get()).isEqualTo(expected.get());
	}

	private static Map<String, Object> with(Map<String, Object> properties, String name, String value) {
		Map<String, Object> all = new TreeMap<>(properties);
		all.put(name, value);
		return all;
	}

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		return this.applications.start(type,
				with(properties, "vicinal.rendezvous.directory", this.directory.resolve("meet").toString()));
	}

	@AffinityChannel
	interface Framed {

		@PostExchange("/framed/json")
		String json(@RequestBody Map<String, Integer> body);

		@PostExchange("/framed/text")
		String text(@RequestBody String body);

		@PostExchange("/framed/none")
		String none();

		@DeleteExchange("/framed")
		String delete();

		@GetExchange("/framed")
		String get();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(FramedController.class)
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "framed", types = Framed.class)
	static class Client {

	}

	@RestController
	static class FramedController implements Framed {

		private final HttpServletRequest request;

		FramedController(HttpServletRequest request) {
			this.request = request;
		}

		@Override
		public String json(Map<String, Integer> body) {
			return framing();
		}

		@Override
		public String text(String body) {
			return framing();
		}

		@Override
		public String none() {
			return framing();
		}

		@Override
		public String delete() {
			return framing();
		}

		@Override
		public String get() {
			return framing();
		}

		private String framing() {
			return "length %s, encoding %s, type %s".formatted(this.request.getHeader("Content-Length"),
					this.request.getHeader("Transfer-Encoding"), this.request.getContentType());
		}

	}

}
