package io.github.vicinal.cache.jcache;

import java.io.Closeable;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.management.ObjectName;

import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.InvalidCacheException;
import io.github.vicinal.cache.policy.Policies;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Behaviour that the compatibility kit does not check. */
class JCacheTests {

	private final VicinalCachingProvider provider = new VicinalCachingProvider();

	private final CacheManager manager = this.provider.getCacheManager();

	@AfterEach
	void stop() {
		this.provider.close();
	}

	private static io.github.vicinal.cache.Cache<?, ?> engine(Cache<?, ?> cache) {
		return cache.unwrap(io.github.vicinal.cache.Cache.class);
	}

	private static VicinalConfiguration<Integer, Integer> configuration() {
		return new VicinalConfiguration<Integer, Integer>().setPolicy("LRU").setMaximumSize(1000);
	}

	@Test
	void policyAndSizeComeFromTheConfigurationElseFromProperties(@TempDir Path directory) throws Exception {
		Path file = directory.resolve("caches.properties");
		Files.writeString(file, "vicinal.cache.policy=LFU\nvicinal.cache.caches.a.maximum-size=7\n");
		Properties passed = new Properties();
		passed.setProperty("vicinal.cache.maximum-size", "9");
		CacheManager configured = this.provider.getCacheManager(file.toUri(), null, passed);
		assertThat(engine(configured.createCache("a", new VicinalConfiguration<>())).report().maximum()).isEqualTo(7);
		Cache<?, ?> other = configured.createCache("b", new VicinalConfiguration<>());
		assertThat(engine(other).report().maximum()).isEqualTo(9);
		assertThat(engine(other).policy()).isEqualTo(CachePolicy.LFU);
		Cache<Integer, Integer> own = configured.createCache("c", configuration());
		assertThat(engine(own).policy()).isEqualTo(CachePolicy.LRU);
		VicinalConfiguration<?, ?> seen = own.getConfiguration(VicinalConfiguration.class);
		assertThat(seen.getMaximumSize()).isEqualTo(1000);
	}

	@ParameterizedTest
	@CsvSource({ "vicinal.cache.policy, LUR, S3_FIFO", "vicinal.cache.caches.a.policy, K_WAY(3), power of two",
			"vicinal.cache.maximum-size, -1, from 0 to", "vicinal.cache.maximum-size, many, a number",
			"vicinal.cache.size, 5, vicinal.cache.maximum-size" })
	void mistakesInPropertiesNameThePropertyTheValueAndWhatIsAllowed(String property, String value, String allowed) {
		Properties properties = new Properties();
		properties.setProperty(property, value);
		assertThatExceptionOfType(InvalidCacheException.class)
			.isThrownBy(() -> this.provider.getCacheManager(URI.create("x"), null, properties))
			.withMessageContaining(property)
			.withMessageContaining("'" + value + "'")
			.withMessageContaining(allowed);
	}

	@Test
	void aFileThatIsNotThereIsAnError() {
		assertThatExceptionOfType(CacheException.class)
			.isThrownBy(() -> this.provider.getCacheManager(URI.create("classpath:no-such.properties"), null))
			.withMessageContaining("no-such.properties");
		assertThatExceptionOfType(CacheException.class)
			.isThrownBy(() -> this.provider.getCacheManager(URI.create("file:///no/such.properties"), null))
			.withMessageContaining("no/such.properties");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TINY_LFU", "LRU", "K_WAY(8)", "AIC" })
	void theBoundHoldsAndEvictionsAreCounted(String policy) throws Exception {
		Cache<Integer, Integer> cache = this.manager.createCache("bounded",
				configuration().setPolicy(policy).setMaximumSize(64).setStatisticsEnabled(true));
		for (int i = 0; i < 1000; i++) {
			cache.put(i, i);
		}
		engine(cache).cleanUp();
		AtomicInteger left = new AtomicInteger();
		cache.forEach((entry) -> left.incrementAndGet());
		assertThat(left.get()).isBetween(1, 64);
		ObjectName statistics = new ObjectName("javax.cache:type=CacheStatistics,CacheManager="
				+ this.manager.getURI().toString().replace(':', '.') + ",Cache=bounded");
		assertThat(ManagementFactory.getPlatformMBeanServer().getAttribute(statistics, "CacheEvictions"))
			.isEqualTo(1000L - left.get());
	}

	/** Operation on an entry, and the number of uses that it counts as. */
	enum Doing {

		GET(1, (cache) -> cache.get(1)),

		GET_ALL(1, (cache) -> cache.getAll(Set.of(1))),

		GET_BY_PROCESSOR(1, (cache) -> cache.invoke(1, (entry, arguments) -> entry.getValue())),

		EXISTS_FOR_PROCESSOR(0, (cache) -> cache.invoke(1, (entry, arguments) -> entry.exists())),

		CONTAINS(0, (cache) -> cache.containsKey(1)),

		PUT(1, (cache) -> cache.put(1, 2)),

		PUT_ALL(1, (cache) -> cache.putAll(Map.of(1, 2))),

		GET_AND_PUT(1, (cache) -> cache.getAndPut(1, 2)),

		PUT_IF_ABSENT(0, (cache) -> cache.putIfAbsent(1, 2)),

		REPLACE(1, (cache) -> cache.replace(1, 2)),

		REPLACE_THAT(1, (cache) -> cache.replace(1, 1, 2)),

		REPLACE_OTHER(0, (cache) -> cache.replace(1, 7, 2)),

		GET_AND_REPLACE(1, (cache) -> cache.getAndReplace(1, 2)),

		REMOVE_OTHER(0, (cache) -> cache.remove(1, 7)),

		REMOVE(0, (cache) -> cache.remove(1)),

		GET_AND_REMOVE(0, (cache) -> cache.getAndRemove(1)),

		REMOVE_ALL(0, Cache::removeAll);

		private final int uses;

		private final Consumer<Cache<Integer, Integer>> how;

		Doing(int uses, Consumer<Cache<Integer, Integer>> how) {
			this.uses = uses;
			this.how = how;
		}

	}

	@ParameterizedTest
	@EnumSource
	void lookUpsByTheCacheItselfAreNoUse(Doing doing) {
		for (boolean eternal : new boolean[] { true, false }) {
			AtomicInteger uses = new AtomicInteger();
			VicinalConfiguration<Integer, Integer> configuration = configuration().setPolicy(CachePolicy
				.custom("counted", (slots, capacity) -> new Counted(Policies.LRU.create(slots, capacity), uses)));
			if (!eternal) {
				configuration.setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY));
			}
			Cache<Integer, Integer> cache = this.manager.createCache("counted", configuration);
			cache.put(1, 1);
			doing.how.accept(cache);
			engine(cache).cleanUp();
			assertThat(uses).as("eternal: %s", eternal).hasValue(doing.uses);
			cache.close();
		}
	}

	/** Counts uses of entries that are there. */
	private record Counted(ReplacementPolicy policy, AtomicInteger uses) implements ReplacementPolicy {

		@Override
		public void onInsert(int slot) {
			this.policy.onInsert(slot);
		}

		@Override
		public void onHit(int slot) {
			this.policy.onHit(slot);
			this.uses.incrementAndGet();
		}

		@Override
		public void onRemove(int slot) {
			this.policy.onRemove(slot);
		}

		@Override
		public int evict(int incoming) {
			return this.policy.evict(incoming);
		}

		@Override
		public int pollHottest() {
			return this.policy.pollHottest();
		}

		@Override
		public void adoptColder(int slot) {
			this.policy.adoptColder(slot);
		}

	}

	@Test
	void expiredEntriesAreSweptAndEvented() {
		List<Integer> expired = Collections.synchronizedList(new ArrayList<>());
		CacheEntryExpiredListener<Integer, Integer> listener = (events) -> events
			.forEach((event) -> expired.add(event.getKey()));
		Cache<Integer, Integer> cache = this.manager.createCache("expiring",
				configuration()
					.setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(new Duration(TimeUnit.MILLISECONDS, 20)))
					.addCacheEntryListenerConfiguration(
							new MutableCacheEntryListenerConfiguration<>(() -> listener, null, false, false)));
		cache.put(1, 1);
		cache.put(2, 2);
		await().untilAsserted(() -> {
			engine(cache).cleanUp();
			assertThat(expired).containsExactlyInAnyOrder(1, 2);
		});
		assertThat(engine(cache).estimatedSize()).isZero();
	}

	@Test
	void writerAndCacheAgreeUnderThreads() {
		Map<Integer, Integer> outside = new ConcurrentHashMap<>();
		Cache<Integer, Integer> cache = this.manager.createCache("written",
				configuration().setPolicy("TINY_LFU")
					.setMaximumSize(100)
					.setWriteThrough(true)
					.setCacheWriterFactory(() -> new MapWriter<>(outside)));
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int t = 0; t < 4; t++) {
			threads.add(CompletableFuture.runAsync(() -> {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				for (int i = 0; i < 5000; i++) {
					int key = random.nextInt(8);
					switch (random.nextInt(5)) {
						case 0 -> cache.put(key, random.nextInt());
						case 1 -> cache.remove(key);
						case 2 -> cache.putAll(Map.of(key, i, (key + 1) % 8, i));
						case 3 -> cache.invoke(key, (entry, arguments) -> {
							entry.setValue(entry.exists() ? entry.getValue() + 1 : 0);
							return null;
						});
						default -> cache.removeAll(Set.of(key, (key + 3) % 8));
					}
				}
			}));
		}
		threads.forEach(CompletableFuture::join);
		Map<Integer, Integer> inside = new ConcurrentHashMap<>();
		cache.forEach((entry) -> inside.put(entry.getKey(), entry.getValue()));
		assertThat(inside).isEqualTo(outside);
	}

	@Test
	void aSlowLoadDelaysNoOtherKeyAndHappensOnce() throws Exception {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger loads = new AtomicInteger();
		Cache<Integer, Integer> cache = this.manager.createCache("loading",
				configuration().setReadThrough(true).setCacheLoaderFactory(() -> new Loading((key) -> {
					if (key == 0) {
						loads.incrementAndGet();
						loading.countDown();
						await().until(() -> end.getCount() == 0);
					}
					return key;
				})));
		CompletableFuture<Integer> slow = CompletableFuture.supplyAsync(() -> cache.get(0));
		assertThat(loading.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> cache.get(0));
		for (int i = 1; i < 500; i++) {
			assertThat(cache.get(i)).isEqualTo(i);
		}
		end.countDown();
		assertThat(slow.get(10, TimeUnit.SECONDS)).isZero();
		assertThat(waiting.get(10, TimeUnit.SECONDS)).isZero();
		assertThat(loads).hasValue(1);
	}

	@Test
	void aLoadThatNeedsItselfIsRefused() {
		List<Cache<Integer, Integer>> self = new ArrayList<>();
		Cache<Integer, Integer> cache = this.manager.createCache("circular", configuration().setReadThrough(true)
			.setCacheLoaderFactory(() -> new Loading((key) -> self.get(0).get(key))));
		self.add(cache);
		assertThatExceptionOfType(CacheLoaderException.class).isThrownBy(() -> cache.get(1))
			.withMessageContaining("by its own load");
	}

	@Test
	void listenersLearnOfTheEventsOfAKeyInTheirOrder() {
		List<Integer> sync = Collections.synchronizedList(new ArrayList<>());
		List<Integer> async = Collections.synchronizedList(new ArrayList<>());
		Cache<Integer, Integer> cache = this.manager.createCache("evented",
				configuration()
					.addCacheEntryListenerConfiguration(
							new MutableCacheEntryListenerConfiguration<>(() -> new Values(sync), null, true, true))
					.addCacheEntryListenerConfiguration(
							new MutableCacheEntryListenerConfiguration<>(() -> new Values(async), null, true, false)));
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int t = 0; t < 4; t++) {
			threads.add(CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 500; i++) {
					cache.invoke(1, (entry, arguments) -> {
						entry.setValue(entry.exists() ? entry.getValue() + 1 : 0);
						return null;
					});
				}
			}));
		}
		threads.forEach(CompletableFuture::join);
		assertThat(sync).hasSize(2000).isSorted();
		await().untilAsserted(() -> assertThat(async).hasSize(2000));
		assertThat(async).isSorted();
	}

	/** Events that are reported while it has one, as by another thread. */
	@Test
	void anAsynchronousListenerThatFailsIsNotifiedOfWhatWaits() {
		List<Integer> seen = new ArrayList<>();
		List<Registration<Integer, Integer>> self = new ArrayList<>();
		Cache<Integer, Integer> cache = this.manager.createCache("failing", configuration());
		CacheEntryCreatedListener<Integer, Integer> listener = (events) -> events.forEach((event) -> {
			seen.add(event.getKey());
			if (event.getKey() == 1) {
				self.get(0).accept(new Event<>(cache, EventType.CREATED, 2, 2, null));
				throw new AssertionError("as wanted");
			}
		});
		self.add(new Registration<>(new MutableCacheEntryListenerConfiguration<>(() -> listener, null, true, false),
				Runnable::run));
		self.get(0).accept(new Event<>(cache, EventType.CREATED, 1, 1, null));
		assertThat(seen).containsExactly(1, 2);
	}

	@Test
	void listenersGetKeysOfTheirOwn() {
		List<ArrayList<String>> seen = new ArrayList<>();
		CacheEntryCreatedListener<ArrayList<String>, String> created = (events) -> events.forEach((event) -> {
			seen.add(event.getKey());
			event.getKey().add("changed");
		});
		Cache<ArrayList<String>, String> cache = this.manager.createCache("keys",
				new VicinalConfiguration<ArrayList<String>, String>().setPolicy("LRU")
					.setMaximumSize(10)
					.addCacheEntryListenerConfiguration(
							new MutableCacheEntryListenerConfiguration<>(() -> created, null, true, true)));
		ArrayList<String> mine = new ArrayList<>(List.of("k"));
		cache.put(mine, "v");
		assertThat(seen).containsExactly(new ArrayList<>(List.of("k", "changed")));
		assertThat(mine).containsExactly("k");
		assertThat(cache.get(mine)).isEqualTo("v");
		assertThat(cache.iterator().next().getKey()).containsExactly("k");
	}

	@Test
	void aNameThatJmxTakesForAPatternIsShown() throws Exception {
		Cache<Integer, Integer> cache = this.manager.createCache("a*b?\"c",
				configuration().setStatisticsEnabled(true).setManagementEnabled(true));
		assertThat(this.manager.<Integer, Integer>getCache("a*b?\"c")).isSameAs(cache);
		ObjectName name = new ObjectName("javax.cache:type=CacheStatistics,CacheManager="
				+ this.manager.getURI().toString().replace(':', '.') + ",Cache=a.b..c");
		assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name)).isTrue();
		cache.close();
		assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name)).isFalse();
	}

	/** Closing uses the provider, in either order. */
	@Test
	void aManagerThatClosesLeavesItsSuccessorAlone() {
		URI one = URI.create("one");
		URI other = URI.create("other");
		Map<URI, CacheManager> successors = new ConcurrentHashMap<>();
		for (URI uri : List.of(one, other)) {
			URI next = uri.equals(one) ? other : one;
			this.provider.getCacheManager(uri, null)
				.createCache("closing", configuration().setCacheLoaderFactory(() -> new ClosingLoader(
						() -> successors.put(next, this.provider.getCacheManager(next, null)))));
		}
		this.provider.close();
		assertThat(successors).hasSize(2);
		successors.forEach((uri, successor) -> {
			assertThat(successor.isClosed()).isFalse();
			assertThat(this.provider.getCacheManager(uri, null)).isSameAs(successor);
		});
	}

	private record ClosingLoader(Runnable closing) implements CacheLoader<Integer, Integer>, Closeable {

		@Override
		public Integer load(Integer key) {
			return key;
		}

		@Override
		public Map<Integer, Integer> loadAll(Iterable<? extends Integer> keys) {
			return Map.of();
		}

		@Override
		public void close() {
			this.closing.run();
		}

	}

	@Test
	void valuesAreCopiedUnlessTheyAreImmutable() {
		Cache<String, Object> cache = this.manager.createCache("copied", new VicinalConfiguration<String, Object>());
		Point point = new Point(1, "a");
		cache.put("immutable", point);
		assertThat(cache.get("immutable")).isSameAs(point);
		Holder holder = new Holder(new ArrayList<>(List.of("a")));
		cache.put("mutable", holder);
		holder.names().clear();
		assertThat(((Holder) cache.get("mutable")).names()).containsExactly("a");
		((Holder) cache.get("mutable")).names().clear();
		assertThat(((Holder) cache.get("mutable")).names()).containsExactly("a");
		assertThatExceptionOfType(CacheException.class).isThrownBy(() -> cache.put("neither", new Object()))
			.withMessageContaining("java.lang.Object")
			.withMessageContaining("store-by-value");
		Cache<String, Object> own = this.manager.createCache("own",
				new VicinalConfiguration<String, Object>().setCopier(new Copier() {
					@Override
					public <T> T copy(T value, ClassLoader loader) {
						return value;
					}
				}));
		Object any = new Object();
		own.put("any", any);
		assertThat(own.get("any")).isSameAs(any);
	}

	@Test
	void aValueThatCannotBeCopiedIsNotWrittenEither() {
		Map<Object, Object> outside = new ConcurrentHashMap<>();
		Cache<Object, Object> cache = this.manager.createCache("written by value",
				new VicinalConfiguration<Object, Object>().setPolicy("LRU")
					.setMaximumSize(1000)
					.setWriteThrough(true)
					.setCacheWriterFactory(() -> new MapWriter<>(outside)));
		cache.put("k", "v");
		Object neither = new Object();
		Map<Object, Object> several = new LinkedHashMap<>();
		several.put("k2", "v2");
		several.put("k", neither);
		List<ThrowingCallable> changes = List.of(() -> cache.put("k", neither), () -> cache.put(neither, "v"),
				() -> cache.getAndPut("k", neither), () -> cache.putAll(several),
				() -> cache.putIfAbsent("absent", neither), () -> cache.replace("k", neither),
				() -> cache.replace("k", "v", neither), () -> cache.getAndReplace("k", neither),
				() -> cache.invoke("k", (entry, arguments) -> {
					entry.setValue(neither);
					return null;
				}));
		for (int i = 0; i < changes.size(); i++) {
			assertThatExceptionOfType(CacheException.class).as("change %d", i)
				.isThrownBy(changes.get(i))
				.withMessageContaining("store-by-value");
			assertThat(outside).as("change %d", i).isEqualTo(Map.of("k", "v"));
			assertThat(engine(cache).asMap()).as("change %d", i).hasSize(1);
			assertThat(cache.get("k")).isEqualTo("v");
		}
	}

	record Point(int x, String name) {
	}

	@SuppressWarnings("serial")
	record Holder(List<String> names) implements Serializable {
	}

	private record Values(List<Integer> seen)
			implements
				CacheEntryCreatedListener<Integer, Integer>,
				CacheEntryUpdatedListener<Integer, Integer> {

		@Override
		public void onCreated(Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> events) {
			events.forEach((event) -> this.seen.add(event.getValue()));
		}

		@Override
		public void onUpdated(Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> events) {
			events.forEach((event) -> this.seen.add(event.getValue()));
		}

	}

	private record Loading(IntUnaryOperator load) implements CacheLoader<Integer, Integer> {

		@Override
		public Integer load(Integer key) {
			return this.load.applyAsInt(key);
		}

		@Override
		public Map<Integer, Integer> loadAll(Iterable<? extends Integer> keys) {
			Map<Integer, Integer> loaded = new ConcurrentHashMap<>();
			keys.forEach((key) -> loaded.put(key, load(key)));
			return loaded;
		}

	}

	private record MapWriter<K, V>(Map<K, V> outside) implements CacheWriter<K, V> {

		@Override
		public void write(Cache.Entry<? extends K, ? extends V> entry) {
			this.outside.put(entry.getKey(), entry.getValue());
		}

		@Override
		public void writeAll(Collection<Cache.Entry<? extends K, ? extends V>> entries) {
			entries.forEach(this::write);
			entries.clear();
		}

		@Override
		public void delete(Object key) {
			this.outside.remove(key);
		}

		@Override
		public void deleteAll(Collection<?> keys) {
			keys.forEach(this::delete);
			keys.clear();
		}

	}

}
