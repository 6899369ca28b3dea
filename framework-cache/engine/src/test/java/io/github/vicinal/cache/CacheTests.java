package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.cache.policy.Policies;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class CacheTests {

	private static final String ALL = "io.github.vicinal.cache.Variants#policies";

	private record Removed(Integer key, String value, RemovalCause cause) {
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void theBoundHoldsAndEachEntryThatLeavesIsReportedOnce(CachePolicy policy) {
		List<Removed> removed = new ArrayList<>();
		Cache<Integer, String> cache = CacheBuilder.<Integer, String>named("test")
			.policy(policy)
			.maximumSize(64)
			.recordStatistics()
			.removalListener((key, value, cause) -> removed.add(new Removed(key, value, cause)))
			.build();
		for (int i = 0; i < 1_000; i++) {
			cache.put(i, "v" + i);
		}
		cache.cleanUp();
		assertThat(cache.estimatedSize()).isBetween(1L, 64L);
		assertThat(removed).hasSize(1_000 - (int) cache.estimatedSize())
			.allMatch((it) -> it.cause() == RemovalCause.SIZE)
			.extracting(Removed::key)
			.doesNotHaveDuplicates()
			.doesNotContainAnyElementsOf(cache.asMap().keySet());
		assertThat(cache.statistics().evictions()).isEqualTo(removed.size());
		assertThat(cache.statistics().puts()).isEqualTo(1_000);
		removed.clear();
		int key = cache.asMap().keySet().iterator().next();
		cache.put(key, "new");
		assertThat(removed).containsExactly(new Removed(key, "v" + key, RemovalCause.REPLACED));
		assertThat(cache.invalidate(key)).isTrue();
		assertThat(cache.invalidate(key)).isFalse();
		assertThat(removed).contains(new Removed(key, "new", RemovalCause.EXPLICIT));
		cache.invalidateAll();
		assertThat(cache.asMap()).isEmpty();
		assertThat(cache.estimatedSize()).isZero();
		assertThat(cache.report().policy()).isEqualTo(policy.name());
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void timesAreKept(CachePolicy policy) {
		AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);
		List<RemovalCause> causes = new ArrayList<>();
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy)
			.expireAfterWrite(Duration.ofSeconds(10))
			.expireAfterAccess(Duration.ofSeconds(4))
			.removalListener((key, value, cause) -> causes.add(cause))
			.recordStatistics()
			.ticker(clock::get)
			.build();
		cache.put(1, "a");
		cache.put(2, "b");
		for (int i = 0; i < 3; i++) {
			clock.addAndGet(Duration.ofSeconds(3).toNanos());
			assertThat(cache.getIfPresent(1)).isEqualTo("a");
		}
		assertThat(cache.getIfPresent(2)).isNull();
		clock.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThat(cache.getIfPresent(1)).isNull();
		cache.put(3, "c");
		clock.addAndGet(Duration.ofSeconds(5).toNanos());
		assertThat(cache.asMap()).doesNotContainKey(3);
		cache.cleanUp();
		assertThat(cache.estimatedSize()).isZero();
		assertThat(causes).containsExactly(RemovalCause.EXPIRED, RemovalCause.EXPIRED, RemovalCause.EXPIRED);
		assertThat(cache.statistics().expirations()).isEqualTo(3);
		assertThat(cache.asMap().putIfAbsent(3, "d")).isNull();
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aPeekLeavesNoTrace(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy)
			.expireAfterAccess(Duration.ofSeconds(10))
			.recordStatistics()
			.ticker(clock::get)
			.build();
		cache.put(1, "a");
		clock.set(Duration.ofSeconds(9).toNanos());
		assertThat(cache.peek(1)).isEqualTo("a");
		assertThat(cache.peek(2)).isNull();
		clock.set(Duration.ofSeconds(11).toNanos());
		assertThat(cache.peek(1)).isNull();
		assertThat(cache.statistics().hits() + cache.statistics().misses()).isZero();
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aReadThatTakesLongDoesNotUndoALaterOne(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		AtomicReference<Cache<Integer, Integer>> itself = new AtomicReference<>();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.ticker(clock::get)
			.expireAfter(new Expiry<Integer, Integer>() {
				@Override
				public long expireAfterCreate(Integer key, Integer value) {
					return 100;
				}

				@Override
				public long expireAfterRead(Integer key, Integer value, long remaining) {
					// As if another thread read while this one decides.
					Cache<Integer, Integer> read = itself.getAndSet(null);
					if (read != null) {
						clock.set(90);
						assertThat(read.getIfPresent(1)).isEqualTo(1);
					}
					return 100;
				}
			})
			.build();
		cache.put(1, 1);
		clock.set(50);
		if (policy != CachePolicy.TINY_LFU) {
			// Caffeine's must not use the cache.
			itself.set(cache);
			assertThat(cache.getIfPresent(1)).isEqualTo(1);
			clock.set(189);
		}
		assertThat(cache.getIfPresent(1)).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void entriesThatNeverExpireSaySo(CachePolicy policy) {
		List<Long> remaining = new ArrayList<>();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.expireAfter(new Expiry<Integer, Integer>() {
				@Override
				public long expireAfterCreate(Integer key, Integer value) {
					return Long.MAX_VALUE;
				}

				@Override
				public long expireAfterRead(Integer key, Integer value, long left) {
					remaining.add(left);
					return left;
				}

				@Override
				public long expireAfterUpdate(Integer key, Integer value, long left) {
					remaining.add(left);
					return left;
				}
			})
			.build();
		cache.put(1, 1);
		assertThat(cache.getIfPresent(1)).isEqualTo(1);
		cache.put(1, 2);
		assertThat(cache.getIfPresent(1)).isEqualTo(2);
		assertThat(remaining).isNotEmpty().containsOnly(Long.MAX_VALUE);
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void theFirstKeyIsKept(CachePolicy policy) {
		Cache<String, Integer> cache = Variants.<String, Integer>builder(policy).build();
		String first = new String("key");
		cache.put(first, 1);
		cache.put(new String("key"), 2);
		assertThat(cache.asMap().replace(new String("key"), 3)).isEqualTo(2);
		assertThat(cache.asMap().compute(new String("key"), (key, value) -> 4)).isEqualTo(4);
		assertThat(cache.asMap().keySet().iterator().next()).isSameAs(first);
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aBuilderThatIsUsedAgainChangesNoCache(CachePolicy policy) {
		CacheBuilder<Integer, Integer> builder = Variants.builder(policy);
		Cache<Integer, Integer> cache = builder.build();
		long maximum = cache.report().maximum();
		CachePolicy other = (policy == CachePolicy.LRU) ? CachePolicy.LFU : CachePolicy.LRU;
		Cache<Integer, Integer> next = builder.policy(other).maximumSize(7).build();
		assertThat(next.report().maximum()).isEqualTo(7);
		assertThat(cache.report().maximum()).isEqualTo(maximum);
		assertThat(cache.report().policy()).isEqualTo(policy.name());
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void eachEntryMayHaveItsOwnTime(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.ticker(clock::get)
			.expireAfter(new Expiry<Integer, Integer>() {
				@Override
				public long expireAfterCreate(Integer key, Integer value) {
					if (value < 0) {
						throw new IllegalStateException("expiry");
					}
					return value;
				}

				@Override
				public long expireAfterRead(Integer key, Integer value, long remaining) {
					return (key == 7) ? remaining + 5 : remaining;
				}
			})
			.build();
		cache.put(1, 10);
		cache.put(2, 20);
		cache.put(7, 10);
		clock.set(9);
		assertThat(cache.getIfPresent(7)).isEqualTo(10);
		clock.set(10);
		assertThat(cache.getIfPresent(1)).isNull();
		assertThat(cache.getIfPresent(2)).isEqualTo(20);
		assertThat(cache.getIfPresent(7)).isEqualTo(10);
		assertThatIllegalStateException().isThrownBy(() -> cache.put(3, -1)).withMessage("expiry");
		assertThat(cache.asMap()).doesNotContainKey(3);
		cache.put(3, 5);
		assertThat(cache.getIfPresent(3)).isEqualTo(5);
	}

	@ParameterizedTest
	@CsvSource({ "TINY_LFU", "LRU", "LFU", "MRU", "SLRU", "FIFO", "S3_FIFO", "LIRS", "AIC", "W_TINY_LFU(20)" })
	void weightsAreKept(String policy) {
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.of(policy))
			.maximumWeight(1_000, (key, value) -> {
				if (value == 666) {
					throw new IllegalStateException("weigher");
				}
				return value;
			})
			.recordStatistics()
			.build();
		Random random = new Random(1);
		for (int i = 0; i < 20_000; i++) {
			cache.put(random.nextInt(300), 1 + random.nextInt(40));
			if (i % 100 == 0) {
				cache.cleanUp();
				assertThat(cache.asMap().values().stream().mapToInt(Integer::intValue).sum())
					.isLessThanOrEqualTo(1_000);
			}
		}
		assertThatIllegalStateException().isThrownBy(() -> cache.put(1, 666)).withMessage("weigher");
		assertThatIllegalArgumentException().isThrownBy(() -> cache.put(1, -1));
		cache.put(1, 5_000);
		cache.cleanUp();
		assertThat(cache.getIfPresent(1)).isNull();
		assertThat(cache.asMap()).isNotEmpty();
		assertThat(cache.statistics().evictionWeight()).isPositive();
	}

	/** Else an eviction would run it under a lock, and fail if it did. */
	@ParameterizedTest
	@CsvSource({ "TINY_LFU", "LRU", "LFU", "S3_FIFO", "AIC", "W_TINY_LFU(20)" })
	void aWeigherIsAskedOncePerWrite(String policy) {
		Set<Integer> asked = new HashSet<>();
		List<Removed> removed = new ArrayList<>();
		Cache<Integer, String> cache = CacheBuilder.<Integer, String>named("test")
			.policy(CachePolicy.of(policy))
			.maximumWeight(500, (key, value) -> {
				if (!asked.add(key)) {
					throw new IllegalStateException("Asked again for " + key);
				}
				return 1 + key % 5;
			})
			.expireAfterWrite(Duration.ofHours(1))
			.recordStatistics()
			.removalListener((key, value, cause) -> removed.add(new Removed(key, value, cause)))
			.build();
		for (int i = 0; i < 2_000; i++) {
			cache.put(i, "v" + i);
		}
		cache.cleanUp();
		assertThat(asked).hasSize(2_000);
		assertThat(removed).hasSize(2_000 - (int) cache.estimatedSize());
		assertThat(cache.statistics().evictions()).isEqualTo(removed.size());
		assertThat(cache.statistics().evictionWeight())
			.isEqualTo(removed.stream().mapToInt((it) -> 1 + it.key() % 5).sum());
	}

	/** Engines wrap values in some of these cases, and must compare what is inside. */
	@ParameterizedTest
	@CsvSource({ "TINY_LFU, plain", "TINY_LFU, weighed", "TINY_LFU, refreshed", "LRU, plain", "LRU, weighed",
			"LRU, refreshed", "K_WAY(8), plain", "K_WAY(8), refreshed" })
	void replacementsAreReportedByIdentity(String policy, String kind) {
		List<Removed> removed = new ArrayList<>();
		CacheBuilder<Integer, String> builder = CacheBuilder.<Integer, String>named("test")
			.policy(CachePolicy.of(policy))
			.removalListener((key, value, cause) -> removed.add(new Removed(key, value, cause)));
		switch (kind) {
			case "weighed" -> builder.maximumWeight(1_000, (key, value) -> value.length());
			case "refreshed" -> builder.maximumSize(1_000).refreshAfterWrite(Duration.ofHours(1));
			default -> builder.maximumSize(1_000);
		}
		Cache<Integer, String> cache = builder.build();
		String value = new String("a");
		cache.put(1, value);
		cache.put(1, value);
		assertThat(cache.asMap().replace(1, new String("a"), value)).isTrue();
		assertThat(cache.asMap().replace(1, value)).isEqualTo("a");
		assertThat(removed).isEmpty();
		assertThat(cache.asMap().replace(1, "x", "b")).isFalse();
		assertThat(cache.asMap().remove(1, "x")).isFalse();
		assertThat(cache.asMap().replace(1, new String("a"), "b")).isTrue();
		cache.put(1, "c");
		assertThat(cache.asMap().replace(1, "d")).isEqualTo("c");
		assertThat(cache.asMap().remove(1, new String("d"))).isTrue();
		assertThat(removed).containsExactly(new Removed(1, "a", RemovalCause.REPLACED),
				new Removed(1, "b", RemovalCause.REPLACED), new Removed(1, "c", RemovalCause.REPLACED),
				new Removed(1, "d", RemovalCause.EXPLICIT));
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aReportDoesNotSweep(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		List<RemovalCause> causes = new ArrayList<>();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.expireAfterWrite(Duration.ofSeconds(10))
			.removalListener((key, value, cause) -> causes.add(cause))
			.ticker(clock::get)
			.build();
		for (int i = 0; i < 100; i++) {
			cache.put(i, i);
		}
		cache.cleanUp();
		long kept = cache.estimatedSize();
		causes.clear();
		clock.set(Duration.ofSeconds(11).toNanos());
		assertThat(cache.report().size()).isEqualTo(kept);
		assertThat(cache.asMap()).isEmpty();
		assertThat(causes).isEmpty();
		cache.cleanUp();
		assertThat(cache.report().size()).isZero();
		assertThat(causes).hasSize((int) kept);
	}

	/** Notifications to a policy about an entry whose update overtakes its insertion. */
	@Test
	void anUpdateThatOvertakesItsInsertionHasTheHash() throws Exception {
		AtomicInteger hash = new AtomicInteger();
		AtomicReference<Runnable> underTheLock = new AtomicReference<>();
		CachePolicy policy = CachePolicy.custom("hooked",
				(slots, capacity) -> new ForwardingPolicy(Policies.LRU.create(slots, capacity)) {
					@Override
					public void onInsert(int slot) {
						super.onInsert(slot);
						hash.set(slots.hash(slot));
					}

					@Override
					public void onHit(int slot) {
						super.onHit(slot);
						Runnable hook = underTheLock.getAndSet(null);
						if (hook != null) {
							hook.run();
						}
					}
				});
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(policy)
			.maximumWeight(100, (key, value) -> 1)
			.strict()
			.seed(1)
			.build();
		cache.put(2, 2);
		int expected = hash.get();
		cache.invalidate(2);
		cache.put(1, 1);
		hash.set(0);
		AtomicReference<Thread> inserting = new AtomicReference<>();
		// The lock is held: the insertion is in the map and cannot get on, the update
		// of the thread with the lock can.
		underTheLock.set(() -> {
			Thread thread = new Thread(() -> cache.asMap().putIfAbsent(2, 2));
			inserting.set(thread);
			thread.start();
			await().until(() -> cache.estimatedSize() == 2);
			cache.put(2, 3);
		});
		assertThat(cache.getIfPresent(1)).isEqualTo(1);
		inserting.get().join();
		assertThat(hash).hasValue(expected);
		assertThat(cache.getIfPresent(2)).isEqualTo(3);
	}

	/** A policy that does what another does. */
	private static class ForwardingPolicy implements ReplacementPolicy {

		private final ReplacementPolicy policy;

		ForwardingPolicy(ReplacementPolicy policy) {
			this.policy = policy;
		}

		@Override
		public void onInsert(int slot) {
			this.policy.onInsert(slot);
		}

		@Override
		public void onHit(int slot) {
			this.policy.onHit(slot);
		}

		@Override
		public void onRemove(int slot) {
			this.policy.onRemove(slot);
		}

		@Override
		public int evict(int incoming) {
			return this.policy.evict(incoming);
		}

		@Override
		public int pollHottest() {
			return this.policy.pollHottest();
		}

		@Override
		public void adoptColder(int slot) {
			this.policy.adoptColder(slot);
		}

	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aListenerMayThrowAndMayUseTheCache(CachePolicy policy) {
		AtomicInteger calls = new AtomicInteger();
		List<Cache<Integer, Integer>> self = new ArrayList<>();
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(policy)
			.maximumSize(16)
			.removalListener((key, value, cause) -> {
				if (calls.incrementAndGet() < 100) {
					self.get(0).put(value + 1_000_000, value);
				}
				throw new IllegalStateException("listener, as the test wants it");
			})
			.build();
		self.add(cache);
		for (int i = 0; i < 100; i++) {
			cache.put(i, i);
		}
		cache.cleanUp();
		assertThat(calls.get()).isPositive();
		assertThat(cache.estimatedSize()).isLessThanOrEqualTo(16);
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aSizeOfZeroKeepsNothing(CachePolicy policy) {
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(policy)
			.maximumSize(0)
			.build();
		cache.put(1, 1);
		cache.cleanUp();
		assertThat(cache.getIfPresent(1)).isNull();
		assertThat(cache.get(1, (key) -> 2)).isEqualTo(2);
	}

	/** All keys have one hash. */
	private record Collider(int id) {

		@Override
		public int hashCode() {
			return 42;
		}

	}

	/** A key whose hash fails from some time on. */
	private static final class Failing {

		private boolean fails;

		@Override
		public int hashCode() {
			if (this.fails) {
				throw new IllegalStateException("hash, as the test wants it");
			}
			return 1;
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

	}

	@ParameterizedTest
	@CsvSource({ "LRU", "AIC", "K_WAY(8)" })
	void aKeyThatFailsWhenItIsEvictedIsNoBusinessOfOthers(String policy) {
		Cache<Object, Integer> cache = CacheBuilder.<Object, Integer>named("test")
			.policy(CachePolicy.of(policy))
			.maximumSize(16)
			.build();
		Failing failing = new Failing();
		cache.put(failing, 0);
		failing.fails = true;
		for (int i = 1; i <= 1_000; i++) {
			cache.put(i, i);
			assertThat(cache.get(i, (key) -> (Integer) key)).isEqualTo(i);
		}
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void keysOfOneHashAreKeptApart(CachePolicy policy) {
		Cache<Collider, Integer> cache = CacheBuilder.<Collider, Integer>named("test")
			.policy(policy)
			.maximumSize(64)
			.build();
		Random random = new Random(5);
		for (int i = 0; i < 20_000; i++) {
			int id = random.nextInt(128);
			Integer value = cache.get(new Collider(id), Collider::id);
			assertThat(value).isEqualTo(id);
			if (i % 7 == 0) {
				cache.invalidate(new Collider(random.nextInt(128)));
			}
		}
		cache.cleanUp();
		assertThat(cache.estimatedSize()).isLessThanOrEqualTo(64);
		cache.asMap().forEach((key, value) -> assertThat(value).isEqualTo(key.id()));
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void threadsSeeWholeValuesAndComputeExactly(CachePolicy policy) {
		Cache<Integer, Long> cache = Variants.<Integer, Long>builder(policy).maximumSize(8_192).build();
		int threads = 4;
		int steps = 20_000;
		List<CompletableFuture<Void>> runs = new ArrayList<>();
		for (int t = 0; t < threads; t++) {
			int seed = t;
			runs.add(CompletableFuture.runAsync(() -> {
				Random random = new Random(seed);
				for (int i = 0; i < steps; i++) {
					cache.asMap().merge(random.nextInt(16), 1L, Long::sum);
				}
			}));
		}
		runs.forEach(CompletableFuture::join);
		assertThat(cache.asMap().values().stream().mapToLong(Long::longValue).sum()).isEqualTo((long) threads * steps);
	}

	@Test
	void impossibleSpecificationsNamePropertyValueAndWhatIsAllowed() {
		CacheBuilder<String, String> builder = CacheBuilder.named("prices");
		assertThatExceptionOfType(InvalidCacheException.class).isThrownBy(() -> builder.maximumSize(-5))
			.withMessage("Cache 'prices': maximum-size is '-5', but must be from 0 to 268435456");
		assertThatExceptionOfType(InvalidCacheException.class).isThrownBy(builder::build)
			.withMessageContaining("maximum-size is 'not set'");
		assertThatExceptionOfType(InvalidCacheException.class)
			.isThrownBy(() -> builder.maximumSize(5).maximumWeight(7, (key, value) -> 1).build())
			.withMessageContaining("maximum-weight is '7', but must be absent if maximum-size is set (5)");
		assertThatExceptionOfType(InvalidCacheException.class).isThrownBy(() -> CachePolicy.of("least-used"))
			.withMessageStartingWith("policy is 'least-used', but must be one of TINY_LFU, LRU, ");
		for (int ways : new int[] { -1, 0, 1, 3, 12, 128 }) {
			assertThatExceptionOfType(InvalidCacheException.class).isThrownBy(() -> CachePolicy.kWay(ways))
				.withMessageContaining("a power of two from 2 to 64");
		}
		assertThatExceptionOfType(InvalidCacheException.class).isThrownBy(() -> CachePolicy.of("k-way(12)"))
			.withMessageContaining("K_WAY(8)");
		assertThatExceptionOfType(InvalidCacheException.class)
			.isThrownBy(() -> CacheBuilder.named("x").maximumSize(5).policy(CachePolicy.TWO_WAY).strict().build())
			.withMessageContaining("strict is 'true'");
		assertThatExceptionOfType(InvalidCacheException.class)
			.isThrownBy(() -> CacheBuilder.named("x").expireAfterWrite(Duration.ZERO))
			.withMessageContaining("expire-after-write is 'PT0S', but must be positive");
		assertThat(CachePolicy.of("two-way")).isEqualTo(CachePolicy.TWO_WAY);
		assertThat(CachePolicy.of("k-way(8)")).isEqualTo(CachePolicy.kWay(8));
		CachePolicy.named().forEach((policy) -> assertThat(CachePolicy.of(policy.name())).isSameAs(policy));
	}

}
