package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** A handler sees a body that is written slowly before it is complete, as over HTTP. */
@Timeout(120)
class SlowRequestBodyTests {

	private static final int BYTES = 40_000;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@CsvSource({ "direct, http-components", "shm, http-components", "direct, jdk", "direct, simple",
			"direct, reactor" })
	void isReadWhileItIsWritten(String path, String library) {
		ConfigurableApplicationContext server = this.applications.start(ReaderApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client(path, library);
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ExchangeBehaviourTests.plain(library))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, path);
		Reader reader = server.getBean(Reader.class);
		assertThat(posted(plain, reader)).as("over HTTP").isEqualTo("seen true");
		long before = ExchangeBehaviourTests.calls(sent, path);
		assertThat(posted(exchanges, reader)).isEqualTo("seen true");
		assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThan(before);
	}

	private static String posted(RestClient client, Reader reader) {
		Slow body = new Slow(reader.next());
		Integer count = client.post().uri("/reads").body(body).retrieve().body(Integer.class);
		assertThat(count).isEqualTo(2 * BYTES + 1);
		return "seen " + body.seen;
	}

	/** Writes its end when the server has read its beginning. */
	private static final class Slow implements StreamingHttpOutputMessage.Body {

		private final CountDownLatch begun;

		private volatile boolean seen;

		Slow(CountDownLatch begun) {
			this.begun = begun;
		}

		@Override
		public void writeTo(OutputStream out) throws IOException {
			try {
				out.write(new byte[BYTES]);
				out.flush();
				new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
				out.write(new byte[BYTES]);
				out.flush();
				this.seen = this.begun.await(10, TimeUnit.SECONDS);
				out.write(1);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IOException(ex);
			}
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, Reader.class })
	static class ReaderApplication {

	}

	@RestController
	static class Reader {

		private volatile CountDownLatch begun = new CountDownLatch(1);

		CountDownLatch next() {
			this.begun = new CountDownLatch(1);
			return this.begun;
		}

		@PostMapping("/reads")
		int reads(HttpServletRequest request) throws IOException {
			InputStream body = request.getInputStream();
			int count = (body.read() >= 0) ? 1 : 0;
			this.begun.countDown();
			return count + body.readAllBytes().length;
		}

	}

}
