package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.BitSet;

import org.jspecify.annotations.Nullable;

/**
 * One level of the multilevel scheme: items (services, or clusters of them) to put on
 * hosts. An item has one unit or, as a service has replicas, several, which may be on
 * different hosts.
 * <p>
 * Edges are in compressed rows, each in both directions. A positive weight is what it
 * costs to put the two items on different hosts, a negative one what it costs to put a
 * unit of each on one host ({@link Problem#CONFLICT}).
 */
final class Level {

	final int items;

	final int hosts;

	final int resources;

	/** Demand of one unit of an item, by item and resource. */
	final long[] demand;

	/** Capacities in units of the resource, by host and resource. */
	final long[] capacity;

	/** 1 / capacity, 0 where there is none. */
	final double[] inverse;

	/** Cost of one unit over any capacity: 1 / mean capacity, by resource. */
	final double[] unit;

	final int[] start;

	final int[] neighbour;

	final double[] weight;

	/** Additional cost of the two items in different zones; null: nothing. */
	final double @Nullable [] zoneWeight;

	/** Hosts that parts of an item run on now, in compressed rows, and how many parts. */
	final int[] homeStart;

	final int[] homeHost;

	final int[] homeParts;

	/** Parts in these rows beyond one of each service: they stop, wherever it goes. */
	final int surplus;

	/** Hosts that an item may be on; null: all. */
	final @Nullable BitSet[] allowed;

	/** Pairs that must not share a zone, in compressed rows; null: none. */
	final int @Nullable [] apartStart;

	final int[] apart;

	/** Zones of hosts. */
	final int[] zone;

	/** Units of items; null: each item is one unit. */
	final @Nullable Replication replication;

	/** Units of all items. */
	final int units;

	/** The weight of a unit's edges: mean, and root of the mean square. */
	final double meanStrength;

	final double spreadStrength;

	/** The part of a mean host that a unit takes. */
	final double meanShare;

	Level(int items, int hosts, int resources, long[] demand, long[] capacity, int[] start, int[] neighbour,
			double[] weight, double @Nullable [] zoneWeight, int[] homeStart, int[] homeHost, int[] homeParts,
			int surplus, @Nullable BitSet[] allowed, int @Nullable [] apartStart, int[] apart, int[] zone,
			@Nullable Replication replication) {
		this.items = items;
		this.hosts = hosts;
		this.resources = resources;
		this.demand = demand;
		this.capacity = capacity;
		this.start = start;
		this.neighbour = neighbour;
		this.weight = weight;
		this.zoneWeight = zoneWeight;
		this.homeStart = homeStart;
		this.homeHost = homeHost;
		this.homeParts = homeParts;
		this.surplus = surplus;
		this.allowed = allowed;
		this.apartStart = apartStart;
		this.apart = apart;
		this.zone = zone;
		this.replication = replication;
		this.units = (replication != null) ? replication.units() : items;
		this.inverse = new double[capacity.length];
		this.unit = HostLoads.units(hosts, resources, capacity);
		Arrays.setAll(this.inverse, (i) -> (capacity[i] > 0) ? 1.0 / capacity[i] : 0);
		double strength = 0;
		double squares = 0;
		for (int item = 0; item < items; item++) {
			double own = 0;
			for (int edge = start[item]; edge < start[item + 1]; edge++) {
				own += Math.max(0, weight[edge]) + ((zoneWeight != null) ? zoneWeight[edge] : 0);
			}
			strength += own;
			squares += own * own / units(item);
		}
		this.spreadStrength = Math.sqrt(squares / Math.max(1, this.units));
		this.meanStrength = strength / Math.max(1, this.units);
		double share = 0;
		for (int item = 0; item < items; item++) {
			share += share(item) * units(item);
		}
		this.meanShare = share / Math.max(1, this.units);
	}

	/** Builds the finest level of a problem: its items are the services. */
	static Level of(Problem problem) {
		int items = problem.services;
		int[] start = new int[items + 1];
		int edges = problem.edgeFrom.length;
		int conflicts = problem.apartOne.length;
		int[] from = concat(problem.edgeFrom, problem.apartOne);
		int[] to = concat(problem.edgeTo, problem.apartOther);
		for (int edge = 0; edge < edges + conflicts; edge++) {
			start[from[edge] + 1]++;
			start[to[edge] + 1]++;
		}
		for (int item = 0; item < items; item++) {
			start[item + 1] += start[item];
		}
		int[] next = start.clone();
		int[] neighbour = new int[2 * (edges + conflicts)];
		double[] weight = new double[neighbour.length];
		double[] zoneWeight = (problem.zoneGain != null) ? new double[neighbour.length] : null;
		for (int edge = 0; edge < edges + conflicts; edge++) {
			double edgeWeight = (edge < edges) ? problem.edgeGain[edge] * problem.communicationWeight
					: -Problem.CONFLICT;
			if (zoneWeight != null && problem.zoneGain != null && edge < edges) {
				zoneWeight[next[from[edge]]] = problem.zoneGain[edge] * problem.communicationWeight;
				zoneWeight[next[to[edge]]] = zoneWeight[next[from[edge]]];
			}
			neighbour[next[from[edge]]] = to[edge];
			weight[next[from[edge]]++] = edgeWeight;
			neighbour[next[to[edge]]] = from[edge];
			weight[next[to[edge]]++] = edgeWeight;
		}
		int[] homeStart = new int[items + 1];
		int[] homeHost = new int[items + Arrays.stream(problem.stopping).mapToInt((hosts) -> hosts.length).sum()];
		int homes = 0;
		int atHome = 0;
		for (int item = 0; item < items; item++) {
			if (problem.replicas[item] == 1) {
				// Of several that run one stays, on whichever of their hosts.
				for (int host : Arrays.stream(problem.running(item)).distinct().toArray()) {
					homeHost[homes++] = host;
				}
			}
			homeStart[item + 1] = homes;
			atHome += (homes > homeStart[item]) ? 1 : 0;
		}
		int[] homeParts = new int[homes];
		Arrays.fill(homeParts, 1);
		int[] apartStart = null;
		int[] apart = new int[0];
		if (problem.zoneApartOne.length > 0) {
			apartStart = new int[items + 1];
			for (int pair = 0; pair < problem.zoneApartOne.length; pair++) {
				apartStart[problem.zoneApartOne[pair] + 1]++;
				apartStart[problem.zoneApartOther[pair] + 1]++;
			}
			for (int item = 0; item < items; item++) {
				apartStart[item + 1] += apartStart[item];
			}
			apart = new int[apartStart[items]];
			int[] at = apartStart.clone();
			for (int pair = 0; pair < problem.zoneApartOne.length; pair++) {
				apart[at[problem.zoneApartOne[pair]]++] = problem.zoneApartOther[pair];
				apart[at[problem.zoneApartOther[pair]]++] = problem.zoneApartOne[pair];
			}
		}
		return new Level(items, problem.hosts, problem.resources, problem.demand, problem.capacity, start, neighbour,
				weight, zoneWeight, homeStart, Arrays.copyOf(homeHost, homes), homeParts, homes - atHome,
				problem.allowed, apartStart, apart, problem.zone,
				problem.replicated() ? Replication.of(problem) : null);
	}

	private static int[] concat(int[] one, int[] other) {
		int[] both = Arrays.copyOf(one, one.length + other.length);
		System.arraycopy(other, 0, both, one.length, other.length);
		return both;
	}

	/** The first unit of each item, and the number of units. */
	int[] firstUnits() {
		int[] first = new int[this.items + 1];
		for (int item = 0; item < this.items; item++) {
			first[item + 1] = first[item] + units(item);
		}
		return first;
	}

	/** The weight of an item's edges. */
	double strength(int item) {
		double strength = 0;
		for (int edge = this.start[item]; edge < this.start[item + 1]; edge++) {
			strength += Math.max(0, this.weight[edge]);
		}
		return strength;
	}

	/** The used part of all capacities, in the resource that is used most. */
	double load() {
		double load = 0;
		for (int resource = 0; resource < this.resources; resource++) {
			double needs = 0;
			for (int item = 0; item < this.items; item++) {
				needs += (double) this.demand[item * this.resources + resource] * units(item);
			}
			// The unit of a resource is the inverse of the mean capacity.
			load = Math.max(load, needs * this.unit[resource] / this.hosts);
		}
		return load;
	}

	int units(int item) {
		return (this.replication != null) ? this.replication.parts[item] : 1;
	}

	/** The part of a mean host that a unit takes, in the resource it needs most. */
	double share(int item) {
		double most = 0;
		for (int resource = 0; resource < this.resources; resource++) {
			most = Math.max(most, this.demand[item * this.resources + resource] * this.unit[resource]);
		}
		return most;
	}

	boolean allows(int item, int host) {
		BitSet hosts = this.allowed[item];
		return hosts == null || hosts.get(host);
	}

}
