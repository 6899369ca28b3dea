package io.github.vicinal.boot;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Handlers that go on after their client has gone. */
@Timeout(120)
class LostClientTests {

	/** Requests that are made one after the other take the latest processor. */
	private static final int NEXT = 20;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	/**
	 * A request that has started asynchronous processing is not recycled by the container
	 * when its handler returns.
	 */
	@ParameterizedTest
	@InTurn(value = { "http", "direct", "shm", "uds" }, rows = 2)
	void asynchronousProcessingAfterAFailedWriteLeavesNothingToTheNextRequest(String path) throws Exception {
		ConfigurableApplicationContext server = this.applications.start(Server.class, Map.of());
		RestClient impatient = client(server, path, "1s");
		RestClient client = client(server, path, "60s");
		LostController handlers = server.getBean(LostController.class);
		for (String goesOn : List.of("starts", "completes")) {
			handlers.gone = new CountDownLatch(1);
			assertThatExceptionOfType(RestClientException.class)
				.isThrownBy(() -> impatient.get().uri("/lost?then=" + goesOn).retrieve().body(String.class));
			handlers.gone.countDown();
			assertThat(handlers.notes.poll(20, TimeUnit.SECONDS)).isEqualTo("started true");
			for (int i = 0; i < NEXT; i++) {
				assertThat(client.get().uri("/next").retrieve().body(String.class)).isEqualTo("nothing, not started");
			}
			AsyncContext context = handlers.context;
			if (goesOn.equals("starts")) {
				assertThat(handlers.events.poll(20, TimeUnit.SECONDS)).isEqualTo("error");
				assertThat(outcome(context::complete)).isEqualTo("IllegalStateException");
			}
			assertThat(client.get().uri("/next").retrieve().body(String.class)).isEqualTo("nothing, not started");
		}
	}

	private static String outcome(Runnable action) {
		try {
			action.run();
			return "done";
		}
		catch (RuntimeException ex) {
			return ex.getClass().getSimpleName();
		}
	}

	private RestClient client(ConfigurableApplicationContext server, String path, String timeout) {
		Map<String, Object> properties = new HashMap<>(
				Map.of("spring.http.clients.imperative.factory", "jdk", "spring.http.clients.read-timeout", timeout));
		if (path.equals("http")) {
			properties.put("vicinal.enabled", "false");
		}
		else {
			properties.put("vicinal.http-exchanges.paths", path);
		}
		ConfigurableApplicationContext application = this.applications.start(Client.class, properties);
		RestClient client = application.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getRequiredProperty("local.server.port"))
			.build();
		if (!path.equals("http")) {
			await().ignoreExceptions().untilAsserted(() -> {
				client.get().uri("/next").retrieve().toBodilessEntity();
				ChannelReport report = application.getBean(Exchanges.class).report();
				assertThat(report).isNotNull();
				assertThat(report.peers().get(0).path()).as(report.peers().get(0).reason()).isEqualTo(path);
			});
		}
		return client;
	}

	@RestController
	static class LostController {

		private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();

		private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

		private volatile CountDownLatch gone = new CountDownLatch(1);

		private volatile AsyncContext context;

		@GetMapping("/lost")
		void lost(String then, HttpServletRequest request, HttpServletResponse response) {
			try {
				OutputStream out = response.getOutputStream();
				byte[] part = new byte[8192];
				out.write('x');
				out.flush();
				await(this.gone);
				while (true) {
					out.write(part);
					out.flush();
				}
			}
			catch (IOException ex) {
				request.setAttribute("left", "by another request");
				AsyncContext started = request.startAsync();
				started.addListener(new Events(this.events));
				this.context = started;
				this.notes.add("started " + request.isAsyncStarted());
				if (then.equals("completes")) {
					started.complete();
				}
			}
		}

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		@GetMapping("/next")
		String next(HttpServletRequest request) {
			Object left = request.getAttribute("left");
			return ((left != null) ? left : "nothing") + (request.isAsyncStarted() ? ", started" : ", not started");
		}

	}

	/** Notes what the container says of asynchronous processing. */
	private record Events(BlockingQueue<String> notes) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			this.notes.add("complete");
		}

		@Override
		public void onTimeout(AsyncEvent event) {
			this.notes.add("time-out");
		}

		@Override
		public void onError(AsyncEvent event) {
			this.notes.add("error");
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			this.notes.add("start");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(LostController.class)
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Client {

	}

}
