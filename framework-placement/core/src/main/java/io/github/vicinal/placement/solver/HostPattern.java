package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

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
 * several, in whole parts that are rounded down for the same reason.
 */
final class HostPattern {

	/** Parts that capacities are measured in, at most and at least. */
	private static final int MAX_PARTS = 256;

	private static final int MIN_PARTS = 64;

	/** The most replicas of a service that are told apart. */
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

	private final Measure[] measures;

	/** Neighbours and weights of the edges that count. */
	private int[][] neighbour = new int[0][];

	private double[][] weight = new double[0][];

	private final int[] count;

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
		this.problem = problem;
		this.most = new int[problem.services];
		this.count = new int[problem.services];
		for (int s = 0; s < problem.services; s++) {
			this.most[s] = most(problem, s, host);
		}
		int least = all ? byWeight.size() : 0;
		int largest = byWeight.size();
		int tried = largest;
		while (least < largest && !clock.expired(0)) {
			take(byWeight.subList(0, tried));
			if (states() * MIN_PARTS <= work && widest() <= MAX_STATES) {
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
	private static int most(Problem problem, int s, int host) {
		if (!problem.allows(s, host)) {
			return 0;
		}
		long most = Math.min(problem.replicas[s], problem.maxPerHost[s]);
		int spread = problem.replicas[s] - Math.max(0, Math.max(problem.minHosts[s], problem.minZones[s]) - 1);
		most = Math.min(most, Math.max(spread, staying(problem, s)));
		for (int r = 0; r < problem.resources; r++) {
			long demand = problem.demand(s, r);
			if (demand > 0) {
				most = Math.min(most, problem.capacity(host, r) / demand);
			}
		}
		return (int) Math.max(0, most);
	}

	/**
	 * The most replicas on one host now: a service that stays as it is may use fewer
	 * hosts than one that moves.
	 */
	private static int staying(Problem problem, int s) {
		int[] current = problem.current;
		int[] on = new int[problem.hosts];
		int most = 0;
		for (int i = problem.firstReplica[s]; current != null && i < problem.firstReplica[s + 1]; i++) {
			most = (current[i] < 0) ? most : Math.max(most, ++on[current[i]]);
		}
		return most;
	}

	/** The most of an edge that this host can keep local. */
	double local(int e) {
		int s = this.problem.edgeFrom[e];
		int t = this.problem.edgeTo[e];
		return together(s, t, this.most[s], this.most[t]);
	}

	private double together(int s, int t, int x, int y) {
		double one = (double) x / this.problem.replicas[s];
		double other = (double) y / this.problem.replicas[t];
		return this.problem.locality ? Math.min(one, other) : one * other;
	}

	/** Number of the given edges that count. */
	int edges() {
		return this.edges;
	}

	private void take(List<Integer> chosen) {
		int n = this.problem.services;
		this.edges = chosen.size();
		List<List<Integer>> at = new ArrayList<>();
		for (int s = 0; s < n; s++) {
			at.add(new ArrayList<>());
		}
		for (int e : chosen) {
			at.get(this.problem.edgeFrom[e]).add(e);
			at.get(this.problem.edgeTo[e]).add(e);
		}
		this.neighbour = new int[n][];
		this.weight = new double[n][];
		for (int s = 0; s < n; s++) {
			int service = s;
			this.neighbour[s] = at.get(s)
				.stream()
				.mapToInt((e) -> (this.problem.edgeFrom[e] == service) ? this.problem.edgeTo[e]
						: this.problem.edgeFrom[e])
				.toArray();
			this.weight[s] = at.get(s)
				.stream()
				.mapToDouble((e) -> this.problem.edgeGain[e] * this.problem.communicationWeight)
				.toArray();
		}
		this.order = order();
	}

	/** Decides next what leaves the fewest combinations open. */
	private int[] order() {
		int n = this.problem.services;
		int[] undecided = new int[n];
		boolean[] decided = new boolean[n];
		boolean[] open = new boolean[n];
		for (int s = 0; s < n; s++) {
			undecided[s] = this.neighbour[s].length;
		}
		int[] order = new int[n];
		for (int i = 0; i < n; i++) {
			int next = -1;
			double least = Double.POSITIVE_INFINITY;
			for (int s = 0; s < n; s++) {
				if (decided[s]) {
					continue;
				}
				double grows = (undecided[s] > 0) ? Math.log(levels(s)) : -1;
				boolean near = false;
				for (int t : this.neighbour[s]) {
					near |= open[t];
					grows -= (open[t] && undecided[t] == 1) ? Math.log(levels(t)) : 0;
				}
				grows += near ? 0 : 1e-3;
				if (grows < least) {
					least = grows;
					next = s;
				}
			}
			order[i] = next;
			decided[next] = true;
			open[next] = undecided[next] > 0;
			for (int t : this.neighbour[next]) {
				if (--undecided[t] == 0) {
					open[t] = false;
				}
			}
		}
		return order;
	}

	/** Numbers of replicas of a service that are told apart, none included. */
	private int levels(int s) {
		return Math.min(this.most[s], MAX_COUNT) + 1;
	}

	/** The replicas that a level stands for. */
	private int replicas(int s, int level) {
		int levels = levels(s) - 1;
		return (levels == this.most[s]) ? level : (int) Math.ceil((double) level * this.most[s] / levels);
	}

	private double states() {
		double all = 0;
		for (double states : sizes()) {
			all += states;
		}
		return all * this.measuresPlanned();
	}

	private int measuresPlanned() {
		return Math.max(1, Math.min(3, 2 * this.problem.resources - 1));
	}

	private double widest() {
		return Arrays.stream(sizes()).max().orElse(1);
	}

	/** Combinations that are looked at when each service is decided. */
	private double[] sizes() {
		int n = this.problem.services;
		double[] sizes = new double[n];
		int[] left = new int[n];
		boolean[] decided = new boolean[n];
		double open = 1;
		for (int s = 0; s < n; s++) {
			left[s] = this.neighbour[s].length;
		}
		for (int i = 0; i < n; i++) {
			int s = this.order[i];
			open *= levels(s);
			sizes[i] = open;
			decided[s] = true;
			open /= (left[s] == 0) ? levels(s) : 1;
			for (int t : this.neighbour[s]) {
				if (--left[t] == 0 && decided[t]) {
					open /= levels(t);
				}
			}
		}
		return sizes;
	}

	private Measure[] measures(int host, int parts) {
		List<Measure> measures = new ArrayList<>();
		int resources = this.problem.resources;
		double[] mean = new double[this.problem.services];
		int limited = 0;
		for (int r = 0; r < resources; r++) {
			long capacity = this.problem.capacity(host, r);
			long gcd = 0;
			boolean binding = false;
			for (int s = 0; s < this.problem.services; s++) {
				gcd = gcd(gcd, this.problem.demand(s, r));
				binding |= this.problem.demand(s, r) > 0;
			}
			if (!binding || capacity <= 0) {
				continue;
			}
			limited++;
			int[] size = new int[this.problem.services];
			boolean exact = capacity / gcd <= parts;
			for (int s = 0; s < size.length; s++) {
				long demand = this.problem.demand(s, r);
				size[s] = (int) Math.min(parts + 1L,
						exact ? demand / gcd : (long) Math.floor((double) demand * parts / capacity));
				mean[s] += (double) demand / capacity;
			}
			measures.add(new Measure(size, exact ? (int) (capacity / gcd) : parts));
		}
		if (measures.isEmpty()) {
			measures.add(new Measure(new int[this.problem.services], 0));
		}
		if (limited > 1) {
			int[] size = new int[this.problem.services];
			for (int s = 0; s < size.length; s++) {
				size[s] = (int) Math.min(parts + 1.0, Math.floor(mean[s] / limited * parts));
			}
			measures.add(new Measure(size, parts));
		}
		return measures.toArray(Measure[]::new);
	}

	private static long gcd(long a, long b) {
		return (b == 0) ? a : gcd(b, a % b);
	}

	/**
	 * Shares of the capacity that services take.
	 *
	 * @param size parts that a replica takes, by service
	 * @param parts parts that the host has
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Measure(int[] size, int parts) {
	}

	/**
	 * Finds the most profit.
	 * @param price the price of a replica, by service
	 * @param fixed the only host that a service may run on, by service, -1 for any
	 * @param host this host, -1 for one that no service is fixed to
	 * @return the profit, or more; negative infinity if what is fixed does not fit, and
	 * positive infinity if the clock expired
	 */
	double best(double[] price, int[] fixed, int host) {
		double least = Double.POSITIVE_INFINITY;
		int[] taken = new int[this.count.length];
		for (Measure measure : this.measures) {
			double profit = new Table(measure, price, fixed, host).run(taken);
			if (profit == Double.POSITIVE_INFINITY) {
				return profit;
			}
			if (profit < least) {
				least = profit;
				System.arraycopy(taken, 0, this.count, 0, taken.length);
			}
		}
		return least;
	}

	/** The replicas of a service in the answer to the last question. */
	int count(int s) {
		return this.count[s];
	}

	/** One run over all services. */
	private final class Table {

		private final Measure measure;

		private final double[] price;

		private final int width;

		private final int[] fixed;

		private final int host;

		/** Services that are open, and their place value in the number of a state. */
		private final List<Integer> open = new ArrayList<>();

		private final List<Integer> places = new ArrayList<>();

		private final List<Step> steps = new ArrayList<>();

		private boolean expired;

		Table(Measure measure, double[] price, int[] fixed, int host) {
			this.fixed = fixed;
			this.host = host;
			this.measure = measure;
			this.price = price;
			this.width = measure.parts + 1;
		}

		/** A service that is decided, or one that is closed. */
		@SuppressWarnings("ArrayRecordComponent")
		private record Step(int service, boolean closes, int place, int levels, byte[] choice) {
		}

		double run(int[] taken) {
			double[] value = new double[this.width];
			Arrays.fill(value, Double.NEGATIVE_INFINITY);
			value[0] = 0;
			int n = HostPattern.this.problem.services;
			int[] left = new int[n];
			boolean[] decided = new boolean[n];
			for (int s = 0; s < n; s++) {
				left[s] = HostPattern.this.neighbour[s].length;
			}
			for (int s : HostPattern.this.order) {
				value = decide(s, value);
				decided[s] = true;
				for (int t : HostPattern.this.neighbour[s]) {
					left[t]--;
				}
				if (expired(0)) {
					return Double.POSITIVE_INFINITY;
				}
				for (int k = this.open.size() - 1; k >= 0; k--) {
					int t = this.open.get(k);
					if (left[t] == 0 && decided[t]) {
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
		private double[] decide(int s, double[] value) {
			int states = value.length / this.width;
			int levels = levels(s);
			double[] next = new double[states * levels * this.width];
			Arrays.fill(next, Double.NEGATIVE_INFINITY);
			int degree = HostPattern.this.neighbour[s].length;
			int[] places = new int[degree];
			int[] ends = new int[degree];
			double[] weights = new double[degree];
			int edges = 0;
			for (int i = 0; i < degree; i++) {
				int k = this.open.indexOf(HostPattern.this.neighbour[s][i]);
				if (k >= 0) {
					places[edges] = this.places.get(k);
					ends[edges] = HostPattern.this.neighbour[s][i];
					weights[edges++] = HostPattern.this.weight[s][i];
				}
			}
			// A service that is fixed has one replica.
			int lowest = (this.fixed[s] >= 0 && this.fixed[s] == this.host) ? 1 : 0;
			int highest = (this.fixed[s] >= 0 && this.fixed[s] != this.host) ? 1 : levels;
			for (int level = lowest; level < highest; level++) {
				int x = replicas(s, level);
				// Where levels are groups, the cheapest number of a group pays and takes
				// room.
				int fewest = (level == 0) ? 0 : replicas(s, level - 1) + 1;
				double pays = Math.max(-this.price[s] * x, -this.price[s] * fewest);
				long size = (long) fewest * this.measure.size[s];
				if (size > this.measure.parts) {
					break;
				}
				for (int state = 0; state < states && !expired(state); state++) {
					double gain = pays;
					for (int i = 0; i < edges; i++) {
						int t = ends[i];
						int y = replicas(t, state / places[i] % levels(t));
						gain += weights[i] * together(s, t, x, y);
					}
					int from = state * this.width;
					int to = (level * states + state) * this.width + (int) size;
					for (int part = 0; part + size < this.width; part++) {
						next[to + part] = value[from + part] + gain;
					}
				}
			}
			this.open.add(s);
			this.places.add(states);
			this.steps.add(new Step(s, false, states, levels, new byte[0]));
			return next;
		}

		/** Takes the best number of replicas of a service that matters no more. */
		private double[] close(int k, double[] value) {
			int s = this.open.get(k);
			int place = this.places.get(k);
			this.open.subList(k, k + 1).clear();
			this.places.subList(k, k + 1).clear();
			int levels = levels(s);
			for (int i = k; i < this.places.size(); i++) {
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
			this.steps.add(new Step(s, true, place, levels, choice));
			return next;
		}

		/** Follows the choices from the end to the beginning. */
		private void back(int end, int[] taken) {
			int state = 0;
			int part = end;
			Collections.reverse(this.steps);
			int[] levelOf = new int[taken.length];
			for (Step step : this.steps) {
				int s = step.service;
				if (step.closes) {
					int level = step.choice[state * this.width + part];
					levelOf[s] = level;
					state = (state / step.place * step.levels + level) * step.place + state % step.place;
				}
				else {
					int level = levelOf[s];
					int fewest = (level == 0) ? 0 : replicas(s, level - 1) + 1;
					taken[s] = (this.price[s] > 0) ? fewest : replicas(s, level);
					part -= fewest * this.measure.size[s];
					state -= level * step.place;
				}
			}
		}

	}

}
