package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many more virtual threads than processors wait within a cache at once. If one of them
 * kept its carrier, the others would never come to where all of them are waited for.
 */
@Timeout(60)
@Tag("every-jdk")
class VirtualThreadTests {

	private static final int THREADS = 500;

	static Stream<CachePolicy> policies() {
		return LoadingTests.policies();
	}

	@BeforeEach
	void needsVirtualThreads() {
		if (Runtime.version().feature() < 21) {
			String reason = "there are no virtual threads before Java 21";
			System.err.printf("SKIPPED %s: %s%n", VirtualThreadTests.class.getName(), reason);
			Assumptions.abort(reason);
		}
	}

	/** The module is compiled for Java 17. */
	private static ExecutorService virtualThreads() throws ReflectiveOperationException {
		return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

	private static void awaitAll(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void loadsAndComputationsOfManyKeysBlockAtOnce(CachePolicy policy) throws Exception {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).maximumSize(16_384).build();
		CountDownLatch all = new CountDownLatch(THREADS);
		ExecutorService threads = virtualThreads();
		try {
			List<Future<Integer>> results = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				int mine = i;
				results.add(threads.submit(() -> {
					if (mine % 2 == 0) {
						return cache.get(mine, (key) -> {
							all.countDown();
							awaitAll(all);
							return key;
						});
					}
					return cache.asMap().compute(mine, (key, old) -> {
						all.countDown();
						awaitAll(all);
						return key;
					});
				}));
			}
			for (int i = 0; i < THREADS; i++) {
				assertThat(results.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(i);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void manyWaitForOneLoad(CachePolicy policy) throws Exception {
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy).build();
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch waiting = new CountDownLatch(THREADS);
		CountDownLatch otherKey = new CountDownLatch(1);
		ExecutorService threads = virtualThreads();
		try {
			Future<Integer> loading = threads.submit(() -> cache.get(1, (key) -> {
				started.countDown();
				awaitAll(waiting);
				awaitAll(otherKey);
				return 7;
			}));
			awaitAll(started);
			List<Future<Integer>> results = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				results.add(threads.submit(() -> {
					waiting.countDown();
					return cache.get(1, (key) -> 8);
				}));
			}
			awaitAll(waiting);
			// There is still a carrier for another key, and then for the load.
			assertThat(threads.submit(() -> cache.get(2, (key) -> 2)).get(30, TimeUnit.SECONDS)).isEqualTo(2);
			otherKey.countDown();
			assertThat(loading.get(30, TimeUnit.SECONDS)).isEqualTo(7);
			for (Future<Integer> result : results) {
				assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(7);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

}
