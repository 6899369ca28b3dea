package io.github.vicinal.cache.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
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

	@Property(tries = 100)
	void estimatesOutliveAnyChangeOfSize(@ForAll long seed, @ForAll @IntRange(min = 1, max = 3_000) int first,
			@ForAll @IntRange(min = 1, max = 30_000) int second, @ForAll boolean ofUsualWidth) {
		FrequencySketch sketch = new FrequencySketch(first, 10);
		Map<Integer, Integer> counts = new HashMap<>();
		Random random = new Random(seed);
		// Nothing is halved: neither by the first size nor by the second.
		for (int i = 0; i < 62; i++) {
			int hash = random.nextInt(20) * 0x9E3779B9;
			counts.merge(hash, 1, Integer::sum);
			sketch.add(hash);
			if (i == 31) {
				if (ofUsualWidth) {
					sketch.resize(second);
				}
				else {
					sketch.resize(second, 1 + random.nextInt(8));
				}
			}
		}
		counts.forEach((hash, count) -> assertThat(sketch.estimate(hash))
			.isBetween(Math.min(FrequencySketch.MAX, count), FrequencySketch.MAX));
	}

	@Test
	void aLargerCacheIsDistinguishedAndHalvedLater() {
		FrequencySketch sketch = new FrequencySketch(100, 10);
		sketch.resize(100_000);
		int frequent = 12345 * 0x9E3779B9;
		for (int i = 0; i < 8; i++) {
			sketch.add(frequent);
		}
		int tooHigh = 0;
		for (int i = 0; i < 100_000; i++) {
			sketch.add((1_000_000 + i) * 0x9E3779B9);
		}
		for (int i = 0; i < 10_000; i++) {
			tooHigh += (sketch.estimate((5_000_000 + i) * 0x9E3779B9) > 0) ? 1 : 0;
		}
		assertThat(sketch.estimate(frequent)).isBetween(8, 9);
		assertThat(tooHigh).isLessThan(1_000);
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
