package io.github.vicinal.cache;

import java.util.HashMap;
import java.util.Map;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever threads do to a cache that evicts nothing, there is an order in which a map
 * would have answered the same. Lincheck makes up the operations, runs them at once (or
 * by turns, at each access to shared memory: model checking), and looks for the order.
 */
@Tag("deep")
class LinearizabilityTests {

	private static void check(Class<?> caches) {
		stress(caches);
		limit(new ModelCheckingOptions().iterations(6).invocationsPerIteration(150)).threads(2).check(caches);
	}

	private static void stress(Class<?> caches) {
		limit(new StressOptions().iterations(10).invocationsPerIteration(300)).threads(3).check(caches);
	}

	private static <O extends Options<O, ?>> O limit(O options) {
		return options.actorsPerThread(2)
			.actorsBefore(1)
			.actorsAfter(1)
			.minimizeFailedScenario(true)
			.sequentialSpecification(Sequential.class);
	}

	@Test
	void twoWays() {
		check(TwoWay.class);
	}

	@Test
	void eightWaysInOneSet() {
		check(EightWays.class);
	}

	@Test
	void sixteenWaysInOneSet() {
		check(SixteenWays.class);
	}

	@Test
	void exactPolicies() {
		stress(Exact.class);
		limit(new ModelCheckingOptions().iterations(3).invocationsPerIteration(60)).threads(2).check(Exact.class);
	}

	@Test
	void computationsOnCaffeine() {
		stress(ComputedTinyLfu.class);
	}

	@Test
	void computationsOnPolicies() {
		stress(ComputedAic.class);
		limit(new ModelCheckingOptions().iterations(3).invocationsPerIteration(60)).threads(2).check(ComputedAic.class);
	}

	@Test
	void computationsInSets() {
		check(ComputedEightWays.class);
	}

	@Test
	void loadsThatMeetInOnePlace() {
		check(Loads.class);
	}

	/** Answers of a map. */
	public static class Sequential {

		private final Map<Integer, Integer> map = new HashMap<>();

		public @Nullable Integer get(int key) {
			return this.map.get(key);
		}

		public @Nullable Integer put(int key, int value) {
			return this.map.put(key, value);
		}

		public @Nullable Integer putIfAbsent(int key, int value) {
			return this.map.putIfAbsent(key, value);
		}

		public @Nullable Integer replace(int key, int value) {
			return this.map.replace(key, value);
		}

		public @Nullable Integer remove(int key) {
			return this.map.remove(key);
		}

		public @Nullable Integer load(int key, int value) {
			return this.map.computeIfAbsent(key, (any) -> value);
		}

		public void forget(int key) {
			this.map.remove(key);
		}

		public boolean removeIf(int key, int value) {
			return this.map.remove(key, value);
		}

		public boolean replaceIf(int key, int expected, int value) {
			return this.map.replace(key, expected, value);
		}

		public @Nullable Integer merge(int key, int value) {
			return this.map.merge(key, value, Integer::sum);
		}

		/** Adds one, and removes what is even. */
		public @Nullable Integer compute(int key) {
			return this.map.compute(key, (any, old) -> next(old));
		}

		static @Nullable Integer next(@Nullable Integer old) {
			if (old == null) {
				return 1;
			}
			return (old % 2 == 0) ? null : old + 1;
		}

	}

	/** A cache's map, under the names of the sequential one. */
	@Param(name = "key", gen = IntGen.class, conf = "1:3")
	@Param(name = "value", gen = IntGen.class, conf = "1:9")
	public abstract static class Concurrent {

		final Cache<Integer, Integer> cache;

		Concurrent(CachePolicy policy, int size) {
			this.cache = CacheBuilder.<Integer, Integer>named("test").policy(policy).maximumSize(size).seed(7).build();
		}

		@Operation
		public @Nullable Integer get(@Param(name = "key") int key) {
			return this.cache.getIfPresent(key);
		}

		@Operation
		public @Nullable Integer put(@Param(name = "key") int key, @Param(name = "value") int value) {
			return this.cache.asMap().put(key, value);
		}

		@Operation
		public @Nullable Integer putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
			return this.cache.asMap().putIfAbsent(key, value);
		}

		@Operation
		public @Nullable Integer replace(@Param(name = "key") int key, @Param(name = "value") int value) {
			return this.cache.asMap().replace(key, value);
		}

		@Operation
		public @Nullable Integer remove(@Param(name = "key") int key) {
			return this.cache.asMap().remove(key);
		}

	}

	/** Sets of two share a word of tags and a version. */
	public static class TwoWay extends Concurrent {

		public TwoWay() {
			super(CachePolicy.TWO_WAY, 64);
		}

	}

	/** All keys compete for the places of one set. */
	public static class EightWays extends Concurrent {

		public EightWays() {
			super(CachePolicy.kWay(8), 8);
		}

	}

	/** The tags of the keys are in another word than the version. */
	public static class SixteenWays extends Concurrent {

		public SixteenWays() {
			super(CachePolicy.kWay(16), 16);
			for (int key = -8; key < 0; key++) {
				this.cache.put(key, key);
			}
		}

	}

	/** Map, read buffer, write queue and policy. */
	public static class Exact extends Concurrent {

		public Exact() {
			super(CachePolicy.LRU, 8);
		}

	}

	/** Beside plain writes, those that depend on what is there. */
	public abstract static class Computed extends Concurrent {

		Computed(CachePolicy policy) {
			super(policy, 8);
		}

		@Operation
		public boolean removeIf(@Param(name = "key") int key, @Param(name = "value") int value) {
			return this.cache.asMap().remove(key, value);
		}

		@Operation
		public boolean replaceIf(@Param(name = "key") int key, @Param(name = "value") int expected,
				@Param(name = "value") int value) {
			return this.cache.asMap().replace(key, expected, value);
		}

		@Operation
		public @Nullable Integer merge(@Param(name = "key") int key, @Param(name = "value") int value) {
			return this.cache.asMap().merge(key, value, Integer::sum);
		}

		@Operation
		public @Nullable Integer compute(@Param(name = "key") int key) {
			return this.cache.asMap().compute(key, (any, old) -> Sequential.next(old));
		}

	}

	/** Few values, so that conditions are met. */
	@Param(name = "key", gen = IntGen.class, conf = "1:2")
	@Param(name = "value", gen = IntGen.class, conf = "1:2")
	public static class ComputedTinyLfu extends Computed {

		public ComputedTinyLfu() {
			super(CachePolicy.TINY_LFU);
		}

	}

	/** As above, on map, buffer, queue and the policy that changes its mind. */
	@Param(name = "key", gen = IntGen.class, conf = "1:2")
	@Param(name = "value", gen = IntGen.class, conf = "1:2")
	public static class ComputedAic extends Computed {

		public ComputedAic() {
			super(CachePolicy.AIC);
		}

	}

	/** As above, in a set. */
	@Param(name = "key", gen = IntGen.class, conf = "1:2")
	@Param(name = "value", gen = IntGen.class, conf = "1:2")
	public static class ComputedEightWays extends Computed {

		public ComputedEightWays() {
			super(CachePolicy.kWay(8));
		}

	}

	/**
	 * Loads against writes and invalidations. An invalidation that meets a load comes
	 * after it, without knowing of its value: so it returns nothing here.
	 */
	@Param(name = "key", gen = IntGen.class, conf = "1:2")
	@Param(name = "value", gen = IntGen.class, conf = "1:9")
	public static class Loads {

		private final Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.kWay(8))
			.maximumSize(8)
			.seed(7)
			.build();

		@Operation
		public @Nullable Integer get(@Param(name = "key") int key) {
			return this.cache.getIfPresent(key);
		}

		@Operation
		public @Nullable Integer load(@Param(name = "key") int key, @Param(name = "value") int value) {
			return this.cache.get(key, (any) -> value);
		}

		@Operation
		public void forget(@Param(name = "key") int key) {
			this.cache.invalidate(key);
		}

	}

}
