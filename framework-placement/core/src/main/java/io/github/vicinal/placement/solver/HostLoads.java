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
		for (int resource = 0; resource < resources; resource++) {
			double all = 0;
			for (int host = 0; host < hosts; host++) {
				all += capacity[host * resources + resource];
			}
			unit[resource] = (all > 0) ? hosts / all : 1;
		}
		return unit;
	}

	void add(int item, int host, int times) {
		for (int resource = 0; resource < this.resources; resource++) {
			int at = host * this.resources + resource;
			long added = times * this.demand[item * this.resources + resource];
			if (this.balanceWeight > 0) {
				double before = this.load[at] * this.inverse[at];
				double after = (this.load[at] + added) * this.inverse[at];
				this.sum[resource] += after - before;
				this.squares[resource] += after * after - before * before;
			}
			this.load[at] += added;
		}
	}

	/** Computes from scratch what moves keep up to date, without their rounding. */
	void recount() {
		Arrays.fill(this.sum, 0);
		Arrays.fill(this.squares, 0);
		for (int i = 0; i < this.load.length; i++) {
			double utilisation = this.load[i] * this.inverse[i];
			this.sum[i % this.resources] += utilisation;
			this.squares[i % this.resources] += utilisation * utilisation;
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
		for (int resource = 0; resource < this.balanced; resource++) {
			cost += this.balanceWeight * variance(this.sum[resource], this.squares[resource]);
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
		int at = host * this.resources;
		for (int resource = 0; resource < this.resources; resource++, at++) {
			long added = ((plus >= 0) ? plusTimes * this.demand[plus * this.resources + resource] : 0)
					- ((minus >= 0) ? minusTimes * this.demand[minus * this.resources + resource] : 0);
			long before = this.load[at] - this.capacity[at];
			long after = before + added;
			if (after > 0 || before > 0) {
				by += (Math.max(0, after) - Math.max(0, before)) * this.unit[resource];
			}
		}
		return by;
	}

	/** Number of units of an item that fit beside the present ones. */
	int room(int host, int item) {
		long room = Integer.MAX_VALUE;
		for (int resource = 0; resource < this.resources; resource++) {
			int at = host * this.resources + resource;
			long needed = this.demand[item * this.resources + resource];
			if (needed > 0) {
				room = Math.min(room, (this.capacity[at] - this.load[at]) / needed);
			}
		}
		return (int) Math.max(0, room);
	}

	/** Load over a host's capacity, in parts of a mean host. */
	double overOf(int host) {
		double over = 0;
		for (int resource = 0; resource < this.resources; resource++) {
			int at = host * this.resources + resource;
			over += Math.max(0, this.load[at] - this.capacity[at]) * this.unit[resource];
		}
		return over;
	}

	/**
	 * Number of units of an item that have to go so that the others fit, if that is
	 * enough.
	 */
	int excessUnits(int host, int item) {
		long units = 0;
		for (int resource = 0; resource < this.resources; resource++) {
			int at = host * this.resources + resource;
			long needed = this.demand[item * this.resources + resource];
			long excess = this.load[at] - this.capacity[at];
			if (needed > 0 && excess > 0) {
				units = Math.max(units, (excess + needed - 1) / needed);
			}
		}
		return (int) Math.min(Integer.MAX_VALUE, units);
	}

	/**
	 * Additional cost of the balance if units of an item go from one host to another and
	 * units of the other item, unless it is -1, go back.
	 */
	double imbalanceBy(int item, int itemTimes, int other, int otherTimes, int from, int to) {
		if (this.balanceWeight == 0) {
			return 0;
		}
		double by = 0;
		for (int resource = 0; resource < this.balanced; resource++) {
			long moved = itemTimes * this.demand[item * this.resources + resource]
					- ((other >= 0) ? otherTimes * this.demand[other * this.resources + resource] : 0);
			int atFrom = from * this.resources + resource;
			int atTo = to * this.resources + resource;
			double fromBefore = this.load[atFrom] * this.inverse[atFrom];
			double toBefore = this.load[atTo] * this.inverse[atTo];
			double fromAfter = (this.load[atFrom] - moved) * this.inverse[atFrom];
			double toAfter = (this.load[atTo] + moved) * this.inverse[atTo];
			double sum = this.sum[resource] + fromAfter - fromBefore + toAfter - toBefore;
			double squares = this.squares[resource] + fromAfter * fromAfter - fromBefore * fromBefore
					+ toAfter * toAfter - toBefore * toBefore;
			by += this.balanceWeight * (variance(sum, squares) - variance(this.sum[resource], this.squares[resource]));
		}
		return by;
	}

}
