package io.github.vicinal.cache.spring;

import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.Cache.ValueWrapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class VicinalCacheTests {

	private final VicinalCache cache = cache("TINY_LFU", true);

	private static VicinalCache cache(String policy, boolean allowNull) {
		return new VicinalCache(CacheBuilder.named("prices")
			.policy(CachePolicy.of(policy))
			.maximumSize(1000)
			.recordStatistics()
			.build(), allowNull);
	}

	private static String key() {
		return UUID.randomUUID().toString();
	}

	@ParameterizedTest
	@ValueSource(strings = { "TINY_LFU", "LRU", "LFU", "SLRU", "S3_FIFO", "LIRS", "K_WAY(8)" })
	void keepsWhatIsPutUntilItIsEvicted(String policy) {
		VicinalCache cache = cache(policy, true);
		String key = key();
		assertThat(cache.get(key)).isNull();
		assertThat(cache.get(key, String.class)).isNull();
		cache.put(key, "a");
		assertThat(cache.get(key).get()).isEqualTo("a");
		assertThat(cache.get(key, String.class)).isEqualTo("a");
		assertThat(cache.putIfAbsent(key, "b").get()).isEqualTo("a");
		assertThat(cache.evictIfPresent(key)).isTrue();
		assertThat(cache.evictIfPresent(key)).isFalse();
		assertThat(cache.putIfAbsent(key, "b")).isNull();
		cache.evict(key);
		assertThat(cache.get(key)).isNull();
		assertThat(cache.invalidate()).isFalse();
		cache.put(key, "c");
		assertThat(cache.invalidate()).isTrue();
		cache.put(key, "d");
		cache.clear();
		assertThat(cache.get(key)).isNull();
		assertThat(cache.getNativeCache().policy()).isEqualTo(CachePolicy.of(policy));
	}

	@Test
	void aValueOfAnotherTypeIsRefused() {
		this.cache.put("key", "text");
		assertThatIllegalStateException().isThrownBy(() -> this.cache.get("key", Integer.class));
	}

	@Test
	void nullIsAValueWhereItIsAllowed() throws Exception {
		String key = key();
		this.cache.put(key, null);
		assertThat(this.cache.get(key)).isNotNull();
		assertThat(this.cache.get(key).get()).isNull();
		assertThat(this.cache.get(key, () -> "other")).isNull();
		assertThat(((ValueWrapper) this.cache.retrieve(key).get()).get()).isNull();
		assertThat(this.cache.retrieve(key, () -> CompletableFuture.completedFuture("other")).get()).isNull();
		String loaded = key();
		assertThat(this.cache.<String>get(loaded, () -> null)).isNull();
		assertThat(this.cache.get(loaded)).isNotNull();
	}

	@Test
	void nullIsRefusedWhereItIsNotAllowed() throws Exception {
		VicinalCache strict = cache("LRU", false);
		assertThatIllegalArgumentException().isThrownBy(() -> strict.put("key", null));
		assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> strict.<String>get("key", () -> null))
			.withCauseInstanceOf(IllegalArgumentException.class);
		assertThat(strict.get("key")).isNull();
		strict.put("key", "a");
		assertThat(strict.retrieve("key").get()).isEqualTo("a");
	}

	@Test
	void aFailedLoadIsThrownAndNotCached() {
		Callable<String> failing = () -> {
			throw new IOException("as wanted");
		};
		assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> this.cache.get("key", failing))
			.withCauseInstanceOf(IOException.class)
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("key"));
		assertThat(this.cache.get("key")).isNull();
		assertThat(this.cache.get("key", () -> "a")).isEqualTo("a");
	}

	@Test
	void aFailedAsynchronousLoadIsPassedOnAndNotCached() {
		Supplier<CompletableFuture<String>> failing = () -> CompletableFuture
			.failedFuture(new IOException("as wanted"));
		assertThat(this.cache.retrieve("key", failing)).failsWithin(1, TimeUnit.SECONDS)
			.withThrowableThat()
			.withRootCauseInstanceOf(IOException.class);
		assertThat(this.cache.retrieve("key")).isNull();
	}

	@Test
	void allWaysToLoadShareOneLoad() throws Exception {
		CompletableFuture<String> load = new CompletableFuture<>();
		AtomicInteger loads = new AtomicInteger();
		Supplier<CompletableFuture<String>> loader = () -> {
			loads.incrementAndGet();
			return load;
		};
		CompletableFuture<String> first = this.cache.retrieve("key", loader);
		CompletableFuture<String> second = this.cache.retrieve("key", loader);
		CompletableFuture<?> third = this.cache.retrieve("key");
		CompletableFuture<String> fourth = CompletableFuture
			.supplyAsync(() -> this.cache.get("key", () -> "loaded twice"));
		assertThat(first.cancel(true)).isTrue();
		load.complete("a");
		assertThat(second.get(5, TimeUnit.SECONDS)).isEqualTo("a");
		assertThat(((ValueWrapper) third.get(5, TimeUnit.SECONDS)).get()).isEqualTo("a");
		assertThat(fourth.get(5, TimeUnit.SECONDS)).isEqualTo("a");
		assertThat(loads).hasValue(1);
	}

	@Test
	void aSlowLoadDelaysNoOtherKey() throws Exception {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> this.cache.get("slow", () -> {
			loading.countDown();
			assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
			return "slow";
		}));
		assertThat(loading.await(10, TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 5000; i++) {
			int key = i;
			assertThat(this.cache.get(key, () -> key)).isEqualTo(key);
		}
		this.cache.clear();
		end.countDown();
		assertThat(slow.get(10, TimeUnit.SECONDS)).isEqualTo("slow");
		assertThat(this.cache.get("slow")).as("cleared while it was being loaded").isNull();
	}

	@Test
	void aLoadThatNeedsItselfIsRefused() {
		assertThatExceptionOfType(ValueRetrievalException.class)
			.isThrownBy(() -> this.cache.get("key", () -> this.cache.get("key", () -> "inner")))
			.withRootCauseInstanceOf(IllegalStateException.class);
	}

}
