package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * Loads of hosts, their excess over capacity, and their balance; kept up to date move by
 * move.
 */
final class HostLoads {

	private final int hosts;

	private final int resources;

	/** Demands by item and resource. */
	private final long[] demand;

	private final long[] capacity;

	private final long[] load;

	/** 1 / capacity, 0 where there is none. */
	private final double[] inverse;

	/** Cost of one unit over any capacity: 1 / mean capacity, by resource. */
	private final double[] unit;

	/** Sum over hosts of utilisation, and of its square, by resource. */
	private final double[] sum;

	private final double[] squares;

	private final double balanceWeight;

	/** Number of resources that count for the balance: the first ones. */
	private final int balanced;

	HostLoads(int hosts, int resources, long[] demand, long[] capacity, double[] unit, double balanceWeight,
			int balanced) {
		this.hosts = hosts;
		this.resources = resources;
		this.demand = demand;
		this.capacity = capacity;
		this.unit = unit;
		this.balanceWeight = balanceWeight;
		this.balanced = balanced;
		this.load = new long[capacity.length];
		this.inverse = new double[capacity.length];
		Arrays.setAll(this.inverse, (i) -> (capacity[i] > 0) ? 1.0 / capacity[i] : 0);
		this.sum = new double[resources];
		this.squares = new double[resources];
	}

	/** Cost of one unit over any capacity: 1 / mean capacity, by resource. */
	static double[] units(int hosts, int resources, long[] capacity) {
		double[] unit = new double[resources];
		for (int r = 0; r < resources; r++) {
			double all = 0;
			for (int h = 0; h < hosts; h++) {
				all += capacity[h * resources + r];
			}
			unit[r] = (all > 0) ? hosts / all : 1;
		}
		return unit;
	}

	void add(int item, int host, int times) {
		for (int r = 0; r < this.resources; r++) {
			int i = host * this.resources + r;
			long d = times * this.demand[item * this.resources + r];
			if (this.balanceWeight > 0) {
				double before = this.load[i] * this.inverse[i];
				double after = (this.load[i] + d) * this.inverse[i];
				this.sum[r] += after - before;
				this.squares[r] += after * after - before * before;
			}
			this.load[i] += d;
		}
	}

	/** Computes from scratch what moves keep up to date, without their rounding. */
	void recount() {
		Arrays.fill(this.sum, 0);
		Arrays.fill(this.squares, 0);
		for (int i = 0; i < this.load.length; i++) {
			double u = this.load[i] * this.inverse[i];
			this.sum[i % this.resources] += u;
			this.squares[i % this.resources] += u * u;
		}
	}

	/** Load over capacity, in parts of a mean host. */
	double over() {
		double over = 0;
		for (int i = 0; i < this.load.length; i++) {
			over += Math.max(0, this.load[i] - this.capacity[i]) * this.unit[i % this.resources];
		}
		return over;
	}

	/** The utilisation of each host, summed over resources. */
	double[] utilisations() {
		double[] utilisations = new double[this.hosts];
		for (int i = 0; i < this.load.length; i++) {
			utilisations[i / this.resources] += this.load[i] * this.inverse[i];
		}
		return utilisations;
	}

	double imbalanceCost() {
		double cost = 0;
		for (int r = 0; r < this.balanced; r++) {
			cost += this.balanceWeight * variance(this.sum[r], this.squares[r]);
		}
		return cost;
	}

	private double variance(double sum, double squares) {
		double mean = sum / this.hosts;
		return squares / this.hosts - mean * mean;
	}

	/**
	 * Returns the increase of a host's excess over its capacity if one item comes and one
	 * goes; -1 for none.
	 */
	double overBy(int host, int plus, int plusTimes, int minus, int minusTimes) {
		double by = 0;
		int i = host * this.resources;
		for (int r = 0; r < this.resources; r++, i++) {
			long d = ((plus >= 0) ? plusTimes * this.demand[plus * this.resources + r] : 0)
					- ((minus >= 0) ? minusTimes * this.demand[minus * this.resources + r] : 0);
			long before = this.load[i] - this.capacity[i];
			long after = before + d;
			if (after > 0 || before > 0) {
				by += (Math.max(0, after) - Math.max(0, before)) * this.unit[r];
			}
		}
		return by;
	}

	/** Number of units of an item that fit beside the present ones. */
	int room(int host, int item) {
		long room = Integer.MAX_VALUE;
		for (int r = 0; r < this.resources; r++) {
			int i = host * this.resources + r;
			long d = this.demand[item * this.resources + r];
			if (d > 0) {
				room = Math.min(room, (this.capacity[i] - this.load[i]) / d);
			}
		}
		return (int) Math.max(0, room);
	}

	/** Load over a host's capacity, in parts of a mean host. */
	double overOf(int host) {
		double over = 0;
		for (int r = 0; r < this.resources; r++) {
			int i = host * this.resources + r;
			over += Math.max(0, this.load[i] - this.capacity[i]) * this.unit[r];
		}
		return over;
	}

	/**
	 * Number of units of an item that have to go so that the others fit, if that is
	 * enough.
	 */
	int excessUnits(int host, int item) {
		long units = 0;
		for (int r = 0; r < this.resources; r++) {
			int i = host * this.resources + r;
			long d = this.demand[item * this.resources + r];
			long excess = this.load[i] - this.capacity[i];
			if (d > 0 && excess > 0) {
				units = Math.max(units, (excess + d - 1) / d);
			}
		}
		return (int) Math.min(Integer.MAX_VALUE, units);
	}

	/**
	 * What the balance costs more if v goes from a to b, and u, unless it is -1, back.
	 */
	double imbalanceBy(int v, int vTimes, int u, int uTimes, int a, int b) {
		if (this.balanceWeight == 0) {
			return 0;
		}
		double by = 0;
		for (int r = 0; r < this.balanced; r++) {
			long d = vTimes * this.demand[v * this.resources + r]
					- ((u >= 0) ? uTimes * this.demand[u * this.resources + r] : 0);
			int i = a * this.resources + r;
			int j = b * this.resources + r;
			double ua = this.load[i] * this.inverse[i];
			double ub = this.load[j] * this.inverse[j];
			double va = (this.load[i] - d) * this.inverse[i];
			double vb = (this.load[j] + d) * this.inverse[j];
			double sum = this.sum[r] + va - ua + vb - ub;
			double squares = this.squares[r] + va * va - ua * ua + vb * vb - ub * ub;
			by += this.balanceWeight * (variance(sum, squares) - variance(this.sum[r], this.squares[r]));
		}
		return by;
	}

}
