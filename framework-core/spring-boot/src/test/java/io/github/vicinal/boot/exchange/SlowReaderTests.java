package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A client that reads slowly is waited for as long as over HTTP, and no longer. */
@Timeout(180)
class SlowReaderTests {

	/** More than what any socket's buffers hold. */
	private static final int MEGABYTES = 24;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@CsvSource({ "direct, 300", "direct, 4000", "shm, 4000" })
	void isWaitedForAsOverHttp(String path, int pauseMillis) {
		ConfigurableApplicationContext server = this.applications.start(ShopApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate",
						"server.tomcat.connection-timeout", "1500ms", "server.jetty.connection-idle-timeout",
						"1500ms"));
		ConfigurableApplicationContext client = this.applications.client(path, "http-components");
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ExchangeBehaviourTests.plain("http-components"))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, path);
		String overHttp = read(plain, pauseMillis);
		long before = ExchangeBehaviourTests.calls(sent, path);
		assertThat(read(exchanges, pauseMillis)).isEqualTo(overHttp);
		assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThan(before);
	}

	private static String read(RestClient client, int pauseMillis) {
		String seen = client.get().uri("/stream?mb=" + MEGABYTES).exchange((request, response) -> {
			try {
				InputStream body = response.getBody();
				body.readNBytes(100);
				new CountDownLatch(1).await(pauseMillis, TimeUnit.MILLISECONDS);
				return "read " + (100 + body.transferTo(OutputStream.nullOutputStream()));
			}
			catch (IOException ex) {
				return "broken";
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return "interrupted";
			}
		});
		String written = await().until(() -> String.valueOf(client.get().uri("/written").retrieve().body(String.class)),
				(state) -> !state.endsWith("running"));
		return seen + ", " + written.replaceAll("\\d+ ", "");
	}

}
