package io.github.vicinal.cache.aic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import io.github.vicinal.cache.policy.Slots;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AicPolicyTests {

	/** Plays a cache around a policy, and knows what must be there. */
	private static final class Player {

		final Slots slots;

		final AicPolicy policy;

		final int capacity;

		final Map<Integer, Integer> slotByKey = new HashMap<>();

		final Map<Integer, Integer> keyBySlot = new HashMap<>();

		int hits;

		int uses;

		Player(int capacity) {
			this.capacity = capacity;
			this.slots = new Slots(capacity + 1);
			this.policy = new AicPolicy(this.slots, capacity);
		}

		static int hash(int key) {
			long mixed = key * 0x9E3779B97F4A7C15L;
			return (int) ((mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L >>> 32);
		}

		void use(int key) {
			this.uses++;
			Integer known = this.slotByKey.get(key);
			if (known != null) {
				this.hits++;
				this.policy.onHit(known);
				return;
			}
			int slot = this.slots.allocate(hash(key));
			if (this.slotByKey.size() == this.capacity) {
				int victim = this.policy.evict(slot);
				if (victim == slot) {
					this.slots.release(slot);
					return;
				}
				Integer gone = this.keyBySlot.remove(victim);
				assertThat(gone).as("the victim is in the cache").isNotNull();
				this.slotByKey.remove(gone);
				this.slots.release(victim);
			}
			this.slotByKey.put(key, slot);
			this.keyBySlot.put(slot, key);
			this.policy.onInsert(slot);
		}

		void remove(int key) {
			Integer slot = this.slotByKey.remove(key);
			if (slot != null) {
				this.keyBySlot.remove(slot);
				this.policy.onRemove(slot);
				this.slots.release(slot);
			}
		}

	}

	@Property(tries = 200)
	void entriesSurviveAnySwitches(@ForAll long seed, @ForAll @IntRange(min = 1, max = 300) int capacity) {
		Player player = new Player(capacity);
		Random random = new Random(seed);
		for (int i = 0; i < 5_000; i++) {
			int key = random.nextInt(3 * capacity);
			switch (random.nextInt(20)) {
				case 0 -> player.remove(key);
				case 1 -> player.policy.force(random.nextInt(6));
				default -> player.use(key);
			}
		}
		Set<Integer> left = new HashSet<>();
		for (int slot = player.policy.pollHottest(); slot != Slots.NONE; slot = player.policy.pollHottest()) {
			assertThat(left.add(slot)).isTrue();
		}
		assertThat(left).isEqualTo(player.keyBySlot.keySet());
	}

	@Test
	void itFindsThePolicyThatALoopNeedsAndTheOneForSweeps() {
		Player loop = new Player(500);
		for (int i = 0; i < 100_000; i++) {
			loop.use(i % 700);
		}
		assertThat((double) loop.hits / loop.uses).isGreaterThan(0.65);
		Player sweeps = new Player(500);
		for (int i = 0; i < 100_000; i++) {
			int at = i % 2_000;
			sweeps.use((at < 1_000) ? at : 1_999 - at);
		}
		assertThat(sweeps.policy.activeName()).isEqualTo("LRU");
		assertThat(sweeps.policy.rule().decisions()).isNotEmpty();
	}

	@Test
	void aSwitchMovesEntriesInBoundedSlices() {
		int capacity = 100_000;
		Player player = new Player(capacity);
		for (int i = 0; i < capacity; i++) {
			player.use(i);
		}
		player.policy.force(3);
		int steps = 0;
		while (player.policy.isMoving()) {
			player.use(steps++);
		}
		// Each use moves a slice, and the entry that it hits.
		assertThat(steps).isBetween(capacity / (AicPolicy.SLICE + 1), capacity / AicPolicy.SLICE + 1);
		assertThat(player.hits).isEqualTo(steps);
	}

	@Test
	void otherSizesAreEstimated() {
		Player player = new Player(4_000);
		Random random = new Random(3);
		for (int i = 0; i < 400_000; i++) {
			player.use((int) (16_000 * random.nextDouble()));
		}
		double[] curve = player.policy.missRatioCurve();
		assertThat(curve[0]).isBetween(0.04, 0.25);
		assertThat(curve[1]).isBetween(0.15, 0.35);
		assertThat(curve[2]).isBetween(0.35, 0.65);
		assertThat(curve[3]).isGreaterThan(0.9);
	}

	/** Weights change all the time, and with them how many entries fit. */
	@Property(tries = 100)
	void aGhostOfAnotherSizeKeepsWhatItKnows(@ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int first,
			@ForAll @IntRange(min = 1, max = 200) int second) {
		GhostCache ghost = new GhostCache(io.github.vicinal.cache.policy.Policies.LRU, first);
		Random random = new Random(seed);
		List<Integer> byUse = new ArrayList<>();
		for (int i = 0; i < 2_000; i++) {
			int hash = Player.hash(random.nextInt(400));
			boolean known = byUse.remove((Integer) hash);
			assertThat(ghost.access(hash)).isEqualTo(known);
			byUse.add(hash);
			int capacity = (i < 1_000) ? first : second;
			if (byUse.size() > capacity) {
				byUse.remove(0);
			}
			if (i == 999) {
				ghost.resize(second, (sampled) -> sampled % 3 != 0);
				byUse.removeIf((sampled) -> sampled % 3 == 0);
				byUse = new ArrayList<>(byUse.subList(Math.max(0, byUse.size() - second), byUse.size()));
			}
		}
		for (int hash : byUse) {
			assertThat(ghost.contains(hash)).isTrue();
		}
	}

	@Test
	void knowledgeOfCandidatesOutlivesAChangeOfSize() {
		Player player = new Player(1_000);
		Random random = new Random(3);
		for (int i = 0; i < 200_000; i++) {
			player.use((int) (4_000 * random.nextDouble() * random.nextDouble()));
		}
		double before = player.policy.rule().recentRate(3);
		double[] curve = player.policy.missRatioCurve();
		for (int change = 0; change < 50; change++) {
			player.policy.resize((change % 2 == 0) ? 1_100 : 1_000);
			for (int i = 0; i < 1_000; i++) {
				player.use((int) (4_000 * random.nextDouble() * random.nextDouble()));
			}
		}
		assertThat(player.policy.rule().recentRate(3)).isBetween(before - 0.05, before + 0.05);
		for (int i = 0; i < curve.length; i++) {
			assertThat(player.policy.missRatioCurve()[i]).isBetween(curve[i] - 0.1, curve[i] + 0.1);
		}
	}

	@Test
	void aGhostIsTheCacheInMiniature() {
		PolicyFactory lru = io.github.vicinal.cache.policy.Policies.LRU;
		GhostCache ghost = new GhostCache(lru, 100);
		Slots slots = new Slots(101);
		ReplacementPolicy policy = lru.create(slots, 100);
		Map<Integer, Integer> slotByKey = new HashMap<>();
		Random random = new Random(9);
		for (int i = 0; i < 100_000; i++) {
			int key = (int) Math.abs(random.nextGaussian() * 100);
			Integer slot = slotByKey.get(key);
			assertThat(ghost.access(Player.hash(key))).isEqualTo(slot != null);
			if (slot != null) {
				policy.onHit(slot);
				continue;
			}
			int added = slots.allocate(Player.hash(key));
			if (slotByKey.size() == 100) {
				int victim = policy.evict(added);
				slotByKey.values().remove(victim);
				slots.release(victim);
			}
			slotByKey.put(key, added);
			policy.onInsert(added);
		}
	}

}
