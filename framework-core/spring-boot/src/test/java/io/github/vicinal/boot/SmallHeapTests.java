package io.github.vicinal.boot;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.util.StreamUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * More requests come than may run, in a heap that has no room for all that wait
 * otherwise. A web server alone survives that: its other requests wait as connections.
 */
@Timeout(120)
class SmallHeapTests {

	private static final int REQUESTS = 1500;

	private static final int RUNNING = 200;

	private static final int TIMEOUT_MILLIS = 60_000;

	@Test
	void anApplicationWithASmallHeapSurvivesManyRequests() throws Exception {
		try (Child child = new Child(); Requests requests = new Requests(child.port)) {
			requests.send("/waiting", REQUESTS);
			for (int i = 0; i < 5; i++) {
				try (Requests health = new Requests(child.port)) {
					health.send("/actuator/health", 1);
					assertThat(health.status(0)).isEqualTo(200);
				}
			}
			child.process.outputWriter().append("go on\n").flush();
			int answered = 0;
			int rejected = 0;
			for (int i = 0; i < REQUESTS; i++) {
				int status = requests.status(i);
				answered += (status == 200) ? 1 : 0;
				rejected += (status == 503) ? 1 : 0;
			}
			assertThat(answered).isGreaterThanOrEqualTo(RUNNING);
			assertThat(answered + rejected).isEqualTo(REQUESTS);
			try (Requests later = new Requests(child.port)) {
				later.send("/waiting", 1);
				assertThat(later.status(0)).isEqualTo(200);
			}
		}
	}

	/** Requests on connections of their own. */
	private static final class Requests implements AutoCloseable {

		private final int port;

		private final List<Socket> sockets = new ArrayList<>();

		Requests(int port) {
			this.port = port;
		}

		void send(String path, int count) throws IOException {
			for (int i = 0; i < count; i++) {
				Socket socket = new Socket("localhost", this.port);
				this.sockets.add(socket);
				socket.setSoTimeout(TIMEOUT_MILLIS);
				socket.getOutputStream()
					.write("GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".formatted(path)
						.getBytes(StandardCharsets.ISO_8859_1));
			}
		}

		int status(int index) throws IOException {
			String answer = StreamUtils.copyToString(this.sockets.get(index).getInputStream(),
					StandardCharsets.ISO_8859_1);
			assertThat(answer).startsWith("HTTP/1.1 ");
			return Integer.parseInt(answer.substring(9, 12));
		}

		@Override
		public void close() throws IOException {
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}

	}

	/** The application, in a process of its own. */
	private static final class Child implements AutoCloseable {

		private static final String PORT = "port ";

		private final Process process;

		private final int port;

		Child() throws IOException {
			this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
					System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
					SmallApplication.class.getName())
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			BufferedReader output = this.process.inputReader();
			String line = output.readLine();
			while (line != null && !line.startsWith(PORT)) {
				line = output.readLine();
			}
			assertThat(line).as("the application has started").isNotNull();
			this.port = Integer.parseInt(line.substring(PORT.length()));
		}

		@Override
		public void close() throws InterruptedException {
			this.process.destroyForcibly().waitFor();
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class SmallApplication {

		/**
		 * Runs until standard input ends, or the process is killed. Handlers return after
		 * a line of input.
		 */
		public static void main(String[] args) throws IOException {
			SpringApplication application = new SpringApplication(SmallApplication.class);
			application.setDefaultProperties(
					Map.of("server.port", "0", "spring.main.banner-mode", "off", "server.shutdown", "immediate"));
			try (ConfigurableApplicationContext context = application.run();
					BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
				System.out.println(Child.PORT + context.getEnvironment().getProperty("local.server.port"));
				while (input.readLine() != null) {
					context.getBean(Handlers.class).end.countDown();
				}
			}
		}

	}

	@RestController
	static class Handlers {

		final CountDownLatch end = new CountDownLatch(1);

		@GetMapping("/waiting")
		String waiting() throws InterruptedException {
			this.end.await();
			return "waited";
		}

	}

}
