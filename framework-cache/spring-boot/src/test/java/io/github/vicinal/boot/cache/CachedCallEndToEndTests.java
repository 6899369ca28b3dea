package io.github.vicinal.boot.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.cache.spring.InvalidationBroadcast;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.report.ChannelReport;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** An application calls another, and remembers the answers. */
@Timeout(60)
class CachedCallEndToEndTests {

	private static ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	@Test
	void answersAreRememberedAndReported() {
		try (ConfigurableApplicationContext server = start(StationService.class, Map.of());
				ConfigurableApplicationContext client = start(StationClient.class,
						Map.of("spring.http.serviceclient.stations.base-url",
								"http://localhost:" + server.getEnvironment().getProperty("local.server.port"),
								"vicinal.cache.caches.station-names.policy", "LFU"))) {
			Stations stations = client.getBean(Stations.class);
			for (int i = 0; i < 3; i++) {
				assertThat(stations.name(1)).isEqualTo("station 1, call 1");
				assertThatExceptionOfType(HttpServerErrorException.class).isThrownBy(() -> stations.name(-1));
			}
			assertThat(stations.fresh(1)).isEqualTo("station 1, call 5");
			ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("stations");
			assertThat(report).isNotNull();
			assertThat(report.cachedMethods()).singleElement().satisfies((method) -> {
				assertThat(method.method()).contains("name");
				assertThat(method.cache()).isEqualTo("station-names");
				assertThat(method.policy()).isEqualTo("LFU");
				assertThat(method.hits()).isEqualTo(2);
				assertThat(method.misses()).isEqualTo(4);
				assertThat(method.size()).isEqualTo(1);
			});
			assertThat(client.getBean(MeterRegistry.class)
				.get("cache.gets")
				.tags("cache", "station-names", "cache.manager", "calls", "result", "hit")
				.functionCounter()
				.count()).isEqualTo(2);
		}
	}

	/** The first call has ended long before the refresh that it gave rise to is made. */
	@Test
	void oldAnswersAreRefreshedByTheApplicationsExecutor() {
		try (ConfigurableApplicationContext server = start(StationService.class, Map.of());
				ConfigurableApplicationContext client = start(StationClient.class,
						Map.of("spring.http.serviceclient.stations.base-url",
								"http://localhost:" + server.getEnvironment().getProperty("local.server.port"),
								"vicinal.cache.caches.station-names.refresh-after-write", "1ns"))) {
			Stations stations = client.getBean(Stations.class);
			assertThat(stations.name(1)).isEqualTo("station 1, call 1");
			assertThat(stations.name(1)).isEqualTo("station 1, call 1");
			await().untilAsserted(() -> assertThat(stations.name(1)).isNotEqualTo("station 1, call 1"));
			assertThat(client.getBean(ChannelsEndpoint.class).channel("stations").cachedMethods()).singleElement()
				.satisfies((method) -> assertThat(method.misses()).isEqualTo(1));
		}
	}

	/** Broadcast to other instances that remembers its messages. */
	private static final class Remembering implements InvalidationBroadcast {

		private final List<String> sent = new ArrayList<>();

		private Receiver receiver;

		@Override
		public void evicted(String cache, Object key) {
			this.sent.add(cache + "/" + key);
		}

		@Override
		public void cleared(String cache) {
			this.sent.add(cache);
		}

		@Override
		public void start(Receiver here) {
			assertThat(this.receiver).isNull();
			this.receiver = here;
		}

	}

	@Test
	void answersCanBeForgottenHereAndInOtherInstances() {
		try (ConfigurableApplicationContext server = start(StationService.class, Map.of());
				ConfigurableApplicationContext client = start(CachingStationClient.class,
						Map.of("spring.http.serviceclient.stations.base-url",
								"http://localhost:" + server.getEnvironment().getProperty("local.server.port")))) {
			Stations stations = client.getBean(Stations.class);
			EngineCallCaches caches = client.getBean(EngineCallCaches.class);
			Remembering broadcast = client.getBean(Remembering.class);
			assertThat(stations.name(1)).isEqualTo("station 1, call 1");
			assertThat(caches.clear("station-names")).isTrue();
			assertThat(broadcast.sent).containsExactly("calls:station-names");
			assertThat(stations.name(1)).isEqualTo("station 1, call 2");
			assertThat(caches.clear("other")).isFalse();
			assertThat(broadcast.sent).containsExactly("calls:station-names", "calls:other");
			broadcast.receiver.clear("station-names");
			assertThat(stations.name(1)).as("a cache of Spring's was cleared").isEqualTo("station 1, call 2");
			broadcast.receiver.clear("calls:station-names");
			broadcast.receiver.clear("calls:other");
			broadcast.receiver.evict("station-names", 1L);
			assertThat(stations.name(1)).isEqualTo("station 1, call 3");
			assertThat(broadcast.sent).hasSize(2);
		}
	}

	@Test
	void answersCanBeForgottenWithoutCachesOfSpring() {
		try (ConfigurableApplicationContext server = start(StationService.class, Map.of());
				ConfigurableApplicationContext client = start(StationClient.class,
						Map.of("spring.http.serviceclient.stations.base-url",
								"http://localhost:" + server.getEnvironment().getProperty("local.server.port")))) {
			Stations stations = client.getBean(Stations.class);
			assertThat(stations.name(1)).isEqualTo("station 1, call 1");
			assertThat(client.getBean(EngineCallCaches.class).clear("station-names")).isTrue();
			assertThat(stations.name(1)).isEqualTo("station 1, call 2");
		}
	}

	/** A codec of typed calls does not know the types of such a method. */
	@Test
	void answersOfMethodsThatOnlyHttpCarriesAreRemembered() {
		try (ConfigurableApplicationContext server = start(SearchService.class, Map.of());
				ConfigurableApplicationContext client = start(SearchClient.class,
						Map.of("spring.http.serviceclient.searches.base-url",
								"http://localhost:" + server.getEnvironment().getProperty("local.server.port")))) {
			Searches searches = client.getBean(Searches.class);
			assertThat(searches.count()).isZero();
			for (int i = 0; i < 3; i++) {
				assertThat(searches.search(Map.of("line", "S1"))).containsExactly(new Station("S1", 1));
				assertThat(searches.search(Map.of("line", "S2"))).containsExactly(new Station("S2", 2));
			}
			assertThat(searches.count()).isEqualTo(2);
		}
	}

	record Station(String line, int call) {
	}

	@AffinityChannel
	@HttpExchange("/searches")
	interface Searches {

		@CacheableCall(expireAfterWrite = "5m")
		@GetExchange
		List<Station> search(@RequestParam Map<String, String> filter);

		@GetExchange("/count")
		int count();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(SearchController.class)
	static class SearchService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "searches", types = Searches.class)
	static class SearchClient {

	}

	@RestController
	static class SearchController implements Searches {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public List<Station> search(Map<String, String> filter) {
			return List.of(new Station(filter.get("line"), this.calls.incrementAndGet()));
		}

		@Override
		public int count() {
			return this.calls.get();
		}

	}

	@AffinityChannel
	@HttpExchange("/stations")
	interface Stations {

		@CacheableCall(expireAfterWrite = "5m", cache = "station-names")
		@GetExchange("/{id}")
		String name(@PathVariable long id);

		@GetExchange("/{id}/fresh")
		String fresh(@PathVariable long id);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(StationController.class)
	static class StationService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "stations", types = Stations.class)
	static class StationClient {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@Import(StationClient.class)
	static class CachingStationClient {

		@Bean
		Remembering broadcast() {
			return new Remembering();
		}

	}

	@RestController
	static class StationController implements Stations {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public String name(long id) {
			int call = this.calls.incrementAndGet();
			if (id < 0) {
				throw new IllegalStateException("as wanted");
			}
			return "station " + id + ", call " + call;
		}

		@Override
		public String fresh(long id) {
			return name(id);
		}

	}

}
