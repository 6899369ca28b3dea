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

	/** Hosts that are tried for a unit without a fitting neighbour when time is over. */
	private static final int TRIED = 64;

	private final Level level;

	private final Goals goals;

	private final int[] first;

	private final int[] hosts;

	private final long[] load;

	/** Weight of placed neighbours by host. */
	private final double[] pull;

	/** Host that is tried next when time is over. */
	private int next;

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
	 * @param clock says when to look at few hosts only for what is left
	 * @return the host of each unit; capacities may be exceeded
	 */
	static int[] place(Level level, Goals goals, Rng rng, int[] fixed, Clock clock) {
		return new Greedy(level, goals, fixed).place(rng, clock);
	}

	private int[] place(Rng rng, Clock clock) {
		int items = this.level.items;
		long[] order = new long[items];
		for (int item = 0; item < items; item++) {
			double size = this.level.share(item) * this.level.units(item);
			double key = size * (1 - DISTURBANCE / 2 + DISTURBANCE * rng.nextDouble());
			order[item] = ((long) Float.floatToIntBits((float) key) << 32) | item;
			for (int i = this.first[item]; i < this.first[item + 1]; i++) {
				if (this.hosts[i] >= 0) {
					add(item, this.hosts[i]);
				}
			}
		}
		Arrays.sort(order);
		boolean expired = false;
		for (int i = items - 1; i >= 0; i--) {
			expired = expired || (i % INTERVAL == 0 && clock.expired(0));
			int item = (int) order[i];
			if (expired) {
				quickly(item);
			}
			else {
				item(item);
			}
		}
		return this.hosts;
	}

	private void anywhere(int item) {
		int host = item % this.level.hosts;
		for (int i = this.first[item]; i < this.first[item + 1]; i++) {
			if (this.hosts[i] < 0) {
				for (int tries = 0; tries < this.level.hosts && !this.level.allows(item, host); tries++) {
					host = (host + 1) % this.level.hosts;
				}
				this.hosts[i] = host;
				host = (host + 1) % this.level.hosts;
			}
		}
	}

	/** Places an item beside its neighbours or on one of the next hosts. */
	private void quickly(int item) {
		pull(item);
		for (int i = this.first[item]; i < this.first[item + 1]; i++) {
			if (this.hosts[i] < 0) {
				int host = near(item, i);
				for (int tries = 0; host < 0 && tries < Math.min(TRIED, this.level.hosts); tries++) {
					if (takes(item, i, this.next)) {
						host = this.next;
					}
					else {
						this.next = (this.next + 1) % this.level.hosts;
					}
				}
				if (host < 0) {
					anywhere(item);
					break;
				}
				this.hosts[i] = host;
				add(item, host);
			}
		}
		release(item);
	}

	/** The host of a neighbour that gains most among those that take a unit, or -1. */
	private int near(int item, int unit) {
		int best = -1;
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			int neighbour = this.level.neighbour[edge];
			for (int i = this.first[neighbour]; i < this.first[neighbour + 1]; i++) {
				int host = this.hosts[i];
				if (host >= 0 && host != best && this.pull[host] > ((best < 0) ? 0 : this.pull[best])
						&& takes(item, unit, host)) {
					best = host;
				}
			}
		}
		return best;
	}

	/**
	 * Whether a host takes a unit, and gives its item a new host or zone if it needs one.
	 */
	private boolean takes(int item, int unit, int host) {
		if (!this.level.allows(item, host) || this.pull[host] < 0) {
			return false;
		}
		int resources = this.level.resources;
		for (int resource = 0; resource < resources; resource++) {
			if (this.load[host * resources + resource]
					+ this.level.demand[item * resources + resource] > this.level.capacity[host * resources
							+ resource]) {
				return false;
			}
		}
		Replication replication = this.level.replication;
		int units = this.level.units(item);
		if (replication == null || units == 1) {
			return true;
		}
		// The first units take the hosts and zones that are needed.
		int placed = unit - this.first[item];
		boolean newHost = placed < replication.minHosts[item];
		boolean newZone = placed < replication.minZones[item];
		int here = 0;
		for (int i = this.first[item]; i < this.first[item + 1]; i++) {
			if (this.hosts[i] >= 0) {
				here += (this.hosts[i] == host) ? 1 : 0;
				if (newZone && this.level.zone[this.hosts[i]] == this.level.zone[host]) {
					return false;
				}
			}
		}
		return here < replication.maxPerHost[item] && !(newHost && here > 0);
	}

	private void pull(int item) {
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			pull(this.level.neighbour[edge], this.level.weight[edge]);
		}
	}

	private void item(int item) {
		pull(item);
		int units = this.level.units(item);
		int most = (this.level.replication != null) ? this.level.replication.maxPerHost[item] : 1;
		double gain = this.level.strength(item) / units;
		for (int i = this.first[item]; i < this.first[item + 1]; i++) {
			if (this.hosts[i] >= 0) {
				continue;
			}
			int host = best(item, units, most);
			if (host < 0) {
				anywhere(item);
				break;
			}
			this.hosts[i] = host;
			add(item, host);
			if (units > 1) {
				// The next unit gains there from what has no partner yet.
				this.pull[host] -= gain;
			}
		}
		release(item);
	}

	/** Forgets the pull of the neighbours of an item. */
	private void release(int item) {
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			int neighbour = this.level.neighbour[edge];
			for (int i = this.first[neighbour]; i < this.first[neighbour + 1]; i++) {
				if (this.hosts[i] >= 0) {
					this.pull[this.hosts[i]] = 0;
				}
			}
		}
		for (int i = this.first[item]; this.level.units(item) > 1 && i < this.first[item + 1]; i++) {
			this.pull[this.hosts[i]] = 0;
		}
	}

	private void pull(int neighbour, double weight) {
		int units = this.level.units(neighbour);
		for (int i = this.first[neighbour]; i < this.first[neighbour + 1]; i++) {
			if (this.hosts[i] >= 0) {
				this.pull[this.hosts[i]] += weight / units;
			}
		}
	}

	private int best(int item, int units, int most) {
		int resources = this.level.resources;
		double overWeight = 1000 * this.goals.scale() / Math.max(this.level.meanShare, 1e-9);
		double best = Double.NEGATIVE_INFINITY;
		int at = -1;
		for (int host = 0; host < this.level.hosts; host++) {
			if (!this.level.allows(item, host) || (units > 1 && most < units && here(item, host) >= most)) {
				continue;
			}
			double over = 0;
			double full = 0;
			for (int resource = 0; resource < resources; resource++) {
				long after = this.load[host * resources + resource] + this.level.demand[item * resources + resource];
				over += Math.max(0, after - this.level.capacity[host * resources + resource])
						* this.level.unit[resource];
				full = Math.max(full, after * this.level.inverse[host * resources + resource]);
			}
			double score = 10 * this.pull[host] - overWeight * over - 0.2 * this.goals.scale() * full;
			if (score > best) {
				best = score;
				at = host;
			}
		}
		return at;
	}

	private int here(int item, int host) {
		int here = 0;
		for (int i = this.first[item]; i < this.first[item + 1]; i++) {
			here += (this.hosts[i] == host) ? 1 : 0;
		}
		return here;
	}

	private void add(int item, int host) {
		for (int resource = 0; resource < this.level.resources; resource++) {
			this.load[host * this.level.resources + resource] += this.level.demand[item * this.level.resources
					+ resource];
		}
	}

}
