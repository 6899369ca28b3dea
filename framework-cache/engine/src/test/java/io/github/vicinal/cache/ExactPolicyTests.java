package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.vicinal.cache.policy.Textbook;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** In strict mode, each access hits exactly where the textbook's does. */
class ExactPolicyTests {

	private static final String[] NAMES = { "LRU", "MRU", "FIFO", "SLRU", "LFU", "LFU_HISTORY", "S3_FIFO", "LIRS" };

	private static Cache<Integer, Integer> cache(String policy, int capacity, boolean strict) {
		CacheBuilder<Integer, Integer> builder = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.of(policy))
			.maximumSize(capacity)
			.seed(42);
		return (strict ? builder.strict() : builder).build();
	}

	/** Half of the keys are drawn from a hot part, with scans and loops in between. */
	private static int nextKey(Random random, int step, int range) {
		int phase = step / 1000 % 4;
		return switch (phase) {
			case 0 -> (int) (range * Math.pow(random.nextDouble(), 3));
			case 1 -> step % range;
			case 2 -> (int) Math.abs(random.nextGaussian() * range / 6) % range;
			default -> random.nextInt(range);
		};
	}

	@ParameterizedTest
	@ValueSource(strings = { "LRU", "MRU", "FIFO", "SLRU", "LFU", "LFU_HISTORY", "S3_FIFO", "LIRS" })
	void aMillionOperationsHitWhereTheTextbookHits(String policy) {
		int operations = 1_000_000;
		int capacity = 37;
		Textbook textbook = Textbook.of(policy, capacity);
		Cache<Integer, Integer> cache = cache(policy, capacity, true);
		Random random = new Random(7);
		for (int i = 0; i < operations; i++) {
			int key = nextKey(random, i, 120);
			if (random.nextInt(50) == 0) {
				cache.invalidate(key);
				textbook.remove(key);
				continue;
			}
			boolean hit = cache.getIfPresent(key) != null;
			if (!hit) {
				cache.put(key, key);
			}
			boolean expected = textbook.use(key);
			if (hit != expected) {
				assertThat(hit).as("%s, operation %d, key %d", policy, i, key).isEqualTo(expected);
			}
		}
		assertThat(cache.asMap().keySet()).isEqualTo(textbook.keys());
	}

	@Property(tries = 1000)
	void anyCapacityAndAnyKeys(@ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int capacity,
			@ForAll @IntRange(min = 0, max = 7) int which) {
		String policy = NAMES[which];
		Textbook textbook = Textbook.of(policy, capacity);
		Cache<Integer, Integer> cache = cache(policy, capacity, true);
		Random random = new Random(seed);
		int range = 1 + random.nextInt(3 * capacity + 2);
		for (int i = 0; i < 2_000; i++) {
			int key = nextKey(random, random.nextInt(4000), range);
			if (random.nextInt(20) == 0) {
				cache.invalidate(key);
				textbook.remove(key);
				continue;
			}
			boolean hit = cache.getIfPresent(key) != null;
			if (!hit) {
				cache.put(key, key);
			}
			assertThat(hit).as("%s of %d, operation %d, key %d", policy, capacity, i, key).isEqualTo(textbook.use(key));
		}
		assertThat(cache.asMap().keySet()).isEqualTo(Set.copyOf(textbook.keys()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "LRU", "MRU", "FIFO", "SLRU", "LFU", "LFU_HISTORY", "S3_FIFO", "LIRS", "W_TINY_LFU(20)" })
	void bufferedIsWithinATenthOfAPercentagePoint(String policy) {
		int operations = 500_000;
		double[] ratio = new double[2];
		for (int mode = 0; mode < 2; mode++) {
			Cache<Integer, Integer> cache = cache(policy, 2_000, mode == 0);
			Random random = new Random(3);
			int hits = 0;
			for (int i = 0; i < operations; i++) {
				int key = nextKey(random, i, 10_000);
				if (cache.getIfPresent(key) != null) {
					hits++;
				}
				else {
					cache.put(key, key);
				}
			}
			cache.cleanUp();
			assertThat(cache.estimatedSize()).isLessThanOrEqualTo(2_000);
			ratio[mode] = (double) hits / operations;
		}
		assertThat(ratio[1]).isCloseTo(ratio[0], within(0.001));
	}

	/**
	 * With several threads the buffers do lose reads, and the order in which the threads
	 * come differs from run to run: strict runs of one policy have a standard deviation
	 * of up to 0.07 points, so the bound is four times that of a difference. LFU is not
	 * compared: which keys it keeps is decided early and by chance, so that strict runs
	 * differ by half a point from each other. With history they do not.
	 */
	@Timeout(120)
	@ParameterizedTest
	@ValueSource(strings = { "LRU", "FIFO", "SLRU", "LFU_HISTORY", "S3_FIFO", "LIRS", "W_TINY_LFU(20)" })
	void bufferedIsAsGoodWithSeveralThreads(String policy) {
		double[] ratio = new double[2];
		for (int mode = 0; mode < 2; mode++) {
			Cache<Integer, Integer> cache = cache(policy, 2_000, mode == 0);
			ratio[mode] = hitRatio(cache, 4, 250_000);
		}
		assertThat(ratio[1]).as("%s, strict %s", policy, ratio[0]).isCloseTo(ratio[0], within(0.004));
	}

	private static double hitRatio(Cache<Integer, Integer> cache, int threads, int operations) {
		List<CompletableFuture<Integer>> runs = new ArrayList<>();
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			for (int t = 0; t < threads; t++) {
				Random random = new Random(t);
				runs.add(CompletableFuture.supplyAsync(() -> {
					int hits = 0;
					for (int i = 0; i < operations; i++) {
						int key = (int) (10_000 * Math.pow(random.nextDouble(), 3));
						if (cache.getIfPresent(key) != null) {
							hits++;
						}
						else {
							cache.put(key, key);
						}
					}
					return hits;
				}, executor));
			}
			return runs.stream().mapToInt(CompletableFuture::join).sum() / (double) (threads * operations);
		}
		finally {
			executor.shutdownNow();
		}
	}

}
