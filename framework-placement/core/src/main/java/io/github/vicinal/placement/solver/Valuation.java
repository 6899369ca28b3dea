package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.BitSet;

/** Values a placement from scratch. */
final class Valuation {

	private Valuation() {
	}

	static Value of(Problem problem, int[] placement) {
		int m = problem.hosts;
		int resources = problem.resources;
		long[] load = new long[m * resources];
		int[] used = new int[m];
		long violations = 0;
		for (int s = 0; s < problem.services; s++) {
			for (int i = problem.firstReplica[s]; i < problem.firstReplica[s + 1]; i++) {
				int h = placement[i];
				used[h] = 1;
				violations += problem.allows(s, h) ? 0 : 1;
				for (int r = 0; r < resources; r++) {
					load[h * resources + r] += problem.demand[s * resources + r];
				}
			}
		}
		double over = 0;
		double imbalance = 0;
		for (int r = 0; r < resources; r++) {
			double capacity = 0;
			double sum = 0;
			double squares = 0;
			long excess = 0;
			for (int h = 0; h < m; h++) {
				long has = problem.capacity[h * resources + r];
				capacity += has;
				excess += Math.max(0, load[h * resources + r] - has);
				double u = (has > 0) ? (double) load[h * resources + r] / has : 0;
				sum += u;
				squares += u * u;
			}
			over += (excess == 0) ? 0 : (capacity > 0) ? excess * m / capacity : excess;
			imbalance += (r >= problem.balanced) ? 0 : Math.max(0, squares / m - (sum / m) * (sum / m));
		}
		Sharing sharing = new Sharing(problem, placement);
		violations += sharing.violations();
		int moved = moved(problem, placement);
		violations += sharing.concentrated();
		violations += (problem.maxMoves >= 0) ? Math.max(0, moved - problem.maxMoves) : 0;
		double communication = sharing.communication();
		int hosts = Arrays.stream(used).sum();
		double objective = problem.communicationWeight * communication + problem.imbalanceWeight * imbalance
				+ problem.moveWeight * moved / problem.replicas() + problem.hostWeight * hosts / m;
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
		for (int s = 0; s < problem.services; s++) {
			int unplaced = 0;
			int arriving = 0;
			for (int i = problem.firstReplica[s]; i < problem.firstReplica[s + 1]; i++) {
				balance[placement[i]]++;
				if (current[i] >= 0) {
					balance[current[i]]--;
				}
				else {
					unplaced++;
				}
			}
			for (int i = problem.firstReplica[s]; i < problem.firstReplica[s + 1]; i++) {
				int h = placement[i];
				arriving += Math.max(0, balance[h]);
				balance[h] = Math.min(0, balance[h]);
			}
			for (int i = problem.firstReplica[s]; i < problem.firstReplica[s + 1]; i++) {
				if (current[i] >= 0) {
					balance[current[i]] = 0;
				}
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
			for (int s = 0; s < problem.services; s++) {
				int start = problem.firstReplica[s];
				for (int i = start; i < problem.firstReplica[s + 1]; i++) {
					int h = placement[i];
					int at = this.mark[h];
					if (at < start || at >= start + this.size[s] || this.host[at] != h) {
						at = start + this.size[s]++;
						this.mark[h] = at;
						this.host[at] = h;
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
			for (int e = 0; e < this.problem.edgeFrom.length; e++) {
				int s = this.problem.edgeFrom[e];
				int t = this.problem.edgeTo[e];
				cost += this.problem.edgeGain[e] * (1 - local(s, t, at, at, false));
				if (zoneGain != null && zoneGain[e] > 0) {
					cost += zoneGain[e] * (1 - local(s, t, at, there, true));
				}
			}
			return cost;
		}

		/** The part of an edge's traffic that stays on a host, or in a zone. */
		private double local(int s, int t, int[] at, int[] there, boolean zones) {
			int startS = this.problem.firstReplica[s];
			int startT = this.problem.firstReplica[t];
			for (int i = startS; i < startS + this.size[s]; i++) {
				at[place(this.host[i], zones)] += this.count[i];
			}
			for (int i = startT; zones && i < startT + this.size[t]; i++) {
				there[place(this.host[i], true)] += this.count[i];
			}
			double local = 0;
			for (int i = startT; i < startT + this.size[t]; i++) {
				int place = place(this.host[i], zones);
				double x = (double) at[place] / this.problem.replicas[s];
				double y = (double) (zones ? there[place] : this.count[i]) / this.problem.replicas[t];
				local += this.problem.locality ? Math.min(x, y) : x * y;
				if (zones) {
					// A zone of several hosts counts once.
					there[place] = 0;
				}
			}
			for (int i = startS; i < startS + this.size[s]; i++) {
				at[place(this.host[i], zones)] = 0;
			}
			return local;
		}

		long violations() {
			long violations = 0;
			for (int s = 0; s < this.problem.services; s++) {
				int start = this.problem.firstReplica[s];
				for (int i = start; i < start + this.size[s]; i++) {
					violations += Math.max(0, this.count[i] - this.problem.maxPerHost[s]);
				}
			}
			int[] at = new int[this.problem.hosts];
			for (int p = 0; p < this.problem.apartOne.length; p++) {
				violations += shared(this.problem.apartOne[p], this.problem.apartOther[p], at, false);
			}
			for (int p = 0; p < this.problem.zoneApartOne.length; p++) {
				violations += shared(this.problem.zoneApartOne[p], this.problem.zoneApartOther[p], at, true);
			}
			return violations;
		}

		/** Hosts and zones that services lack, unless they stay as they are. */
		long concentrated() {
			long lacking = 0;
			for (int s = 0; s < this.problem.services; s++) {
				if (!this.problem.spread(s)) {
					continue;
				}
				int start = this.problem.firstReplica[s];
				BitSet zones = new BitSet();
				for (int i = start; i < start + this.size[s]; i++) {
					zones.set(this.problem.zone[this.host[i]]);
				}
				int lacks = Math.max(0, this.problem.minHosts[s] - this.size[s])
						+ Math.max(0, this.problem.minZones[s] - zones.cardinality());
				lacking += (lacks > 0 && !unchanged(s)) ? lacks : 0;
			}
			return lacking;
		}

		private boolean unchanged(int s) {
			int[] current = this.problem.current;
			if (current == null) {
				return false;
			}
			int start = this.problem.firstReplica[s];
			int[] now = Arrays.copyOfRange(current, start, this.problem.firstReplica[s + 1]);
			for (int i = start; i < start + this.size[s]; i++) {
				int here = this.host[i];
				if (Arrays.stream(now).filter((host) -> host == here).count() != this.count[i]) {
					return false;
				}
			}
			return true;
		}

		private long shared(int s, int t, int[] at, boolean zones) {
			int startS = this.problem.firstReplica[s];
			int startT = this.problem.firstReplica[t];
			long shared = 0;
			for (int i = startS; i < startS + this.size[s]; i++) {
				at[place(this.host[i], zones)] += this.count[i];
			}
			if (s == t) {
				for (int i = startS; i < startS + this.size[s]; i++) {
					int place = place(this.host[i], zones);
					shared += Math.max(0, at[place] - 1);
					at[place] = 0;
				}
				return shared;
			}
			for (int i = startT; i < startT + this.size[t]; i++) {
				shared += Math.min(at[place(this.host[i], zones)], this.count[i]);
			}
			for (int i = startS; i < startS + this.size[s]; i++) {
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
