package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.BitSet;

/** Values a placement from scratch. */
final class Valuation {

	private Valuation() {
	}

	static Value of(Problem problem, int[] placement) {
		int hostCount = problem.hosts;
		int resources = problem.resources;
		long[] load = new long[hostCount * resources];
		int[] used = new int[hostCount];
		long violations = 0;
		for (int service = 0; service < problem.services; service++) {
			for (int i = problem.firstReplica[service]; i < problem.firstReplica[service + 1]; i++) {
				int host = placement[i];
				used[host] = 1;
				violations += problem.allows(service, host) ? 0 : 1;
				for (int resource = 0; resource < resources; resource++) {
					load[host * resources + resource] += problem.demand[service * resources + resource];
				}
			}
		}
		double over = 0;
		double imbalance = 0;
		for (int resource = 0; resource < resources; resource++) {
			double capacity = 0;
			double sum = 0;
			double squares = 0;
			long excess = 0;
			for (int host = 0; host < hostCount; host++) {
				long has = problem.capacity[host * resources + resource];
				capacity += has;
				excess += Math.max(0, load[host * resources + resource] - has);
				double utilisation = (has > 0) ? (double) load[host * resources + resource] / has : 0;
				sum += utilisation;
				squares += utilisation * utilisation;
			}
			over += (excess == 0) ? 0 : (capacity > 0) ? excess * hostCount / capacity : excess;
			imbalance += (resource >= problem.balanced) ? 0
					: Math.max(0, squares / hostCount - (sum / hostCount) * (sum / hostCount));
		}
		Sharing sharing = new Sharing(problem, placement);
		violations += sharing.violations();
		int moved = moved(problem, placement);
		violations += sharing.concentrated();
		violations += (problem.maxMoves >= 0) ? Math.max(0, moved - problem.maxMoves) : 0;
		double communication = sharing.communication();
		int hosts = Arrays.stream(used).sum();
		double objective = problem.communicationWeight * communication + problem.imbalanceWeight * imbalance
				+ problem.moveWeight * moved / problem.replicas() + problem.hostWeight * hosts / hostCount;
		return new Value(objective, communication, imbalance, moved, hosts, over, violations);
	}

	/** Replicas of a service are alike: only how many a host has more than now counts. */
	static int moved(Problem problem, int[] placement) {
		int[] current = problem.current;
		if (current == null) {
			return 0;
		}
		int moved = 0;
		int[] balance = new int[problem.hosts];
		for (int service = 0; service < problem.services; service++) {
			int unplaced = 0;
			int arriving = 0;
			for (int i = problem.firstReplica[service]; i < problem.firstReplica[service + 1]; i++) {
				balance[placement[i]]++;
				if (current[i] >= 0) {
					balance[current[i]]--;
				}
				else {
					unplaced++;
				}
			}
			for (int host : problem.stopping[service]) {
				balance[host]--;
			}
			for (int i = problem.firstReplica[service]; i < problem.firstReplica[service + 1]; i++) {
				int host = placement[i];
				arriving += Math.max(0, balance[host]);
				balance[host] = Math.min(0, balance[host]);
			}
			for (int i = problem.firstReplica[service]; i < problem.firstReplica[service + 1]; i++) {
				if (current[i] >= 0) {
					balance[current[i]] = 0;
				}
			}
			for (int host : problem.stopping[service]) {
				balance[host] = 0;
			}
			moved += arriving - unplaced;
		}
		return moved;
	}

	/** Number of replicas of each service on each host. */
	private static final class Sharing {

		private final Problem problem;

		/**
		 * Hosts of a service, and how many of its replicas they run, service by service.
		 */
		private final int[] host;

		private final int[] count;

		private final int[] size;

		private final int[] mark;

		Sharing(Problem problem, int[] placement) {
			this.problem = problem;
			this.host = new int[problem.replicas()];
			this.count = new int[problem.replicas()];
			this.size = new int[problem.services];
			this.mark = new int[problem.hosts];
			Arrays.fill(this.mark, -1);
			for (int service = 0; service < problem.services; service++) {
				int start = problem.firstReplica[service];
				for (int i = start; i < problem.firstReplica[service + 1]; i++) {
					int host = placement[i];
					int at = this.mark[host];
					if (at < start || at >= start + this.size[service] || this.host[at] != host) {
						at = start + this.size[service]++;
						this.mark[host] = at;
						this.host[at] = host;
					}
					this.count[at]++;
				}
			}
		}

		double communication() {
			double cost = this.problem.baseCost;
			double[] zoneGain = this.problem.zoneGain;
			int[] at = new int[this.problem.hosts];
			int[] there = (zoneGain != null) ? new int[this.problem.hosts] : at;
			for (int edge = 0; edge < this.problem.edgeFrom.length; edge++) {
				int from = this.problem.edgeFrom[edge];
				int to = this.problem.edgeTo[edge];
				cost += this.problem.edgeGain[edge] * (1 - local(from, to, at, at, false));
				if (zoneGain != null && zoneGain[edge] > 0) {
					cost += zoneGain[edge] * (1 - local(from, to, at, there, true));
				}
			}
			return cost;
		}

		/** The part of an edge's traffic that stays on a host, or in a zone. */
		private double local(int from, int to, int[] at, int[] there, boolean zones) {
			int fromStart = this.problem.firstReplica[from];
			int toStart = this.problem.firstReplica[to];
			for (int i = fromStart; i < fromStart + this.size[from]; i++) {
				at[place(this.host[i], zones)] += this.count[i];
			}
			for (int i = toStart; zones && i < toStart + this.size[to]; i++) {
				there[place(this.host[i], true)] += this.count[i];
			}
			double local = 0;
			for (int i = toStart; i < toStart + this.size[to]; i++) {
				int place = place(this.host[i], zones);
				double fromShare = (double) at[place] / this.problem.replicas[from];
				double toShare = (double) (zones ? there[place] : this.count[i]) / this.problem.replicas[to];
				local += this.problem.locality ? Math.min(fromShare, toShare) : fromShare * toShare;
				if (zones) {
					// A zone of several hosts counts once.
					there[place] = 0;
				}
			}
			for (int i = fromStart; i < fromStart + this.size[from]; i++) {
				at[place(this.host[i], zones)] = 0;
			}
			return local;
		}

		long violations() {
			long violations = 0;
			for (int service = 0; service < this.problem.services; service++) {
				int start = this.problem.firstReplica[service];
				for (int i = start; i < start + this.size[service]; i++) {
					violations += Math.max(0, this.count[i] - this.problem.maxPerHost[service]);
				}
			}
			int[] at = new int[this.problem.hosts];
			for (int pair = 0; pair < this.problem.apartOne.length; pair++) {
				violations += shared(this.problem.apartOne[pair], this.problem.apartOther[pair], at, false);
			}
			for (int pair = 0; pair < this.problem.zoneApartOne.length; pair++) {
				violations += shared(this.problem.zoneApartOne[pair], this.problem.zoneApartOther[pair], at, true);
			}
			return violations;
		}

		/** Hosts and zones that services lack, unless they stay as they are. */
		long concentrated() {
			long lacking = 0;
			for (int service = 0; service < this.problem.services; service++) {
				if (!this.problem.spread(service)) {
					continue;
				}
				int start = this.problem.firstReplica[service];
				BitSet zones = new BitSet();
				for (int i = start; i < start + this.size[service]; i++) {
					zones.set(this.problem.zone[this.host[i]]);
				}
				int minHosts = this.problem.minHosts[service];
				int minZones = this.problem.minZones[service];
				int[] running = this.problem.running(service);
				if (this.size[service] < minHosts || zones.cardinality() < minZones) {
					if (stays(service, running)) {
						minHosts = Math.min(minHosts, distinct(running, false));
						minZones = Math.min(minZones, distinct(running, true));
					}
					lacking += Math.max(0, minHosts - this.size[service]) + Math.max(0, minZones - zones.cardinality());
				}
			}
			return lacking;
		}

		private int distinct(int[] hosts, boolean zones) {
			return (int) Arrays.stream(hosts).map((host) -> place(host, zones)).distinct().count();
		}

		/** Whether no replica of a service comes to a host. */
		private boolean stays(int service, int[] running) {
			int start = this.problem.firstReplica[service];
			for (int i = start; i < start + this.size[service]; i++) {
				int here = this.host[i];
				if (Arrays.stream(running).filter((host) -> host == here).count() < this.count[i]) {
					return false;
				}
			}
			return true;
		}

		private long shared(int one, int other, int[] at, boolean zones) {
			int oneStart = this.problem.firstReplica[one];
			int otherStart = this.problem.firstReplica[other];
			long shared = 0;
			for (int i = oneStart; i < oneStart + this.size[one]; i++) {
				at[place(this.host[i], zones)] += this.count[i];
			}
			if (one == other) {
				for (int i = oneStart; i < oneStart + this.size[one]; i++) {
					int place = place(this.host[i], zones);
					shared += Math.max(0, at[place] - 1);
					at[place] = 0;
				}
				return shared;
			}
			for (int i = otherStart; i < otherStart + this.size[other]; i++) {
				shared += Math.min(at[place(this.host[i], zones)], this.count[i]);
			}
			for (int i = oneStart; i < oneStart + this.size[one]; i++) {
				at[place(this.host[i], zones)] = 0;
			}
			return shared;
		}

		/** Zones are numbered by their first host, so that both kinds fit one array. */
		private int place(int host, boolean zones) {
			return zones ? this.problem.zone[host] : host;
		}

	}

}
