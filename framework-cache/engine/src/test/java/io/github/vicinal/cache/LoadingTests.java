package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
	void failuresReachAllWaitersAndAreNotCached(CachePolicy policy) throws Exception {
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

	/** Each has a load of its own cache, which needs the other's. */
	@ParameterizedTest
	@MethodSource("policies")
	void threadsThatWaitForEachOtherInTwoCachesGetAnError(CachePolicy policy) throws Exception {
		List<Cache<Integer, Integer>> caches = List.of(Variants.<Integer, Integer>builder(policy).build(),
				CacheBuilder.<Integer, Integer>named("other").policy(CachePolicy.LRU).maximumSize(10).build());
		CountDownLatch both = new CountDownLatch(2);
		List<String> refused = new CopyOnWriteArrayList<>();
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			List<Future<Integer>> results = new ArrayList<>();
			for (int i = 0; i < 2; i++) {
				Cache<Integer, Integer> mine = caches.get(i);
				Cache<Integer, Integer> other = caches.get(1 - i);
				results.add(executor.submit(() -> mine.get(1, (key) -> {
					both.countDown();
					awaitQuietly(both);
					try {
						return other.get(1, LoadingTests::noNumber);
					}
					catch (IllegalStateException ex) {
						refused.add(ex.getMessage());
						return 7;
					}
				})));
			}
			for (Future<Integer> result : results) {
				assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(7);
			}
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(refused).isNotEmpty().allMatch((message) -> message.contains("waits for itself"));
	}

	private static Integer noNumber(Integer key) {
		throw new AssertionError("A second load of " + key);
	}

	/**
	 * It waits while the load that it needs ends, and does not know it yet: the thread
	 * that has loaded is free to wait for it now.
	 */
	@ParameterizedTest
	@MethodSource("policies")
	void aLoaderMayWaitForItsWaiters(CachePolicy policy) throws Exception {
		for (int round = 0; round < 200; round++) {
			Cache<String, Integer> cache = Variants.<String, Integer>builder(policy).build();
			CountDownLatch loads = new CountDownLatch(1);
			Thread outer = new Thread(() -> cache.get("outer", (key) -> {
				loads.countDown();
				return cache.get("inner", (inner) -> -1) + 1;
			}));
			assertThat(cache.get("inner", (key) -> {
				outer.start();
				awaitQuietly(loads);
				while (outer.getState() != Thread.State.WAITING) {
					Thread.onSpinWait();
				}
				return 1;
			})).isEqualTo(1);
			assertThat(cache.get("outer", (key) -> -1)).isEqualTo(2);
			outer.join();
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void replacingNothingLeavesTheLoadAlone(CachePolicy policy) {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		CompletableFuture<Integer> source = new CompletableFuture<>();
		CompletableFuture<Integer> result = cache.getAsync(1, (key) -> source);
		assertThat(cache.asMap().replace(1, 10)).isNull();
		assertThat(cache.asMap().replace(1, 1, 10)).isFalse();
		assertThat(cache.asMap().remove(1, 1)).isFalse();
		source.complete(1);
		assertThat(result).isCompletedWithValue(1);
		assertThat(cache.getIfPresent(1)).isEqualTo(1);
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

	/** A cache whose executor only remembers, and whose clock stands still. */
	private static final class Queued {

		final AtomicLong clock = new AtomicLong();

		final List<Runnable> tasks = new ArrayList<>();

		final Cache<Integer, String> cache;

		Queued(CachePolicy policy) {
			this.cache = Variants.<Integer, String>builder(policy)
				.refreshAfterWrite(Duration.ofSeconds(10))
				.expireAfterWrite(Duration.ofSeconds(60))
				.executor(this.tasks::add)
				.ticker(this.clock::get)
				.recordStatistics()
				.build();
		}

		void pass(int seconds) {
			this.clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
		}

	}

	private static String never(Integer key) {
		throw new AssertionError("This loader has been replaced");
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aCallerThatNeedsTheValueDoesNotWaitForTheExecutor(CachePolicy policy) throws Exception {
		Queued queued = new Queued(policy);
		Cache<Integer, String> cache = queued.cache;
		assertThat(cache.get(1, (key) -> "one")).isEqualTo("one");
		queued.pass(11);
		assertThat(cache.get(1, LoadingTests::never)).isEqualTo("one");
		CompletableFuture<String> refreshed = cache.refresh(1, LoadingTests::never);
		queued.pass(60);
		assertThat(cache.getAsyncIfPresent(1)).isNull();
		assertThat(cache.get(1, (key) -> "two")).isEqualTo("two");
		assertThat(refreshed.get(1, TimeUnit.SECONDS)).isEqualTo("two");
		queued.tasks.remove(0).run();
		assertThat(queued.tasks).isEmpty();
		assertThat(cache.getIfPresent(1)).isEqualTo("two");

		CompletableFuture<String> second = cache.refresh(2, LoadingTests::never);
		CompletableFuture<String> async = cache.getAsync(2, (key) -> CompletableFuture.completedFuture("async"));
		assertThat(async.get(1, TimeUnit.SECONDS)).isEqualTo("async");
		assertThat(second.get(1, TimeUnit.SECONDS)).isEqualTo("async");
		queued.tasks.remove(0).run();
		assertThat(cache.getIfPresent(2)).isEqualTo("async");
		assertThat(cache.statistics().loadSuccesses()).isEqualTo(3);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aRefreshThatIsLateIsForItsCallersAlone(CachePolicy policy) throws Exception {
		Queued queued = new Queued(policy);
		Cache<Integer, String> cache = queued.cache;
		CompletableFuture<String> written = cache.refresh(1, (key) -> "late");
		cache.put(1, "written");
		CompletableFuture<String> computed = cache.refresh(2, (key) -> "late");
		assertThat(cache.asMap().compute(2, (key, old) -> "computed")).isEqualTo("computed");
		CompletableFuture<String> invalidated = cache.refresh(3, (key) -> "late");
		cache.invalidateAll(List.of(3));
		CompletableFuture<String> all = cache.refresh(4, (key) -> "late");
		cache.invalidateAll();
		cache.put(1, "written");
		queued.tasks.forEach(Runnable::run);
		for (CompletableFuture<String> refresh : List.of(written, computed, invalidated, all)) {
			assertThat(refresh.get(1, TimeUnit.SECONDS)).isEqualTo("late");
		}
		assertThat(cache.asMap()).containsOnly(Map.entry(1, "written"));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aLoaderOnTheExecutorDoesNotWaitForWhatIsQueuedBehindIt(CachePolicy policy) throws Exception {
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).executor(executor).build();
			CountDownLatch bothQueued = new CountDownLatch(1);
			CompletableFuture<Integer> first = cache.refresh(1, (key) -> {
				awaitQuietly(bothQueued);
				return cache.get(2, (other) -> 2) + 1;
			});
			CompletableFuture<Integer> second = cache.refresh(2, (key) -> 20);
			bothQueued.countDown();
			assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(3);
			assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(2);
		}
		finally {
			executor.shutdownNow();
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aRefreshForWhichThereIsNoThreadHasFailed(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		Error none = new Error("unable to create native thread, as the test wants it");
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy)
			.refreshAfterWrite(Duration.ofSeconds(10))
			.expireAfterWrite(Duration.ofSeconds(60))
			.executor((task) -> {
				throw none;
			})
			.ticker(clock::get)
			.recordStatistics()
			.build();
		assertThat(cache.get(1, (key) -> "one")).isEqualTo("one");
		clock.set(Duration.ofSeconds(11).toNanos());
		assertThat(cache.get(1, LoadingTests::never)).isEqualTo("one");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(cache.refresh(1, LoadingTests::never)::join)
			.withCause(none);
		assertThat(cache.statistics().loadFailures()).isEqualTo(2);
		clock.set(Duration.ofSeconds(80).toNanos());
		assertThat(cache.get(1, (key) -> "two")).isEqualTo("two");
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aWaiterRunsNothingElse(CachePolicy policy) throws Exception {
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy).build();
		CountDownLatch loads = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		Thread slow = new Thread(() -> cache.get(2, (key) -> {
			loads.countDown();
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return "two";
		}));
		slow.start();
		assertThat(loads.await(20, TimeUnit.SECONDS)).isTrue();
		ForkJoinPool pool = new ForkJoinPool(1);
		try {
			CompletableFuture<String> both = CompletableFuture.supplyAsync(() -> {
				CompletableFuture<String> forked = CompletableFuture.supplyAsync(() -> {
					release.countDown();
					return cache.get(1, LoadingTests::never);
				}, pool);
				return cache.get(1, (key) -> "one and " + cache.get(2, LoadingTests::never)) + "; " + forked.join();
			}, pool);
			assertThat(both.get(20, TimeUnit.SECONDS)).isEqualTo("one and two; one and two");
		}
		finally {
			release.countDown();
			pool.shutdownNow();
			slow.join();
		}
	}

	/** As the common pool is when more of its tasks wait than it has spare threads. */
	@ParameterizedTest
	@MethodSource("policies")
	void aWaiterInAPoolWithoutSpareThreadsWaitsAllTheSame(CachePolicy policy) throws Exception {
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy).build();
		CountDownLatch loads = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		Thread slow = new Thread(() -> cache.get(1, (key) -> {
			loads.countDown();
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return "one";
		}));
		slow.start();
		assertThat(loads.await(20, TimeUnit.SECONDS)).isTrue();
		AtomicReference<Thread> worker = new AtomicReference<>();
		ForkJoinPool pool = new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false, 1, 1, 1,
				null, 60, TimeUnit.SECONDS);
		try {
			CompletableFuture<String> found = CompletableFuture.supplyAsync(() -> {
				worker.set(Thread.currentThread());
				return cache.get(1, LoadingTests::never);
			}, pool);
			await().until(
					() -> found.isDone() || (worker.get() != null && worker.get().getState() == Thread.State.WAITING));
			release.countDown();
			assertThat(found.get(20, TimeUnit.SECONDS)).isEqualTo("one");
		}
		finally {
			release.countDown();
			pool.shutdownNow();
			slow.join();
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aLookUpThatWaitsIsCountedOnce(CachePolicy policy) throws Exception {
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy).recordStatistics().build();
		CountDownLatch computes = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		Thread slow = new Thread(() -> cache.asMap().compute(1, (key, value) -> {
			computes.countDown();
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return "one";
		}));
		slow.start();
		assertThat(computes.await(20, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<String> found = cache.getAsync(1, (key) -> CompletableFuture.completedFuture("other"));
		release.countDown();
		assertThat(found.get(20, TimeUnit.SECONDS)).isEqualTo("one");
		slow.join();
		assertThat(cache.statistics().hits() + cache.statistics().misses()).isOne();
	}

	/** A key whose hash throws or changes when the test wants it. */
	private static final class HostileKey {

		int hash = 1;

		int callsUntilFailure = Integer.MAX_VALUE;

		@Override
		public int hashCode() {
			if (--this.callsUntilFailure <= 0) {
				throw new IllegalStateException("hash");
			}
			return this.hash;
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		void failAfter(int calls) {
			this.callsUntilFailure = calls;
		}

	}

	@ParameterizedTest
	@MethodSource("policies")
	void aHashThatThrowsLeavesNoLoadBehind(CachePolicy policy) {
		int failed = 0;
		for (int way = 0; way < 3; way++) {
			for (int calls = 1; calls <= 8; calls++) {
				Cache<HostileKey, String> cache = Variants.<HostileKey, String>builder(policy)
					.executor(Runnable::run)
					.build();
				HostileKey key = new HostileKey();
				key.failAfter(calls);
				try {
					switch (way) {
						case 0 -> cache.get(key, (loaded) -> "stale");
						case 1 -> cache.getAsync(key, (loaded) -> CompletableFuture.completedFuture("stale")).join();
						default -> cache.refresh(key, (loaded) -> "stale").join();
					}
				}
				catch (IllegalStateException | CompletionException ex) {
					failed++;
				}
				key.failAfter(Integer.MAX_VALUE);
				boolean stored = cache.asMap().containsKey(key);
				CompletableFuture<String> left = cache.getAsyncIfPresent(key);
				assertThat(left != null).as("%d calls, way %d", calls, way).isEqualTo(stored);
				assertThat(cache.get(key, (loaded) -> "fresh")).isEqualTo(stored ? "stale" : "fresh");
			}
		}
		assertThat(failed).isGreaterThan(6);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aWaiterLearnsThatTheHashThrew(CachePolicy policy) {
		for (boolean fails : new boolean[] { false, true }) {
			Cache<HostileKey, String> cache = Variants.<HostileKey, String>builder(policy).build();
			HostileKey key = new HostileKey();
			List<CompletableFuture<String>> waiting = new ArrayList<>();
			assertThatIllegalStateException().isThrownBy(() -> cache.get(key, (loaded) -> {
				waiting.add(cache.getAsync(key, (never) -> CompletableFuture.completedFuture("never")));
				key.failAfter(1);
				if (fails) {
					throw new IllegalStateException("loader");
				}
				return "lost";
			})).withMessage(fails ? "loader" : "hash");
			assertThat(waiting.get(0)).isCompletedExceptionally();
			key.failAfter(Integer.MAX_VALUE);
			assertThat(cache.get(key, (loaded) -> "fresh")).isEqualTo("fresh");
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aHashThatChangesDuringALoadLeavesNoLoadBehind(CachePolicy policy) {
		Cache<HostileKey, String> cache = Variants.<HostileKey, String>builder(policy).build();
		HostileKey key = new HostileKey();
		assertThat(cache.get(key, (loaded) -> {
			key.hash = 2;
			return "two";
		})).isEqualTo("two");
		key.hash = 1;
		assertThat(cache.getAsyncIfPresent(key)).isNull();
		assertThat(cache.get(key, (loaded) -> "one")).isEqualTo("one");
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aLoadWhoseKeyHasChangedIsInvalidatedWithAllOthers(CachePolicy policy) {
		Cache<HostileKey, String> cache = Variants.<HostileKey, String>builder(policy).build();
		HostileKey key = new HostileKey();
		CompletableFuture<String> never = cache.getAsync(key, (loaded) -> new CompletableFuture<>());
		key.hash = 2;
		cache.invalidateAll();
		key.hash = 1;
		assertThat(cache.get(key, (loaded) -> "anew")).isEqualTo("anew");
		assertThat(never).isNotDone();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void getAsyncDoesNotWaitForAComputation(CachePolicy policy) throws Exception {
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy).build();
		CountDownLatch started = new CountDownLatch(2);
		CountDownLatch release = new CountDownLatch(1);
		List<CompletableFuture<String>> computing = new ArrayList<>();
		for (int key = 1; key <= 2; key++) {
			int mine = key;
			computing.add(CompletableFuture.supplyAsync(() -> cache.asMap().compute(mine, (computed, old) -> {
				started.countDown();
				awaitQuietly(release);
				return (mine == 1) ? "computed" : null;
			}), (task) -> new Thread(task).start()));
		}
		awaitQuietly(started);
		CompletableFuture<String> present = cache.getAsync(1, (key) -> CompletableFuture.completedFuture("loaded"));
		CompletableFuture<String> absent = cache.getAsync(2, (key) -> CompletableFuture.completedFuture("loaded"));
		assertThat(present).isNotDone();
		assertThat(absent).isNotDone();
		release.countDown();
		assertThat(present.get(30, TimeUnit.SECONDS)).isEqualTo("computed");
		assertThat(absent.get(30, TimeUnit.SECONDS)).isEqualTo("loaded");
		assertThat(computing.get(0).get(30, TimeUnit.SECONDS)).isEqualTo("computed");
		assertThatIllegalStateException()
			.isThrownBy(() -> cache.asMap()
				.compute(3, (key, old) -> cache.getAsync(3, (again) -> CompletableFuture.completedFuture("x")).join()))
			.withMessageContaining("key '3'");
	}

}
