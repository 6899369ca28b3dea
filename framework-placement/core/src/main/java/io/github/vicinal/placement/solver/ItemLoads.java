package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Free room and rules while replicas are put on hosts one by one. */
final class ItemLoads {

	private final Problem problem;

	private final long[] free;

	private final int[][] countOnHost;

	private final List<List<Integer>> apart = new ArrayList<>();

	private final List<List<Integer>> zoneApart = new ArrayList<>();

	private final List<List<Integer>> servicesInZone = new ArrayList<>();

	ItemLoads(Problem problem) {
		this.problem = problem;
		this.free = problem.capacity.clone();
		this.countOnHost = new int[problem.services][];
		for (int s = 0; s < problem.services; s++) {
			this.apart.add(Collections.emptyList());
			this.zoneApart.add(Collections.emptyList());
		}
		pairs(problem.apartOne, problem.apartOther, this.apart);
		pairs(problem.zoneApartOne, problem.zoneApartOther, this.zoneApart);
		for (int h = 0; h < problem.hosts; h++) {
			this.servicesInZone.add(new ArrayList<>());
		}
	}

	private static void pairs(int[] one, int[] other, List<List<Integer>> into) {
		for (int p = 0; p < one.length; p++) {
			add(into, one[p], other[p]);
			if (one[p] != other[p]) {
				add(into, other[p], one[p]);
			}
		}
	}

	private static void add(List<List<Integer>> into, int s, int t) {
		if (into.get(s).isEmpty()) {
			into.set(s, new ArrayList<>());
		}
		into.get(s).add(t);
	}

	long free(int host, int resource) {
		return this.free[host * this.problem.resources + resource];
	}

	int count(int service, int host) {
		int[] counts = this.countOnHost[service];
		return (counts == null) ? 0 : counts[host];
	}

	/** Returns whether one more replica fits and breaks no rule. */
	boolean fits(int service, int host) {
		return fitsIn(service, host) && permitted(service, host);
	}

	private boolean fitsIn(int service, int host) {
		for (int r = 0; r < this.problem.resources; r++) {
			if (this.problem.demand(service, r) > free(host, r)) {
				return false;
			}
		}
		return true;
	}

	private boolean permitted(int service, int host) {
		if (!this.problem.allows(service, host) || count(service, host) >= this.problem.maxPerHost[service]) {
			return false;
		}
		for (int other : this.apart.get(service)) {
			if (count(other, host) > 0) {
				return false;
			}
		}
		if (!this.zoneApart.get(service).isEmpty()) {
			List<Integer> there = this.servicesInZone.get(this.problem.zone[host]);
			return this.zoneApart.get(service).stream().noneMatch(there::contains);
		}
		return true;
	}

	void put(int service, int host) {
		for (int r = 0; r < this.problem.resources; r++) {
			this.free[host * this.problem.resources + r] -= this.problem.demand(service, r);
		}
		if (this.countOnHost[service] == null) {
			this.countOnHost[service] = new int[this.problem.hosts];
		}
		this.countOnHost[service][host]++;
		if (!this.zoneApart.get(service).isEmpty()) {
			this.servicesInZone.get(this.problem.zone[host]).add(service);
		}
	}

	/** The host to overload least where nothing fits. */
	int leastBad(int service) {
		int best = -1;
		double least = Double.POSITIVE_INFINITY;
		for (int h = 0; h < this.problem.hosts; h++) {
			if (!this.problem.allows(service, h)) {
				continue;
			}
			double bad = permitted(service, h) ? 0 : 1e6;
			for (int r = 0; r < this.problem.resources; r++) {
				long capacity = Math.max(1, this.problem.capacity(h, r));
				bad += Math.max(0, this.problem.demand(service, r) - free(h, r)) / (double) capacity;
			}
			if (bad < least) {
				least = bad;
				best = h;
			}
		}
		return best;
	}

	/** Services by falling demand, each resource in parts of what all hosts have. */
	static int[] byFallingSize(Problem problem) {
		double[] size = new double[problem.services];
		for (int r = 0; r < problem.resources; r++) {
			long all = 0;
			for (int h = 0; h < problem.hosts; h++) {
				all += problem.capacity(h, r);
			}
			for (int s = 0; s < problem.services; s++) {
				size[s] = Math.max(size[s], (all > 0) ? (double) problem.demand(s, r) / all : 0);
			}
		}
		Integer[] order = new Integer[problem.services];
		Arrays.setAll(order, (s) -> s);
		Arrays.sort(order, (s, t) -> Double.compare(size[t], size[s]));
		return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
	}

}
