package io.github.vicinal.placement.solver;

import java.util.function.BooleanSupplier;

/**
 * Exchanges all replicas of two hosts if that saves moves. Traffic costs the same on
 * either of two equal hosts, but moves do not.
 */
final class Relabelling {

	private static final int MAX_PASSES = 20;

	/** Placements that are valued at most. */
	private static final int MAX_VALUATIONS = 2000;

	private Relabelling() {
	}

	/**
	 * Exchanges hosts.
	 * @param problem what is placed where
	 * @param placement the host of each replica
	 * @param current where replicas run now
	 * @param closed says when to stop
	 * @return a placement that is at least as good
	 */
	static int[] of(Problem problem, int[] placement, int[] current, BooleanSupplier closed) {
		if (closed.getAsBoolean()) {
			return placement;
		}
		int[] best = placement.clone();
		Value value = problem.value(best);
		boolean improved = true;
		int valuations = 0;
		for (int pass = 0; improved && pass < MAX_PASSES; pass++) {
			improved = false;
			for (int host = 0; host < problem.hosts; host++) {
				if (closed.getAsBoolean() || valuations >= MAX_VALUATIONS) {
					return best;
				}
				int origin = origin(problem, best, current, host);
				if (origin == host || origin < 0) {
					continue;
				}
				valuations++;
				int[] exchanged = best.clone();
				for (int i = 0; i < exchanged.length; i++) {
					exchanged[i] = (best[i] == host) ? origin : (best[i] == origin) ? host : best[i];
				}
				Value other = problem.value(exchanged);
				if (other.betterThan(value)) {
					best = exchanged;
					value = other;
					improved = true;
				}
			}
		}
		return best;
	}

	/**
	 * The host that most of what is placed on a host runs on now, -1 if nothing of it
	 * runs.
	 */
	private static int origin(Problem problem, int[] placement, int[] current, int host) {
		int[] from = new int[problem.hosts];
		int most = -1;
		for (int i = 0; i < placement.length; i++) {
			if (placement[i] == host && current[i] >= 0) {
				from[current[i]]++;
				if (most < 0 || from[current[i]] > from[most]) {
					most = current[i];
				}
			}
		}
		return most;
	}

}
