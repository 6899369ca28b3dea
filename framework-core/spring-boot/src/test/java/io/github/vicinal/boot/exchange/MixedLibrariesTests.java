package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import feign.Capability;
import feign.Client;
import feign.Request;
import feign.Response;
import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.Applications;
import io.github.vicinal.report.ChannelReport.PathReport;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application may use several HTTP libraries. Exchanges of each show what this library
 * adds to its requests, whichever of them has asked the server.
 */
@Timeout(180)
class MixedLibrariesTests {

	private static final int ROUNDS = 3;

	private static final Request.Options OPTIONS = new Request.Options(5, TimeUnit.SECONDS, 20, TimeUnit.SECONDS, true);

	@RegisterExtension
	final Applications applications = new Applications();

	@ParameterizedTest
	@CsvSource({ "direct, jdk", "shm, simple", "shm, http-components" })
	void eachLibraryIsSeenAsItself(String path, String library) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, path, "default");
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port") + "/seen/x";
		ConfigurableApplicationContext application = this.applications.client(path, library);
		Exchanges sent = application.getBean(Exchanges.class);
		Client feign = application.getBean(Capability.class).enrich(new Client.Default(null, null));
		RestClient rest = application.getBean(RestClient.Builder.class).build();
		WebClient web = WebClient.builder()
			.clientConnector(application.getBean(ClientHttpConnectorBuilder.class).build(HttpClientSettings.defaults()))
			.build();
		Map<String, Supplier<String>> exchanges = new LinkedHashMap<>();
		exchanges.put("Feign", () -> get(feign, url));
		exchanges.put("RestClient", () -> get(rest, url));
		exchanges.put("WebClient", () -> get(web, url));
		Client plainFeign = new Client.Default(null, null);
		RestClient plainRest = RestClient.builder().requestFactory(factory(library)).build();
		WebClient plainWeb = WebClient.builder()
			.clientConnector(ClientHttpConnectorBuilder.jdk().build(HttpClientSettings.defaults()))
			.build();
		Map<String, Supplier<String>> plain = Map.of("Feign", () -> get(plainFeign, url), "RestClient",
				() -> get(plainRest, url), "WebClient", () -> get(plainWeb, url));
		exchanges.values().forEach((each) -> connect(each, sent, path));
		SoftAssertions differences = new SoftAssertions();
		long before = calls(sent, path);
		for (int i = 0; i < ROUNDS; i++) {
			exchanges.forEach((client, exchange) -> differences.assertThat(withoutConnection(exchange))
				.as(client)
				.isEqualTo(withoutConnection(plain.get(client))));
		}
		differences.assertAll();
		assertThat(calls(sent, path)).isEqualTo(before + (long) ROUNDS * exchanges.size());
	}

	private static String withoutConnection(Supplier<String> exchange) {
		return exchange.get().replaceAll("\"(connection|upgrade|http2-settings)\":\"[^\"]*\",?", "");
	}

	/** The requests of a library take the path once one of them has been seen. */
	private static void connect(Supplier<String> exchange, Exchanges sent, String path) {
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		long before = calls(sent, path);
		while (calls(sent, path) == before) {
			assertThat(exchange.get()).contains("headers");
			assertThat(System.nanoTime()).as("time to connect; report: %s", sent.report()).isLessThan(end);
		}
	}

	private static ClientHttpRequestFactory factory(String library) {
		ClientHttpRequestFactoryBuilder<?> builder = switch (library) {
			case "jdk" -> ClientHttpRequestFactoryBuilder.jdk();
			case "simple" -> ClientHttpRequestFactoryBuilder.simple();
			default -> ClientHttpRequestFactoryBuilder.httpComponents();
		};
		return builder.build(HttpClientSettings.defaults());
	}

	private static String get(RestClient client, String url) {
		return String.valueOf(client.get().uri(url).retrieve().body(String.class));
	}

	private static String get(WebClient client, String url) {
		return String.valueOf(client.get().uri(url).retrieve().bodyToMono(String.class).block());
	}

	private static String get(Client client, String url) {
		Map<String, Collection<String>> none = Map.of("X-Shop", List.of("1"));
		try (Response response = client
			.execute(Request.create(Request.HttpMethod.GET, url, none, null, StandardCharsets.UTF_8, null), OPTIONS)) {
			return new String(response.body().asInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static long calls(Exchanges exchanges, String path) {
		var report = exchanges.report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((each) -> each.path().equals(path))
					.mapToLong(PathReport::calls)
					.sum();
	}

}
