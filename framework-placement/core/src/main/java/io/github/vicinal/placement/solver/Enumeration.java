package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Tries every placement of a problem with few of them. Where a cluster is almost full,
 * two good placements can be many steps apart, none of which fits; there no search by
 * steps is sure to get from one to the other, and this one is.
 * <p>
 * Replicas of a service are alike, so a placement is, for each service, how many of them
 * each host runs. What does not fit is not continued.
 */
final class Enumeration {

	/** More placements than this are not tried. */
	static final double MAX_PLACEMENTS = 200_000;

	/**
	 * The same where each service has one replica: there steps lead to the best placement
	 * without this, and trying all of them only proves it.
	 */
	private static final double MAX_SINGLE_PLACEMENTS = 20_000;

	private static final int INTERVAL = 1024;

	private final Problem problem;

	private final Search search;

	private final Integer[] order;

	private final int[] count;

	private final long[] used;

	private final int[] placement;

	private long tried;

	private long visited;

	private boolean expired;

	Enumeration(Problem problem, Search search) {
		this.problem = problem;
		this.search = search;
		this.order = new Integer[problem.services];
		Arrays.setAll(this.order, (s) -> s);
		// Those with many replicas of much demand leave least room: first.
		Arrays.sort(this.order, Comparator.comparingDouble((s) -> -share(s)));
		this.count = new int[problem.services * problem.hosts];
		this.used = new long[problem.hosts * problem.resources];
		this.placement = new int[problem.replicas()];
	}

	private double share(int service) {
		double most = 0;
		for (int r = 0; r < this.problem.resources; r++) {
			long all = 0;
			for (int h = 0; h < this.problem.hosts; h++) {
				all += this.problem.capacity(h, r);
			}
			most = Math.max(most,
					(double) this.problem.demand(service, r) * this.problem.replicas[service] / Math.max(1, all));
		}
		return most;
	}

	/**
	 * Returns whether a problem has few enough placements, and whether trying them leaves
	 * at least half of the iterations.
	 */
	static boolean covers(Problem problem, long iterations) {
		double most = problem.replicated() ? MAX_PLACEMENTS : Math.min(MAX_SINGLE_PLACEMENTS, iterations / 2.0);
		double placements = 1;
		for (int s = 0; s < problem.services && placements <= most; s++) {
			// Ways to divide alike replicas among hosts: (replicas + hosts - 1) over
			// replicas.
			for (int i = 1; i < problem.hosts && placements <= most; i++) {
				placements *= (double) (problem.replicas[s] + i) / i;
			}
		}
		return placements <= most;
	}

	/**
	 * Tries all.
	 * @return whether all were tried before the budget ended
	 */
	boolean run() {
		service(0);
		return !this.expired;
	}

	private void service(int at) {
		if (at == this.problem.services) {
			offer();
			return;
		}
		int s = this.order[at];
		host(at, s, 0, this.problem.replicas[s]);
	}

	private void host(int at, int s, int h, int left) {
		if (++this.visited % INTERVAL == 0) {
			this.expired = this.expired || this.search.expired(0);
		}
		if (this.expired) {
			return;
		}
		if (left == 0) {
			service(at + 1);
			return;
		}
		if (h == this.problem.hosts) {
			return;
		}
		int most = mayHost(s, h) ? Math.min(left, Math.min(this.problem.maxPerHost[s], fitting(s, h))) : 0;
		for (int n = most; n >= 0; n--) {
			put(s, h, n);
			host(at, s, h + 1, left - n);
			put(s, h, -n);
		}
	}

	private void put(int s, int h, int n) {
		this.count[s * this.problem.hosts + h] += n;
		for (int r = 0; r < this.problem.resources; r++) {
			this.used[h * this.problem.resources + r] += n * this.problem.demand(s, r);
		}
	}

	private int fitting(int s, int h) {
		long fitting = this.problem.replicas[s];
		for (int r = 0; r < this.problem.resources; r++) {
			long demand = this.problem.demand(s, r);
			if (demand > 0) {
				fitting = Math.min(fitting,
						(this.problem.capacity(h, r) - this.used[h * this.problem.resources + r]) / demand);
			}
		}
		return (int) Math.max(0, fitting);
	}

	private boolean mayHost(int s, int h) {
		if (!this.problem.allows(s, h)) {
			return false;
		}
		for (int p = 0; p < this.problem.apartOne.length; p++) {
			int t = other(s, this.problem.apartOne[p], this.problem.apartOther[p]);
			if (t >= 0 && this.count[t * this.problem.hosts + h] > 0) {
				return false;
			}
		}
		return true;
	}

	private static int other(int s, int one, int other) {
		return (one == s) ? other : (other == s) ? one : -1;
	}

	/** Zones and moves are left to the value of the whole placement. */
	private void offer() {
		int i = 0;
		for (int s = 0; s < this.problem.services; s++) {
			for (int h = 0; h < this.problem.hosts; h++) {
				for (int n = this.count[s * this.problem.hosts + h]; n > 0; n--) {
					this.placement[i++] = h;
				}
			}
		}
		this.search.offer(this.placement);
		if (++this.tried % INTERVAL == 0) {
			this.expired = this.search.expired(INTERVAL);
		}
	}

}
