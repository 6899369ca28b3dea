package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Effects of a cache's views on its entries. */
@Timeout(60)
class MapViewTests {

	private static final String ALL = "io.github.vicinal.cache.Variants#policies";

	private static final int KEYS = 2_000;

	/** A key that counts how often it is compared. */
	private static final class Key {

		private static int comparisons;

		private final int id;

		Key(int id) {
			this.id = id;
		}

		@Override
		public boolean equals(Object other) {
			comparisons++;
			return other instanceof Key key && key.id == this.id;
		}

		@Override
		public int hashCode() {
			return this.id;
		}

	}

	@ParameterizedTest
	@MethodSource(ALL)
	void streamsPassByWhatHasExpired(CachePolicy policy) {
		AtomicLong clock = new AtomicLong();
		Cache<Integer, Integer> cache = Variants.<Integer, Integer>builder(policy)
			.expireAfterWrite(Duration.ofSeconds(10))
			.ticker(clock::get)
			.build();
		cache.put(1, 10);
		clock.addAndGet(Duration.ofSeconds(9).toNanos());
		cache.put(2, 20);
		clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(cache.asMap().keySet().stream().toList()).containsExactly(2);
		assertThat(cache.asMap().keySet().stream().count()).isOne();
		assertThat(cache.asMap().values().stream().sorted().toList()).containsExactly(20);
		assertThat(cache.asMap().entrySet().stream().map(Map.Entry::getKey).toList()).containsExactly(2);
		assertThat(cache.asMap().values()).containsExactly(20);
		assertThat(cache.asMap().values().contains(10)).isFalse();
		assertThat(cache.asMap().values().remove(20)).isTrue();
		assertThat(cache.asMap().values()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void keysAreRemovedWithoutLookingAtOthers(CachePolicy policy) {
		Cache<Key, Integer> cache = Variants.<Key, Integer>builder(policy).maximumSize(4 * KEYS).build();
		IntStream.range(0, KEYS).forEach((id) -> cache.put(new Key(id), id));
		cache.put(new Key(7), 7);
		List<Key> many = new ArrayList<>(IntStream.range(0, 2 * KEYS).mapToObj(Key::new).toList());
		Key.comparisons = 0;
		assertThat(cache.asMap().keySet().remove(new Key(7))).isTrue();
		assertThat(cache.asMap().keySet().remove(new Key(7))).isFalse();
		assertThat(cache.asMap().keySet().contains(new Key(8))).isEqualTo(cache.asMap().containsKey(new Key(8)));
		assertThat(cache.asMap().keySet().removeAll(many)).isTrue();
		assertThat(Key.comparisons).isLessThan(10 * KEYS);
		assertThat(cache.asMap()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void aValueThatIsPutBetweenTestAndRemovalStays(CachePolicy policy) {
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy).build();
		cache.put(1, "old");
		cache.asMap().values().removeIf((value) -> {
			cache.put(1, "fresh");
			return value.equals("old");
		});
		assertThat(cache.getIfPresent(1)).isEqualTo("fresh");
		cache.asMap().entrySet().removeIf((entry) -> {
			cache.put(1, "fresher");
			return entry.getValue().equals("fresh");
		});
		assertThat(cache.getIfPresent(1)).isEqualTo("fresher");
		cache.asMap().keySet().removeIf((key) -> {
			cache.put(1, "freshest");
			return key == 1;
		});
		assertThat(cache.asMap()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource(ALL)
	void anEntryThatWasSetIsRemovedByItsIterator(CachePolicy policy) {
		Cache<Integer, String> cache = Variants.<Integer, String>builder(policy).build();
		cache.put(1, "old");
		Iterator<Map.Entry<Integer, String>> entries = cache.asMap().entrySet().iterator();
		entries.next().setValue("new");
		assertThat(cache.getIfPresent(1)).isEqualTo("new");
		entries.remove();
		assertThat(cache.asMap()).isEmpty();
	}

}
