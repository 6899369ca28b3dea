package io.github.vicinal.boot.observation;

import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.Baskets.Basket;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** The shortcut records what full observations record; the oracle is Micrometer. */
@Timeout(180)
class MeterShortcutTests {

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	private ConfigurableApplicationContext start(Map<String, Object> properties, Class<?>... types) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "server.shutdown", "immediate",
				"management.observations.key-values.region", "north"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(types);
		application.setDefaultProperties(all);
		ConfigurableApplicationContext context = application.run();
		this.contexts.add(context);
		return context;
	}

	private ConfigurableApplicationContext client(ConfigurableApplicationContext server, Class<?>... types) {
		String port = server.getEnvironment().getProperty("local.server.port");
		ConfigurableApplicationContext client = start(Map.of("spring.http.serviceclient.baskets.base-url",
				"http://localhost:" + port, "vicinal.channels.baskets.paths", "direct", "vicinal.compare-paths",
				"false", "vicinal.confirm-interval", "0s"), types);
		Baskets baskets = client.getBean(Baskets.class);
		await().untilAsserted(() -> {
			baskets.get(1);
			assertThat(client.getBean(ChannelsEndpoint.class).channel("baskets").peers().get(0).path())
				.isEqualTo("direct");
		});
		return client;
	}

	@AfterEach
	void stop() {
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
	}

	@Test
	void recordsTheMetersOfFullObservations() {
		ConfigurableApplicationContext server = start(Map.of(), Service.class);
		assertThat(shortcut(server)).as("as Boot configures it").isPresent();
		Map<String, String> shortcut = record(server, client(server, Client.class));
		ConfigurableApplicationContext observed = start(Map.of(), Service.class, Bystander.class);
		assertThat(shortcut(observed)).isEmpty();
		Map<String, String> full = record(observed, client(observed, Client.class, Bystander.class));
		assertThat(observed.getBean(Bystander.class).stopped).isNotEmpty();
		assertThat(shortcut).isEqualTo(full);
		assertThat(shortcut.keySet()).anyMatch((name) -> name.startsWith("http.server.requests.active"))
			.anyMatch((name) -> name.startsWith("vicinal.channel.calls.active") && name.contains("outcome=UNKNOWN"))
			.anyMatch((name) -> name.startsWith("vicinal.channel.calls ") && name.contains("outcome=ANSWERED"))
			.anyMatch((name) -> name.contains("outcome=SERVER_ERROR") && name.contains("region=north"));
	}

	private static Optional<MeterShortcut> shortcut(ConfigurableApplicationContext context) {
		return MeterShortcut.of(context.getBean(ObservationRegistry.class), context.getBean(MeterRegistry.class));
	}

	private static Map<String, String> record(ConfigurableApplicationContext server,
			ConfigurableApplicationContext client) {
		Baskets baskets = client.getBean(Baskets.class);
		MeterRegistry clientMeters = client.getBean(MeterRegistry.class);
		MeterRegistry serverMeters = server.getBean(MeterRegistry.class);
		clientMeters.clear();
		serverMeters.clear();
		for (int i = 0; i < 3; i++) {
			baskets.get(7);
			baskets.find("ann", 1);
			baskets.find("ann", null);
			baskets.save(new Basket(9, "bob", List.of()));
			catchThrowable(() -> baskets.fail("gone"));
			catchThrowable(() -> baskets.fail("broken"));
		}
		Map<String, String> recorded = new TreeMap<>();
		describe("client", clientMeters, recorded);
		describe("server", serverMeters, recorded);
		return recorded;
	}

	private static void describe(String side, MeterRegistry meters, Map<String, String> recorded) {
		for (Meter meter : meters.getMeters()) {
			String name = meter.getId().getName();
			if (name.startsWith("http.") || name.startsWith("vicinal.channel.calls")) {
				StringBuilder key = new StringBuilder(name).append(' ').append(side);
				meter.getId()
					.getTags()
					.forEach((tag) -> key.append(' ').append(tag.getKey()).append('=').append(tag.getValue()));
				String value = (meter instanceof Timer timer) ? timer.count() + " calls"
						: (meter instanceof LongTaskTimer active) ? active.activeTasks() + " active" : "?";
				recorded.put(key.toString(), value);
			}
		}
	}

	@Test
	void countsCallsThatAreActive() throws Exception {
		ConfigurableApplicationContext server = start(Map.of(), Service.class);
		ConfigurableApplicationContext client = client(server, Client.class);
		BasketController controller = server.getBean(BasketController.class);
		CompletableFuture<Basket> call = CompletableFuture
			.supplyAsync(() -> client.getBean(Baskets.class).fail("waits"));
		controller.entered.await();
		assertThat(active(client, "http.client.requests.active")).isOne();
		assertThat(active(client, "vicinal.channel.calls.active")).isOne();
		assertThat(active(server, "http.server.requests.active")).isOne();
		controller.release.countDown();
		call.join();
		assertThat(active(client, "http.client.requests.active")).isZero();
		assertThat(active(client, "vicinal.channel.calls.active")).isZero();
		assertThat(active(server, "http.server.requests.active")).isZero();
	}

	private static int active(ConfigurableApplicationContext context, String name) {
		return context.getBean(MeterRegistry.class)
			.find(name)
			.longTaskTimers()
			.stream()
			.mapToInt(LongTaskTimer::activeTasks)
			.sum();
	}

	@Test
	void handlerMayTagItsObservationAndStartOthersBelow() {
		ConfigurableApplicationContext server = start(Map.of(), Service.class);
		Baskets baskets = client(server, Client.class).getBean(Baskets.class);
		for (int i = 0; i < 3; i++) {
			baskets.fail("tagged");
		}
		assertThat(server.getBean(MeterRegistry.class)
			.get("http.server.requests")
			.tag("uri", "/baskets/fail/{how}")
			.tag("size", "big")
			.timer()
			.count()).isEqualTo(3);
		assertThat(server.getBean(ObservationRegistry.class).getCurrentObservationScope()).isNull();
	}

	@Test
	void handlerThatIsAddedLaterSeesAllFurtherCalls() {
		ConfigurableApplicationContext server = start(Map.of(), Service.class);
		ConfigurableApplicationContext client = client(server, Client.class);
		Bystander onServer = new Bystander();
		Bystander onClient = new Bystander();
		server.getBean(ObservationRegistry.class).observationConfig().observationHandler(onServer);
		client.getBean(ObservationRegistry.class).observationConfig().observationHandler(onClient);
		client.getBean(Baskets.class).get(3);
		assertThat(onServer.stopped).containsExactly("http.server.requests");
		assertThat(onClient.stopped).containsExactly("vicinal.channel.calls", "http.client.requests");
	}

	@Test
	void onlyMetersAllowTheShortcut() {
		MeterRegistry meters = new SimpleMeterRegistry();
		assertThat(MeterShortcut.of(ObservationRegistry.NOOP, meters)).isEmpty();
		assertThat(MeterShortcut.of(ObservationRegistry.create(), meters)).isEmpty();
		assertThat(MeterShortcut.of(registry(meters), meters)).isPresent();
		assertThat(MeterShortcut.of(registry(meters), new SimpleMeterRegistry())).as("meters of another registry")
			.isEmpty();
		ObservationRegistry twice = registry(meters);
		twice.observationConfig().observationHandler(new DefaultMeterObservationHandler(new SimpleMeterRegistry()));
		assertThat(MeterShortcut.of(twice, meters)).isEmpty();
		ObservationRegistry handled = registry(meters);
		handled.observationConfig().observationHandler(new Bystander());
		assertThat(MeterShortcut.of(handled, meters)).isEmpty();
		ObservationRegistry composed = ObservationRegistry.create();
		composed.observationConfig()
			.observationHandler(new ObservationHandler.FirstMatchingCompositeObservationHandler(
					new DefaultMeterObservationHandler(meters), new Bystander()));
		assertThat(MeterShortcut.of(composed, meters)).isEmpty();
		ObservationRegistry filtered = registry(meters);
		// A class of the JDK: neither ours nor Boot's.
		filtered.observationConfig().observationFilter(foreign(ObservationFilter.class));
		assertThat(MeterShortcut.of(filtered, meters)).isEmpty();
		ObservationRegistry restricted = registry(meters);
		restricted.observationConfig().observationPredicate(foreign(ObservationPredicate.class));
		assertThat(MeterShortcut.of(restricted, meters)).isEmpty();
		ObservationRegistry renamed = registry(meters);
		renamed.observationConfig().observationConvention(foreign(GlobalObservationConvention.class));
		assertThat(MeterShortcut.of(renamed, meters)).isEmpty();
	}

	private static <T> T foreign(Class<T> type) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> null));
	}

	private static ObservationRegistry registry(MeterRegistry meters) {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		return registry;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(BasketController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "baskets", types = Baskets.class)
	static class Client {

	}

	/** Something else that takes part in observations. */
	static class Bystander implements ObservationHandler<Observation.Context> {

		final List<String> stopped = new ArrayList<>();

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		@Override
		public void onStop(Observation.Context context) {
			this.stopped.add(context.getName());
		}

	}

	@RestController
	static class BasketController implements Baskets {

		final CountDownLatch entered = new CountDownLatch(1);

		final CountDownLatch release = new CountDownLatch(1);

		private final ObservationRegistry registry;

		BasketController(ObservationRegistry registry) {
			this.registry = registry;
		}

		@Override
		public Basket get(long id) {
			return new Basket(id, "ann", List.of());
		}

		@Override
		public List<Basket> find(String owner, Integer limit) {
			return List.of();
		}

		@Override
		public ResponseEntity<Basket> save(Basket basket) {
			return ResponseEntity.created(URI.create("/baskets/" + basket.id())).body(basket);
		}

		@Override
		public Basket fail(String how) {
			switch (how) {
				case "gone" -> throw new ResponseStatusException(HttpStatus.GONE, "It is gone");
				case "broken" -> throw new IllegalStateException("broken on purpose");
				case "tagged" -> {
					Observation current = this.registry.getCurrentObservation();
					assertThat(current).isNotNull();
					current.lowCardinalityKeyValue("size", "big");
					Observation.createNotStarted("below", this.registry).observe(() -> {
						Observation below = this.registry.getCurrentObservation();
						assertThat(below).isNotNull();
						assertThat(below.getContextView().getParentObservation()).isSameAs(current);
					});
				}
				default -> {
					this.entered.countDown();
					try {
						this.release.await();
					}
					catch (InterruptedException ex) {
						Thread.currentThread().interrupt();
					}
				}
			}
			return new Basket(1, how, List.of());
		}

	}

}
