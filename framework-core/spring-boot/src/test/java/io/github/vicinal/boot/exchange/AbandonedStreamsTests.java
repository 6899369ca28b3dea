package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;

import io.github.vicinal.exchange.ExchangeMessage;
import io.github.vicinal.exchange.ExchangeService;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Responses that their clients close early, and bodies of requests that break off, leave
 * neither exchanges nor shared memory behind.
 */
@Timeout(120)
class AbandonedStreamsTests {

	private static final int FIRST_ROUNDS = 20;

	private static final int ROUNDS = 100;

	private static final int BODY_BYTES = 300_000;

	/**
	 * Memory that a pair may make for more of its threads: eight parts, where a part that
	 * is lost in each round would be {@value #ROUNDS}.
	 */
	private static final int MORE_BYTES = 8 * ExchangeMessage.PART_BYTES;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@Test
	void leaveNothingBehind() {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "shm", "default");
		// Apache's client would read all of a response.
		ConfigurableApplicationContext client = this.applications.client("shm", "jdk");
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, "shm");
		abandon(exchanges, server, FIRST_ROUNDS);
		double memory = memory(server, "server") + memory(client, "client");
		long before = ExchangeBehaviourTests.calls(sent, "shm");
		abandon(exchanges, server, ROUNDS);
		assertThat(ExchangeBehaviourTests.calls(sent, "shm")).isGreaterThanOrEqualTo(before + 2 * ROUNDS);
		assertThat(memory(server, "server") + memory(client, "client")).isPositive()
			.isLessThanOrEqualTo(memory + MORE_BYTES);
		assertThat(exchanges.post().uri("/count").body(new byte[BODY_BYTES]).retrieve().body(String.class))
			.contains("\"count\":" + BODY_BYTES);
	}

	/** The client is in the middle of its body, and the handler reads. */
	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm" })
	void anUploadWhoseServerEndsFails(String path) {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, path, "default");
		ConfigurableApplicationContext client = this.applications.client(path, "http-components");
		RestClient exchanges = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, path);
		long before = ExchangeBehaviourTests.calls(sent, path);
		StreamingHttpOutputMessage.Body body = (out) -> {
			out.write(new byte[BODY_BYTES]);
			server.close();
			out.write(new byte[BODY_BYTES]);
		};
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> exchanges.post().uri("/count").body(body).retrieve().toBodilessEntity())
			.withCauseInstanceOf(SocketException.class);
		assertThat(ExchangeBehaviourTests.calls(sent, path)).isEqualTo(before + 1);
	}

	private static void abandon(RestClient client, ConfigurableApplicationContext server, int rounds) {
		for (int i = 0; i < rounds; i++) {
			client.get().uri("/stream?mb=2").exchange((request, response) -> {
				try (InputStream body = response.getBody()) {
					assertThat(body.read()).isZero();
				}
				return "";
			});
			StreamingHttpOutputMessage.Body body = (out) -> {
				out.write(new byte[BODY_BYTES]);
				throw new IOException("as wanted");
			};
			assertThatExceptionOfType(ResourceAccessException.class)
				.isThrownBy(() -> client.post().uri("/count").body(body).retrieve().toBodilessEntity())
				.withStackTraceContaining("as wanted");
		}
		await().until(() -> server.getBean(ExchangeService.class).kept() == 0);
	}

	private static double memory(ConfigurableApplicationContext application, String side) {
		return application.getBean(MeterRegistry.class).get("vicinal.shm.memory").tag("side", side).gauge().value();
	}

}
