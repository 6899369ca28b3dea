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
		for (int service = 0; service < problem.services; service++) {
			this.apart.add(Collections.emptyList());
			this.zoneApart.add(Collections.emptyList());
		}
		pairs(problem.apartOne, problem.apartOther, this.apart);
		pairs(problem.zoneApartOne, problem.zoneApartOther, this.zoneApart);
		for (int host = 0; host < problem.hosts; host++) {
			this.servicesInZone.add(new ArrayList<>());
		}
	}

	private static void pairs(int[] one, int[] other, List<List<Integer>> into) {
		for (int pair = 0; pair < one.length; pair++) {
			add(into, one[pair], other[pair]);
			if (one[pair] != other[pair]) {
				add(into, other[pair], one[pair]);
			}
		}
	}

	private static void add(List<List<Integer>> into, int service, int other) {
		if (into.get(service).isEmpty()) {
			into.set(service, new ArrayList<>());
		}
		into.get(service).add(other);
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
		for (int resource = 0; resource < this.problem.resources; resource++) {
			if (this.problem.demand(service, resource) > free(host, resource)) {
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
		for (int resource = 0; resource < this.problem.resources; resource++) {
			this.free[host * this.problem.resources + resource] -= this.problem.demand(service, resource);
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
		for (int host = 0; host < this.problem.hosts; host++) {
			if (!this.problem.allows(service, host)) {
				continue;
			}
			double bad = permitted(service, host) ? 0 : 1e6;
			for (int resource = 0; resource < this.problem.resources; resource++) {
				long capacity = Math.max(1, this.problem.capacity(host, resource));
				bad += Math.max(0, this.problem.demand(service, resource) - free(host, resource)) / (double) capacity;
			}
			if (bad < least) {
				least = bad;
				best = host;
			}
		}
		return best;
	}

	/** Services by falling demand, each resource in parts of what all hosts have. */
	static int[] byFallingSize(Problem problem) {
		double[] size = new double[problem.services];
		for (int resource = 0; resource < problem.resources; resource++) {
			long all = 0;
			for (int host = 0; host < problem.hosts; host++) {
				all += problem.capacity(host, resource);
			}
			for (int service = 0; service < problem.services; service++) {
				size[service] = Math.max(size[service],
						(all > 0) ? (double) problem.demand(service, resource) / all : 0);
			}
		}
		Integer[] order = new Integer[problem.services];
		Arrays.setAll(order, (service) -> service);
		Arrays.sort(order, (one, other) -> Double.compare(size[other], size[one]));
		return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
	}

}
