package io.github.vicinal.placement.solver;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Items of a level that have several units, and the rules that only these have. */
final class Replication {

	/** Units by item. */
	final int[] parts;

	/** The most units of an item on one host. */
	final int[] maxPerHost;

	/** Fewest hosts and zones that an item may use; see {@link Problem}. */
	final int[] minHosts;

	final int[] minZones;

	/** Units that run on each host now, by item; null for those with one unit. */
	final int[] @Nullable [] home;

	/** Whether calls prefer units on the caller's host. */
	final boolean locality;

	Replication(int[] parts, int[] maxPerHost, int[] minHosts, int[] minZones, int[] @Nullable [] home,
			boolean locality) {
		this.parts = parts;
		this.maxPerHost = maxPerHost;
		this.minHosts = minHosts;
		this.minZones = minZones;
		this.home = home;
		this.locality = locality;
	}

	static Replication of(Problem problem) {
		int[] @Nullable [] home = new int[problem.services][];
		for (int service = 0; problem.current != null && service < problem.services; service++) {
			if (problem.replicas[service] > 1) {
				int[] row = new int[problem.hosts];
				for (int host : problem.running(service)) {
					row[host]++;
				}
				home[service] = row;
			}
		}
		return new Replication(problem.replicas, problem.maxPerHost, problem.minHosts, problem.minZones, home,
				problem.locality);
	}

	int units() {
		return Arrays.stream(this.parts).sum();
	}

}
