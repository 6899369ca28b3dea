package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.github.vicinal.cache.aic.AicPolicy;
import io.github.vicinal.cache.aic.ForcedSwitches;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import io.github.vicinal.cache.policy.Slots;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class SwitchSafetyTests {

	private static final int SWITCHES = 10_000;

	private static final int KEYS = 4_000;

	/** Changes its policy after every few accesses. */
	private static final class Restless implements ReplacementPolicy {

		private final AicPolicy aic;

		private final AtomicInteger switches;

		private int accesses;

		Restless(Slots slots, int capacity, AtomicInteger switches) {
			this.aic = new AicPolicy(slots, capacity);
			this.switches = switches;
		}

		private void perhapsSwitch() {
			if (++this.accesses % 100 == 0) {
				ForcedSwitches.force(this.aic, this.switches.incrementAndGet());
			}
		}

		@Override
		public void onInsert(int slot) {
			this.aic.onInsert(slot);
			perhapsSwitch();
		}

		@Override
		public void onHit(int slot) {
			this.aic.onHit(slot);
			perhapsSwitch();
		}

		@Override
		public void onRemove(int slot) {
			this.aic.onRemove(slot);
		}

		@Override
		public int evict(int incoming) {
			return this.aic.evict(incoming);
		}

		@Override
		public int pollHottest() {
			return this.aic.pollHottest();
		}

		@Override
		public void adoptColder(int slot) {
			this.aic.adoptColder(slot);
		}

	}

	private record Value(int key, int twice) {
	}

	@Test
	void tenThousandSwitchesUnderFourThreadsLoseNothing() {
		AtomicInteger switches = new AtomicInteger();
		AtomicIntegerArray loads = new AtomicIntegerArray(KEYS);
		AtomicInteger removals = new AtomicInteger();
		Cache<Integer, Value> cache = CacheBuilder.<Integer, Value>named("test")
			.policy(CachePolicy.custom("restless", (slots, capacity) -> new Restless(slots, capacity, switches)))
			.maximumSize(KEYS)
			.removalListener((key, value, cause) -> removals.incrementAndGet())
			.build();
		List<CompletableFuture<Void>> runs = new ArrayList<>();
		for (int t = 0; t < 4; t++) {
			int seed = t;
			runs.add(CompletableFuture.runAsync(() -> {
				Random random = new Random(seed);
				while (switches.get() < SWITCHES) {
					int key = random.nextInt(KEYS);
					Value value = cache.get(key, (k) -> {
						loads.incrementAndGet(k);
						return new Value(k, 2 * k);
					});
					assertThat(value).isEqualTo(new Value(key, 2 * key));
				}
			}));
		}
		runs.forEach(CompletableFuture::join);
		cache.cleanUp();
		int loaded = 0;
		for (int key = 0; key < KEYS; key++) {
			assertThat(loads.get(key)).as("loads of %d", key).isLessThanOrEqualTo(1);
			loaded += loads.get(key);
		}
		assertThat(cache.asMap()).hasSize(loaded);
		assertThat(cache.estimatedSize()).isEqualTo(loaded);
		assertThat(removals).hasValue(0);
	}

	@Test
	void withEvictionsTheBoundHoldsAndEveryRemovalIsReported() {
		AtomicInteger switches = new AtomicInteger();
		AtomicInteger removals = new AtomicInteger();
		Cache<Integer, Value> cache = CacheBuilder.<Integer, Value>named("test")
			.policy(CachePolicy.custom("restless", (slots, capacity) -> new Restless(slots, capacity, switches)))
			.maximumSize(KEYS / 4)
			.removalListener((key, value, cause) -> removals.incrementAndGet())
			.recordStatistics()
			.build();
		List<CompletableFuture<Void>> runs = new ArrayList<>();
		for (int t = 0; t < 4; t++) {
			int seed = t;
			runs.add(CompletableFuture.runAsync(() -> {
				Random random = new Random(seed);
				while (switches.get() < SWITCHES) {
					int key = (int) (KEYS * Math.pow(random.nextDouble(), 2));
					Value value = cache.get(key, (k) -> new Value(k, 2 * k));
					assertThat(value).isEqualTo(new Value(key, 2 * key));
					if (random.nextInt(50) == 0) {
						cache.invalidate(random.nextInt(KEYS));
					}
				}
			}));
		}
		runs.forEach(CompletableFuture::join);
		cache.cleanUp();
		assertThat(cache.estimatedSize()).isBetween(1L, KEYS / 4L);
		assertThat(cache.statistics().puts() - removals.get()).isEqualTo(cache.asMap().size());
	}

}
