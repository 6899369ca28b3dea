package io.github.vicinal.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Actions that a weigher or an expiry may take while its value waits. */
@Timeout(60)
class StoringTests {

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	});

	@AfterEach
	void shutDown() {
		this.threads.shutdownNow();
	}

	/** Makes a cache whose weigher or expiry does something, for each value. */
	interface Variant {

		Cache<Integer, String> cache(BiConsumer<Integer, String> asked);

	}

	static Stream<Variant> variants() {
		return Stream.concat(Stream.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.AIC)
			.map((policy) -> (asked) -> CacheBuilder.<Integer, String>named("test")
				.policy(policy)
				.maximumWeight(1_000, (key, value) -> {
					asked.accept(key, value);
					return 1;
				})
				.build()),
				Stream.of(CachePolicy.LRU, CachePolicy.kWay(8))
					.map((policy) -> (asked) -> Variants.<Integer, String>builder(policy)
						.expireAfter(new Expiry<Integer, String>() {
							@Override
							public long expireAfterCreate(Integer key, String value) {
								asked.accept(key, value);
								return Long.MAX_VALUE;
							}
						})
						.build()));
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("variants")
	void nobodyWaitsForAnothersWeigher(Variant variant) throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		Cache<Integer, String> cache = variant.cache((key, value) -> {
			if (value.equals("loaded")) {
				asked.countDown();
				await(release);
			}
		});
		Future<String> loading = this.threads.submit(() -> cache.get(1, (key) -> "loaded"));
		await(asked);
		try {
			this.threads.submit(() -> cache.put(1, "put")).get(10, TimeUnit.SECONDS);
		}
		finally {
			release.countDown();
		}
		assertThat(loading.get()).isEqualTo("loaded");
		assertThat(cache.getIfPresent(1)).isEqualTo("put");
	}

	@ParameterizedTest
	@MethodSource("variants")
	void theValueOfAnAsynchronousLoadMayBeInvalidatedByItsOwnWeigher(Variant variant) throws Exception {
		AtomicReference<Cache<Integer, String>> self = new AtomicReference<>();
		Cache<Integer, String> cache = variant.cache((key, value) -> self.get().invalidate(key));
		self.set(cache);
		CompletableFuture<String> source = new CompletableFuture<>();
		CompletableFuture<String> result = cache.getAsync(1, (key) -> source);
		this.threads.submit(() -> source.complete("loaded")).get(10, TimeUnit.SECONDS);
		assertThat(result).isCompletedWithValue("loaded");
		assertThat(cache.getIfPresent(1)).isNull();
	}

	@ParameterizedTest
	@MethodSource("variants")
	void weighersMayInvalidateEachOthersKeys(Variant variant) throws Exception {
		AtomicReference<Cache<Integer, String>> self = new AtomicReference<>();
		CyclicBarrier both = new CyclicBarrier(2);
		Cache<Integer, String> cache = variant.cache((key, value) -> {
			try {
				both.await(10, TimeUnit.SECONDS);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			self.get().invalidate(3 - key);
		});
		self.set(cache);
		Future<String> first = this.threads.submit(() -> cache.get(1, (key) -> "one"));
		Future<String> second = this.threads.submit(() -> cache.get(2, (key) -> "two"));
		assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("one");
		assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo("two");
	}

}
