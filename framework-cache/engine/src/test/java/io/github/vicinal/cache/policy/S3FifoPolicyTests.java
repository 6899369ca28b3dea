package io.github.vicinal.cache.policy;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class S3FifoPolicyTests {

	private static final int ENTRIES = 10_000;

	private static final int MOST_USES = 3;

	/** Returns how many entries an eviction has looked at, if all were used often. */
	private static long seen(PolicyFactory factory) {
		Slots slots = new Slots(ENTRIES + 1);
		ReplacementPolicy policy = factory.create(slots, ENTRIES);
		int[] entries = IntStream.range(0, ENTRIES).map(slots::allocate).toArray();
		for (int slot : entries) {
			policy.onInsert(slot);
			IntStream.range(0, MOST_USES).forEach((use) -> policy.onHit(slot));
		}
		int victim = policy.evict(slots.allocate(ENTRIES));
		assertThat(entries).contains(victim);
		return IntStream.of(entries).filter((slot) -> slots.mark(slot) != MOST_USES).count();
	}

	@Test
	void anEvictionIsBounded() {
		assertThat(seen(Policies.S3_FIFO_BOUNDED)).isLessThanOrEqualTo(Policies.MAX_STEPS);
		assertThat(seen(Policies.S3_FIFO)).as("the textbook's").isGreaterThan(ENTRIES / 2);
	}

	@Test
	void smallCachesFollowTheTextbook() {
		int entries = Policies.MAX_STEPS / 4 - 1;
		Slots[] slots = { new Slots(entries + 1), new Slots(entries + 1) };
		ReplacementPolicy[] policies = { Policies.S3_FIFO.create(slots[0], entries),
				Policies.S3_FIFO_BOUNDED.create(slots[1], entries) };
		for (int i = 0; i < entries; i++) {
			for (int p = 0; p < 2; p++) {
				int slot = slots[p].allocate(i);
				policies[p].onInsert(slot);
				for (int use = 0; use < MOST_USES; use++) {
					policies[p].onHit(slot);
				}
			}
		}
		for (int i = 0; i < entries; i++) {
			int first = policies[0].evict(Slots.NONE);
			assertThat(policies[1].evict(Slots.NONE)).isEqualTo(first);
			slots[0].release(first);
			slots[1].release(first);
		}
	}

}
