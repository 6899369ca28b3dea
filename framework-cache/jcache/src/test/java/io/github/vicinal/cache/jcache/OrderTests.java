package io.github.vicinal.cache.jcache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CompletionListenerFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Order of events: expiries and next entries, clearings and loads. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OrderTests {

	private final VicinalCachingProvider provider = new VicinalCachingProvider();

	private final CacheManager manager = this.provider.getCacheManager();

	@AfterEach
	void stop() {
		this.provider.close();
	}

	private static VicinalConfiguration<Integer, String> configuration() {
		return new VicinalConfiguration<Integer, String>().setPolicy("LRU").setMaximumSize(1000);
	}

	private static void pass(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isDoneOrWaits(CompletableFuture<?> future, Thread thread) {
		return future.isDone() || thread.getState() == Thread.State.WAITING;
	}

	/** Entries live for a moment, or for ever. */
	private static final class Brief implements ExpiryPolicy {

		volatile boolean brief;

		@Override
		public Duration getExpiryForCreation() {
			return this.brief ? new Duration(TimeUnit.MILLISECONDS, 200) : Duration.ETERNAL;
		}

		@Override
		public Duration getExpiryForAccess() {
			return null;
		}

		@Override
		public Duration getExpiryForUpdate() {
			return null;
		}

		/** Puts entries that have expired when this returns. */
		@SafeVarargs
		final <K> void putExpired(Cache<K, String> cache, K... keys) {
			this.brief = true;
			for (K key : keys) {
				cache.put(key, "old");
			}
			long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(201);
			await().until(() -> System.nanoTime() - end > 0);
			this.brief = false;
		}

	}

	private record Recorder<K>(BiConsumer<K, String> events)
			implements
				CacheEntryCreatedListener<K, String>,
				CacheEntryUpdatedListener<K, String>,
				CacheEntryExpiredListener<K, String>,
				CacheEntryRemovedListener<K, String> {

		@Override
		public void onCreated(Iterable<CacheEntryEvent<? extends K, ? extends String>> events) {
			record(events);
		}

		@Override
		public void onUpdated(Iterable<CacheEntryEvent<? extends K, ? extends String>> events) {
			record(events);
		}

		@Override
		public void onExpired(Iterable<CacheEntryEvent<? extends K, ? extends String>> events) {
			record(events);
		}

		@Override
		public void onRemoved(Iterable<CacheEntryEvent<? extends K, ? extends String>> events) {
			record(events);
		}

		private void record(Iterable<CacheEntryEvent<? extends K, ? extends String>> events) {
			events.forEach((event) -> this.events.accept(event.getKey(), event.getEventType().name()));
		}

	}

	private Cache<Integer, String> evented(Brief lifetimes, VicinalConfiguration<Integer, String> configuration,
			BiConsumer<Integer, String> events) {
		configuration.setExpiryPolicyFactory(() -> lifetimes);
		configuration.addCacheEntryListenerConfiguration(
				new MutableCacheEntryListenerConfiguration<>(() -> new Recorder<>(events), null, true, true));
		return this.manager.createCache("evented", configuration);
	}

	@ParameterizedTest
	@ValueSource(strings = { "LRU", "K_WAY(8)" })
	void anExpiryThatIsReportedLateIsNotReportedOfTheEntryThatCameAfterIt(String policy) {
		Map<Integer, List<String>> events = Map.of(1, Collections.synchronizedList(new ArrayList<>()), 2,
				Collections.synchronizedList(new ArrayList<>()));
		AtomicReference<Integer> first = new AtomicReference<>();
		CountDownLatch reporting = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Brief lifetimes = new Brief();
		Cache<Integer, String> cache = evented(lifetimes, configuration().setPolicy(policy), (key, event) -> {
			events.get(key).add(event);
			if (event.equals("EXPIRED") && !lifetimes.brief && first.compareAndSet(null, key)) {
				reporting.countDown();
				pass(goOn);
			}
		});
		lifetimes.putExpired(cache, 1, 2);
		CompletableFuture<Void> sweep = CompletableFuture
			.runAsync(() -> cache.unwrap(io.github.vicinal.cache.Cache.class).cleanUp());
		pass(reporting);
		Integer other = 3 - first.get();
		cache.put(other, "new");
		goOn.countDown();
		sweep.join();
		assertThat(events.get(first.get())).containsExactly("CREATED", "EXPIRED");
		assertThat(events.get(other)).endsWith("CREATED");
		assertThat(cache.get(other)).isEqualTo("new");
		// Nothing is reported later either.
		cache.put(other, "newer");
		assertThat(events.get(other)).endsWith("CREATED", "UPDATED");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TINY_LFU", "LRU", "K_WAY(8)" })
	void anExpiryIsReportedBeforeTheEntryThatComesAfterIt(String policy) {
		List<String> events = Collections.synchronizedList(new ArrayList<>());
		Brief lifetimes = new Brief();
		Cache<Integer, String> cache = evented(lifetimes, configuration().setPolicy(policy),
				(key, event) -> events.add(event));
		lifetimes.putExpired(cache, 1);
		cache.put(1, "new");
		assertThat(events).containsExactly("CREATED", "EXPIRED", "CREATED");
	}

	@Test
	void anExpiryThatALookUpNoticesIsReportedBeforeTheEntryThatComesAfterIt() throws Exception {
		List<String> events = Collections.synchronizedList(new ArrayList<>());
		CountDownLatch reporting = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Brief lifetimes = new Brief();
		Cache<Integer, String> cache = evented(lifetimes, configuration(), (key, event) -> {
			if (event.equals("EXPIRED")) {
				reporting.countDown();
				pass(goOn);
			}
			events.add(event);
		});
		lifetimes.putExpired(cache, 1);
		CompletableFuture<String> lookUp = CompletableFuture.supplyAsync(() -> cache.get(1));
		pass(reporting);
		CompletableFuture<Void> put = new CompletableFuture<>();
		Thread putting = new Thread(() -> {
			cache.put(1, "new");
			put.complete(null);
		});
		putting.start();
		await().until(() -> isDoneOrWaits(put, putting));
		goOn.countDown();
		put.get(20, TimeUnit.SECONDS);
		assertThat(lookUp.get(20, TimeUnit.SECONDS)).isNull();
		assertThat(events).containsExactly("CREATED", "EXPIRED", "CREATED");
	}

	/** Operation that ends or changes an entry, and gives it the time to expire. */
	enum Change {

		REMOVE(false, (cache) -> cache.remove(1, "old")),

		REMOVE_BY_PROCESSOR(false, (cache) -> cache.invoke(1, (entry, arguments) -> {
			cache.get(1);
			entry.remove();
			return null;
		})),

		REPLACE(true, (cache) -> cache.replace(1, "old", "new")),

		REPLACE_BY_PROCESSOR(true, (cache) -> cache.invoke(1, (entry, arguments) -> {
			cache.get(1);
			entry.setValue("new");
			return null;
		}));

		/** Either the change is reported, or the expiry before it. */
		private final List<List<String>> possible;

		private final Consumer<Cache<Integer, String>> how;

		Change(boolean replaces, Consumer<Cache<Integer, String>> how) {
			this.possible = replaces ? List.of(List.of("CREATED", "UPDATED"), List.of("CREATED", "EXPIRED", "CREATED"))
					: List.of(List.of("CREATED", "REMOVED"), List.of("CREATED", "EXPIRED"));
			this.how = how;
		}

	}

	/** The look-up makes it expire: by the writer or the processor, so under way. */
	@ParameterizedTest
	@EnumSource
	void anEntryThatExpiresWhileItIsChangedEndsOnce(Change change) {
		for (String policy : List.of("TINY_LFU", "LRU", "K_WAY(8)")) {
			List<String> events = Collections.synchronizedList(new ArrayList<>());
			AtomicReference<Cache<Integer, String>> self = new AtomicReference<>();
			VicinalConfiguration<Integer, String> configuration = configuration().setPolicy(policy);
			configuration.setWriteThrough(true).setCacheWriterFactory(() -> new LookingUp(self));
			configuration.setExpiryPolicyFactory(OnceRead::new)
				.addCacheEntryListenerConfiguration(new MutableCacheEntryListenerConfiguration<>(
						() -> new Recorder<>((key, event) -> events.add(event)), null, true, true));
			Cache<Integer, String> cache = this.manager.createCache("ending", configuration);
			self.set(cache);
			cache.put(1, "old");
			change.how.accept(cache);
			cache.unwrap(io.github.vicinal.cache.Cache.class).cleanUp();
			assertThat(change.possible).as(policy).contains(events);
			cache.close();
		}
	}

	/** A read entry has expired, unless it is written again. */
	private static final class OnceRead implements ExpiryPolicy {

		@Override
		public Duration getExpiryForCreation() {
			return Duration.ETERNAL;
		}

		@Override
		public Duration getExpiryForAccess() {
			return Duration.ZERO;
		}

		@Override
		public Duration getExpiryForUpdate() {
			return Duration.ETERNAL;
		}

	}

	/** A writer that takes long, for the entry that is written. */
	private record LookingUp(AtomicReference<Cache<Integer, String>> cache) implements CacheWriter<Integer, String> {

		@Override
		public void write(Cache.Entry<? extends Integer, ? extends String> entry) {
			this.cache.get().get(entry.getKey());
		}

		@Override
		public void writeAll(Collection<Cache.Entry<? extends Integer, ? extends String>> entries) {
			entries.forEach(this::write);
			entries.clear();
		}

		@Override
		public void delete(Object key) {
			this.cache.get().get((Integer) key);
		}

		@Override
		public void deleteAll(Collection<?> keys) {
			keys.forEach(this::delete);
			keys.clear();
		}

	}

	/** Operation that empties a cache. */
	enum Emptying {

		CLEAR(Cache::clear), REMOVE_ALL(Cache::removeAll), CLOSE(Cache::close);

		private final Consumer<Cache<?, ?>> how;

		Emptying(Consumer<Cache<?, ?>> how) {
			this.how = how;
		}

	}

	/** Operation that loads. */
	enum Loading {

		GET {

			@Override
			Object load(Cache<Integer, String> cache) {
				return cache.get(1);
			}

		},

		GET_ALL {

			@Override
			Object load(Cache<Integer, String> cache) {
				return cache.getAll(Set.of(1)).get(1);
			}

		},

		LOAD_ALL {

			@Override
			Object load(Cache<Integer, String> cache) {
				CompletionListenerFuture end = new CompletionListenerFuture();
				cache.loadAll(Set.of(1), true, end);
				try {
					end.get(20, TimeUnit.SECONDS);
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
				return "value 1";
			}

		},

		INVOKE {

			@Override
			Object load(Cache<Integer, String> cache) {
				return cache.invoke(1, (entry, arguments) -> entry.getValue());
			}

		};

		abstract Object load(Cache<Integer, String> cache);

	}

	private record Loader(UnaryOperator<String> load) implements CacheLoader<Integer, String> {

		@Override
		public String load(Integer key) {
			return this.load.apply("value");
		}

		@Override
		public Map<Integer, String> loadAll(Iterable<? extends Integer> keys) {
			Map<Integer, String> loaded = new HashMap<>();
			keys.forEach((key) -> loaded.put(key, load(key)));
			return loaded;
		}

	}

	@ParameterizedTest
	@EnumSource
	void aLoadThatBeganBeforeAClearingIsNotKept(Loading loading) throws Exception {
		for (Emptying emptying : Emptying.values()) {
			AtomicInteger loads = new AtomicInteger();
			List<String> events = Collections.synchronizedList(new ArrayList<>());
			CountDownLatch underWay = new CountDownLatch(1);
			CountDownLatch goOn = new CountDownLatch(1);
			VicinalConfiguration<Integer, String> configuration = configuration();
			configuration.setReadThrough(true).setCacheLoaderFactory(() -> new Loader((value) -> {
				int load = loads.incrementAndGet();
				underWay.countDown();
				pass(goOn);
				return value + " " + load;
			}));
			Cache<Integer, String> cache = evented(new Brief(), configuration, (key, event) -> events.add(event));
			io.github.vicinal.cache.Cache<?, ?> engine = cache.unwrap(io.github.vicinal.cache.Cache.class);
			// Not by the common pool, which loads and may have one thread only.
			CompletableFuture<Object> load = CompletableFuture.supplyAsync(() -> loading.load(cache),
					(task) -> new Thread(task).start());
			pass(underWay);
			emptying.how.accept(cache);
			goOn.countDown();
			assertThat(load.get(20, TimeUnit.SECONDS)).isEqualTo("value 1");
			assertThat(engine.asMap()).as("%s", emptying).isEmpty();
			assertThat(events).isEmpty();
			if (emptying != Emptying.CLOSE) {
				assertThat(cache.get(1)).isEqualTo("value 2");
				assertThat(cache.containsKey(1)).isTrue();
				assertThat(events).containsExactly("CREATED");
				cache.close();
			}
		}
	}

	/** A key that does something when it is asked for its hash, once. */
	private static final class Hooked {

		private final AtomicReference<Runnable> hook = new AtomicReference<>();

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			Runnable once = this.hook.getAndSet(null);
			if (once != null) {
				once.run();
			}
			return 1;
		}

	}

	/** A load replaces a value just when all are removed. */
	@ParameterizedTest
	@CsvSource({ "REMOVE_ALL, 'CREATED, UPDATED, REMOVED'", "CLEAR, CREATED" })
	void anEntryReplacedByALoadDuringAClearingEndsAsAllOthersDo(Emptying emptying, String expected) throws Exception {
		List<String> events = Collections.synchronizedList(new ArrayList<>());
		AtomicReference<Runnable> beforeStoring = new AtomicReference<>(() -> {
		});
		VicinalConfiguration<Hooked, String> configuration = new VicinalConfiguration<Hooked, String>().setPolicy("LRU")
			.setMaximumSize(1000);
		configuration.setStoreByValue(false)
			.setExpiryPolicyFactory(() -> new OnUpdate(() -> beforeStoring.get().run()))
			.setCacheLoaderFactory(() -> new SameLoader<>("new"))
			.addCacheEntryListenerConfiguration(new MutableCacheEntryListenerConfiguration<>(
					() -> new Recorder<Hooked>((key, event) -> events.add(event)), null, true, true));
		Cache<Hooked, String> cache = this.manager.createCache("emptied", configuration);
		Hooked key = new Hooked();
		cache.put(key, "old");
		CompletableFuture<Void> emptied = new CompletableFuture<>();
		Thread emptier = new Thread(() -> {
			emptying.how.accept(cache);
			emptied.complete(null);
		});
		beforeStoring.set(() -> key.hook.set(() -> {
			emptier.start();
			await().until(() -> isDoneOrWaits(emptied, emptier));
		}));
		CompletionListenerFuture end = new CompletionListenerFuture();
		cache.loadAll(Set.of(key), true, end);
		end.get(20, TimeUnit.SECONDS);
		emptied.get(20, TimeUnit.SECONDS);
		assertThat(cache).isEmpty();
		assertThat(String.join(", ", events)).isEqualTo(expected);
	}

	/** Nothing expires; says when an entry is about to be replaced. */
	private record OnUpdate(Runnable call) implements ExpiryPolicy {

		@Override
		public Duration getExpiryForCreation() {
			return Duration.ETERNAL;
		}

		@Override
		public Duration getExpiryForAccess() {
			return null;
		}

		@Override
		public Duration getExpiryForUpdate() {
			this.call.run();
			return null;
		}

	}

	private record SameLoader<K>(String value) implements CacheLoader<K, String> {

		@Override
		public String load(K key) {
			return this.value;
		}

		@Override
		public Map<K, String> loadAll(Iterable<? extends K> keys) {
			Map<K, String> loaded = new HashMap<>();
			keys.forEach((key) -> loaded.put(key, this.value));
			return loaded;
		}

	}

}
