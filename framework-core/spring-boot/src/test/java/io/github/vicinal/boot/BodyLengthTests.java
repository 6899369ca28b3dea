package io.github.vicinal.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
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
	@ValueSource(strings = { "http-components", "jdk", "reactor", "simple" })
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
	@CsvSource({ "false, http-components", "false, jdk", "false, reactor", "false, simple", "true, jdk",
			"true, reactor" })
	void typedCallsShowTheSame(boolean reactive, String library) {
		typedCallsShowTheSame(start(Server.class, Map.of()), reactive, library, false);
	}

	/** The container has read the headers. */
	@ParameterizedTest
	@InTurn(value = { "false, jdk", "false, reactor", "true, reactor", "true, jdk" }, rows = 2)
	void typedCallsShowTheSameBehindAFilter(boolean reactive, String library) {
		typedCallsShowTheSame(start(FilteredServer.class, Map.of()), reactive, library, true);
	}

	/** Such a request says nothing about the length of bodies. */
	@ParameterizedTest
	@ValueSource(strings = { "http-components", "jdk" })
	void aMissingBodyIsNoExample(String library) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		ConfigurableApplicationContext typed = start(Client.class,
				Map.of("spring.http.serviceclient.framed.base-url", url, "spring.http.clients.imperative.factory",
						library, "vicinal.compare-paths", "false", "vicinal.confirm-interval", "0s"));
		Framed found = typed.getBean(Framed.class);
		String overHttp = found.json(Map.of("a", 1));
		String missing = found.optional(null);
		assertThat(missing).isNotEqualTo(overHttp);
		await().untilAsserted(() -> {
			found.get();
			assertThat(channel(typed).peers().get(0).path()).isEqualTo("direct");
		});
		assertThat(found.json(Map.of("a", 1))).isEqualTo(overHttp);
		assertThat(found.optional(Map.of("a", 1))).isEqualTo(overHttp);
		assertThat(found.optional(null)).isEqualTo(missing);
		assertThat(found.json(Map.of("a", 1))).isEqualTo(overHttp);
	}

	/** Their requests look alike in everything else. */
	@Test
	void clientsOfOneLibraryAreDistinguished() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		for (boolean reactive : new boolean[] { true, false, true }) {
			typedCallsShowTheSame(server, reactive, "reactor", true);
		}
	}

	/** The body has the length that the headers say, although each write differs. */
	@Test
	void aFilterThatLooksAtTheLengthAndReadsTheBodySeesOneBody() {
		ConfigurableApplicationContext server = start(FilteredServer.class, Map.of());
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		Map<String, Object> client = Map.of("framed.url", url, "spring.http.clients.reactive.connector", "jdk",
				"vicinal.compare-paths", "false", "vicinal.confirm-interval", "0s");
		ConfigurableApplicationContext typed = start(ReactiveClient.class, client);
		Framed found = typed.getBean(Framed.class);
		found.growing(new Growing());
		await().untilAsserted(() -> {
			found.get();
			assertThat(channel(typed).peers().get(0).path()).isEqualTo("direct");
		});
		found.growing(new Growing());
		Map<String, Long> left = channel(typed).leftToHttp();
		server.getBean(PassingFilter.class).reads = true;
		Framed overHttp = start(ReactiveClient.class, with(client, "vicinal.enabled", "false")).getBean(Framed.class);
		String expected = overHttp.growing(new Growing());
		assertThat(expected).isEqualTo("12 of 12");
		assertThat(found.growing(new Growing())).isEqualTo(expected);
		assertThat(channel(typed).leftToHttp()).isEqualTo(left);
	}

	private void typedCallsShowTheSame(ConfigurableApplicationContext server, boolean reactive, String library,
			boolean firstOverHttp) {
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		Class<?> type = reactive ? ReactiveClient.class : Client.class;
		Map<String, Object> client = Map.of("spring.http.serviceclient.framed.base-url", url, "framed.url", url,
				"spring.http.clients.imperative.factory", reactive ? "jdk" : library,
				"spring.http.clients.reactive.connector", reactive ? library : "jdk", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s", "vicinal.channels.framed.ignore-client-interceptors",
				library.equals("reactor"));
		Framed expected = start(type, with(client, "vicinal.enabled", "false")).getBean(Framed.class);
		ConfigurableApplicationContext typed = start(type, client);
		Framed found = typed.getBean(Framed.class);
		Map<String, Function<Framed, String>> calls = new LinkedHashMap<>();
		calls.put("json", (framed) -> framed.json(Map.of("a", 1)));
		calls.put("a list", (framed) -> framed.list(List.of("grün", "x")));
		calls.put("text", (framed) -> framed.text("text"));
		calls.put("bytes", (framed) -> framed.bytes(new byte[7]));
		calls.put("none", Framed::none);
		calls.put("delete", Framed::delete);
		calls.put("get", Framed::get);
		if (firstOverHttp) {
			calls.values().forEach((call) -> call.apply(found));
		}
		await().untilAsserted(() -> {
			found.get();
			assertThat(channel(typed).peers().get(0).path()).isEqualTo("direct");
		});
		Map<String, Long> left = channel(typed).leftToHttp();
		calls.forEach((name, call) -> {
			// HttpURLConnection calls an empty body form data, which is documented.
			String overHttp = call.apply(expected).replace("application/x-www-form-urlencoded", "null");
			// Unless some calls have shown it, nothing of these was seen over HTTP.
			assertThat(call.apply(found)).as(name).isEqualTo(overHttp);
		});
		assertThat(channel(typed).leftToHttp()).isEqualTo(left);
	}

	private static ChannelReport channel(ConfigurableApplicationContext client) {
		ChannelsEndpoint endpoint = client.getBean(ChannelsEndpoint.class);
		return endpoint.channel(endpoint.channels().channels().get(0).name());
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

		@PostExchange("/framed/optional")
		String optional(@RequestBody(required = false) @Nullable Map<String, Integer> body);

		@PostExchange("/framed/text")
		String text(@RequestBody String body);

		@PostExchange("/framed/list")
		String list(@RequestBody List<String> body);

		@PostExchange("/framed/growing")
		String growing(@RequestBody Growing body);

		@PostExchange("/framed/bytes")
		String bytes(@RequestBody byte[] body);

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
	@Import(FramedController.class)
	static class FilteredServer {

		@Bean
		PassingFilter passing() {
			return new PassingFilter();
		}

	}

	static class PassingFilter implements Filter {

		/** Whether it answers with the length and the number of bytes. */
		private volatile boolean reads;

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			if (!this.reads) {
				chain.doFilter(request, response);
				return;
			}
			response.setContentType("text/plain");
			response.getWriter()
				.print("%d of %d".formatted(request.getInputStream().readAllBytes().length,
						request.getContentLengthLong()));
		}

	}

	/** Its JSON is longer each time. */
	static class Growing {

		private int writes;

		public String getText() {
			this.writes++;
			return "x".repeat(this.writes);
		}

		public void setText(String text) {
			// The next JSON begins anew.
			this.writes = 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "framed", types = Framed.class)
	static class Client {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ReactiveClient {

		/** As Spring Boot does where its module for WebClient is. */
		@Bean
		WebClient.Builder webClientBuilder(ClientHttpConnectorBuilder<?> connectors, JsonMapper mapper) {
			return WebClient.builder()
				.clientConnector(connectors.build(HttpClientSettings.defaults()))
				.codecs((codecs) -> {
					codecs.defaultCodecs().jacksonJsonDecoder(new JacksonJsonDecoder(mapper));
					codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(mapper));
				});
		}

		@Bean
		Framed framed(WebClient.Builder builder, @Value("${framed.url}") String url) {
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(builder.baseUrl(url).build()))
				.build()
				.createClient(Framed.class);
		}

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
		public String optional(@Nullable Map<String, Integer> body) {
			return framing();
		}

		@Override
		public String text(String body) {
			return framing();
		}

		@Override
		public String list(List<String> body) {
			return framing();
		}

		@Override
		public String growing(Growing body) {
			return framing();
		}

		@Override
		public String bytes(byte[] body) {
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
			return "length %s or %d, encoding %s, type %s".formatted(this.request.getHeader("Content-Length"),
					this.request.getContentLengthLong(), this.request.getHeader("Transfer-Encoding"),
					this.request.getContentType());
		}

	}

}
