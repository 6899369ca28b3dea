package io.github.vicinal.cache.jcache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Threads that wait for keys of each other's: none for ever, and none without need. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingTests {

	private final VicinalCachingProvider provider = new VicinalCachingProvider();

	private final CacheManager manager = this.provider.getCacheManager();

	@AfterEach
	void stop() {
		this.provider.close();
	}

	/** Something that runs on a thread of its own. */
	private static final class Running<T> extends FutureTask<T> {

		private final Thread thread = new Thread(this);

		Running(Callable<T> what) {
			super(what);
			this.thread.setDaemon(true);
			this.thread.start();
		}

		/** Returns as soon as the thread waits, or has ended. */
		Running<T> awaitWaiting() {
			await().until(() -> isDone() || this.thread.getState() == Thread.State.WAITING);
			return this;
		}

		T result() throws Exception {
			return get(10, TimeUnit.SECONDS);
		}

	}

	private static void meet(CountDownLatch latch) {
		latch.countDown();
		pass(latch);
	}

	private static void pass(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static VicinalConfiguration<Object, Object> configuration() {
		return (VicinalConfiguration<Object, Object>) new VicinalConfiguration<>().setPolicy("LRU")
			.setMaximumSize(1000)
			.setStoreByValue(false);
	}

	private Cache<Object, Object> loading(String name, Function<Object, Object> loader) {
		return this.manager.createCache(name,
				configuration().setReadThrough(true).setCacheLoaderFactory(() -> new Loading(loader)));
	}

	private Cache<Object, Object> writing(String name, Consumer<Object> writer) {
		return this.manager.createCache(name,
				configuration().setWriteThrough(true).setCacheWriterFactory(() -> new Writing(writer)));
	}

	/** Two loads that need each other: one is refused, and gives a value nevertheless. */
	private void assertOneIsRefused(String firstCache, Object firstKey, String secondCache, Object secondKey)
			throws Exception {
		CountDownLatch both = new CountDownLatch(2);
		List<CacheException> refused = Collections.synchronizedList(new ArrayList<>());
		for (String name : Set.copyOf(List.of(firstCache, secondCache))) {
			loading(name, (key) -> {
				meet(both);
				boolean first = name.equals(firstCache) && key.equals(firstKey);
				try {
					return this.manager.getCache(first ? secondCache : firstCache).get(first ? secondKey : firstKey);
				}
				catch (CacheException ex) {
					refused.add(ex);
					return "loaded";
				}
			});
		}
		Running<Object> one = new Running<>(() -> this.manager.getCache(firstCache).get(firstKey));
		Running<Object> other = new Running<>(() -> this.manager.getCache(secondCache).get(secondKey));
		assertThat(one.result()).isEqualTo("loaded");
		assertThat(other.result()).isEqualTo("loaded");
		assertThat(refused).singleElement()
			.asString()
			.contains("circle of threads", "Cache '" + firstCache.charAt(0), "key '");
	}

	@Test
	void loadsThatNeedEachOtherAreRefused() throws Exception {
		assertOneIsRefused("circle", "a", "circle", "b");
	}

	@Test
	void loadsOfTwoCachesThatNeedEachOtherAreRefused() throws Exception {
		assertOneIsRefused("circle-1", 1, "circle-2", 1);
	}

	@Test
	void aLoadOfSeveralKeysThatNeedsOneOfThemIsRefused() {
		List<Cache<Object, Object>> self = new ArrayList<>();
		Cache<Object, Object> cache = loading("self", (key) -> self.get(0).getAll(Set.of(key)));
		self.add(cache);
		assertThatExceptionOfType(CacheLoaderException.class).isThrownBy(() -> cache.getAll(Set.of("a", "b")))
			.withMessageContaining("by its own load");
	}

	@Test
	void aLoadOfSeveralKeysDoesNotWaitForItsWaiters() throws Exception {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		List<Cache<Object, Object>> self = new ArrayList<>();
		Cache<Object, Object> cache = loading("nested", (key) -> {
			if (!key.equals("a")) {
				return "loaded";
			}
			loading.countDown();
			pass(goOn);
			return self.get(0).getAll(Set.of("b", "c")).size();
		});
		self.add(cache);
		Running<Object> load = new Running<>(() -> cache.get("a"));
		pass(loading);
		Running<Object> several = new Running<Object>(() -> {
			cache.putAll(Map.of("a", "put", "b", "put"));
			return "done";
		}).awaitWaiting();
		goOn.countDown();
		assertThat(load.result()).isEqualTo(2);
		assertThat(several.result()).isEqualTo("done");
		assertThat(cache.getAll(Set.of("a", "b"))).isEqualTo(Map.of("a", "put", "b", "put"));
	}

	@Test
	void aWaiterForOneOfSeveralKeysDelaysNoOther() throws Exception {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Cache<Object, Object> cache = loading("slow", (key) -> {
			loading.countDown();
			pass(goOn);
			return "loaded";
		});
		Running<Object> load = new Running<>(() -> cache.get("a"));
		pass(loading);
		Running<Object> several = new Running<Object>(() -> {
			cache.putAll(Map.of("a", "put", "x", "put"));
			return "done";
		}).awaitWaiting();
		new Running<>(() -> {
			cache.putAll(Map.of("c", "put", "d", "put"));
			cache.removeAll(Set.of("c", "x"));
			cache.put("x", "other");
			return "done";
		}).result();
		assertThat(several.isDone()).isFalse();
		goOn.countDown();
		assertThat(load.result()).isEqualTo("loaded");
		assertThat(several.result()).isEqualTo("done");
	}

	@Test
	void changesOfSeveralKeysComeToAnEndUnderThreads() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		Cache<Object, Object> cache = writing("busy", (key) -> {
			if (key.equals(0)) {
				assertThat(inside.incrementAndGet()).isOne();
				Thread.yield();
				inside.decrementAndGet();
			}
		});
		List<Running<Object>> threads = new ArrayList<>();
		for (int t = 0; t < 6; t++) {
			int thread = t;
			threads.add(new Running<>(() -> {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				for (int i = 0; i < 300; i++) {
					if (thread % 2 == 0) {
						cache.put(random.nextInt(4), i);
					}
					else {
						cache.putAll(Map.of(0, i, 1 + random.nextInt(3), i, 4 + random.nextInt(3), i));
					}
				}
				return "done";
			}));
		}
		for (Running<Object> each : threads) {
			assertThat(each.result()).isEqualTo("done");
		}
	}

	@Test
	void aKeyWhoseHashChangesOrFailsIsUnlocked() throws Exception {
		for (Integer later : new Integer[] { 7, null }) {
			Changing key = new Changing();
			Cache<Object, Object> cache = writing("changing" + later, (written) -> key.hash = later);
			try {
				cache.put(key, "a");
			}
			catch (IllegalStateException ex) {
				assertThat(ex).hasMessage("as wanted");
			}
			new Running<>(() -> {
				cache.put(new Changing(), "b");
				return "done";
			}).result();
		}
	}

	@Test
	void noLockIsLeft() {
		KeyLocks<Object> locks = new KeyLocks<>("left", new Waits());
		Changing key = new Changing();
		KeyLocks.KeyLock first = locks.lock(key);
		KeyLocks.KeyLock second = locks.lock(new Changing());
		assertThat(second).isSameAs(first);
		key.hash = null;
		locks.unlock(second);
		assertThat(first.isHeldByCurrentThread()).isTrue();
		locks.unlock(first);
		assertThat(first.isLocked()).isFalse();
		List<KeyLocks.KeyLock> several = locks.lockAll(List.of("a", "b"));
		assertThat(locks.size()).isEqualTo(2);
		locks.unlockAll(several);
		key.hash = null;
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> locks.lockAll(List.of("a", key)));
		assertThat(locks.size()).isZero();
	}

	/** Equal to all others of its kind. */
	private static final class Changing {

		volatile Integer hash = 1;

		@Override
		public boolean equals(Object other) {
			return other instanceof Changing;
		}

		@Override
		public int hashCode() {
			Integer current = this.hash;
			if (current == null) {
				throw new IllegalStateException("as wanted");
			}
			return current;
		}

	}

	private record Loading(Function<Object, Object> loader) implements CacheLoader<Object, Object> {

		@Override
		public Object load(Object key) {
			return this.loader.apply(key);
		}

		@Override
		public Map<Object, Object> loadAll(Iterable<?> keys) {
			Map<Object, Object> loaded = new HashMap<>();
			keys.forEach((key) -> loaded.put(key, load(key)));
			return loaded;
		}

	}

	private record Writing(Consumer<Object> writer) implements CacheWriter<Object, Object> {

		@Override
		public void write(Cache.Entry<?, ?> entry) {
			this.writer.accept(entry.getKey());
		}

		@Override
		public void writeAll(Collection<Cache.Entry<?, ?>> entries) {
			entries.forEach(this::write);
			entries.clear();
		}

		@Override
		public void delete(Object key) {
			this.writer.accept(key);
		}

		@Override
		public void deleteAll(Collection<?> keys) {
			keys.forEach(this::delete);
			keys.clear();
		}

	}

}
