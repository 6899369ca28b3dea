package io.github.vicinal.benchmarks.cache;

import java.util.Arrays;
import java.util.Random;

import io.github.vicinal.cache.aic.AicPolicy;
import io.github.vicinal.cache.policy.Slots;

/** How long an access takes at most while AIC changes from each candidate to the next. */
final class SwitchPauses {

	private static final int REPEATS = 5;

	private SwitchPauses() {
	}

	/**
	 * Forces switches in a full policy, and times each access until the entries have
	 * changed over. The machine interrupts accesses, too: what a switch itself costs
	 * comes again with each repeat, so that the least of the repeats' longest accesses
	 * counts.
	 * @return the longest pause of the worst switch, in ms
	 */
	static double worstMillis(int entries) {
		Slots slots = new Slots(entries + 1);
		AicPolicy policy = new AicPolicy(slots, entries);
		Random random = new Random(7);
		for (int i = 0; i < entries; i++) {
			policy.onInsert(slots.allocate(random.nextInt()));
		}
		int candidates = policy.candidateNames().size();
		double[] least = new double[candidates];
		Arrays.fill(least, Double.MAX_VALUE);
		for (int repeat = 0; repeat < REPEATS; repeat++) {
			for (int candidate = 0; candidate < candidates; candidate++) {
				long longest = 0;
				for (int i = 0; i < entries / 8; i++) {
					long start = System.nanoTime();
					if (i == 0) {
						policy.force(candidate);
					}
					policy.onHit(random.nextInt(entries));
					longest = Math.max(longest, System.nanoTime() - start);
				}
				least[candidate] = Math.min(least[candidate], longest / 1e6);
			}
		}
		return Arrays.stream(least).max().orElse(Double.NaN);
	}

}
