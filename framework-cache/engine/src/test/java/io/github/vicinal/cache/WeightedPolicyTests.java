package io.github.vicinal.cache;

import java.util.Random;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * With weights a policy does not know at first how many entries there will be: what it
 * remembers has to grow with them.
 */
@Timeout(60)
class WeightedPolicyTests {

	private static final int ENTRIES = 20_000;

	private static final int KEYS = 400_000;

	private static final int ACCESSES = 1_500_000;

	private static final int COUNTED_FROM = 1_000_000;

	/** Counted after the cache has filled and learned. */
	private static double hitRatio(CacheBuilder<Integer, Integer> builder) {
		Cache<Integer, Integer> cache = builder.seed(1).build();
		Random random = new Random(5);
		int hits = 0;
		for (int i = 0; i < ACCESSES; i++) {
			int key = (int) (KEYS * Math.pow(random.nextDouble(), 4));
			if (cache.getIfPresent(key) != null) {
				hits += (i >= COUNTED_FROM) ? 1 : 0;
			}
			else {
				cache.put(key, key);
			}
		}
		return (double) hits / (ACCESSES - COUNTED_FROM);
	}

	@ParameterizedTest
	@CsvSource({ "W_TINY_LFU(1), 1", "W_TINY_LFU(20), 7", "AIC, 1", "AIC, 7", "S3_FIFO, 1", "LFU_HISTORY, 1", "LIRS, 1",
			"SLRU, 1" })
	void equalWeightsHitAsMuchAsTheSameSize(String name, int weight) {
		CachePolicy policy = CachePolicy.of(name);
		double sized = hitRatio(CacheBuilder.<Integer, Integer>named("sized").policy(policy).maximumSize(ENTRIES));
		double weighed = hitRatio(CacheBuilder.<Integer, Integer>named("weighed")
			.policy(policy)
			.maximumWeight((long) weight * ENTRIES, (key, value) -> weight));
		assertThat(weighed).as("%s of weight %d", name, weight).isCloseTo(sized, within(0.005));
	}

}
