package io.github.vicinal.cache.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.InvalidCacheException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Annotated methods in a context. */
class CachingTests {

	private AnnotationConfigApplicationContext context;

	private Prices prices;

	@BeforeEach
	void start() {
		this.context = new AnnotationConfigApplicationContext(Configured.class);
		this.prices = this.context.getBean(Prices.class);
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void aThousandCallersAtOnceLoadOnce() throws Exception {
		int callers = 1000;
		CountDownLatch ready = new CountDownLatch(callers);
		CountDownLatch go = new CountDownLatch(1);
		ExecutorService threads = Executors.newFixedThreadPool(callers);
		try {
			List<Future<String>> results = new ArrayList<>();
			for (int i = 0; i < callers; i++) {
				results.add(threads.submit(() -> {
					ready.countDown();
					go.await();
					return this.prices.atOnce(7);
				}));
			}
			assertThat(ready.await(30, TimeUnit.SECONDS)).isTrue();
			go.countDown();
			for (Future<String> result : results) {
				assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("7 #1");
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.prices.loads()).hasValue(1);
	}

	@Test
	void plainMethodsAreCachedAndEvicted() {
		assertThat(this.prices.plain(1)).isEqualTo("1 #1");
		assertThat(this.prices.plain(1)).isEqualTo("1 #1");
		this.prices.changed(1);
		assertThat(this.prices.plain(1)).isEqualTo("1 #2");
		assertThat(this.prices.plain(-1)).isNull();
		assertThat(this.prices.plain(-1)).isNull();
		assertThat(this.prices.loads()).hasValue(3);
	}

	@Test
	void futuresAreCachedByTheirValue() throws Exception {
		CompletableFuture<String> first = this.prices.future(2);
		CompletableFuture<String> joined = this.prices.future(2);
		assertThat(this.prices.loads()).hasValue(1);
		this.prices.finish().complete(null);
		assertThat(first.get(5, TimeUnit.SECONDS)).isEqualTo("2 #1");
		assertThat(joined.get(5, TimeUnit.SECONDS)).isEqualTo("2 #1");
		assertThat(this.prices.future(2).get(5, TimeUnit.SECONDS)).isEqualTo("2 #1");
	}

	@Test
	void publishersAreCachedByTheirValues() {
		assertThat(this.prices.mono(3).block(Duration.ofSeconds(5))).isEqualTo("3 #1");
		assertThat(this.prices.mono(3).block(Duration.ofSeconds(5))).isEqualTo("3 #1");
		assertThat(this.prices.flux(4).collectList().block(Duration.ofSeconds(5))).containsExactly("4", "#2");
		assertThat(this.prices.flux(4).collectList().block(Duration.ofSeconds(5))).containsExactly("4", "#2");
		assertThat(this.prices.empty(5).blockOptional(Duration.ofSeconds(5))).isEmpty();
		assertThat(this.prices.empty(5).blockOptional(Duration.ofSeconds(5))).isEmpty();
		assertThat(this.prices.loads()).hasValue(3);
	}

	@Test
	void namesMayBeFixed() {
		VicinalCacheManager manager = new VicinalCacheManager((name) -> CacheBuilder.named(name).maximumSize(10));
		manager.setCacheNames(List.of("a", "b"));
		manager.afterPropertiesSet();
		assertThat(manager.getCacheNames()).containsExactly("a", "b");
		assertThat(manager.getCache("c")).isNull();
		assertThat(this.context.getBean(CacheManager.class).getCache("made when asked for")).isNotNull();
	}

	@Test
	void aCacheThatCannotBeFailsTheStart() {
		VicinalCacheManager manager = new VicinalCacheManager(CacheBuilder::named);
		manager.setInitialCacheNames(List.of("unbounded"));
		assertThatExceptionOfType(InvalidCacheException.class).isThrownBy(manager::afterPropertiesSet)
			.withMessageContaining("unbounded")
			.withMessageContaining("maximum-size");
	}

	@Test
	void instancesTellEachOtherWhatIsNoLongerTrue() {
		List<InvalidationBroadcast.Receiver> receivers = new ArrayList<>();
		AtomicInteger messages = new AtomicInteger();
		List<Cache> caches = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			int me = i;
			VicinalCacheManager manager = new VicinalCacheManager((name) -> CacheBuilder.named(name).maximumSize(10));
			manager.setInvalidationBroadcast(new InvalidationBroadcast() {
				@Override
				public void evicted(String cache, Object key) {
					messages.incrementAndGet();
					receivers.get(1 - me).evict(cache, key);
				}

				@Override
				public void cleared(String cache) {
					messages.incrementAndGet();
					receivers.get(1 - me).clear(cache);
				}

				@Override
				public void start(Receiver receiver) {
					receivers.add(receiver);
				}
			});
			manager.afterPropertiesSet();
			caches.add(manager.getCache("a"));
		}
		Cache here = caches.get(0);
		Cache there = caches.get(1);
		there.put("key", "old");
		here.put("key", "new");
		assertThat(there.get("key")).isNull();
		assertThat(here.get("key", String.class)).isEqualTo("new");
		there.get("key", () -> "new");
		assertThat(here.get("key", String.class)).as("a load is no news").isEqualTo("new");
		there.evict("key");
		assertThat(here.get("key")).isNull();
		here.get("other", () -> "x");
		there.clear();
		assertThat(here.get("other")).isNull();
		receivers.get(0).evict("unknown", "key");
		assertThat(messages).hasValue(4);
	}

	@Test
	void aTransactionAwareCacheChangesAfterTheCommit() {
		VicinalCacheManager manager = new VicinalCacheManager((name) -> CacheBuilder.named(name).maximumSize(10));
		manager.setTransactionAware(true);
		manager.afterPropertiesSet();
		Cache cache = manager.getCache("a");
		TransactionSynchronizationManager.initSynchronization();
		try {
			cache.put("key", "value");
			assertThat(cache.get("key")).isNull();
			TransactionSynchronizationManager.getSynchronizations().forEach(TransactionSynchronization::afterCommit);
		}
		finally {
			TransactionSynchronizationManager.clearSynchronization();
		}
		assertThat(cache.get("key", String.class)).isEqualTo("value");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Configured {

		@Bean
		CacheManager cacheManager() {
			return new VicinalCacheManager((name) -> CacheBuilder.named(name).policy(CachePolicy.LRU).maximumSize(100));
		}

		@Bean
		Prices prices() {
			return new Prices();
		}

	}

	static class Prices {

		private final AtomicInteger loads = new AtomicInteger();

		private final CompletableFuture<Void> finish = new CompletableFuture<>();

		AtomicInteger loads() {
			return this.loads;
		}

		CompletableFuture<Void> finish() {
			return this.finish;
		}

		private String load(int id) {
			return id + " #" + this.loads.incrementAndGet();
		}

		@Cacheable(cacheNames = "prices", sync = true)
		public String atOnce(int id) {
			return load(id);
		}

		@Cacheable("prices")
		public String plain(int id) {
			String loaded = load(id);
			return (id < 0) ? null : loaded;
		}

		@CacheEvict("prices")
		public void changed(int id) {
		}

		@Cacheable(cacheNames = "futures", sync = true)
		public CompletableFuture<String> future(int id) {
			String loaded = load(id);
			return this.finish.thenApply((done) -> loaded);
		}

		@Cacheable("publishers")
		public Mono<String> mono(int id) {
			return Mono.fromSupplier(() -> load(id));
		}

		@Cacheable("publishers")
		public Flux<String> flux(int id) {
			return Flux.defer(() -> Flux.just(load(id).split(" ")));
		}

		@Cacheable("publishers")
		public Mono<String> empty(int id) {
			return Mono.fromRunnable(() -> load(id));
		}

	}

}
