package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Refreshes during which something happens to the entry. */
@Timeout(60)
class RefreshTests {

	private static final String ALL = "io.github.vicinal.cache.Variants#policies";

	private final AtomicLong clock = new AtomicLong();

	private final List<Runnable> tasks = new ArrayList<>();

	private Cache<Integer, String> cache(CachePolicy policy) {
		return Variants.<Integer, String>builder(policy)
			.refreshAfterWrite(Duration.ofSeconds(10))
			.expireAfterWrite(Duration.ofSeconds(12))
			.executor(this.tasks::add)
			.ticker(this.clock::get)
			.recordStatistics()
			.build();
	}

	private void pass(int seconds) {
		this.clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aRefreshThatOutlivesItsEntryIsKept(CachePolicy policy) {
		Cache<Integer, String> cache = cache(policy);
		cache.put(1, "old");
		pass(10);
		assertThat(cache.get(1, (key) -> {
			pass(3);
			assertThat(cache.getIfPresent(1)).isNull();
			return "new";
		})).isEqualTo("old");
		this.tasks.remove(0).run();
		assertThat(cache.getIfPresent(1)).isEqualTo("new");
		assertThat(cache.statistics().puts()).isEqualTo(2);
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void anAsynchronousRefreshThatOutlivesItsEntryIsKept(CachePolicy policy) {
		Cache<Integer, String> cache = cache(policy);
		cache.put(1, "old");
		pass(10);
		CompletableFuture<String> source = new CompletableFuture<>();
		assertThat(cache.getAsync(1, (key) -> source)).isCompletedWithValue("old");
		pass(3);
		CompletableFuture<String> joined = cache.getAsync(1, (key) -> CompletableFuture.completedFuture("none"));
		source.complete("new");
		assertThat(joined).isCompletedWithValue("new");
		assertThat(cache.getIfPresent(1)).isEqualTo("new");
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aRefreshWhoseEntryIsRemovedIsNotKept(CachePolicy policy) {
		Cache<Integer, String> cache = cache(policy);
		List<Runnable> removals = List.of(() -> cache.invalidate(1), () -> cache.invalidateAll(List.of(1)),
				cache::invalidateAll, () -> cache.asMap().remove(1));
		for (Runnable removal : removals) {
			cache.put(1, "old");
			CompletableFuture<String> refreshed = cache.refresh(1, (key) -> {
				removal.run();
				return "stale";
			});
			this.tasks.remove(0).run();
			assertThat(refreshed).isCompletedWithValue("stale");
			assertThat(cache.getIfPresent(1)).isNull();
		}
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aRefreshDuringAComputationComesAfterIt(CachePolicy policy) {
		Cache<Integer, String> cache = cache(policy);
		List<CompletableFuture<String>> refreshed = new ArrayList<>();
		assertThat(cache.asMap().compute(1, (key, old) -> {
			assertThatIllegalStateException().isThrownBy(() -> cache.refresh(1, (same) -> "own"))
				.withMessageContaining("key '1'");
			refreshed.add(CompletableFuture.supplyAsync(() -> cache.refresh(1, (same) -> "new")).join());
			assertThat(refreshed.get(0)).isNotDone();
			return "computed";
		})).isEqualTo("computed");
		assertThat(cache.getIfPresent(1)).isEqualTo("computed");
		assertThat(refreshed.get(0)).isNotDone();
		this.tasks.remove(0).run();
		assertThat(refreshed.get(0)).isCompletedWithValue("new");
		assertThat(cache.getIfPresent(1)).isEqualTo("new");
	}

	/** A key that does something when it is asked for its hash. */
	private static final class Hooked {

		private int callsUntilHook;

		private Runnable hook = () -> {
		};

		@Override
		public int hashCode() {
			if (--this.callsUntilHook == 0) {
				this.hook.run();
			}
			return 1;
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

	}

	/** It ends after the look-up, before or after the second one takes off. */
	@ParameterizedTest
	@MethodSource(ALL)
	void aRefreshThatHasJustEndedIsNotRepeated(CachePolicy policy) {
		for (boolean async : new boolean[] { false, true }) {
			for (int calls = 1; calls <= 6; calls++) {
				Cache<Hooked, String> cache = Variants.<Hooked, String>builder(policy)
					.refreshAfterWrite(Duration.ofSeconds(10))
					.executor(Runnable::run)
					.ticker(this.clock::get)
					.build();
				AtomicInteger loads = new AtomicInteger();
				Hooked key = new Hooked();
				cache.put(key, "old");
				pass(10);
				key.hook = () -> cache.refresh(key, (same) -> "new " + loads.incrementAndGet());
				key.callsUntilHook = calls;
				if (async) {
					cache.getAsync(key, (same) -> CompletableFuture.completedFuture("new " + loads.incrementAndGet()));
				}
				else {
					cache.get(key, (same) -> "new " + loads.incrementAndGet());
				}
				assertThat(loads).as("%d calls, asynchronous: %s", calls, async).hasValue(1);
				key.callsUntilHook = 0;
				assertThat(cache.peek(key)).isEqualTo("new 1");
			}
		}
	}

}
