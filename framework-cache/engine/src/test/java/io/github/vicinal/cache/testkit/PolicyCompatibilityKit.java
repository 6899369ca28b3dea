package io.github.vicinal.cache.testkit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import io.github.vicinal.cache.policy.Slots;

/**
 * Checks that a policy keeps the contract of {@link ReplacementPolicy}: it gives back
 * what it was given, each slot once, and nothing else. Needs no test framework.
 *
 * <pre class="code">
 * PolicyCompatibilityKit.check(MyPolicy::new);
 * </pre>
 *
 * @since 0.1.0
 */
public final class PolicyCompatibilityKit {

	private static final int STEPS = 5_000;

	private static final int[] CAPACITIES = { 1, 2, 3, 10, 100, 1_000 };

	private final Random random;

	private final int capacity;

	private final Slots slots;

	private final ReplacementPolicy policy;

	private final Map<Integer, Integer> slotByKey = new HashMap<>();

	private final Map<Integer, Integer> keyBySlot = new HashMap<>();

	private PolicyCompatibilityKit(PolicyFactory factory, int capacity, long seed) {
		this.random = new Random(seed);
		this.capacity = capacity;
		this.slots = new Slots(capacity + 1);
		this.policy = factory.create(this.slots, capacity);
	}

	/**
	 * Plays random accesses, removals and hand-overs on policies of several sizes.
	 * @param factory makes the policy
	 * @throws AssertionError if the policy breaks its contract
	 */
	public static void check(PolicyFactory factory) {
		for (int capacity : CAPACITIES) {
			for (long seed = 0; seed < 5; seed++) {
				new PolicyCompatibilityKit(factory, capacity, seed).run(factory);
			}
		}
	}

	private void run(PolicyFactory factory) {
		for (int i = 0; i < STEPS; i++) {
			int key = (int) (3 * this.capacity * Math.pow(this.random.nextDouble(), 2));
			switch (this.random.nextInt(20)) {
				case 0 -> remove(key);
				case 1 -> evictForNobody();
				default -> use(key);
			}
		}
		ReplacementPolicy other = factory.create(this.slots, this.capacity);
		drain(other);
		Set<Integer> again = new HashSet<>();
		for (int slot = other.pollHottest(); slot != Slots.NONE; slot = other.pollHottest()) {
			require(again.add(slot), "pollHottest() returned slot %d twice", slot);
		}
		require(again.equals(this.keyBySlot.keySet()), "adopted %s, gave back %s", this.keyBySlot.keySet(), again);
	}

	/** Hands over while the cache goes on: an entry belongs to either policy. */
	private void drain(ReplacementPolicy to) {
		Set<Integer> moved = new HashSet<>();
		for (int slot = this.policy.pollHottest(); slot != Slots.NONE; slot = this.policy.pollHottest()) {
			require(this.keyBySlot.containsKey(slot), "pollHottest() returned slot %d, which was not there", slot);
			require(moved.add(slot), "pollHottest() returned slot %d twice", slot);
			to.adoptColder(slot);
			List<Integer> left = this.keyBySlot.keySet().stream().filter((any) -> !moved.contains(any)).toList();
			switch (this.random.nextInt(8)) {
				case 0 -> evictWhileGivingAway(moved, left);
				case 1 -> removeWhileGivingAway(left);
				case 2 -> to.onHit(moved.stream().skip(this.random.nextInt(moved.size())).findFirst().orElseThrow());
				default -> {
				}
			}
		}
		require(moved.equals(this.keyBySlot.keySet()), "pollHottest() gave %s of %s", moved, this.keyBySlot.keySet());
	}

	private void evictWhileGivingAway(Set<Integer> moved, List<Integer> left) {
		if (!left.isEmpty()) {
			int victim = this.policy.evict(Slots.NONE);
			require(!moved.contains(victim), "evict() returned slot %d, which was given away", victim);
			forget(victim);
		}
	}

	private void removeWhileGivingAway(List<Integer> left) {
		if (!left.isEmpty()) {
			int slot = left.get(this.random.nextInt(left.size()));
			Integer key = this.keyBySlot.get(slot);
			if (key != null) {
				remove(key);
			}
		}
	}

	private void use(int key) {
		Integer known = this.slotByKey.get(key);
		if (known != null) {
			this.policy.onHit(known);
			return;
		}
		int slot = this.slots.allocate(key * 0x9E3779B9);
		if (this.slotByKey.size() == this.capacity) {
			int victim = this.policy.evict(slot);
			if (victim == slot) {
				this.slots.release(slot);
				return;
			}
			forget(victim);
		}
		this.slotByKey.put(key, slot);
		this.keyBySlot.put(slot, key);
		this.policy.onInsert(slot);
	}

	private void evictForNobody() {
		if (!this.slotByKey.isEmpty()) {
			forget(this.policy.evict(Slots.NONE));
		}
	}

	private void forget(int victim) {
		Integer key = this.keyBySlot.remove(victim);
		require(key != null, "evict() returned slot %d, which was not there", victim);
		this.slotByKey.remove(key);
		this.slots.release(victim);
	}

	private void remove(int key) {
		Integer slot = this.slotByKey.remove(key);
		if (slot != null) {
			this.keyBySlot.remove(slot);
			this.policy.onRemove(slot);
			this.slots.release(slot);
		}
	}

	private static void require(boolean condition, String message, Object... arguments) {
		if (!condition) {
			throw new AssertionError(message.formatted(arguments));
		}
	}

}
