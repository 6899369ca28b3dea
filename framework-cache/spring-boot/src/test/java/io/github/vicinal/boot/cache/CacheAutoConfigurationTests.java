package io.github.vicinal.boot.cache;

import java.lang.ref.Reference;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.CacheReport.SizeEstimate;
import io.github.vicinal.cache.InvalidCacheException;
import io.github.vicinal.cache.Weigher;
import io.github.vicinal.cache.spring.VicinalCacheManager;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.actuate.endpoint.CachesEndpoint;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CachesEndpointAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Caches by properties. */
class CacheAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(VicinalCacheBuildersAutoConfiguration.class,
				VicinalCacheAutoConfiguration.class, CacheAutoConfiguration.class, CacheMetricsAutoConfiguration.class,
				CachesEndpointAutoConfiguration.class));

	private final ApplicationContextRunner caching = this.runner.withUserConfiguration(Caching.class);

	private static Cache<?, ?> cache(ApplicationContext context, String name) {
		return (Cache<?, ?>) context.getBean(CacheManager.class).getCache(name).getNativeCache();
	}

	@Test
	void eachCacheIsAsItsPropertiesSay() {
		this.caching.withPropertyValues("vicinal.cache.policy=lru", "vicinal.cache.maximum-size=500",
				"vicinal.cache.caches.prices.policy=K_WAY(8)", "vicinal.cache.caches.prices.maximum-size=64",
				"vicinal.cache.caches.stations.expire-after-write=5m", "vicinal.cache.caches.stations.statistics=false")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(VicinalCacheManager.class);
				assertThat(context.getBean(CacheManager.class).getCacheNames()).containsExactlyInAnyOrder("prices",
						"stations");
				assertThat(cache(context, "prices").policy().name()).isEqualTo("K_WAY(8)");
				assertThat(cache(context, "prices").report().maximum()).isEqualTo(64);
				assertThat(cache(context, "stations").policy().name()).isEqualTo("LRU");
				assertThat(cache(context, "on demand").report().maximum()).isEqualTo(500);
				cache(context, "stations").getIfPresent(cast("x"));
				assertThat(cache(context, "stations").statistics().misses()).isZero();
			});
	}

	@SuppressWarnings("unchecked")
	private static <T> T cast(Object value) {
		return (T) value;
	}

	/** As caches of calls are named that were given no name. */
	@ParameterizedTest
	@CsvSource({ "vicinal.cache.caches.stations.stationName.", "vicinal.cache.caches.stations.station-name.",
			"vicinal.cache.caches[stations.stationName]." })
	void namesOfCachesMayHaveDots(String prefix) {
		this.caching
			.withPropertyValues(prefix + "maximum-size=5", prefix + "expire-after-write=5m",
					"vicinal.cache.caches.stations.zones.policy=LUR")
			.run((context) -> {
				CacheBuilders builders = context.getBean(CacheBuilders.class);
				assertThat(builders.apply("stations.stationName").build().report().maximum()).isEqualTo(5);
				assertThat(builders.apply("stations.other").build().report().maximum()).isEqualTo(10_000);
				assertThatExceptionOfType(InvalidCacheException.class)
					.isThrownBy(() -> builders.apply("stations.zones").build())
					.withMessageContaining("vicinal.cache.caches.stations.zones.policy");
				assertThat(context.getBean(CacheManager.class).getCacheNames()).doesNotContain("stations");
			});
	}

	@Test
	void bootsCacheNamesFixTheNames() {
		this.caching.withPropertyValues("spring.cache.cache-names=a,b")
			.run((context) -> assertThat(context.getBean(CacheManager.class).getCache("c")).isNull());
		this.caching.withPropertyValues("spring.cache.cache-names=a,b", "vicinal.cache.dynamic=true")
			.run((context) -> assertThat(context.getBean(CacheManager.class).getCache("c")).isNotNull());
	}

	@Test
	void standsBackWhereSomethingElseIsChosen() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(CacheManager.class));
		this.caching.withBean("own", CacheManager.class, ConcurrentMapCacheManager::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(VicinalCacheManager.class));
		this.caching.withPropertyValues("spring.cache.type=simple")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(ConcurrentMapCacheManager.class));
		this.caching.withPropertyValues("vicinal.cache.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(VicinalCacheManager.class));
		this.caching.withClassLoader(new FilteredClassLoader("io.github.vicinal.cache"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(CacheManager.class));
	}

	@Test
	void metersAndEndpointAreThoseOfEveryCache() {
		this.caching.withBean(SimpleMeterRegistry.class)
			.withPropertyValues("vicinal.cache.caches.prices.policy=LFU",
					"management.endpoints.jmx.exposure.include=caches", "spring.jmx.enabled=true")
			.run((context) -> {
				CacheManager manager = context.getBean(CacheManager.class);
				manager.getCache("prices").put("a", 1);
				manager.getCache("prices").get("a");
				manager.getCache("prices").get("b");
				manager.getCache("prices").get("b", () -> 2);
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(
						registry.get("cache.gets").tags("cache", "prices", "result", "hit").functionCounter().count())
					.isEqualTo(1);
				assertThat(
						registry.get("cache.gets").tags("cache", "prices", "result", "miss").functionCounter().count())
					.isEqualTo(2);
				assertThat(registry.get("cache.puts").tags("cache", "prices").functionCounter().count()).isEqualTo(2);
				assertThat(registry.get("cache.size").tags("cache", "prices").gauge().value()).isEqualTo(2);
				assertThat(registry.get("cache.evictions").tags("cache", "prices").functionCounter().count()).isZero();
				assertThat(registry.get("cache.load.duration").tags("cache", "prices").functionTimer().count())
					.isEqualTo(1);
				assertThat(context.getBean(CachesEndpoint.class)
					.caches()
					.getCacheManagers()
					.values()
					.iterator()
					.next()
					.getCaches()).containsKey("prices");
			});
	}

	@Test
	void oneScrapeAsksAnAicCacheOnce() {
		AtomicInteger reports = new AtomicInteger();
		Cache<Object, Object> engine = CacheBuilder.<Object, Object>named("prices")
			.policy(CachePolicy.AIC)
			.maximumSize(100)
			.build();
		Random random = new Random(1);
		for (int i = 0; i < 50_000; i++) {
			engine.get((int) (100 + 60 * random.nextGaussian()), (key) -> key);
		}
		Cache<?, ?> cache = (Cache<?, ?>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { Cache.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("report")) {
						reports.incrementAndGet();
					}
					return method.invoke(engine, arguments);
				});
		MockClock clock = new MockClock();
		SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
		new EngineMetrics(cache, Tags.empty()).bindTo(registry);
		for (int scrape = 1; scrape <= 3; scrape++) {
			clock.addSeconds(10);
			reports.set(0);
			registry.getMeters().forEach((meter) -> meter.measure().forEach(Measurement::getValue));
			assertThat(reports).hasValue(1);
		}
		assertThat(registry.get("cache.policy.hit.ratio").gauges()).hasSizeGreaterThan(3);
		List<SizeEstimate> curve = engine.report().missRatioCurve();
		String[] factors = { "0.5", "1", "2", "4" };
		assertThat(registry.get("cache.policy.miss.ratio").gauges()).hasSize(factors.length);
		for (int i = 0; i < factors.length; i++) {
			assertThat(registry.get("cache.policy.miss.ratio").tags("factor", factors[i]).gauge().value())
				.isBetween(0.0, 1.0)
				.isEqualTo(1 - curve.get(i).hitRatio());
		}
		// Meters keep no cache alive.
		Reference.reachabilityFence(cache);
	}

	@Test
	void weightsNeedAWeigher() {
		this.caching.withPropertyValues("vicinal.cache.caches.texts.maximum-weight=10")
			.withBean("texts", Weigher.class, () -> (key, value) -> value.toString().length())
			.withBean("other", Weigher.class, () -> (key, value) -> 1)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				cache(context, "texts").asMap().put(cast("a"), cast("longer than ten"));
				cache(context, "texts").cleanUp();
				assertThat(cache(context, "texts").estimatedSize()).isZero();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "vicinal.cache.", "vicinal.cache.caches.a." })
	void aWeightThatThePolicyCannotHaveIsNamedByItsProperty(String prefix) {
		this.caching.withPropertyValues("vicinal.cache.caches.a.policy=K_WAY(8)", prefix + "maximum-weight=10")
			.withBean(Weigher.class, () -> (key, value) -> 1)
			.run((context) -> {
				FailureAnalysis analysis = new InvalidCacheFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains(prefix + "maximum-weight is '10'");
				assertThat(analysis.getAction()).contains(prefix + "maximum-weight", "absent with the policy K_WAY(8)");
			});
	}

	@Test
	void customizersHaveTheLastWord() {
		this.caching
			.withBean(CacheCustomizer.class, () -> (name, builder) -> builder.maximumSize(name.equals("a") ? 7 : 9))
			.run((context) -> {
				assertThat(cache(context, "a").report().maximum()).isEqualTo(7);
				assertThat(cache(context, "b").report().maximum()).isEqualTo(9);
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					vicinal.cache.policy=LUR                                                      | vicinal.cache.policy                      | LUR      | S3_FIFO
					vicinal.cache.caches.prices.policy=K_WAY(3)                                   | vicinal.cache.caches.prices.policy        | K_WAY(3) | power of two
					vicinal.cache.policy=K_WAY_TINY_LFU(3)                                        | vicinal.cache.policy                      | K_WAY_TINY_LFU(3) | K_WAY_TINY_LFU(2)
					vicinal.cache.caches.prices.maximum-size=-5                                   | vicinal.cache.caches.prices.maximum-size  | -5       | from 0 to
					vicinal.cache.maximum-size=-1                                                 | vicinal.cache.maximum-size                | -1       | from 0 to
					vicinal.cache.caches.a.maximum-size=5,vicinal.cache.caches.a.maximum-weight=6 | vicinal.cache.caches.a.maximum-weight     | 6        | one or the other
					vicinal.cache.maximum-weight=6                                                | vicinal.cache.maximum-weight              | 6        | Weigher
					vicinal.cache.caches.a.expire-after-write=-1s                                 | vicinal.cache.caches.a.expire-after-write | PT-1S    | positive
					""")
	void mistakesNameThePropertyTheValueAndWhatIsAllowed(String properties, String property, String value,
			String allowed) {
		this.caching.withPropertyValues(properties.split(",")).run((context) -> {
			assertThat(context).hasFailed();
			Throwable failure = context.getStartupFailure();
			assertThat(failure).hasRootCauseInstanceOf(InvalidCacheException.class);
			FailureAnalysis analysis = new InvalidCacheFailureAnalyzer().analyze(failure);
			assertThat(analysis.getDescription()).contains(property).contains("'" + value + "'");
			assertThat(analysis.getAction()).contains(property).contains(allowed);
		});
	}

	@Test
	void metadataDescribesTheProperties() throws Exception {
		String metadata = new String(
				getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json").readAllBytes());
		for (String name : Map.of("vicinal.cache.policy", 1, "vicinal.cache.caches", 1).keySet()) {
			assertThat(metadata).contains("\"" + name + "\"");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

		@Bean
		String anything() {
			return "";
		}

	}

}
