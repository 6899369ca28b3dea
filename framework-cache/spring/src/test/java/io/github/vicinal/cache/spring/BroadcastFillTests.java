package io.github.vicinal.cache.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.cache.annotation.CacheResult;
import javax.cache.annotation.CacheValue;

import io.github.vicinal.cache.CacheBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.cache.annotation.CacheConfig;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Two instances of an application that notify each other of changes. */
class BroadcastFillTests {

	private static final int KEYS = 100;

	private final Network network = new Network();

	private final List<AnnotationConfigApplicationContext> contexts = new ArrayList<>();

	private final List<Prices> instances = new ArrayList<>();

	private void start(Class<?> configuration, boolean transactionAware) {
		for (int i = 0; i < 2; i++) {
			AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
			int instance = i;
			context.registerBean("broadcast", InvalidationBroadcast.class, () -> this.network.of(instance));
			context.registerBean("transactionAware", Boolean.class, () -> transactionAware);
			context.register(configuration);
			context.refresh();
			this.contexts.add(context);
			this.instances.add(context.getBean(Prices.class));
		}
	}

	@AfterEach
	void stop() {
		this.contexts.forEach(AnnotationConfigApplicationContext::close);
	}

	private int loads() {
		return this.instances.stream().mapToInt((prices) -> prices.loads().get()).sum();
	}

	/** Each instance loads each key once, and nothing is broadcast. */
	@ParameterizedTest
	@ValueSource(classes = { Configured.class, WithConfigurer.class })
	void readOnlyLoadEvictsNothing(Class<?> configuration) {
		start(configuration, false);
		for (int round = 0; round < 20; round++) {
			for (int key = 0; key < KEYS; key++) {
				for (Prices prices : this.instances) {
					assertThat(prices.plain(key)).startsWith(key + " #");
				}
			}
		}
		assertThat(loads()).isEqualTo(2 * KEYS);
		assertThat(this.network.messages).isEmpty();
	}

	@Test
	void fillsOfFuturesAndPublishersAreNoChanges() {
		start(Configured.class, false);
		for (int round = 0; round < 3; round++) {
			for (Prices prices : this.instances) {
				assertThat(prices.future(1).join()).startsWith("1 #");
				assertThat(prices.mono(2).block()).startsWith("2 #");
			}
		}
		assertThat(loads()).isEqualTo(4);
		assertThat(this.network.messages).isEmpty();
	}

	@Test
	void changesAreBroadcastAsBefore() {
		start(Configured.class, false);
		Prices here = this.instances.get(0);
		Prices there = this.instances.get(1);
		there.plain(1);
		assertThat(here.set(1, "new")).isEqualTo("new");
		assertThat(this.network.messages).containsExactly("prices/1");
		assertThat(there.plain(1)).isEqualTo("1 #2");
		here.changed(1);
		assertThat(this.network.messages).containsExactly("prices/1", "prices/1");
		assertThat(there.plain(1)).isEqualTo("1 #3");
		// A key that is absent here is one that others may have.
		here.set(7, "new");
		assertThat(this.network.messages).hasSize(3);
	}

	/** A miss that stored nothing does not make the next change a fill. */
	@Test
	void aChangeAfterAMissIsAChange() {
		start(Configured.class, false);
		Prices here = this.instances.get(0);
		assertThat(here.unlessNegative(-1)).isEqualTo("-1");
		here.set(-1, "new");
		assertThat(this.network.messages).containsExactly("prices/-1");
	}

	@Test
	void fillsOfATransactionComeAfterItsCommit() {
		start(Configured.class, true);
		Prices here = this.instances.get(0);
		TransactionSynchronizationManager.initSynchronization();
		try {
			here.plain(1);
			here.plain(1);
			assertThat(here.loads()).hasValue(2);
			TransactionSynchronizationManager.getSynchronizations().forEach(TransactionSynchronization::afterCommit);
		}
		finally {
			TransactionSynchronizationManager.clearSynchronization();
		}
		here.plain(1);
		assertThat(here.loads()).hasValue(2);
		assertThat(this.network.messages).isEmpty();
	}

	/** However annotations name the cache, and whichever annotations they are. */
	@ParameterizedTest
	@ValueSource(strings = { "ofManager", "ofClassWithResolver", "ofResult", "ofFailure", "synchronised" })
	void noFillIsAChange(String way) {
		start(Ways.class, false);
		List<OtherPrices> others = this.contexts.stream().map((context) -> context.getBean(OtherPrices.class)).toList();
		List<ResolvedPrices> resolved = this.contexts.stream()
			.map((context) -> context.getBean(ResolvedPrices.class))
			.toList();
		for (int round = 0; round < 5; round++) {
			for (int i = 0; i < others.size(); i++) {
				switch (way) {
					case "ofManager" -> others.get(i).ofManager(1);
					case "ofClassWithResolver" -> resolved.get(i).of(1);
					case "ofResult" -> others.get(i).ofResult(1);
					case "synchronised" -> others.get(i).synchronised(1);
					default -> {
						OtherPrices prices = others.get(i);
						assertThatIllegalStateException().isThrownBy(() -> prices.ofFailure(1));
					}
				}
			}
		}
		assertThat(this.network.messages).isEmpty();
		assertThat(others.stream().mapToInt((prices) -> prices.loads().get()).sum()
				+ resolved.stream().mapToInt((prices) -> prices.loads().get()).sum())
			.isEqualTo(2);
	}

	@Test
	void changesByOtherWaysAreBroadcast() {
		start(Ways.class, false);
		OtherPrices here = this.contexts.get(0).getBean(OtherPrices.class);
		OtherPrices there = this.contexts.get(1).getBean(OtherPrices.class);
		there.ofManager(1);
		here.putOfManager(1);
		here.putOfJCache(1, "new");
		assertThat(this.network.messages).hasSize(2);
		assertThat(there.ofManager(1)).isEqualTo("1 #2");
	}

	/**
	 * A value that was loaded before a change would be kept for as long as entries live.
	 */
	@ParameterizedTest
	@CsvSource({ "evicted there, 1 #2", "evicted here, 1 #2", "cleared there, 1 #2", "cleared here, 1 #2",
			"put there, 1 #2", "put here, new", "another key, 1 #1" })
	void aValueThatWasLoadedBeforeAChangeIsNotKeptAfterIt(String change, String expected) {
		for (boolean future : new boolean[] { false, true }) {
			this.instances.clear();
			this.network.receivers.clear();
			start(Configured.class, false);
			Prices here = this.instances.get(0);
			Prices there = this.instances.get(1);
			Runnable meanwhile = () -> {
				switch (change) {
					case "evicted there" -> there.changed(1);
					case "evicted here" -> here.changed(1);
					case "cleared there" -> there.allChanged();
					case "cleared here" -> here.allChanged();
					case "put there" -> there.set(1, "new");
					case "put here" -> here.set(1, "new");
					default -> there.changed(2);
				}
			};
			Object first = future ? here.futureWhile(1, meanwhile).join() : here.plainWhile(1, meanwhile);
			assertThat(first).isEqualTo("1 #1");
			assertThat(here.plain(1)).as("future %s", future).isEqualTo(expected);
			assertThat(here.plain(1)).isEqualTo(expected);
		}
	}

	/** Hands messages over at once. */
	private static final class Network {

		private final List<InvalidationBroadcast.Receiver> receivers = new ArrayList<>();

		private final List<String> messages = new ArrayList<>();

		InvalidationBroadcast of(int instance) {
			return new InvalidationBroadcast() {

				private Stream<Receiver> others() {
					return Stream.iterate(0, (i) -> i < Network.this.receivers.size(), (i) -> i + 1)
						.filter((i) -> i != instance)
						.map(Network.this.receivers::get);
				}

				@Override
				public void evicted(String cache, Object key) {
					Network.this.messages.add(cache + "/" + key);
					others().forEach((receiver) -> receiver.evict(cache, key));
				}

				@Override
				public void cleared(String cache) {
					Network.this.messages.add(cache);
					others().forEach((receiver) -> receiver.clear(cache));
				}

				@Override
				public void start(Receiver receiver) {
					Network.this.receivers.add(receiver);
				}

			};
		}

	}

	/** Cached service. */
	public static class Prices {

		private final AtomicInteger loads = new AtomicInteger();

		public AtomicInteger loads() {
			return this.loads;
		}

		@Cacheable("prices")
		public String plain(int id) {
			return id + " #" + this.loads.incrementAndGet();
		}

		@Cacheable("futures")
		public CompletableFuture<String> future(int id) {
			return CompletableFuture.completedFuture(plain(id));
		}

		@Cacheable("monos")
		public Mono<String> mono(int id) {
			return Mono.fromSupplier(() -> plain(id));
		}

		@Cacheable(cacheNames = "prices", unless = "#id < 0")
		public String unlessNegative(int id) {
			return String.valueOf(id);
		}

		@CachePut(cacheNames = "prices", key = "#id")
		public String set(int id, String price) {
			return price;
		}

		@Cacheable(cacheNames = "prices", key = "#id")
		public String plainWhile(int id, Runnable meanwhile) {
			String price = plain(id);
			meanwhile.run();
			return price;
		}

		@Cacheable(cacheNames = "prices", key = "#id")
		public CompletableFuture<String> futureWhile(int id, Runnable meanwhile) {
			return CompletableFuture.completedFuture(plainWhile(id, meanwhile));
		}

		@CacheEvict("prices")
		public void changed(int id) {
		}

		@CacheEvict(cacheNames = "prices", allEntries = true)
		public void allChanged() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Configured {

		@Bean
		VicinalCacheManager cacheManager(InvalidationBroadcast broadcast, Boolean transactionAware) {
			VicinalCacheManager manager = new VicinalCacheManager(
					(name) -> CacheBuilder.named(name).maximumSize(1_000));
			manager.setInvalidationBroadcast(broadcast);
			manager.setTransactionAware(transactionAware);
			return manager;
		}

		@Bean
		Prices prices() {
			return new Prices();
		}

	}

	/** Methods that name their cache manager, or have JCache's annotations. */
	public static class OtherPrices {

		private final AtomicInteger loads = new AtomicInteger();

		public AtomicInteger loads() {
			return this.loads;
		}

		@Cacheable(cacheNames = "prices", cacheManager = "cacheManager")
		public String ofManager(int id) {
			return id + " #" + this.loads.incrementAndGet();
		}

		@Cacheable(cacheNames = "prices", cacheManager = "cacheManager", sync = true)
		public String synchronised(int id) {
			return id + " #" + this.loads.incrementAndGet();
		}

		@CacheResult(cacheName = "results")
		public String ofResult(int id) {
			return id + " #" + this.loads.incrementAndGet();
		}

		@CacheResult(cacheName = "results", exceptionCacheName = "failures")
		public String ofFailure(int id) {
			throw new IllegalStateException(id + " #" + this.loads.incrementAndGet());
		}

		@CachePut(cacheNames = "prices", cacheManager = "cacheManager")
		public String putOfManager(int id) {
			return "new";
		}

		@javax.cache.annotation.CachePut(cacheName = "results")
		public void putOfJCache(int id, @CacheValue String price) {
		}

	}

	/** Methods whose class names the resolver. */
	@CacheConfig(cacheNames = "prices", cacheResolver = "ownResolver")
	public static class ResolvedPrices {

		private final AtomicInteger loads = new AtomicInteger();

		public AtomicInteger loads() {
			return this.loads;
		}

		@Cacheable
		public String of(int id) {
			return id + " #" + this.loads.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Ways extends Configured {

		@Bean
		OtherPrices otherPrices() {
			return new OtherPrices();
		}

		@Bean
		ResolvedPrices resolvedPrices() {
			return new ResolvedPrices();
		}

		@Bean
		CacheResolver ownResolver(VicinalCacheManager manager) {
			return new SimpleCacheResolver(manager) {
			};
		}

	}

	/** An application that chooses its resolver. */
	@Configuration(proxyBeanMethods = false)
	static class WithConfigurer extends Configured {

		@Bean
		CachingConfigurer cachingConfigurer(VicinalCacheManager manager) {
			return new CachingConfigurer() {
				@Override
				public CacheResolver cacheResolver() {
					return new VicinalCacheResolver(manager);
				}
			};
		}

	}

}
