package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The thread that pays for the listener, and the state after an invalidation of all. */
@Timeout(60)
class ListenerThreadTests {

	private static final int KEYS = 2_000;

	/** Removals wait that a thread has left to the executor, which is slow. */
	@ParameterizedTest
	@MethodSource("io.github.vicinal.cache.Variants#policies")
	void aHitNeverRunsTheListener(CachePolicy policy) {
		Queue<Runnable> left = new ConcurrentLinkedQueue<>();
		Set<Integer> notified = ConcurrentHashMap.newKeySet();
		List<Cache<Integer, Integer>> self = new ArrayList<>();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.maximumSize(16 * KEYS)
			.executor(left::add)
			.removalListener((key, value, cause) -> {
				notified.add(key);
				if (key == 0) {
					IntStream.range(1, KEYS).forEach(self.get(0)::invalidate);
				}
			})
			.build();
		self.add(cache);
		cache.put(-1, -1);
		for (int i = 0; i < KEYS; i++) {
			cache.put(i, i);
		}
		cache.invalidate(0);
		assertThat(left).hasSize(1);
		int before = notified.size();
		assertThat(before).isLessThan(KEYS);
		for (int i = 0; i < 100; i++) {
			assertThat(cache.getIfPresent(-1)).isEqualTo(-1);
			assertThat(cache.get(-1, (key) -> 0)).isEqualTo(-1);
			assertThat(cache.getAsync(-1, (key) -> null).join()).isEqualTo(-1);
			assertThat(cache.getAsyncIfPresent(-1).join()).isEqualTo(-1);
			assertThat(cache.asMap().get(-1)).isEqualTo(-1);
			assertThat(cache.asMap().computeIfAbsent(-1, (key) -> 0)).isEqualTo(-1);
			assertThat(cache.asMap().putIfAbsent(-1, 0)).isEqualTo(-1);
		}
		assertThat(notified).hasSize(before);
		assertThat(left).as("tasks for one backlog").hasSize(1);
		left.remove().run();
		assertThat(notified).hasSize(KEYS);
	}

	@ParameterizedTest
	@MethodSource("io.github.vicinal.cache.Variants#policies")
	void expiredEntriesAreReportedWhenAllIsInvalidated(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		Map<Integer, RemovalCause> causes = new ConcurrentHashMap<>();
		AtomicInteger notified = new AtomicInteger();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.maximumSize(16 * KEYS)
			.ticker(clock::get)
			.expireAfterWrite(Duration.ofMinutes(1))
			.removalListener((key, value, cause) -> {
				causes.put(key, cause);
				notified.incrementAndGet();
			})
			.recordStatistics()
			.build();
		for (int i = 0; i < KEYS; i++) {
			cache.put(i, i);
		}
		clock.addAndGet(Duration.ofMinutes(2).toNanos());
		cache.put(KEYS, KEYS);
		cache.invalidateAll();
		assertThat(cache.estimatedSize()).isZero();
		assertThat(causes).hasSize(KEYS + 1)
			.containsEntry(0, RemovalCause.EXPIRED)
			.containsEntry(KEYS, RemovalCause.EXPLICIT);
		assertThat(notified).hasValue(KEYS + 1);
		assertThat(cache.statistics().expirations())
			.isEqualTo(Collections.frequency(causes.values(), RemovalCause.EXPIRED));
		cache.put(1, 1);
		cache.asMap().clear();
		assertThat(cache.estimatedSize()).isZero();
	}

}
