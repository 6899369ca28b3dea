package io.github.vicinal.boot;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.Baskets.Basket;
import io.github.vicinal.boot.Baskets.Item;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.report.ChannelReport;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** One application calls another, over each path, as users set them up. */
@Timeout(60)
class EndToEndTests {

	private ConfigurableApplicationContext server = start(BasketService.class, Map.of());

	private ConfigurableApplicationContext client;

	private static ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "test.packages", "true"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	private Baskets client(String paths) {
		String port = this.server.getEnvironment().getProperty("local.server.port");
		this.client = start(BasketClient.class, Map.of("spring.http.serviceclient.baskets.base-url",
				"http://localhost:" + port, "vicinal.channels.baskets.paths", paths));
		return this.client.getBean(Baskets.class);
	}

	private ChannelReport.PeerReport peer() {
		ChannelReport report = this.client.getBean(ChannelsEndpoint.class).channel("baskets");
		assertThat(report).isNotNull();
		return report.peers().get(0);
	}

	private void awaitPath(Baskets baskets, String path) {
		baskets.get(1);
		await().untilAsserted(() -> assertThat(peer().path()).as(peer().reason()).isEqualTo(path));
	}

	@AfterEach
	void stop() {
		if (this.client != null) {
			this.client.close();
		}
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm", "uds", "http" })
	void callsTakeThePathWithTheSameOutcome(String path) {
		Baskets baskets = client(path);
		Basket first = baskets.get(7);
		awaitPath(baskets, path);
		assertThat(baskets.get(7)).isEqualTo(first);
		assertThat(baskets.find("ann", null)).hasSize(2);
		assertThat(baskets.find("ann", 1)).hasSize(1);
		ResponseEntity<Basket> saved = baskets.save(new Basket(9, "bob", List.of(new Item("pear", 2))));
		assertThat(saved.getStatusCode().value()).isEqualTo(201);
		assertThat(saved.getHeaders().getLocation()).isEqualTo(URI.create("/baskets/9"));
		assertThat(saved.getBody()).isEqualTo(new Basket(9, "bob", List.of(new Item("pear", 2))));
		Throwable gone = catchThrowable(() -> baskets.fail("gone"));
		assertThat(gone).isInstanceOf(HttpClientErrorException.Gone.class);
		Throwable broken = catchThrowable(() -> baskets.fail("broken"));
		assertThat(broken).isInstanceOf(HttpServerErrorException.InternalServerError.class);
		assertThat(((HttpServerErrorException) broken).getResponseBodyAsString()).contains("/baskets/fail/broken");
		assertThat(peer().paths()).filteredOn((report) -> report.path().equals(path))
			.singleElement()
			.satisfies((report) -> assertThat(report.calls()).isGreaterThanOrEqualTo(5));
	}

	@Test
	void waitingOfBothSidesIsReported() {
		Baskets baskets = client("shm");
		awaitPath(baskets, "shm");
		baskets.get(7);
		Map<String, Object> here = peer().paths()
			.stream()
			.filter((report) -> report.path().equals("shm"))
			.findFirst()
			.orElseThrow()
			.details();
		List<Map<String, Object>> clients = this.server.getBean(ChannelsEndpoint.class).channels().clients().get("shm");
		assertThat(clients).singleElement()
			.satisfies((there) -> assertThat(there)
				.containsEntry("client", this.client.getBean(PeerIdentity.class).instanceId())
				.containsEntry("bells", here.get("bells"))
				.containsKeys("waiting", "waitsAwake", "waitsAsleep", "yieldBans", "waitDecisions",
						"lastWaitDecision"));
		assertThat(count(clients.get(0))).isPositive();
		assertThat(count(here)).isPositive();
	}

	private static long count(Map<String, Object> waits) {
		return (long) waits.get("waitsAwake") + (long) waits.get("waitsAsleep");
	}

	@Test
	void metersKeepTheirSeriesOnEveryPath() {
		Map<String, Map<String, Long>> series = new TreeMap<>();
		for (String path : List.of("http", "direct", "shm", "uds")) {
			Baskets baskets = client(path);
			awaitPath(baskets, path);
			MeterRegistry clientMeters = this.client.getBean(MeterRegistry.class);
			MeterRegistry serverMeters = this.server.getBean(MeterRegistry.class);
			clientMeters.clear();
			serverMeters.clear();
			baskets.get(7);
			baskets.find("ann", 1);
			baskets.find("ann", null);
			catchThrowable(() -> baskets.fail("gone"));
			catchThrowable(() -> baskets.fail("broken"));
			Map<String, Long> counted = new TreeMap<>(count(clientMeters));
			counted.putAll(count(serverMeters));
			series.put(path, counted);
			this.client.close();
		}
		assertThat(series.get("direct")).isEqualTo(series.get("http"));
		assertThat(series.get("shm")).isEqualTo(series.get("http"));
		assertThat(series.get("uds")).isEqualTo(series.get("http"));
		assertThat(series.get("http")).hasSizeGreaterThanOrEqualTo(9);
	}

	private static Map<String, Long> count(MeterRegistry meters) {
		Map<String, Long> counts = new TreeMap<>();
		for (Meter meter : meters.getMeters()) {
			if (meter instanceof Timer timer && meter.getId().getName().matches("http\\.(client|server)\\.requests")) {
				StringBuilder name = new StringBuilder(meter.getId().getName());
				for (Tag tag : meter.getId().getTags()) {
					name.append(' ').append(tag.getKey()).append('=').append(tag.getValue());
				}
				counts.put(name.toString(), timer.count());
			}
		}
		return counts;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(BasketController.class)
	static class BasketService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "baskets", types = Baskets.class)
	static class BasketClient {

	}

	@RestController
	static class BasketController implements Baskets {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public Basket get(long id) {
			return new Basket(id, "ann", List.of(new Item("apple", this.calls.get())));
		}

		@Override
		public List<Basket> find(String owner, Integer limit) {
			List<Basket> all = List.of(new Basket(1, owner, List.of()), new Basket(2, owner, List.of()));
			return (limit != null) ? all.subList(0, limit) : all;
		}

		@Override
		public ResponseEntity<Basket> save(Basket basket) {
			return ResponseEntity.created(URI.create("/baskets/" + basket.id())).body(basket);
		}

		@Override
		public Basket fail(String how) {
			if (how.equals("gone")) {
				throw new ResponseStatusException(org.springframework.http.HttpStatus.GONE, "It is gone");
			}
			throw new IllegalStateException("broken on purpose");
		}

	}

}
