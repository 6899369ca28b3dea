package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Finds the replicas that one host takes for most profit: the traffic that they keep
 * local less their prices.
 * <p>
 * Services are decided one after the other. A service is <em>open</em> while it has
 * neighbours that are not decided yet; only how many replicas of open services are taken
 * matters for the rest. The table has an entry for each combination of these and for each
 * used part of the capacity. Where the table would be too large, the lightest edges are
 * left out, to be counted as local, and services with many replicas are taken in groups,
 * both of which only make the result too good. Capacities are one resource, or a mean of
 * several, in whole parts, which are rounded so that whatever fits still does.
 */
final class HostPattern {

	/** The most parts that capacities are measured in: with few and with many states. */
	private static final int MAX_PARTS = 256;

	private static final int MIN_PARTS = 64;

	/** Maximum number of replicas of a service that are distinguished. */
	private static final int MAX_COUNT = 15;

	private static final int MAX_STATES = 1 << 16;

	/** States after which the clock is looked at. */
	private static final int LOOK = 256;

	private final Problem problem;

	/** The most replicas of each service that the host may take. */
	private final int[] most;

	/** Number of edges that count: the heaviest ones. */
	private int edges;

	private int[] order = new int[0];

	/** Combinations that are looked at in all, and at most at once. */
	private double states;

	private double widest;

	private final Measure[] measures;

	/** Neighbours and weights of the edges that count. */
	private int[][] neighbour = new int[0][];

	private double[][] weight = new double[0][];

	private final int[] count;

	/** The measure of the last answer, which allowed the least profit. */
	private int strictest;

	private final double work;

	private final Clock clock;

	/**
	 * Prepares the question.
	 * @param problem what is placed where
	 * @param host a host of the kind that is asked for
	 * @param work operations that an answer may take
	 * @param byWeight edges, the heaviest first
	 * @param all whether all of these edges count, even if that takes more operations
	 * @param clock says when to give up: preparing, with fewer edges, and answering,
	 * without an answer
	 */
	HostPattern(Problem problem, int host, double work, List<Integer> byWeight, boolean all, Clock clock) {
		this.clock = clock;
		this.work = work;
		this.problem = problem;
		this.most = new int[problem.services];
		this.count = new int[problem.services];
		for (int service = 0; service < problem.services; service++) {
			this.most[service] = most(problem, service, host);
		}
		int least = all ? byWeight.size() : 0;
		int largest = byWeight.size();
		int tried = largest;
		while (least < largest && !clock.expired(0)) {
			take(byWeight.subList(0, tried));
			if (states() * MIN_PARTS <= work && this.widest <= MAX_STATES) {
				least = tried;
			}
			else {
				largest = tried - 1;
			}
			tried = (least + largest + 1) / 2;
		}
		take(byWeight.subList(0, least));
		int parts = (int) Math.max(MIN_PARTS, Math.min(MAX_PARTS, work / Math.max(1, states())));
		this.measures = measures(host, parts);
	}

	/** The most replicas that a host may take: room and the service's own rules. */
	private static int most(Problem problem, int service, int host) {
		if (!problem.allows(service, host)) {
			return 0;
		}
		long most = Math.min(problem.replicas[service], problem.maxPerHost[service]);
		int spread = problem.replicas[service]
				- Math.max(0, Math.max(problem.minHosts[service], problem.minZones[service]) - 1);
		most = Math.min(most, Math.max(spread, staying(problem, service)));
		for (int resource = 0; resource < problem.resources; resource++) {
			long demand = problem.demand(service, resource);
			if (demand > 0) {
				most = Math.min(most, problem.capacity(host, resource) / demand);
			}
		}
		return (int) Math.max(0, most);
	}

	/**
	 * The most replicas on one host now: a service that stays as it is may use fewer
	 * hosts than one that moves.
	 */
	private static int staying(Problem problem, int service) {
		int[] on = new int[problem.hosts];
		int most = 0;
		for (int host : problem.running(service)) {
			most = Math.max(most, ++on[host]);
		}
		return most;
	}

	/** The most of an edge that this host can keep local. */
	double local(int edge) {
		int from = this.problem.edgeFrom[edge];
		int to = this.problem.edgeTo[edge];
		return together(from, to, this.most[from], this.most[to]);
	}

	private double together(int service, int neighbour, int replicas, int neighbourReplicas) {
		double one = (double) replicas / this.problem.replicas[service];
		double other = (double) neighbourReplicas / this.problem.replicas[neighbour];
		return this.problem.locality ? Math.min(one, other) : one * other;
	}

	/** Number of the given edges that count. */
	int edges() {
		return this.edges;
	}

	private void take(List<Integer> chosen) {
		int services = this.problem.services;
		this.edges = chosen.size();
		List<List<Integer>> at = new ArrayList<>();
		for (int i = 0; i < services; i++) {
			at.add(new ArrayList<>());
		}
		for (int edge : chosen) {
			at.get(this.problem.edgeFrom[edge]).add(edge);
			at.get(this.problem.edgeTo[edge]).add(edge);
		}
		this.neighbour = new int[services][];
		this.weight = new double[services][];
		for (int i = 0; i < services; i++) {
			int service = i;
			this.neighbour[i] = at.get(i)
				.stream()
				.mapToInt((edge) -> (this.problem.edgeFrom[edge] == service) ? this.problem.edgeTo[edge]
						: this.problem.edgeFrom[edge])
				.toArray();
			this.weight[i] = at.get(i)
				.stream()
				.mapToDouble((edge) -> this.problem.edgeGain[edge] * this.problem.communicationWeight)
				.toArray();
		}
		int[] levels = IntStream.range(0, services).map(this::levels).toArray();
		DecisionOrder found = new DecisionOrder(levels, this.neighbour);
		found.improve(this.work, this.clock);
		this.order = found.order();
		this.states = found.states();
		this.widest = found.widest();
	}

	/** Numbers of replicas of a service that are distinguished, none included. */
	private int levels(int service) {
		return Math.min(this.most[service], MAX_COUNT) + 1;
	}

	/** The replicas that a level stands for. */
	private int replicas(int service, int level) {
		int levels = levels(service) - 1;
		return (levels == this.most[service]) ? level : (int) Math.ceil((double) level * this.most[service] / levels);
	}

	private double states() {
		return this.states * measuresPlanned();
	}

	private int measuresPlanned() {
		return Math.max(1, Math.min(3, 2 * this.problem.resources - 1));
	}

	private Measure[] measures(int host, int parts) {
		List<Measure> measures = new ArrayList<>();
		double[] mean = new double[this.problem.services];
		for (int resource = 0; resource < this.problem.resources; resource++) {
			long capacity = this.problem.capacity(host, resource);
			double[] share = new double[this.problem.services];
			boolean binding = false;
			for (int service = 0; service < share.length && capacity > 0; service++) {
				long demand = (this.most[service] > 0) ? this.problem.demand(service, resource) : 0;
				share[service] = (double) demand / capacity;
				mean[service] += share[service];
				binding |= demand > 0;
			}
			if (binding) {
				measures.add(Measure.of(share, parts));
			}
		}
		if (measures.isEmpty()) {
			measures.add(new Measure(new int[this.problem.services], 0));
		}
		if (measures.size() > 1) {
			int limited = measures.size();
			measures.add(Measure.of(Arrays.stream(mean).map((sum) -> sum / limited).toArray(), parts));
		}
		return measures.toArray(Measure[]::new);
	}

	/**
	 * Shares of the capacity that services take.
	 *
	 * @param size parts that a replica takes, by service
	 * @param parts parts that the host has
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Measure(int[] size, int parts) {

		/** Tolerance: more than a share loses by rounding. */
		private static final double ROUNDING = 1e-9;

		/**
		 * Takes the number of parts, up to a maximum, with which rounding loses least.
		 * <p>
		 * With {@code n} parts, a share {@code x} takes the parts that are less than
		 * {@code (n + 1) x}. Shares that add up to at most 1 then take at most {@code n},
		 * and shares that are whole parts lose nothing. Others lose or gain; only what is
		 * lost counts, since a large share that gains is no reason to count small ones as
		 * nothing.
		 * @param share parts of the capacity that services take, 0 for those that the
		 * host may not take
		 * @param most the maximum
		 */
		static Measure of(double[] share, int most) {
			Measure best = null;
			double fullest = -1;
			for (int parts = 1; parts <= most; parts++) {
				int[] size = new int[share.length];
				double full = 0;
				for (int service = 0; service < size.length; service++) {
					double below = Math.ceil(share[service] * (parts + 1) - ROUNDING) - 1;
					size[service] = (int) Math.max(0, Math.min(below, parts + 1.0));
					full += Math.min((double) size[service] / parts, share[service]);
				}
				if (best == null || full > fullest + ROUNDING) {
					fullest = full;
					best = new Measure(size, parts);
				}
			}
			return Objects.requireNonNull(best);
		}

	}

	/**
	 * Finds the most profit.
	 * @param price the price of a replica, by service
	 * @param fixed the only host that a service may run on, by service, -1 for any
	 * @param host this host, -1 for one that no service is fixed to
	 * @param all whether each measure of the capacity answers, and the strictest counts,
	 * or only the one that was the strictest before
	 * @return the profit, or more; negative infinity if what is fixed does not fit, and
	 * positive infinity if the clock expired
	 */
	double best(double[] price, int[] fixed, int host, boolean all) {
		int from = all ? 0 : this.strictest;
		int to = all ? this.measures.length : from + 1;
		double least = Double.POSITIVE_INFINITY;
		int[] taken = new int[this.count.length];
		for (int i = from; i < to; i++) {
			double profit = new Table(this.measures[i], price, fixed, host).run(taken);
			if (profit == Double.POSITIVE_INFINITY) {
				return profit;
			}
			if (profit < least) {
				least = profit;
				this.strictest = i;
				System.arraycopy(taken, 0, this.count, 0, taken.length);
			}
		}
		return least;
	}

	/** The replicas of a service in the answer to the last question. */
	int count(int service) {
		return this.count[service];
	}

	/** One run over all services. */
	private final class Table {

		private final Measure measure;

		private final double[] price;

		private final int width;

		/** The lowest level of each service, and how many it has from there. */
		private final int[] lowest;

		private final int[] levels;

		/** Services that are open, and their place value in the number of a state. */
		private final List<Integer> open = new ArrayList<>();

		private final List<Integer> places = new ArrayList<>();

		private final List<Step> steps = new ArrayList<>();

		private boolean expired;

		Table(Measure measure, double[] price, int[] fixed, int host) {
			this.measure = measure;
			this.price = price;
			this.width = measure.parts + 1;
			this.lowest = new int[fixed.length];
			this.levels = new int[fixed.length];
			for (int service = 0; service < fixed.length; service++) {
				boolean free = fixed[service] < 0;
				// A service that is fixed has one replica.
				this.lowest[service] = (!free && fixed[service] == host) ? 1 : 0;
				this.levels[service] = free ? HostPattern.this.levels(service) : 1;
			}
		}

		/** A service that is decided, or one that is closed. */
		@SuppressWarnings("ArrayRecordComponent")
		private record Step(int service, boolean closes, int place, int levels, byte[] choice) {
		}

		double run(int[] taken) {
			double[] value = new double[this.width];
			Arrays.fill(value, Double.NEGATIVE_INFINITY);
			value[0] = 0;
			int services = HostPattern.this.problem.services;
			int[] left = new int[services];
			boolean[] decided = new boolean[services];
			for (int service = 0; service < services; service++) {
				left[service] = HostPattern.this.neighbour[service].length;
			}
			for (int service : HostPattern.this.order) {
				value = decide(service, value);
				decided[service] = true;
				for (int neighbour : HostPattern.this.neighbour[service]) {
					left[neighbour]--;
				}
				if (expired(0)) {
					return Double.POSITIVE_INFINITY;
				}
				for (int k = this.open.size() - 1; k >= 0; k--) {
					int neighbour = this.open.get(k);
					if (left[neighbour] == 0 && decided[neighbour]) {
						value = close(k, value);
					}
				}
			}
			if (this.expired) {
				return Double.POSITIVE_INFINITY;
			}
			int at = 0;
			for (int part = 0; part < this.width; part++) {
				at = (value[part] > value[at]) ? part : at;
			}
			double profit = value[at];
			if (profit > Double.NEGATIVE_INFINITY) {
				back(at, taken);
			}
			return profit;
		}

		private boolean expired(int state) {
			if (state % LOOK == 0 && !this.expired) {
				this.expired = HostPattern.this.clock.expired(0);
			}
			return this.expired;
		}

		/** The new service gets the highest place. */
		private double[] decide(int service, double[] value) {
			int states = value.length / this.width;
			int levels = this.levels[service];
			double[] next = new double[states * levels * this.width];
			Arrays.fill(next, Double.NEGATIVE_INFINITY);
			int degree = HostPattern.this.neighbour[service].length;
			int[] places = new int[degree];
			int[] ends = new int[degree];
			double[] weights = new double[degree];
			int edges = 0;
			for (int i = 0; i < degree; i++) {
				int at = this.open.indexOf(HostPattern.this.neighbour[service][i]);
				if (at >= 0) {
					places[edges] = this.places.get(at);
					ends[edges] = HostPattern.this.neighbour[service][i];
					weights[edges++] = HostPattern.this.weight[service][i];
				}
			}
			for (int k = 0; k < levels; k++) {
				int level = this.lowest[service] + k;
				int replicas = replicas(service, level);
				// Where levels are groups, the cheapest number of a group pays and takes
				// room.
				int fewest = (level == 0) ? 0 : replicas(service, level - 1) + 1;
				double pays = Math.max(-this.price[service] * replicas, -this.price[service] * fewest);
				long size = (long) fewest * this.measure.size[service];
				if (size > this.measure.parts) {
					break;
				}
				for (int state = 0; state < states && !expired(state); state++) {
					double gain = pays;
					for (int i = 0; i < edges; i++) {
						int neighbour = ends[i];
						int neighbourReplicas = replicas(neighbour,
								this.lowest[neighbour] + state / places[i] % this.levels[neighbour]);
						gain += weights[i] * together(service, neighbour, replicas, neighbourReplicas);
					}
					int from = state * this.width;
					int to = (k * states + state) * this.width + (int) size;
					for (int part = 0; part + size < this.width; part++) {
						next[to + part] = value[from + part] + gain;
					}
				}
			}
			this.open.add(service);
			this.places.add(states);
			this.steps.add(new Step(service, false, states, levels, new byte[0]));
			return next;
		}

		/** Takes the best number of replicas of a service that matters no more. */
		private double[] close(int index, double[] value) {
			int service = this.open.get(index);
			int place = this.places.get(index);
			this.open.subList(index, index + 1).clear();
			this.places.subList(index, index + 1).clear();
			int levels = this.levels[service];
			for (int i = index; i < this.places.size(); i++) {
				this.places.set(i, this.places.get(i) / levels);
			}
			int states = value.length / this.width / levels;
			double[] next = new double[states * this.width];
			byte[] choice = new byte[next.length];
			Arrays.fill(next, Double.NEGATIVE_INFINITY);
			for (int state = 0; state < states && !expired(state); state++) {
				int low = state % place;
				int high = state / place;
				int to = state * this.width;
				for (int level = 0; level < levels; level++) {
					int from = ((high * levels + level) * place + low) * this.width;
					for (int part = 0; part < this.width; part++) {
						if (value[from + part] > next[to + part]) {
							next[to + part] = value[from + part];
							choice[to + part] = (byte) level;
						}
					}
				}
			}
			this.steps.add(new Step(service, true, place, levels, choice));
			return next;
		}

		/** Follows the choices from the end to the beginning. */
		private void back(int end, int[] taken) {
			int state = 0;
			int part = end;
			Collections.reverse(this.steps);
			int[] levelOf = new int[taken.length];
			for (Step step : this.steps) {
				int service = step.service;
				if (step.closes) {
					int level = step.choice[state * this.width + part];
					levelOf[service] = level;
					state = (state / step.place * step.levels + level) * step.place + state % step.place;
				}
				else {
					int level = this.lowest[service] + levelOf[service];
					int fewest = (level == 0) ? 0 : replicas(service, level - 1) + 1;
					taken[service] = (this.price[service] > 0) ? fewest : replicas(service, level);
					part -= fewest * this.measure.size[service];
					state -= levelOf[service] * step.place;
				}
			}
		}

	}

}
