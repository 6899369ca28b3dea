package io.github.vicinal.cache;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Delivery of removals to the listener. */
@Timeout(60)
class RemovalTests {

	private static final int KEYS = 5_000;

	@Test
	void aThreadDoesNotTellAllThatOthersRemoveMeanwhile() {
		Thread unlucky = Thread.currentThread();
		ConcurrentMap<Integer, Thread> notified = new ConcurrentHashMap<>();
		AtomicInteger calls = new AtomicInteger();
		AtomicBoolean first = new AtomicBoolean(true);
		List<Cache<Integer, Integer>> self = new CopyOnWriteArrayList<>();
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.LRU)
			.maximumSize(KEYS)
			.removalListener((key, value, cause) -> {
				calls.incrementAndGet();
				notified.put(key, Thread.currentThread());
				if (first.getAndSet(false)) {
					Thread other = new Thread(() -> IntStream.range(1, KEYS).forEach(self.get(0)::invalidate));
					other.start();
					join(other);
				}
			})
			.build();
		self.add(cache);
		IntStream.range(0, KEYS).forEach((key) -> cache.put(key, key));
		cache.invalidate(0);
		assertThat(notified.values()).filteredOn((thread) -> thread == unlucky).hasSizeBetween(1, 1_000);
		await().untilAsserted(() -> assertThat(notified).hasSize(KEYS));
		assertThat(calls).hasValue(KEYS);
	}

	/** The listener learns of all removals although the cache is not called again. */
	@Test
	void removalsByAListenerAreReportedAsWell() {
		Set<Integer> notified = ConcurrentHashMap.newKeySet();
		AtomicInteger calls = new AtomicInteger();
		List<Cache<Integer, Integer>> self = new CopyOnWriteArrayList<>();
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.LRU)
			.maximumSize(KEYS)
			.removalListener((key, value, cause) -> {
				calls.incrementAndGet();
				notified.add(key);
				if (key == 0) {
					IntStream.range(1, KEYS).forEach(self.get(0)::invalidate);
				}
			})
			.build();
		self.add(cache);
		IntStream.range(0, KEYS).forEach((key) -> cache.put(key, key));
		cache.invalidate(0);
		await().untilAsserted(() -> assertThat(notified).hasSize(KEYS));
		assertThat(calls).hasValue(KEYS);
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void oneCallTellsAllThatItRemoves() {
		ConcurrentMap<Integer, RemovalCause> notified = new ConcurrentHashMap<>();
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.LRU)
			.maximumSize(KEYS)
			.removalListener((key, value, cause) -> notified.put(key, cause))
			.build();
		IntStream.range(0, KEYS).forEach((key) -> cache.put(key, key));
		cache.invalidateAll();
		assertThat(notified).hasSize(KEYS).containsValue(RemovalCause.EXPLICIT);
	}

	@Test
	void anExecutorThatFailsLosesNoRemoval() {
		List<Integer> notified = new CopyOnWriteArrayList<>();
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.LRU)
			.maximumSize(1)
			.removalListener((key, value, cause) -> notified.add(key))
			.listenerExecutor((task) -> {
				if (notified.isEmpty()) {
					task.run();
				}
				throw new IllegalStateException("executor, as the test wants it");
			})
			.build();
		for (int i = 1; i <= 3; i++) {
			int value = i;
			assertThat(cache.get(i, (key) -> value)).isEqualTo(i);
		}
		assertThat(notified).containsExactly(1, 2);
	}

}
