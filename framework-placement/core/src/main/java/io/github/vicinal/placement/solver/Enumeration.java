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
		Arrays.setAll(this.order, (service) -> service);
		// Those with many replicas of much demand leave least room: first.
		Arrays.sort(this.order, Comparator.comparingDouble((service) -> -share(service)));
		this.count = new int[problem.services * problem.hosts];
		this.used = new long[problem.hosts * problem.resources];
		this.placement = new int[problem.replicas()];
	}

	private double share(int service) {
		double most = 0;
		for (int resource = 0; resource < this.problem.resources; resource++) {
			long all = 0;
			for (int host = 0; host < this.problem.hosts; host++) {
				all += this.problem.capacity(host, resource);
			}
			most = Math.max(most, (double) this.problem.demand(service, resource) * this.problem.replicas[service]
					/ Math.max(1, all));
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
		for (int service = 0; service < problem.services && placements <= most; service++) {
			// Ways to divide alike replicas among hosts: (replicas + hosts - 1) over
			// replicas.
			for (int i = 1; i < problem.hosts && placements <= most; i++) {
				placements *= (double) (problem.replicas[service] + i) / i;
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
		int service = this.order[at];
		host(at, service, 0, this.problem.replicas[service]);
	}

	private void host(int at, int service, int host, int left) {
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
		if (host == this.problem.hosts) {
			return;
		}
		int most = mayHost(service, host)
				? Math.min(left, Math.min(this.problem.maxPerHost[service], fitting(service, host))) : 0;
		for (int replicas = most; replicas >= 0; replicas--) {
			put(service, host, replicas);
			host(at, service, host + 1, left - replicas);
			put(service, host, -replicas);
		}
	}

	private void put(int service, int host, int replicas) {
		this.count[service * this.problem.hosts + host] += replicas;
		for (int resource = 0; resource < this.problem.resources; resource++) {
			this.used[host * this.problem.resources + resource] += replicas * this.problem.demand(service, resource);
		}
	}

	private int fitting(int service, int host) {
		long fitting = this.problem.replicas[service];
		for (int resource = 0; resource < this.problem.resources; resource++) {
			long demand = this.problem.demand(service, resource);
			if (demand > 0) {
				fitting = Math.min(fitting,
						(this.problem.capacity(host, resource) - this.used[host * this.problem.resources + resource])
								/ demand);
			}
		}
		return (int) Math.max(0, fitting);
	}

	private boolean mayHost(int service, int host) {
		if (!this.problem.allows(service, host)) {
			return false;
		}
		for (int pair = 0; pair < this.problem.apartOne.length; pair++) {
			int other = other(service, this.problem.apartOne[pair], this.problem.apartOther[pair]);
			if (other >= 0 && this.count[other * this.problem.hosts + host] > 0) {
				return false;
			}
		}
		return true;
	}

	private static int other(int service, int one, int other) {
		return (one == service) ? other : (other == service) ? one : -1;
	}

	/** Zones and moves are left to the value of the whole placement. */
	private void offer() {
		int replica = 0;
		for (int service = 0; service < this.problem.services; service++) {
			for (int host = 0; host < this.problem.hosts; host++) {
				for (int left = this.count[service * this.problem.hosts + host]; left > 0; left--) {
					this.placement[replica++] = host;
				}
			}
		}
		this.search.offer(this.placement);
		if (++this.tried % INTERVAL == 0) {
			this.expired = this.search.expired(INTERVAL);
		}
	}

}
