package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class LoadingTests {

	static Stream<CachePolicy> policies() {
		return Stream.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.AIC, CachePolicy.kWay(8));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aThousandCallersLoadOnce(CachePolicy policy) throws Exception {
		Cache<String, String> cache = Variants.<String, String>builder(policy).recordStatistics().build();
		AtomicInteger loads = new AtomicInteger();
		CountDownLatch waiting = new CountDownLatch(1_000);
		ExecutorService executor = Executors.newCachedThreadPool();
		try {
			List<Future<String>> results = new ArrayList<>();
			for (int i = 0; i < 1_000; i++) {
				results.add(executor.submit(() -> {
					waiting.countDown();
					return cache.get("key", (key) -> {
						awaitQuietly(waiting);
						return "value " + loads.incrementAndGet();
					});
				}));
			}
			for (Future<String> result : results) {
				assertThat(result.get()).isEqualTo("value 1");
			}
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(loads).hasValue(1);
		assertThat(cache.statistics().loadSuccesses()).isEqualTo(1);
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aSlowLoadDelaysNoOtherKey(CachePolicy policy) throws Exception {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Integer> slow = CompletableFuture.supplyAsync(() -> cache.get(-1, (key) -> {
			started.countDown();
			awaitQuietly(release);
			return 1;
		}));
		awaitQuietly(started);
		for (int i = 0; i < 20_000; i++) {
			assertThat(cache.get(i, (key) -> key)).isEqualTo(i);
			cache.asMap().merge(i, 1, Integer::sum);
			cache.invalidate(i);
		}
		assertThat(slow).isNotDone();
		release.countDown();
		assertThat(slow.get()).isEqualTo(1);
		assertThat(cache.getIfPresent(-1)).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void failuresReachAllWhoWaitAndAreNotCached(CachePolicy policy) throws Exception {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).recordStatistics().build();
		IllegalArgumentException failure = new IllegalArgumentException("no");
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> cache.get(1, (key) -> {
			started.countDown();
			awaitQuietly(release);
			throw failure;
		}));
		awaitQuietly(started);
		CompletableFuture<Integer> second = cache.getAsync(1, (key) -> CompletableFuture.completedFuture(2));
		assertThat(second).isNotDone();
		release.countDown();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(first::join).withCause(failure);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(second::join).withCause(failure);
		assertThat(cache.getIfPresent(1)).isNull();
		assertThat(cache.get(1, (key) -> 3)).isEqualTo(3);
		assertThat(cache.statistics().loadFailures()).isEqualTo(1);
		assertThat(cache.get(2, (key) -> null)).isNull();
		assertThat(cache.asMap()).doesNotContainKey(2);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void recursionIsRefusedAndOtherKeysAreNot(CachePolicy policy) {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		assertThatIllegalStateException().isThrownBy(() -> cache.get(1, (key) -> cache.get(1, (again) -> 1)))
			.withMessageContaining("key '1'");
		assertThatIllegalStateException()
			.isThrownBy(() -> cache.asMap().compute(1, (key, old) -> cache.get(1, (again) -> 1)));
		assertThat(cache.get(1, (key) -> cache.get(2, (other) -> 2) + 1)).isEqualTo(3);
		assertThat(cache.asMap()).containsEntry(1, 3).containsEntry(2, 2);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void threadsThatWaitForEachOtherGetAnErrorInsteadOfADeadlock(CachePolicy policy) throws Exception {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		CyclicBarrier both = new CyclicBarrier(2);
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			List<Future<Integer>> results = new ArrayList<>();
			for (int i = 0; i < 2; i++) {
				int mine = i;
				results.add(executor.submit(() -> cache.get(mine, (key) -> {
					try {
						both.await();
					}
					catch (Exception ex) {
						throw new IllegalStateException("barrier", ex);
					}
					return cache.get(1 - mine, (other) -> 7);
				})));
			}
			int failed = 0;
			for (Future<Integer> result : results) {
				try {
					result.get(30, TimeUnit.SECONDS);
				}
				catch (java.util.concurrent.ExecutionException ex) {
					assertThat(ex.getCause()).isInstanceOf(IllegalStateException.class)
						.hasMessageContaining("waits for itself");
					failed++;
				}
			}
			assertThat(failed).isPositive();
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(cache.get(0, (key) -> 5)).isEqualTo(5);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aValueThatWasInvalidatedDuringItsLoadIsNotCached(CachePolicy policy) {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		CompletableFuture<Integer> source = new CompletableFuture<>();
		CompletableFuture<Integer> result = cache.getAsync(1, (key) -> source);
		cache.invalidate(1);
		source.complete(1);
		assertThat(result.join()).isEqualTo(1);
		assertThat(cache.getIfPresent(1)).isNull();

		CompletableFuture<Integer> later = new CompletableFuture<>();
		CompletableFuture<Integer> loaded = cache.getAsync(1, (key) -> later);
		cache.put(1, 10);
		later.complete(2);
		assertThat(loaded.join()).isEqualTo(2);
		assertThat(cache.getIfPresent(1)).isEqualTo(10);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void cancellingOneFutureLeavesTheLoadAndTheOthers(CachePolicy policy) {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		CompletableFuture<Integer> source = new CompletableFuture<>();
		CompletableFuture<Integer> first = cache.getAsync(1, (key) -> source);
		CompletableFuture<Integer> second = cache.getAsync(1, (key) -> {
			throw new AssertionError("A second load");
		});
		CompletableFuture<Integer> third = cache.getAsyncIfPresent(1);
		assertThat(first.cancel(true)).isTrue();
		source.complete(1);
		assertThat(second.join()).isEqualTo(1);
		assertThat(third).isNotNull();
		assertThat(third.join()).isEqualTo(1);
		assertThat(cache.getIfPresent(1)).isEqualTo(1);
		assertThat(cache.getAsyncIfPresent(2)).isNull();
		// The load itself is cancelled where it comes from: that is a failure.
		CompletableFuture<Integer> cancelled = new CompletableFuture<>();
		CompletableFuture<Integer> result = cache.getAsync(3, (key) -> cancelled);
		cancelled.cancel(true);
		assertThat(result).isCompletedExceptionally();
		assertThat(cache.get(3, (key) -> 4)).isEqualTo(4);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aWaiterCanBeInterrupted(CachePolicy policy) throws Exception {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		cache.getAsync(1, (key) -> new CompletableFuture<>()).isDone();
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			try {
				cache.get(1, (key) -> 1);
			}
			catch (CompletionException ex) {
				outcome.complete(Thread.currentThread().isInterrupted() ? ex.getCause() : ex);
			}
		});
		waiter.start();
		waiter.interrupt();
		assertThat(outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void oldValuesAreRefreshedBesideTheirReaders(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		List<Runnable> tasks = new ArrayList<>();
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy)
			.refreshAfterWrite(Duration.ofSeconds(10))
			.expireAfterWrite(Duration.ofSeconds(60))
			.executor(tasks::add)
			.ticker(clock::get)
			.build();
		assertThat(cache.get(1, (key) -> "one")).isEqualTo("one");
		clock.set(Duration.ofSeconds(11).toNanos());
		assertThat(cache.get(1, (key) -> "two")).isEqualTo("one");
		assertThat(cache.get(1, (key) -> "three")).isEqualTo("one");
		assertThat(tasks).hasSize(1);
		tasks.remove(0).run();
		assertThat(cache.get(1, (key) -> "four")).isEqualTo("two");
		clock.set(Duration.ofSeconds(22).toNanos());
		assertThat(cache.get(1, (key) -> {
			throw new IllegalStateException("down");
		})).isEqualTo("two");
		tasks.remove(0).run();
		assertThat(cache.getIfPresent(1)).isEqualTo("two");
		clock.set(Duration.ofSeconds(80).toNanos());
		assertThat(cache.getIfPresent(1)).isNull();
		CompletableFuture<String> refreshed = cache.refresh(1, (key) -> "five");
		tasks.remove(0).run();
		await().until(refreshed::isDone);
		assertThat(cache.getIfPresent(1)).isEqualTo("five");
	}

}
