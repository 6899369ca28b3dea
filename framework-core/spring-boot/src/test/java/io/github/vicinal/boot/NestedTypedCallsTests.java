package io.github.vicinal.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.testing.InTurn;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A calls B, which calls A back, with as many calls at once as A has permits, over each
 * path: each handler of A waits for a permit that another handler of A has.
 */
@Timeout(120)
class NestedTypedCallsTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext server(int permits) {
		return this.applications.start(NestedService.class, Map.of("vicinal.server.requests.threads", permits));
	}

	/** Returns a client that uses a path to a server. */
	private Nested client(ConfigurableApplicationContext server, String path) {
		ConfigurableApplicationContext client = this.applications.start(NestedClient.class,
				Map.of("spring.http.serviceclient.nested.base-url",
						"http://localhost:" + server.getEnvironment().getProperty("local.server.port"),
						"vicinal.channels.nested.paths", path, "spring.http.clients.imperative.factory", "jdk"));
		Nested nested = client.getBean(Nested.class);
		for (int i = 0; i < 100; i++) {
			// Both sides know how long a call takes then.
			assertThat(nested.end()).isEqualTo("end");
		}
		await().untilAsserted(
				() -> assertThat(client.getBean(ChannelsEndpoint.class).channel("nested").peers().get(0).path())
					.isEqualTo(path));
		return nested;
	}

	@ParameterizedTest
	@InTurn(value = { "http, 1", "uds, 1", "direct, 2", "shm, 1", "uds, 2", "direct, 1", "shm, 2" }, rows = 3)
	void theCycleIsBrokenOnEachPath(String path, int permits) throws Exception {
		ConfigurableApplicationContext a = server(permits);
		ConfigurableApplicationContext b = server(permits);
		Handlers first = a.getBean(Handlers.class);
		first.next = client(b, path);
		first.all = new CyclicBarrier(permits);
		b.getBean(Handlers.class).next = client(a, path);
		Nested outside = client(a, path);
		List<CompletableFuture<String>> calls = new ArrayList<>();
		for (int i = 0; i < permits; i++) {
			calls.add(CompletableFuture.supplyAsync(outside::begin, (task) -> new Thread(task).start()));
		}
		for (CompletableFuture<String> call : calls) {
			assertThat(call.get(40, TimeUnit.SECONDS)).isEqualTo("begun");
		}
		assertThat(first.outcomes).hasSize(permits);
		if (!path.equals("direct")) {
			// On one thread the call that comes back runs in the permit of the first.
			assertThat(first.outcomes).contains(502);
		}
		for (ConfigurableApplicationContext each : List.of(a, b)) {
			RequestServer server = each.getBean(RequestServer.class);
			await().until(() -> server.running() == 0 && server.waiting() == 0);
		}
		assertThat(outside.end()).isEqualTo("end");
	}

	@AffinityChannel
	@HttpExchange("/nested")
	public interface Nested {

		@GetExchange("/begin")
		String begin();

		@GetExchange("/middle")
		String middle();

		@GetExchange("/end")
		String end();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class NestedService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "nested", types = Nested.class)
	static class NestedClient {

	}

	@RestController
	static class Handlers implements Nested {

		final List<Integer> outcomes = new CopyOnWriteArrayList<>();

		/** The application that this one calls. */
		volatile @Nullable Nested next;

		/** Barrier that all permits pass before the first call comes back. */
		volatile @Nullable CyclicBarrier all;

		@Override
		public String begin() {
			try {
				this.all.await(20, TimeUnit.SECONDS);
				this.next.middle();
				this.outcomes.add(200);
			}
			catch (HttpServerErrorException ex) {
				this.outcomes.add(ex.getStatusCode().value());
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			return "begun";
		}

		@Override
		public String middle() {
			try {
				return this.next.end();
			}
			catch (HttpServerErrorException ex) {
				throw new ResponseStatusException(HttpStatus.BAD_GATEWAY, "A refuses", ex);
			}
		}

		@Override
		public String end() {
			return "end";
		}

	}

}
