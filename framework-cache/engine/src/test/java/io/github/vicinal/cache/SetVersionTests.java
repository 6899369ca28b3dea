package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The version in a word of tags distinguishes inserts, and no key is in a set twice. */
class SetVersionTests {

	private static final int VERSIONS = 1 << 15;

	private static final int KEY = 7;

	/** Tags and lock are what they were, or not there: only the version counts. */
	@Property(tries = 20)
	void allVersionsComeBeforeOneComesAgain(@ForAll long word) {
		Set<Long> seen = new HashSet<>();
		long rest = word & ~SetStore.VERSION;
		long first = word & SetStore.VERSION;
		long version = first;
		for (int i = 0; i < VERSIONS; i++) {
			seen.add(version);
			long next = SetStore.nextVersion(version | rest);
			if ((next & ~SetStore.VERSION) != 0 || SetStore.low(next) != (SetStore.low(version) + 1) % 8) {
				throw new AssertionError("%x follows %x".formatted(next, version | rest));
			}
			version = next;
		}
		assertThat(version).isEqualTo(first);
		assertThat(seen).hasSize(VERSIONS);
		assertThat(Long.bitCount(SetStore.VERSION)).isEqualTo(15);
		assertThat(SetStore.LOCK & SetStore.VERSION).isZero();
	}

	/**
	 * While the expiry of an insert is asked, the same key is inserted and removed until
	 * the version has come round, and stays at last.
	 */
	@ParameterizedTest
	@CsvSource({ "8, 128", "16, 128", "8, 32768", "16, 32768", "8, 65536" })
	void anExpiryThatTakesLongMakesNoSecondEntry(int ways, int inserts) {
		AtomicReference<Cache<Integer, Integer>> it = new AtomicReference<>();
		AtomicInteger asked = new AtomicInteger();
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.kWay(ways))
			.maximumSize(ways)
			.expireAfter((Integer key, Integer value) -> {
				asked.incrementAndGet();
				for (int i = 1; value == 0 && i <= inserts; i++) {
					it.get().put(key, i);
					if (i < inserts) {
						it.get().invalidate(key);
					}
				}
				return Long.MAX_VALUE;
			})
			.build();
		it.set(cache);
		// Its tag stays, so that the word differs by the version alone.
		cache.put(KEY, 1);
		cache.invalidate(KEY);
		asked.set(0);
		assertThat(cache.asMap().putIfAbsent(KEY, 0)).isEqualTo(inserts);
		assertThat(asked).hasValue(1 + inserts);
		List<Integer> keys = new ArrayList<>();
		cache.asMap().forEach((key, value) -> keys.add(key));
		assertThat(keys).containsExactly(KEY);
		assertThat(cache.estimatedSize()).isEqualTo(1);
	}

}
