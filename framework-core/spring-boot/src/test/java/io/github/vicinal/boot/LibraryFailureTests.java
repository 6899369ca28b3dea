package io.github.vicinal.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** The exceptions of a typed call are those of the client's HTTP library. */
@Timeout(180)
class LibraryFailureTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@CsvSource({ "direct, http-components", "direct, jdk", "direct, simple", "uds, simple" })
	void areThoseOfTheLibrary(String path, String library) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("vicinal.server.paths", path, "vicinal.rendezvous.directory", rendezvous));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.doors.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.clients.imperative.factory", library, "spring.http.serviceclient.doors.base-url",
						url));
		Doors typed = client.getBean(Doors.class);
		Doors plain = HttpServiceProxyFactory
			.builderFor(RestClientAdapter
				.create(RestClient.builder().baseUrl(url).requestFactory(factory(library)).build()))
			.build()
			.createClient(Doors.class);
		await().untilAsserted(() -> {
			assertThat(typed.open(200)).isEqualTo("who is it?");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("doors").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
		});
		for (int status : new int[] { 400, 401, 404, 407, 409, 500, 599 }) {
			assertThat(failure(() -> typed.open(status))).isEqualTo(failure(() -> plain.open(status)));
			assertThat(failure(() -> typed.knock(status, "it is me")))
				.isEqualTo(failure(() -> plain.knock(status, "it is me")));
		}
		redirectsAreThoseOfTheLibrary(typed, plain);
	}

	/** A redirect may lead to nowhere, and one of a POST is followed or not. */
	private static void redirectsAreThoseOfTheLibrary(Doors typed, Doors plain) {
		for (int status : new int[] { 301, 302, 303, 307, 308 }) {
			assertThat(outcome(() -> typed.turn(status, null))).as("GET %d", status)
				.isEqualTo(outcome(() -> plain.turn(status, null)));
			assertThat(outcome(() -> typed.push(status, null))).as("POST %d", status)
				.isEqualTo(outcome(() -> plain.push(status, null)));
			assertThat(outcome(() -> typed.turn(status, "/doors/200"))).as("GET %d to a door", status)
				.isEqualTo(outcome(() -> plain.turn(status, "/doors/200")));
			assertThat(outcome(() -> typed.push(status, "/doors/200"))).as("POST %d to a door", status)
				.isEqualTo(outcome(() -> plain.push(status, "/doors/200")));
		}
	}

	/** A response without a body has no buffer, and a body is there once. */
	@ParameterizedTest
	@ValueSource(strings = { "direct", "uds" })
	void areThoseOfWebClient(String path) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("vicinal.server.paths", path, "vicinal.rendezvous.directory", rendezvous));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(ReactiveClient.class,
				Map.of("vicinal.channels.doors.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.clients.reactive.connector", "jdk", "doors.url", url));
		Doors typed = client.getBean(Doors.class);
		Doors plain = HttpServiceProxyFactory.builderFor(WebClientAdapter.create(WebClient.builder()
			.baseUrl(url)
			.clientConnector(ClientHttpConnectorBuilder.jdk().build(HttpClientSettings.defaults()))
			.build())).build().createClient(Doors.class);
		await().untilAsserted(() -> {
			assertThat(typed.open(200)).isEqualTo("who is it?");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("Doors").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
		});
		assertThat(plain.key(304)).isNull();
		assertThat(typed.key(304)).isNull();
		WebClientResponseException expected = catchThrowableOfType(WebClientResponseException.class,
				() -> plain.key(200));
		WebClientResponseException failure = catchThrowableOfType(WebClientResponseException.class,
				() -> typed.key(200));
		assertThat(failure).hasMessage(expected.getMessage());
		assertThat(failure.getResponseBodyAsString()).isEqualTo(expected.getResponseBodyAsString());
		redirectsAreThoseOfTheLibrary(typed, plain);
	}

	private static ClientHttpRequestFactory factory(String library) {
		ClientHttpRequestFactoryBuilder<?> builder = switch (library) {
			case "jdk" -> ClientHttpRequestFactoryBuilder.jdk();
			case "simple" -> ClientHttpRequestFactoryBuilder.simple();
			default -> ClientHttpRequestFactoryBuilder.httpComponents();
		};
		return builder.build(HttpClientSettings.defaults());
	}

	private static String failure(Runnable call) {
		RestClientResponseException failure = catchThrowableOfType(RestClientResponseException.class, call::run);
		return "%s: %s '%s' %s".formatted(failure.getClass().getSimpleName(), failure.getMessage(),
				failure.getStatusText(), failure.getResponseBodyAsString());
	}

	/** The result, or the failure and its causes. */
	private static String outcome(Callable<ResponseEntity<String>> call) {
		try {
			ResponseEntity<String> answer = call.call();
			return answer.getStatusCode() + " " + answer.getHeaders().getLocation() + " " + answer.getBody();
		}
		catch (Exception ex) {
			List<String> causes = new ArrayList<>();
			for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
				causes.add(cause.getClass().getSimpleName());
			}
			return causes.toString();
		}
	}

	@AffinityChannel
	@HttpExchange("/doors")
	interface Doors {

		@GetExchange("/{status}")
		String open(@PathVariable int status);

		@PostExchange("/{status}")
		String knock(@PathVariable int status, @RequestBody String text);

		@GetExchange("/{status}/key")
		@Nullable Key key(@PathVariable int status);

		@GetExchange("/{status}/turn")
		ResponseEntity<String> turn(@PathVariable int status, @RequestParam(required = false) @Nullable String to);

		@PostExchange("/{status}/push")
		ResponseEntity<String> push(@PathVariable int status, @RequestParam(required = false) @Nullable String to);

	}

	record Key(String teeth) {
	}

	@RestController
	static class DoorController implements Doors {

		private final ObjectProvider<HttpServletResponse> responses;

		DoorController(ObjectProvider<HttpServletResponse> responses) {
			this.responses = responses;
		}

		@Override
		public String open(int status) {
			if (status != 200) {
				throw new DoorException(status);
			}
			return "who is it?";
		}

		@Override
		public String knock(int status, String text) {
			return open(status);
		}

		@Override
		public @Nullable Key key(int status) {
			HttpServletResponse response = this.responses.getObject();
			try {
				response.setStatus(status);
				if (status == 200) {
					response.setContentType("text/plain");
					response.getWriter().write("no key");
				}
				response.flushBuffer();
				return null;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public ResponseEntity<String> turn(int status, @Nullable String to) {
			ResponseEntity.BodyBuilder answer = ResponseEntity.status(status);
			return ((to != null) ? answer.header("Location", to) : answer).build();
		}

		@Override
		public ResponseEntity<String> push(int status, @Nullable String to) {
			return turn(status, to);
		}

		@ExceptionHandler
		ResponseEntity<String> closed(DoorException ex) {
			return ResponseEntity.status(ex.status).header("WWW-Authenticate", "Basic realm=\"doors\"").body("closed");
		}

	}

	static class DoorException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final int status;

		DoorException(int status) {
			this.status = status;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(DoorController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "doors", types = Doors.class)
	static class Client {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ReactiveClient {

		/** As Spring Boot does where its module for WebClient is. */
		@Bean
		WebClient.Builder webClientBuilder(ClientHttpConnectorBuilder<?> connectors, JsonMapper mapper,
				ObservationRegistry observations) {
			return WebClient.builder()
				.clientConnector(connectors.build(HttpClientSettings.defaults()))
				.observationRegistry(observations)
				.codecs((codecs) -> {
					codecs.defaultCodecs().jacksonJsonDecoder(new JacksonJsonDecoder(mapper));
					codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(mapper));
				});
		}

		@Bean
		Doors doors(WebClient.Builder builder, @Value("${doors.url}") String url) {
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(builder.baseUrl(url).build()))
				.build()
				.createClient(Doors.class);
		}

	}

}
