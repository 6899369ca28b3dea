package io.github.vicinal.benchmarks.cache;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.cache.aic.AicPolicy;
import io.github.vicinal.cache.policy.Slots;

/** Maximum duration of an access while AIC changes from each candidate to the next. */
final class SwitchPauses {

	private static final int REPEATS = 5;

	/**
	 * Number of hits per entry before a switch. S3-FIFO then finds no victim in its first
	 * round, and a round is the work of many accesses.
	 */
	private static final int HITS_BEFORE = 4;

	/** Number of accesses of which one is a miss, which evicts. */
	private static final int MISS_INTERVAL = 4;

	/** Accesses that are timed for each switch, by entries: more than it takes. */
	private static final double ACCESSES_PER_ENTRY = 0.5;

	private static final MethodHandle FORCE = switching();

	private SwitchPauses() {
	}

	private static MethodHandle switching() {
		try {
			Method method = AicPolicy.class.getDeclaredMethod("force", int.class);
			method.setAccessible(true);
			return MethodHandles.lookup().unreflect(method);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("AIC has no method to switch", ex);
		}
	}

	/**
	 * Forces switches in a full policy, and times each access, hits and misses that
	 * evict, until the entries have changed over and some time beyond. The machine
	 * interrupts accesses, too: what a switch itself costs comes again with each repeat,
	 * so that the least of the repeats' longest accesses counts.
	 * @return the longest pause of the switch to each candidate, in ms
	 */
	static Map<String, Double> millis(int entries) {
		Slots slots = new Slots(entries + 1);
		AicPolicy policy = new AicPolicy(slots, entries);
		Random random = new Random(7);
		int[] resident = new int[entries];
		int[] at = new int[entries + 1];
		for (int i = 0; i < entries; i++) {
			resident[i] = slots.allocate(random.nextInt());
			at[resident[i]] = i;
			policy.onInsert(resident[i]);
		}
		List<String> names = policy.candidateNames();
		Map<String, Double> least = new LinkedHashMap<>();
		for (int repeat = 0; repeat < REPEATS; repeat++) {
			for (int candidate = 0; candidate < names.size(); candidate++) {
				for (int hits = 0; hits < HITS_BEFORE; hits++) {
					for (int slot : resident) {
						policy.onHit(slot);
					}
				}
				long longest = 0;
				for (int i = 0; i < entries * ACCESSES_PER_ENTRY; i++) {
					int any = resident[random.nextInt(entries)];
					int hash = random.nextInt();
					long start = System.nanoTime();
					if (i == 0) {
						force(policy, candidate);
					}
					if (i % MISS_INTERVAL != 0) {
						policy.onHit(any);
						longest = Math.max(longest, System.nanoTime() - start);
						continue;
					}
					int slot = slots.allocate(hash);
					int victim = policy.evict(slot);
					slots.release(victim);
					if (victim != slot) {
						policy.onInsert(slot);
					}
					longest = Math.max(longest, System.nanoTime() - start);
					if (victim != slot) {
						resident[at[victim]] = slot;
						at[slot] = at[victim];
					}
				}
				least.merge(names.get(candidate), longest / 1e6, Math::min);
			}
		}
		return least;
	}

	/** Only the policy itself decides on switches, so it has no public method for one. */
	private static void force(AicPolicy policy, int candidate) {
		try {
			FORCE.invokeExact(policy, candidate);
		}
		catch (Throwable ex) {
			throw new IllegalStateException("AIC has no method to switch", ex);
		}
	}

}
