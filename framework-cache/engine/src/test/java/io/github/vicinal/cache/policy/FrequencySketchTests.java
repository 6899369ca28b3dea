package io.github.vicinal.cache.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class FrequencySketchTests {

	@Property(tries = 100)
	void neverEstimatesTooLowUntilCountsAreHalved(@ForAll long seed,
			@ForAll @IntRange(min = 1, max = 5_000) int capacity) {
		FrequencySketch sketch = new FrequencySketch(capacity, 10);
		Map<Integer, Integer> counts = new HashMap<>();
		Random random = new Random(seed);
		for (int i = 0; i < Math.max(63, 10 * capacity - 1); i++) {
			int hash = random.nextInt(2 * capacity) * 0x9E3779B9;
			counts.merge(hash, 1, Integer::sum);
			sketch.add(hash);
		}
		counts.forEach((hash, count) -> assertThat(sketch.estimate(hash))
			.isBetween(Math.min(FrequencySketch.MAX, count), FrequencySketch.MAX));
	}

	/** The larger one needs several slices. */
	@ParameterizedTest
	@ValueSource(ints = { 1_000, 100_000 })
	void allCountsAreHalvedAfterSomeUsesPerEntry(int capacity) {
		FrequencySketch sketch = new FrequencySketch(capacity, 10);
		int frequent = 12345 * 0x9E3779B9;
		for (int i = 0; i < 14; i++) {
			sketch.add(frequent);
		}
		assertThat(sketch.estimate(frequent)).isEqualTo(14);
		int others = 10 * capacity - 15;
		for (int i = 0; i < others; i++) {
			sketch.add((1_000_000 + i / 5) * 0x9E3779B9);
		}
		assertThat(sketch.estimate(frequent)).isBetween(14, 15);
		int slices = 1 + capacity * 2 / 4096;
		for (int i = 0; i < slices; i++) {
			sketch.add(7);
		}
		assertThat(sketch.estimate(frequent)).isEqualTo(7);
	}

	@Test
	void smallCachesHaveRoom() {
		assertThat(FrequencySketch.wordsPerEntry(1)).isEqualTo(8);
		assertThat(FrequencySketch.wordsPerEntry(512)).isEqualTo(8);
		assertThat(FrequencySketch.wordsPerEntry(1024)).isEqualTo(4);
		assertThat(FrequencySketch.wordsPerEntry(4096)).isEqualTo(1);
		assertThat(FrequencySketch.wordsPerEntry(1_000_000)).isEqualTo(1);
	}

}
