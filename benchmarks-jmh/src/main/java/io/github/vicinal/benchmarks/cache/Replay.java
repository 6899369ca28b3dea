package io.github.vicinal.benchmarks.cache;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;

/** Plays traces of keys on caches. Deterministic, whatever the load of the machine. */
final class Replay {

	private static final long SEED = 20261121;

	private Replay() {
	}

	/**
	 * Result of a trace.
	 *
	 * @param hitPercent hits of 100 requests
	 * @param evictions entries that were evicted or not admitted
	 */
	record Outcome(double hitPercent, long evictions) {
	}

	static Outcome play(int[] trace, CachePolicy policy, int size) {
		Cache<Integer, Integer> cache = CacheBuilder.<Integer, Integer>named("replay")
			.policy(policy)
			.maximumSize(size)
			.recordStatistics()
			.seed(SEED)
			.build();
		long hits = 0;
		for (int key : trace) {
			Integer boxed = key;
			if (cache.getIfPresent(boxed) != null) {
				hits++;
			}
			else {
				cache.put(boxed, boxed);
			}
		}
		cache.cleanUp();
		return new Outcome(100.0 * hits / trace.length, cache.statistics().evictions());
	}

	/**
	 * Belady's optimum: evicts what is used again last, and knows the future.
	 * @return hits of 100 requests
	 */
	static double optimum(int[] trace, int size) {
		int[] next = new int[trace.length];
		Map<Integer, Integer> seen = new HashMap<>();
		for (int i = trace.length - 1; i >= 0; i--) {
			Integer later = seen.put(trace[i], i);
			next[i] = (later != null) ? later : Integer.MAX_VALUE;
		}
		Map<Integer, Integer> nextUse = new HashMap<>();
		PriorityQueue<long[]> farthest = new PriorityQueue<>((a, b) -> Long.compare(b[0], a[0]));
		long hits = 0;
		for (int i = 0; i < trace.length; i++) {
			int key = trace[i];
			if (nextUse.containsKey(key)) {
				hits++;
			}
			else if (nextUse.size() == size) {
				long[] victim = farthest.remove();
				// Entries of uses that are past are left in the queue.
				while (!Integer.valueOf((int) victim[0]).equals(nextUse.get((int) victim[1]))) {
					victim = farthest.remove();
				}
				nextUse.remove((int) victim[1]);
			}
			nextUse.put(key, next[i]);
			farthest.add(new long[] { next[i], key });
		}
		return 100.0 * hits / trace.length;
	}

}
