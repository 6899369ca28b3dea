package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * A first placement: items in falling order of size, each unit on the host where it fits
 * and gains most from the neighbours that are placed.
 */
final class Greedy {

	private static final double DISTURBANCE = 0.4;

	/** Items between two looks at the clock. */
	private static final int INTERVAL = 64;

	private final Level level;

	private final Goals goals;

	private final int[] first;

	private final int[] hosts;

	private final long[] load;

	/** Weight of placed neighbours by host. */
	private final double[] pull;

	private Greedy(Level level, Goals goals, int[] fixed) {
		this.level = level;
		this.goals = goals;
		this.first = level.firstUnits();
		this.hosts = fixed.clone();
		this.load = new long[level.hosts * level.resources];
		this.pull = new double[level.hosts];
	}

	/**
	 * Places the items of a level.
	 * @param level the level
	 * @param goals what counts
	 * @param rng disturbs the order
	 * @param fixed hosts of units that are placed already, -1 for the others
	 * @param clock says when to place what is left anywhere
	 * @return the host of each unit; capacities may be exceeded
	 */
	static int[] place(Level level, Goals goals, Rng rng, int[] fixed, Clock clock) {
		return new Greedy(level, goals, fixed).place(rng, clock);
	}

	private int[] place(Rng rng, Clock clock) {
		int n = this.level.items;
		long[] order = new long[n];
		for (int v = 0; v < n; v++) {
			double size = this.level.share(v) * this.level.units(v);
			double key = size * (1 - DISTURBANCE / 2 + DISTURBANCE * rng.nextDouble());
			order[v] = ((long) Float.floatToIntBits((float) key) << 32) | v;
			for (int i = this.first[v]; i < this.first[v + 1]; i++) {
				if (this.hosts[i] >= 0) {
					add(v, this.hosts[i]);
				}
			}
		}
		Arrays.sort(order);
		boolean expired = false;
		for (int i = n - 1; i >= 0; i--) {
			expired = expired || (i % INTERVAL == 0 && clock.expired(0));
			int v = (int) order[i];
			if (expired) {
				anywhere(v);
			}
			else {
				item(v);
			}
		}
		return this.hosts;
	}

	private void anywhere(int v) {
		int h = v % this.level.hosts;
		for (int i = this.first[v]; i < this.first[v + 1]; i++) {
			if (this.hosts[i] < 0) {
				for (int tries = 0; tries < this.level.hosts && !this.level.allows(v, h); tries++) {
					h = (h + 1) % this.level.hosts;
				}
				this.hosts[i] = h;
				h = (h + 1) % this.level.hosts;
			}
		}
	}

	private void item(int v) {
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			pull(this.level.neighbour[e], this.level.weight[e]);
		}
		int units = this.level.units(v);
		int most = (this.level.replication != null) ? this.level.replication.maxPerHost[v] : 1;
		double gain = this.level.strength(v) / units;
		for (int i = this.first[v]; i < this.first[v + 1]; i++) {
			if (this.hosts[i] >= 0) {
				continue;
			}
			int h = best(v, units, most);
			if (h < 0) {
				anywhere(v);
				break;
			}
			this.hosts[i] = h;
			add(v, h);
			if (units > 1) {
				// The next unit gains there from what has no partner yet.
				this.pull[h] -= gain;
			}
		}
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			int t = this.level.neighbour[e];
			for (int i = this.first[t]; i < this.first[t + 1]; i++) {
				if (this.hosts[i] >= 0) {
					this.pull[this.hosts[i]] = 0;
				}
			}
		}
		for (int i = this.first[v]; units > 1 && i < this.first[v + 1]; i++) {
			this.pull[this.hosts[i]] = 0;
		}
	}

	private void pull(int t, double weight) {
		int units = this.level.units(t);
		for (int i = this.first[t]; i < this.first[t + 1]; i++) {
			if (this.hosts[i] >= 0) {
				this.pull[this.hosts[i]] += weight / units;
			}
		}
	}

	private int best(int v, int units, int most) {
		int resources = this.level.resources;
		double overWeight = 1000 * this.goals.scale() / Math.max(this.level.meanShare, 1e-9);
		double best = Double.NEGATIVE_INFINITY;
		int at = -1;
		for (int h = 0; h < this.level.hosts; h++) {
			if (!this.level.allows(v, h) || (units > 1 && most < units && here(v, h) >= most)) {
				continue;
			}
			double over = 0;
			double full = 0;
			for (int r = 0; r < resources; r++) {
				long after = this.load[h * resources + r] + this.level.demand[v * resources + r];
				over += Math.max(0, after - this.level.capacity[h * resources + r]) * this.level.unit[r];
				full = Math.max(full, after * this.level.inverse[h * resources + r]);
			}
			double score = 10 * this.pull[h] - overWeight * over - 0.2 * this.goals.scale() * full;
			if (score > best) {
				best = score;
				at = h;
			}
		}
		return at;
	}

	private int here(int v, int h) {
		int here = 0;
		for (int i = this.first[v]; i < this.first[v + 1]; i++) {
			here += (this.hosts[i] == h) ? 1 : 0;
		}
		return here;
	}

	private void add(int v, int h) {
		for (int r = 0; r < this.level.resources; r++) {
			this.load[h * this.level.resources + r] += this.level.demand[v * this.level.resources + r];
		}
	}

}
