package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes and removals that depend on the value that is there. */
@Timeout(60)
class ConditionalWriteTests {

	/** Each engine, plain, with weights and with times. */
	static Stream<CacheBuilder<Integer, Object>> builders() {
		List<CachePolicy> weighable = List.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.AIC);
		return Stream.of(Variants.policies().map((policy) -> Variants.<Integer, Object>builder(policy)),
				Variants.policies()
					.map((policy) -> Variants.<Integer, Object>builder(policy)
						.refreshAfterWrite(Duration.ofDays(1))
						.expireAfterWrite(Duration.ofDays(2))),
				weighable.stream()
					.map((policy) -> CacheBuilder.<Integer, Object>named("test")
						.policy(policy)
						.maximumWeight(1_000, (key, value) -> 1)))
			.flatMap((some) -> some);
	}

	/** A value that is not even equal to itself, as NaN is not. */
	private static final class Unequal {

		@Override
		public boolean equals(Object other) {
			return false;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	@ParameterizedTest
	@MethodSource("builders")
	void valuesThatAreNotEqualToThemselvesAreReplacedAndRemoved(CacheBuilder<Integer, Object> builder) {
		Cache<Integer, Object> cache = builder.build();
		AtomicInteger calls = new AtomicInteger();
		Unequal first = new Unequal();
		Unequal second = new Unequal();
		cache.put(1, first);
		assertThat(cache.asMap().compute(1, (key, old) -> {
			assertThat(calls.incrementAndGet()).isEqualTo(1);
			return second;
		})).isSameAs(second);
		assertThat(cache.getIfPresent(1)).isSameAs(second);
		assertThat(cache.asMap().merge(1, first, (old, value) -> {
			assertThat(calls.incrementAndGet()).isEqualTo(2);
			return value;
		})).isSameAs(first);
		assertThat(cache.asMap().replace(1, second, first)).isFalse();
		assertThat(cache.asMap().replace(1, first, second)).isTrue();
		assertThat(cache.asMap().remove(1, first)).isFalse();
		assertThat(cache.asMap().remove(1, second)).isTrue();
		assertThat(cache.asMap()).isEmpty();
	}

	/** A value that is equal to all others, and writes twice before it says so. */
	private record Writing(Cache<Integer, Object> cache, AtomicInteger writes) {

		@Override
		public boolean equals(Object other) {
			if (this.writes.getAndIncrement() < 2) {
				CompletableFuture.runAsync(() -> this.cache.put(1, "b"), (task) -> new Thread(task).start())
					.orTimeout(10, TimeUnit.SECONDS)
					.join();
			}
			return true;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	/** As any code of the user's, it runs without a lock. */
	@ParameterizedTest
	@MethodSource("builders")
	void anEqualsMayWaitForAThreadThatWrites(CacheBuilder<Integer, Object> builder) {
		Cache<Integer, Object> cache = builder.build();
		cache.put(1, "a");
		assertThat(cache.asMap().replace(1, new Writing(cache, new AtomicInteger()), "c")).isTrue();
		assertThat(cache.peek(1)).isEqualTo("c");
		assertThat(cache.asMap().remove(1, new Writing(cache, new AtomicInteger()))).isTrue();
		assertThat(cache.asMap()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("builders")
	void aRemovalOfAValueIsNotUndoneByAnOlderRefresh(CacheBuilder<Integer, Object> builder) {
		List<Runnable> tasks = new ArrayList<>();
		Cache<Integer, Object> cache = builder.executor(tasks::add).build();
		cache.put(1, "old");
		CompletableFuture<Object> refreshed = cache.refresh(1, (key) -> {
			assertThat(cache.asMap().remove(1, "other")).isFalse();
			assertThat(cache.getAsync(1, (same) -> CompletableFuture.completedFuture("none")))
				.isCompletedWithValue("old");
			assertThat(cache.asMap().entrySet().remove(Map.entry(1, "old"))).isTrue();
			assertThat(cache.getAsync(1, (same) -> CompletableFuture.completedFuture("fresh")))
				.isCompletedWithValue("fresh");
			assertThat(cache.asMap().remove(1, "fresh")).isTrue();
			return "stale";
		});
		tasks.remove(0).run();
		assertThat(refreshed).isCompletedWithValue("stale");
		assertThat(cache.getIfPresent(1)).isNull();
	}

	@ParameterizedTest
	@MethodSource("builders")
	void aReplacementOfAValueIsNotUndoneByAnOlderRefresh(CacheBuilder<Integer, Object> builder) {
		List<Runnable> tasks = new ArrayList<>();
		Cache<Integer, Object> cache = builder.executor(tasks::add).build();
		cache.put(1, "same");
		CompletableFuture<Object> refreshed = cache.refresh(1, (key) -> {
			assertThat(cache.asMap().replace(1, "same", "same")).isTrue();
			return "stale";
		});
		tasks.remove(0).run();
		assertThat(refreshed).isCompletedWithValue("stale");
		assertThat(cache.getIfPresent(1)).isEqualTo("same");
	}

}
