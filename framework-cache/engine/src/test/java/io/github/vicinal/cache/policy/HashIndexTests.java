package io.github.vicinal.cache.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HashIndexTests {

	private static final int HASH = 1;

	/** Any size, less and more than was expected, with hashes that meet. */
	@Property(tries = 100)
	void findsWhatAMapWouldFind(@ForAll long seed, @ForAll @IntRange(min = 1, max = 20_000) int expected,
			@ForAll @IntRange(min = 1, max = 10_000) int range) {
		Records records = new Records(2);
		HashIndex index = new HashIndex(records, HASH, expected);
		Map<Integer, Integer> map = new HashMap<>();
		Random random = new Random(seed);
		int used = 0;
		for (int i = 0; i < 5_000; i++) {
			int hash = random.nextInt(range) * ((range % 2 == 0) ? 1 : 0x01000193);
			switch (random.nextInt(3)) {
				case 0 -> assertThat(index.find(hash)).isEqualTo(map.getOrDefault(hash, Slots.NONE));
				case 1 -> {
					Integer known = map.remove(hash);
					assertThat(index.remove(hash)).isEqualTo((known != null) ? known : Slots.NONE);
				}
				default -> {
					if (!map.containsKey(hash)) {
						records.ensure(used);
						records.set(used, HASH, hash);
						index.add(used);
						map.put(hash, used++);
					}
				}
			}
		}
		map.forEach((hash, record) -> assertThat(index.find(hash)).isEqualTo(record));
	}

	@Test
	void recordsKeepWhatTheyHaveWhenTheyGrow() {
		Records records = new Records(3);
		int count = 50_000;
		for (int record = 0; record < count; record++) {
			records.ensure(record);
			for (int field = 0; field < 3; field++) {
				assertThat(records.get(record, field)).isZero();
				records.set(record, field, 3 * record + field);
			}
		}
		for (int record = 0; record < count; record++) {
			for (int field = 0; field < 3; field++) {
				assertThat(records.get(record, field)).isEqualTo(3 * record + field);
			}
		}
	}

}
