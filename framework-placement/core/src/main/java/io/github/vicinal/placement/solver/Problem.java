package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Problem of a solver: services, hosts, resources and edges by number.
 * <p>
 * The arrays are shared, not copied, and must not change. Replicas are numbered service
 * by service: those of a service are {@link #firstReplica(int)} up to
 * {@code firstReplica(service + 1)}. A placement is an array with the host of each
 * replica.
 *
 * @since 0.1.0
 */
public final class Problem {

	/** Cost of two items on one host that must be apart: more than all other costs. */
	static final double CONFLICT = 1e6;

	final int services;

	final int hosts;

	final int resources;

	/** Number of resources that count for the balance: the first ones. */
	final int balanced;

	final int[] replicas;

	final int[] firstReplica;

	final long[] demand;

	final long[] capacity;

	final int[] maxPerHost;

	final @Nullable BitSet[] allowed;

	final int[] edgeFrom;

	final int[] edgeTo;

	final double[] edgeGain;

	/** Saving of an edge that stays in a zone, beyond hosts; null: nothing. */
	final double @Nullable [] zoneGain;

	final double baseCost;

	final int[] apartOne;

	final int[] apartOther;

	final int[] zoneApartOne;

	final int[] zoneApartOther;

	final int[] zone;

	/** Fewest hosts and zones that each service may run on, unless it stays as it is. */
	final int[] minHosts;

	final int[] minZones;

	final boolean locality;

	final double communicationWeight;

	final double imbalanceWeight;

	final double moveWeight;

	final double hostWeight;

	final int @Nullable [] current;

	/** Hosts of replicas that run beyond those of the model, by service. */
	final int[][] stopping;

	final int maxMoves;

	private Problem(Builder builder) {
		this.services = builder.replicas.length;
		this.hosts = builder.hosts;
		this.resources = builder.resources;
		this.balanced = (builder.balanced < 0) ? builder.resources : builder.balanced;
		this.replicas = builder.replicas;
		this.firstReplica = new int[this.services + 1];
		for (int service = 0; service < this.services; service++) {
			this.firstReplica[service + 1] = this.firstReplica[service] + this.replicas[service];
		}
		this.demand = builder.demand;
		this.capacity = builder.capacity;
		this.maxPerHost = builder.maxPerHost;
		this.allowed = builder.allowed;
		this.edgeFrom = builder.edgeFrom;
		this.edgeTo = builder.edgeTo;
		this.edgeGain = builder.edgeGain;
		this.zoneGain = builder.zoneGain;
		this.baseCost = builder.baseCost;
		this.apartOne = builder.apartOne;
		this.apartOther = builder.apartOther;
		this.zoneApartOne = builder.zoneApartOne;
		this.zoneApartOther = builder.zoneApartOther;
		this.zone = (builder.zone.length > 0) ? builder.zone : new int[this.hosts];
		this.minHosts = builder.minHosts;
		this.minZones = builder.minZones;
		this.locality = builder.locality;
		double sum = builder.communication + builder.imbalance + builder.moves + builder.usedHosts;
		this.communicationWeight = builder.communication / sum;
		this.imbalanceWeight = builder.imbalance / sum;
		this.moveWeight = builder.moves / sum;
		this.hostWeight = builder.usedHosts / sum;
		this.current = builder.current;
		this.stopping = (builder.stopping != null) ? builder.stopping : new int[this.services][0];
		this.maxMoves = builder.maxMoves;
	}

	/**
	 * Starts a problem.
	 * @param replicas number of replicas by service
	 * @param hosts number of hosts
	 * @param resources number of resources
	 * @param demand what a replica needs, by service and resource
	 * @param capacity what a host has, by host and resource
	 * @return a builder
	 */
	public static Builder of(int[] replicas, int hosts, int resources, long[] demand, long[] capacity) {
		return new Builder(replicas, hosts, resources, demand, capacity);
	}

	/**
	 * Returns the number of services.
	 * @return at least 1
	 */
	public int services() {
		return this.services;
	}

	/**
	 * Returns the number of hosts.
	 * @return at least 1
	 */
	public int hosts() {
		return this.hosts;
	}

	/**
	 * Returns the number of replicas of all services.
	 * @return at least 1
	 */
	public int replicas() {
		return this.firstReplica[this.services];
	}

	/**
	 * Returns the number of a service's first replica.
	 * @param service the service, or the number of services
	 * @return at least 0
	 */
	public int firstReplica(int service) {
		return this.firstReplica[service];
	}

	/**
	 * Returns the number of resources.
	 * @return at least 0
	 */
	public int resources() {
		return this.resources;
	}

	/**
	 * Returns what one replica needs.
	 * @param service the service
	 * @param resource the resource
	 * @return in units of the resource
	 */
	public long demand(int service, int resource) {
		return this.demand[service * this.resources + resource];
	}

	/**
	 * Returns what a host has for services.
	 * @param host the host
	 * @param resource the resource
	 * @return in units of the resource
	 */
	public long capacity(int host, int resource) {
		return this.capacity[host * this.resources + resource];
	}

	/**
	 * Returns whether a service may run on a host.
	 * @param service the service
	 * @param host the host
	 * @return whether pins and zones allow it
	 */
	public boolean allows(int service, int host) {
		BitSet hosts = this.allowed[service];
		return hosts == null || hosts.get(host);
	}

	/**
	 * Returns the most replicas of a service on one host.
	 * @param service the service
	 * @return at least 1
	 */
	public int maxPerHost(int service) {
		return this.maxPerHost[service];
	}

	/**
	 * Returns the fewest hosts that a service may use, unless none of its replicas moves.
	 * @param service the service
	 * @return at least 0
	 */
	public int minHosts(int service) {
		return this.minHosts[service];
	}

	/**
	 * Returns the fewest zones that a service may use, unless none of its replicas moves.
	 * @param service the service
	 * @return at least 0
	 */
	public int minZones(int service) {
		return this.minZones[service];
	}

	/**
	 * Returns the zone of a host.
	 * @param host the host
	 * @return the number of the zone
	 */
	public int zone(int host) {
		return this.zone[host];
	}

	/**
	 * Returns the pairs of services that may not share a host, or a zone. A pair of a
	 * service with itself keeps its replicas in different zones.
	 * @param zones whether those that may not share a zone
	 * @return two services for each pair
	 */
	public List<int[]> apart(boolean zones) {
		int[] one = zones ? this.zoneApartOne : this.apartOne;
		int[] other = zones ? this.zoneApartOther : this.apartOther;
		return IntStream.range(0, one.length).mapToObj((pair) -> new int[] { one[pair], other[pair] }).toList();
	}

	/**
	 * Returns whether replicas on the caller's host are preferred.
	 * @return whether routing is weighted by locality
	 */
	public boolean locality() {
		return this.locality;
	}

	/**
	 * Returns whether it is known where any replica runs now.
	 * @return whether moves count
	 */
	public boolean running() {
		return this.current != null;
	}

	/**
	 * Returns the number of edges.
	 * @return at least 0
	 */
	public int edges() {
		return this.edgeFrom.length;
	}

	/**
	 * Returns one end of an edge.
	 * @param edge the edge
	 * @return a service
	 */
	public int edgeFrom(int edge) {
		return this.edgeFrom[edge];
	}

	/**
	 * Returns the other end of an edge.
	 * @param edge the edge
	 * @return a service
	 */
	public int edgeTo(int edge) {
		return this.edgeTo[edge];
	}

	/**
	 * Returns what it saves to keep all traffic of an edge on a host, as a part of the
	 * cost of all traffic between hosts.
	 * @param edge the edge
	 * @return between 0 and 1
	 */
	public double edgeGain(int edge) {
		return this.edgeGain[edge];
	}

	/**
	 * Returns whether traffic between zones costs more than traffic between hosts.
	 * @return whether edges have a gain of zones
	 */
	public boolean zonesCost() {
		return this.zoneGain != null;
	}

	/**
	 * Returns whether there is nothing but single replicas, capacities and the objective:
	 * no rules, no limit of moves.
	 * @return whether the algorithms of papers can take it as it is
	 */
	public boolean plain() {
		return !replicated() && this.zoneGain == null && this.apartOne.length == 0 && this.zoneApartOne.length == 0
				&& this.maxMoves < 0 && Arrays.stream(this.allowed).allMatch((hosts) -> hosts == null);
	}

	/**
	 * Returns whether the objective is the cost of traffic alone.
	 * @return whether all other weights are next to nothing
	 */
	public boolean trafficOnly() {
		return this.communicationWeight > 1 - 1e-5;
	}

	/**
	 * Returns what remains of the cost of traffic if all of it stays on a host.
	 * @return as a part of the cost of all traffic between hosts
	 */
	public double baseCost() {
		return this.baseCost;
	}

	/** Hosts that replicas of a service run on now, also of those that stop. */
	int[] running(int service) {
		int[] all = this.current;
		if (all == null) {
			return new int[0];
		}
		return IntStream
			.concat(Arrays.stream(all, this.firstReplica[service], this.firstReplica[service + 1])
				.filter((host) -> host >= 0), Arrays.stream(this.stopping[service]))
			.toArray();
	}

	/** A lower bound of the objective that costs nothing to compute. */
	double bound() {
		return this.communicationWeight * this.baseCost + this.hostWeight * fewestHosts() / this.hosts;
	}

	/** Fewest hosts whose capacity is enough in each resource. */
	private int fewestHosts() {
		int fewest = 1;
		for (int i = 0; this.hostWeight > 0 && i < this.resources; i++) {
			int resource = i;
			long needed = 0;
			for (int service = 0; service < this.services; service++) {
				needed += this.replicas[service] * demand(service, i);
			}
			long[] has = IntStream.range(0, this.hosts)
				.mapToLong((host) -> capacity(host, resource))
				.sorted()
				.toArray();
			int used = 0;
			for (int largest = has.length - 1; largest >= 0 && needed > 0; largest--, used++) {
				needed -= has[largest];
			}
			fewest = Math.max(fewest, used);
		}
		return fewest;
	}

	/** Whether a service has a fewest number of hosts or zones. */
	boolean spread(int service) {
		return this.minHosts[service] > 1 || this.minZones[service] > 1;
	}

	boolean replicated() {
		return replicas() > this.services;
	}

	/**
	 * Values a placement.
	 * @param placement the host of each replica
	 * @return the parts of the objective, and what the placement violates
	 */
	public Value value(int[] placement) {
		return Valuation.of(this, placement);
	}

	/** Collects what makes a problem. */
	public static final class Builder {

		private final int[] replicas;

		private final int hosts;

		private final int resources;

		private final long[] demand;

		private final long[] capacity;

		private int[] maxPerHost;

		private @Nullable BitSet[] allowed;

		private int[] edgeFrom = new int[0];

		private int[] edgeTo = new int[0];

		private double[] edgeGain = new double[0];

		private double @Nullable [] zoneGain;

		private double baseCost;

		private int balanced = -1;

		private int[] apartOne = new int[0];

		private int[] apartOther = new int[0];

		private int[] zoneApartOne = new int[0];

		private int[] zoneApartOther = new int[0];

		private int[] zone = new int[0];

		private int[] minHosts;

		private int[] minZones;

		private boolean locality;

		private double communication = 1;

		private double imbalance;

		private double moves;

		private double usedHosts;

		private int @Nullable [] current;

		private int @Nullable [][] stopping;

		private int maxMoves = -1;

		private Builder(int[] replicas, int hosts, int resources, long[] demand, long[] capacity) {
			this.replicas = replicas;
			this.hosts = hosts;
			this.resources = resources;
			this.demand = demand;
			this.capacity = capacity;
			this.maxPerHost = new int[replicas.length];
			Arrays.fill(this.maxPerHost, Integer.MAX_VALUE);
			this.allowed = new BitSet[replicas.length];
			this.minHosts = new int[replicas.length];
			this.minZones = new int[replicas.length];
		}

		/**
		 * Sets the edges, without direction, each pair of services at most once.
		 * @param from one end
		 * @param to the other end
		 * @param gain what it saves to keep an edge on a host, as a part of the cost of
		 * all traffic between hosts
		 * @param baseCost the part of that cost that remains if all edges stay on a host
		 * @return this builder
		 */
		public Builder edges(int[] from, int[] to, double[] gain, double baseCost) {
			this.edgeFrom = from;
			this.edgeTo = to;
			this.edgeGain = gain;
			this.baseCost = baseCost;
			return this;
		}

		/**
		 * Sets what it saves to keep edges within a zone, beside what it saves to keep
		 * them on a host. Zones are those of {@link #zones}.
		 * @param gain by edge, as a part of the cost of all traffic between zones
		 * @return this builder
		 */
		public Builder zoneGains(double[] gain) {
			this.zoneGain = gain;
			return this;
		}

		/**
		 * Sets which resources count for the balance of utilisation; all do otherwise.
		 * @param resources number of resources, the first ones
		 * @return this builder
		 */
		public Builder balanced(int resources) {
			this.balanced = resources;
			return this;
		}

		/**
		 * Sets the number of replicas of a service that may share a host, and which hosts
		 * it may run on.
		 * @param maxPerHost by service
		 * @param allowed by service, {@code null} for all hosts
		 * @return this builder
		 */
		public Builder rules(int[] maxPerHost, @Nullable BitSet[] allowed) {
			this.maxPerHost = maxPerHost;
			this.allowed = allowed;
			return this;
		}

		/**
		 * Sets pairs of services that may not share a host.
		 * @param one one of each pair
		 * @param other the other
		 * @return this builder
		 */
		public Builder apart(int[] one, int[] other) {
			this.apartOne = one;
			this.apartOther = other;
			return this;
		}

		/**
		 * Sets pairs of services that may not share a zone. A pair of a service with
		 * itself keeps its replicas in different zones.
		 * @param one one of each pair
		 * @param other the other
		 * @param zone the zone of each host
		 * @return this builder
		 */
		public Builder zones(int[] one, int[] other, int[] zone) {
			this.zoneApartOne = one;
			this.zoneApartOther = other;
			this.zone = zone;
			return this;
		}

		/**
		 * Sets the number of hosts and zones that services keep. A service of which no
		 * replica moves may use fewer; so what runs now never breaks this rule. Zones are
		 * those of {@link #zones}.
		 * @param minHosts fewest hosts, by service; 0 and 1 demand nothing
		 * @param minZones fewest zones, by service; 0 and 1 demand nothing
		 * @return this builder
		 */
		public Builder keepSpread(int[] minHosts, int[] minZones) {
			this.minHosts = minHosts;
			this.minZones = minZones;
			return this;
		}

		/**
		 * Sets how replicas are called.
		 * @param locality whether replicas on the caller's host are preferred
		 * @return this builder
		 */
		public Builder locality(boolean locality) {
			this.locality = locality;
			return this;
		}

		/**
		 * Sets the weights of the objective; they are divided by their sum.
		 * @param communication of traffic
		 * @param imbalance of the variance of utilisation
		 * @param moves of moved replicas
		 * @param usedHosts of used hosts
		 * @return this builder
		 */
		public Builder weights(double communication, double imbalance, double moves, double usedHosts) {
			this.communication = communication;
			this.imbalance = imbalance;
			this.moves = moves;
			this.usedHosts = usedHosts;
			return this;
		}

		/**
		 * Sets where replicas run now.
		 * @param current the host of each replica, -1 for one that does not run
		 * @param maxMoves the most replicas that may go to another host, -1 for no limit
		 * @return this builder
		 */
		public Builder current(int[] current, int maxMoves) {
			this.current = current;
			this.maxMoves = maxMoves;
			return this;
		}

		/**
		 * Sets where replicas run now beyond those of the model. They stop, and which of
		 * a service's replicas do is free: one stays wherever the plan has one.
		 * @param stopping their hosts, by service
		 * @return this builder
		 */
		public Builder stopping(int[][] stopping) {
			this.stopping = stopping;
			return this;
		}

		/**
		 * Builds the problem.
		 * @return the problem
		 */
		public Problem build() {
			return new Problem(this);
		}

	}

}
