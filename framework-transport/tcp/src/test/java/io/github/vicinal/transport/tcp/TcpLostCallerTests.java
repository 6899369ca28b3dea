package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.requestserver.RequestServer;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Callers of an application that give up, and what its handlers see. */
@Timeout(60)
class TcpLostCallerTests extends ShelfApplications {

	private static final long BLOCKS = 1;

	private ConfigurableApplicationContext service(Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(properties);
		all.put("vicinal.tcp.enabled", "true");
		return start(WaitingService.class, all);
	}

	private static String url(ConfigurableApplicationContext service) {
		return "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
	}

	private ConfigurableApplicationContext client(String url) {
		return start(ShelfClient.class,
				Map.of("vicinal.tcp.enabled", "true", "spring.http.serviceclient.shelf.base-url", url,
						"vicinal.channels.shelf.paths", "tcp", "vicinal.http-exchanges.paths", "tcp"));
	}

	private static void goesByTcp(ConfigurableApplicationContext client, String channel, Runnable call) {
		await().ignoreExceptions().untilAsserted(() -> {
			call.run();
			assertThat(peers(client, channel)).first().returns("tcp", PeerReport::path);
		});
	}

	private static Thread start(Runnable task) {
		Thread thread = new Thread(task);
		thread.start();
		return thread;
	}

	@Test
	void aTypedCallThatWaitsForAPermitIsNotExecutedForACallerThatHasGone() throws Exception {
		ConfigurableApplicationContext service = service(Map.of("vicinal.server.requests.threads", "1"));
		WaitingController handlers = service.getBean(WaitingController.class);
		RequestServer permits = service.getBean(RequestServer.class);
		ConfigurableApplicationContext client = client(url(service));
		Shelf shelf = client.getBean(Shelf.class);
		goesByTcp(client, "shelf", () -> shelf.book(7));
		Thread first = start(() -> shelf.book(BLOCKS));
		handlers.reached.await();
		Thread second = start(() -> {
			try {
				shelf.book(2);
			}
			catch (RestClientException ex) {
				// As over HTTP.
			}
		});
		await().until(() -> permits.report().waiting() == 1);
		second.interrupt();
		await().until(() -> permits.report().waiting() == 0);
		assertThat(first.isAlive()).isTrue();
		handlers.released.countDown();
		first.join();
		second.join();
		assertThat(shelf.book(7)).isEqualTo(new Book(7, "seven"));
		assertThat(handlers.executed).containsExactlyInAnyOrder(7L, BLOCKS);
	}

	/** It knows no number yet by which it could abort the exchange. */
	@Test
	void theHandlerOfAnExchangeWhoseClientGoesBeforeTheFirstAnswerCannotWrite() throws Exception {
		ConfigurableApplicationContext service = service(Map.of());
		WaitingController handlers = service.getBean(WaitingController.class);
		ConfigurableApplicationContext client = client(url(service));
		RestClient rest = client.getBean(RestClient.Builder.class).baseUrl(url(service)).build();
		goesByTcp(client, "http-exchanges", () -> rest.get().uri("/shelf/7").retrieve().body(Book.class));
		Thread caller = start(() -> {
			try {
				rest.get().uri("/shelf/lost").retrieve().toBodilessEntity();
			}
			catch (RestClientException ex) {
				// As over HTTP.
			}
		});
		handlers.reached.await();
		caller.interrupt();
		caller.join();
		handlers.released.countDown();
		assertThat(handlers.notes.poll(10, TimeUnit.SECONDS)).isEqualTo("cannot write");
	}

	@RestController
	static class WaitingController implements Shelf {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		private final Set<Long> executed = ConcurrentHashMap.newKeySet();

		private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();

		@Override
		public Book book(long id) {
			this.executed.add(id);
			if (id == BLOCKS) {
				block();
			}
			return new Book(id, "seven");
		}

		private void block() {
			this.reached.countDown();
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				this.notes.add("interrupted");
			}
		}

		@GetMapping("/lost")
		void lost(HttpServletResponse response) {
			block();
			try {
				OutputStream out = response.getOutputStream();
				byte[] part = new byte[8192];
				while (true) {
					out.write(part);
					out.flush();
				}
			}
			catch (IOException ex) {
				this.notes.add("cannot write");
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(WaitingController.class)
	static class WaitingService {

	}

}
