package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.BitSet;

import org.jspecify.annotations.Nullable;

/**
 * One level of the multilevel scheme: items (services, or clusters of them) to put on
 * hosts.
 * <p>
 * Edges are in compressed rows, each in both directions. A positive weight is what it
 * costs to put the two items on different hosts, a negative one what it costs to put them
 * on one host ({@link Problem#CONFLICT}).
 */
final class Level {

	final int items;

	final int hosts;

	final int resources;

	/** Demands in units of the resource, by item and resource. */
	final long[] demand;

	/** Capacities in units of the resource, by host and resource. */
	final long[] capacity;

	/** 1 / capacity, 0 where there is none. */
	final double[] inverse;

	/** What one unit over any capacity counts: 1 / mean capacity, by resource. */
	final double[] unit;

	final int[] start;

	final int[] neighbour;

	final double[] weight;

	/** Hosts that parts of an item run on now, in compressed rows, and how many parts. */
	final int[] homeStart;

	final int[] homeHost;

	final int[] homeParts;

	/** Hosts that an item may be on; null: all. */
	final @Nullable BitSet[] allowed;

	/** Pairs that must not share a zone, in compressed rows; null: none. */
	final int @Nullable [] apartStart;

	final int[] apart;

	/** Zones of hosts. */
	final int[] zone;

	final double meanStrength;

	final double meanShare;

	Level(int items, int hosts, int resources, long[] demand, long[] capacity, int[] start, int[] neighbour,
			double[] weight, int[] homeStart, int[] homeHost, int[] homeParts, @Nullable BitSet[] allowed,
			int @Nullable [] apartStart, int[] apart, int[] zone) {
		this.items = items;
		this.hosts = hosts;
		this.resources = resources;
		this.demand = demand;
		this.capacity = capacity;
		this.start = start;
		this.neighbour = neighbour;
		this.weight = weight;
		this.homeStart = homeStart;
		this.homeHost = homeHost;
		this.homeParts = homeParts;
		this.allowed = allowed;
		this.apartStart = apartStart;
		this.apart = apart;
		this.zone = zone;
		this.inverse = new double[capacity.length];
		this.unit = HostLoads.units(hosts, resources, capacity);
		Arrays.setAll(this.inverse, (i) -> (capacity[i] > 0) ? 1.0 / capacity[i] : 0);
		double strength = 0;
		for (double w : weight) {
			strength += Math.max(0, w);
		}
		this.meanStrength = strength / Math.max(1, items);
		double share = 0;
		for (int v = 0; v < items; v++) {
			share += share(v);
		}
		this.meanShare = share / Math.max(1, items);
	}

	/**
	 * Builds the finest level of a problem without replicas: its items are the services.
	 */
	static Level of(Problem problem) {
		int n = problem.services;
		int[] start = new int[n + 1];
		int edges = problem.edgeFrom.length;
		int conflicts = problem.apartOne.length;
		int[] from = concat(problem.edgeFrom, problem.apartOne);
		int[] to = concat(problem.edgeTo, problem.apartOther);
		for (int e = 0; e < edges + conflicts; e++) {
			start[from[e] + 1]++;
			start[to[e] + 1]++;
		}
		for (int v = 0; v < n; v++) {
			start[v + 1] += start[v];
		}
		int[] next = start.clone();
		int[] neighbour = new int[2 * (edges + conflicts)];
		double[] weight = new double[neighbour.length];
		for (int e = 0; e < edges + conflicts; e++) {
			double w = (e < edges) ? problem.edgeGain[e] * problem.communicationWeight : -Problem.CONFLICT;
			neighbour[next[from[e]]] = to[e];
			weight[next[from[e]]++] = w;
			neighbour[next[to[e]]] = from[e];
			weight[next[to[e]]++] = w;
		}
		int[] homeStart = new int[n + 1];
		int[] homeHost = new int[n];
		int homes = 0;
		for (int v = 0; v < n; v++) {
			if (problem.current != null && problem.current[v] >= 0) {
				homeHost[homes++] = problem.current[v];
			}
			homeStart[v + 1] = homes;
		}
		int[] homeParts = new int[homes];
		Arrays.fill(homeParts, 1);
		int[] apartStart = null;
		int[] apart = new int[0];
		if (problem.zoneApartOne.length > 0) {
			apartStart = new int[n + 1];
			for (int p = 0; p < problem.zoneApartOne.length; p++) {
				apartStart[problem.zoneApartOne[p] + 1]++;
				apartStart[problem.zoneApartOther[p] + 1]++;
			}
			for (int v = 0; v < n; v++) {
				apartStart[v + 1] += apartStart[v];
			}
			apart = new int[apartStart[n]];
			int[] at = apartStart.clone();
			for (int p = 0; p < problem.zoneApartOne.length; p++) {
				apart[at[problem.zoneApartOne[p]]++] = problem.zoneApartOther[p];
				apart[at[problem.zoneApartOther[p]]++] = problem.zoneApartOne[p];
			}
		}
		return new Level(n, problem.hosts, problem.resources, problem.demand, problem.capacity, start, neighbour,
				weight, homeStart, Arrays.copyOf(homeHost, homes), homeParts, problem.allowed, apartStart, apart,
				problem.zone);
	}

	private static int[] concat(int[] one, int[] other) {
		int[] both = Arrays.copyOf(one, one.length + other.length);
		System.arraycopy(other, 0, both, one.length, other.length);
		return both;
	}

	/** The part of a mean host that an item takes, in the resource it needs most. */
	double share(int item) {
		double most = 0;
		for (int r = 0; r < this.resources; r++) {
			most = Math.max(most, this.demand[item * this.resources + r] * this.unit[r]);
		}
		return most;
	}

	boolean allows(int item, int host) {
		BitSet hosts = this.allowed[item];
		return hosts == null || hosts.get(host);
	}

}
