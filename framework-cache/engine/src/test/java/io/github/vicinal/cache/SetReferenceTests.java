package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.vicinal.cache.policy.FrequencySketch;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Which entry goes from a set, compared with references that are slow and short. */
class SetReferenceTests {

	private static final int SEED = 1;

	private static SetStore<Integer, Integer> store(CachePolicy policy, int size) {
		CacheBuilder<Integer, Integer> builder = CacheBuilder.<Integer, Integer>named("test")
			.policy(policy)
			.maximumSize(size);
		return new SetStore<>(builder, new Removals<>("test", null, Runnable::run, Runnable::run, null), SEED);
	}

	/** One set: what is in each way, and what the policy of the set knows. */
	private abstract static class ReferenceSet {

		final @Nullable Integer[] ways;

		ReferenceSet(int ways) {
			this.ways = new Integer[ways];
		}

		int find(int key) {
			return IntStream.range(0, this.ways.length)
				.filter((way) -> Integer.valueOf(key).equals(this.ways[way]))
				.findFirst()
				.orElse(-1);
		}

		/** Uses a key, which comes in if it is not there; returns whether it was. */
		boolean use(int key) {
			int way = find(key);
			boolean hit = way >= 0;
			for (int i = 0; i < this.ways.length && way < 0; i++) {
				way = (this.ways[i] == null) ? i : -1;
			}
			if (way < 0) {
				way = victim();
			}
			this.ways[way] = key;
			used(way);
			return hit;
		}

		void remove(int key) {
			int way = find(key);
			if (way >= 0) {
				this.ways[way] = null;
			}
		}

		abstract int victim();

		abstract void used(int way);

	}

	/** LRU: the ways in the order of their last use. */
	private static final class LruSet extends ReferenceSet {

		private final List<Integer> order = new ArrayList<>();

		LruSet(int ways) {
			super(ways);
		}

		@Override
		int victim() {
			return this.order.get(0);
		}

		@Override
		void used(int way) {
			this.order.remove((Integer) way);
			this.order.add(way);
		}

	}

	/** A binary tree over the ways, whose inner nodes point to a half each. */
	private static final class TreeSet extends ReferenceSet {

		/** Whether the node over these ways points to the upper half. */
		private final Map<List<Integer>, Boolean> upper = new HashMap<>();

		TreeSet(int ways) {
			super(ways);
		}

		private List<Integer> all() {
			return IntStream.range(0, this.ways.length).boxed().toList();
		}

		@Override
		int victim() {
			List<Integer> node = all();
			while (node.size() > 1) {
				node = half(node, this.upper.getOrDefault(node, false));
			}
			return node.get(0);
		}

		/** Each node above the way now points away from it. */
		@Override
		void used(int way) {
			List<Integer> node = all();
			while (node.size() > 1) {
				boolean isInUpper = half(node, true).contains(way);
				this.upper.put(node, !isInUpper);
				node = half(node, isInUpper);
			}
		}

		private static List<Integer> half(List<Integer> node, boolean upper) {
			int middle = node.size() / 2;
			return upper ? node.subList(middle, node.size()) : node.subList(0, middle);
		}

	}

	private static ReferenceSet reference(CachePolicy policy) {
		return policy.equals(CachePolicy.PLRU) ? new TreeSet(policy.ways()) : new LruSet(policy.ways());
	}

	@Property(tries = 300)
	void plruIsATreeAndTwoWayIsLru(@ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int sets,
			@ForAll boolean tree) {
		CachePolicy policy = tree ? CachePolicy.PLRU : CachePolicy.TWO_WAY;
		SetStore<Integer, Integer> store = store(policy, sets * policy.ways());
		Map<Integer, ReferenceSet> references = new HashMap<>();
		Random random = new Random(seed);
		int keys = 1 + random.nextInt(3 * sets * policy.ways());
		for (int i = 0; i < 3_000; i++) {
			int key = random.nextInt(keys);
			ReferenceSet reference = references.computeIfAbsent(store.set(store.hash(key)),
					(absent) -> reference(policy));
			if (random.nextInt(30) == 0) {
				store.remove(key);
				reference.remove(key);
				continue;
			}
			boolean hit = (random.nextInt(4) == 0) ? store.put(key, key) != null : store.get(key) != null;
			if (!hit) {
				store.putIfAbsent(key, key);
			}
			assertThat(hit).as("%s, operation %d, key %d", policy, i, key).isEqualTo(reference.use(key));
		}
		Set<Integer> expected = new HashSet<>();
		references.values().forEach((set) -> {
			for (Integer key : set.ways) {
				if (key != null) {
					expected.add(key);
				}
			}
		});
		Set<Integer> there = new HashSet<>();
		store.iterator().forEachRemaining((entry) -> there.add(entry.getKey()));
		assertThat(there).isEqualTo(expected);
	}

	/**
	 * Time goes on by steps of some inserts, and entries that were used in one step are
	 * alike: so the victim was last used less than a step after the one that LRU would
	 * evict; where inserts are counted by samples, steps differ by some inserts.
	 */
	@ParameterizedTest
	@CsvSource({ "48, 4", "48, 8", "48, 16", "48, 64", "1024, 8", "2048, 8" })
	void kWayIsLruToWithinAStep(int sets, int ways) {
		SetStore<Integer, Integer> store = store(CachePolicy.kWay(ways), sets * ways);
		Random random = new Random(ways);
		List<Map<Integer, Integer>> lastUse = new ArrayList<>();
		IntStream.range(0, sets).forEach((set) -> lastUse.add(new HashMap<>()));
		int inserts = 0;
		int evictions = 0;
		int exact = 0;
		boolean sampled = store.step() >= SetStore.LEAST_SAMPLED_STEP;
		int longestStep = sampled ? store.step() + store.step() / 2 : store.step();
		for (int i = 0; i < (sampled ? 25 : 100) * sets * ways; i++) {
			int key = random.nextInt(3 * sets * ways);
			Map<Integer, Integer> used = lastUse.get(store.set(store.hash(key)));
			if (store.get(key) != null) {
				assertThat(used).containsKey(key);
				used.put(key, inserts);
				continue;
			}
			assertThat(used).doesNotContainKey(key);
			store.put(key, key);
			if (used.size() == ways) {
				List<Integer> gone = used.keySet().stream().filter((known) -> store.peek(known) == null).toList();
				assertThat(gone).hasSize(1);
				int victim = used.remove(gone.get(0));
				int oldest = used.values().stream().mapToInt(Integer::intValue).min().orElseThrow();
				assertThat(victim - oldest).as("insert %d", inserts).isLessThan(longestStep);
				evictions++;
				exact += (victim <= oldest) ? 1 : 0;
			}
			used.put(key, inserts);
			inserts++;
		}
		assertThat(evictions).isGreaterThan(10 * sets * ways);
		assertThat((double) exact / evictions).isGreaterThan(0.5);
	}

	/** One way of a set with admission. */
	private static final class Way {

		final int key;

		int uses;

		int stamp;

		Way(int key) {
			this.key = key;
		}

	}

	/**
	 * In one set, in which each insert is a step of time: the fewest uses go first, of
	 * these the one that was used the longest ago, as far as 256 steps show. Who is not
	 * asked for more often stays out, and every other one of these costs the victim a
	 * use.
	 */
	@Property(tries = 200)
	void withAdmissionTheLeastUsedGoesForOneThatIsAskedForMore(@ForAll long seed,
			@ForAll @IntRange(min = 1, max = 6) int waysAsPower) {
		int ways = 1 << waysAsPower;
		SetStore<Integer, Integer> store = store(CachePolicy.kWayTinyLfu(ways), ways);
		FrequencySketch sketch = new FrequencySketch(ways, 10);
		List<Way> set = new ArrayList<>();
		int time = 0;
		Random random = new Random(seed);
		for (int i = 0; i < 3_000; i++) {
			int key = (int) (3 * ways * Math.pow(random.nextDouble(), 2));
			Way way = set.stream().filter((known) -> known.key == key).findFirst().orElse(null);
			assertThat(store.get(key) != null).as("operation %d, key %d", i, key).isEqualTo(way != null);
			if (way != null) {
				way.uses = Math.min(15, way.uses + 1);
				way.stamp = time;
				continue;
			}
			store.put(key, key);
			int hash = store.hash(key);
			sketch.add(hash);
			int at = set.size();
			if (at == ways) {
				int now = time;
				Way victim = set.stream()
					.min(Comparator.<Way>comparingInt((known) -> known.uses)
						.thenComparingInt((known) -> -((now - known.stamp) % 256)))
					.orElseThrow();
				if (sketch.estimate(hash) <= victim.uses) {
					victim.uses -= (victim.uses > 0 && hash % 2 == 0) ? 1 : 0;
					continue;
				}
				at = set.indexOf(victim);
				set.remove(at);
			}
			Way admitted = new Way(key);
			admitted.uses = sketch.estimate(hash);
			admitted.stamp = time++;
			set.add(at, admitted);
		}
	}

}
