package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Exchanges through the life of a Jetty server, and with its connector. */
@Timeout(180)
class JettyServerTests {

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private ConfigurableApplicationContext server(String path, Map<String, Object> more) {
		Map<String, Object> properties = new TreeMap<>(Map.of("server.port", "0", "vicinal.server.paths", path));
		properties.putAll(more);
		return this.applications.start(ConnectedApplication.class, properties);
	}

	private static String base(ConfigurableApplicationContext server) {
		return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	private static RestClient connected(ConfigurableApplicationContext client, String base, String path) {
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		ExchangeBehaviourTests.connect(exchanges, client.getBean(Exchanges.class), path);
		return exchanges;
	}

	private static RestClient plain(String base) {
		return RestClient.builder()
			.baseUrl(base)
			.requestFactory(ClientHttpRequestFactoryBuilder.httpComponents().build(HttpClientSettings.defaults()))
			.build();
	}

	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm" })
	void aGracefulShutdownWaitsForExchanges(String path) throws Exception {
		ConfigurableApplicationContext server = server(path, Map.of("server.shutdown", "graceful"));
		ConfigurableApplicationContext client = this.applications.client(path, "http-components");
		RestClient exchanges = connected(client, base(server), path);
		ExchangeService service = server.getBean(ExchangeService.class);
		CompletableFuture<String> answer = CompletableFuture
			.supplyAsync(() -> exchanges.get().uri("/slow?ms=2000").retrieve().body(String.class));
		await().until(service::isBusy);
		server.close();
		assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("slow false");
	}

	@Test
	void anImmediateShutdownLosesExchanges() throws Exception {
		ConfigurableApplicationContext server = server("shm", Map.of("server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client("shm", "http-components");
		RestClient exchanges = connected(client, base(server), "shm");
		ExchangeService service = server.getBean(ExchangeService.class);
		CompletableFuture<String> answer = CompletableFuture
			.supplyAsync(() -> exchanges.post().uri("/hang").retrieve().body(String.class));
		await().until(service::isBusy);
		server.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> answer.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(ResourceAccessException.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm" })
	void aHandlerNoticesThatItsClientHasGone(String path) throws IOException {
		ConfigurableApplicationContext server = server(path, Map.of());
		// Apache's client would read all of it.
		ConfigurableApplicationContext client = this.applications.client(path, "jdk");
		RestClient exchanges = connected(client, base(server), path);
		exchanges.get().uri("/stream?mb=50").exchange((request, response) -> {
			try (InputStream body = response.getBody()) {
				assertThat(body.read()).isZero();
			}
			return "";
		});
		await().untilAsserted(
				() -> assertThat(exchanges.get().uri("/written").retrieve().body(String.class)).endsWith(" failed"));
	}

	/** The address of a request without such a field is that of the socket again. */
	@Test
	void forwardedHeadersCountForTheirRequestOnly() {
		ConfigurableApplicationContext server = server("direct", Map.of("server.forward-headers-strategy", "native"));
		ConfigurableApplicationContext client = this.applications.client("direct", "http-components");
		String base = base(server);
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		Exchanges sent = client.getBean(Exchanges.class);
		RestClient plain = plain(base);
		await().until(() -> {
			exchanges.get().uri("/address").header("X-Forwarded-For", "192.0.2.7").retrieve().toBodilessEntity();
			return ExchangeBehaviourTests.calls(sent, "direct") > 0;
		});
		for (int i = 0; i < 3; i++) {
			for (String address : new String[] { "192.0.2.7", "198.51.100.9", "" }) {
				assertThat(seen(exchanges, address)).isEqualTo(seen(plain, address));
			}
		}
		assertThat(seen(exchanges, "198.51.100.9")).contains("198.51.100.9");
		assertThat(ExchangeBehaviourTests.calls(sent, "direct")).isGreaterThan(10);
	}

	private static String seen(RestClient client, String address) {
		RestClient.RequestHeadersSpec<?> request = client.get().uri("/address");
		if (!address.isEmpty()) {
			request.header("X-Forwarded-For", address).header("X-Forwarded-Proto", "https");
		}
		return String.valueOf(request.retrieve().body(String.class));
	}

	@Test
	void aConnectorThatDoesMoreKeepsHttpAndSaysWhy() {
		ConfigurableApplicationContext server = server("direct", Map.of("spring.profiles.active", "second"));
		ConfigurableApplicationContext client = this.applications.client("direct", "http-components");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base(server)).build();
		Exchanges sent = client.getBean(Exchanges.class);
		await().untilAsserted(() -> {
			assertThat(exchanges.get().uri("/text").retrieve().body(String.class)).isEqualTo("héllo");
			assertThat(reasons(sent)).contains("speaks more than HTTP/1.1");
		});
		assertThat(ExchangeBehaviourTests.calls(sent, "direct")).isZero();
	}

	private static String reasons(Exchanges exchanges) {
		var report = exchanges.report();
		return (report == null) ? "" : report.peers().stream().map(PeerReport::reason).toList().toString();
	}

	/** The shop, and what only these tests ask for. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, JettyHandlers.class })
	static class ConnectedApplication {

		@Bean
		@Profile("second")
		WebServerFactoryCustomizer<JettyServletWebServerFactory> second() {
			return (factory) -> factory.addServerCustomizers((server) -> {
				for (Connector each : server.getConnectors()) {
					((ServerConnector) each).addConnectionFactory(new OtherProtocol());
				}
			});
		}

	}

	/** A protocol beside HTTP/1.1. */
	private static final class OtherProtocol extends AbstractConnectionFactory {

		OtherProtocol() {
			super("other/1");
		}

		@Override
		public Connection newConnection(Connector connector, EndPoint endPoint) {
			throw new IllegalStateException("Nobody speaks it");
		}

	}

}
