package io.github.vicinal.placement.solver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Computes a lower bound of the objective, which no placement falls below.
 * <p>
 * The rule that each replica is placed exactly once is replaced by a price per replica.
 * That leaves one question per kind of host: which replicas fit that keep most traffic
 * local for their price? {@link HostPattern} answers it exactly, or with an answer that
 * is too good where an exact one would take too long. The sum over hosts is a bound for
 * any prices; subgradient steps improve the prices: first many steps with rough answers,
 * then few with close ones. Where there are few services, those with much traffic are
 * fixed to each host in turn, and the lowest of the bounds counts. Rules between
 * services, limits of moves and the balance of utilisation are left out, which keeps the
 * bound valid.
 *
 * @since 0.1.0
 */
public final class LowerBound {

	/** Steps without a better bound after which steps become shorter. */
	private static final int PATIENCE = 8;

	private static final double SHORTEST = 1e-3;

	/** Steps that the time is planned for. */
	private static final int PLANNED = 80;

	/** Prices are first looked for by steps that take such a part of the planned work. */
	private static final int PARTS_OF_STEP = 8;

	/** Number of these steps; they take as long as five planned ones. */
	private static final int COARSE_STEPS = 40;

	/** Parts of the planned work that each step takes after that: fewer are needed. */
	private static final int FINE_PARTS = 16;

	/** Maximum number of steps if nothing else limits them. */
	private static final int MAX_STEPS = 400;

	/** Number of elementary operations in a nanosecond, about. */
	private static final double PER_NANO = 0.3;

	/** Tolerance: more than sums of prices lose by rounding. */
	private static final double ROUNDING = 1e-12;

	/** Maximum price: no price needs to exceed the worth of all traffic. */
	private static final double HIGHEST = 1;

	/** Slope, squared, below which there is nothing to gain. */
	private static final double FLAT = 1e-9;

	/** Steps after which each measure of capacity answers again; else the strictest. */
	private static final int ALL_MEASURES = 8;

	/**
	 * Minimum part of the gap that {@link #WORTHWHILE_STEPS} steps must close. Where they
	 * close less, fixing a service closes more.
	 */
	private static final double WORTHWHILE = 0.05;

	private static final int WORTHWHILE_STEPS = 15;

	/** Steps for each service that is fixed. */
	private static final int BRANCH_STEPS = 12;

	/** Number of services and hosts up to which services are fixed one by one. */
	private static final int MAX_BRANCHED = 100;

	private static final int MAX_BRANCHED_HOSTS = 16;

	/** The most nodes that wait. */
	private static final int MAX_OPEN = 100_000;

	private static final double MIN_WORK = 2e4;

	private static final double MAX_WORK = 2e8;

	private final Problem problem;

	private final double constant;

	private final double incumbent;

	private final List<HostPattern> patterns = new ArrayList<>();

	private final List<Integer> alike = new ArrayList<>();

	private final int[] kindOf;

	/** Weight of the edges of each service. */
	private final double[] strength;

	private final Clock clock;

	/** Cost of a step for the clock. */
	private final long cost;

	/** Whether the clock left time to prepare all questions. */
	private final boolean prepared;

	private LowerBound(Problem problem, double incumbent, double work, long cost, Clock clock) {
		this.clock = clock;
		this.cost = cost;
		this.problem = problem;
		this.incumbent = incumbent;
		Map<String, List<Integer>> kinds = new LinkedHashMap<>();
		for (int host = 0; host < problem.hosts; host++) {
			kinds.computeIfAbsent(kind(problem, host), (key) -> new ArrayList<>()).add(host);
		}
		this.kindOf = new int[problem.hosts];
		int kind = 0;
		for (List<Integer> hosts : kinds.values()) {
			for (int host : hosts) {
				this.kindOf[host] = kind;
			}
			kind++;
		}
		this.strength = new double[problem.services];
		for (int edge = 0; edge < problem.edges(); edge++) {
			this.strength[problem.edgeFrom[edge]] += problem.edgeGain[edge];
			this.strength[problem.edgeTo[edge]] += problem.edgeGain[edge];
		}
		List<Integer> edges = IntStream.range(0, problem.edges())
			.boxed()
			.sorted((one, other) -> Double.compare(problem.edgeGain[other], problem.edgeGain[one]))
			.toList();
		for (List<Integer> hosts : kinds.values()) {
			HostPattern pattern = new HostPattern(problem, hosts.get(0), work / kinds.size(), edges, false, clock);
			// An edge counts for all hosts or for none.
			edges = edges.subList(0, pattern.edges());
			this.patterns.add(pattern);
			this.alike.add(hosts.size());
		}
		int counting = edges.size();
		for (int k = 0; k < this.patterns.size(); k++) {
			if (this.patterns.get(k).edges() > counting) {
				int host = kinds.values().stream().toList().get(k).get(0);
				this.patterns.set(k, new HostPattern(problem, host, work / kinds.size(), edges, true, clock));
			}
		}
		double all = 0;
		for (int edge = 0; edge < problem.edges(); edge++) {
			all += problem.edgeGain[edge] * problem.communicationWeight;
		}
		this.constant = problem.bound() + all - leftOut(problem, new HashSet<>(edges));
		this.prepared = !clock.expired(0);
	}

	/** The most that edges which do not count can keep local. */
	private double leftOut(Problem problem, Set<Integer> counting) {
		double out = 0;
		for (int edge = 0; edge < problem.edges(); edge++) {
			double local = 0;
			for (int kind = 0; kind < this.patterns.size() && !counting.contains(edge) && local < 1; kind++) {
				local += this.alike.get(kind) * this.patterns.get(kind).local(edge);
			}
			out += Math.min(1, local) * problem.edgeGain[edge] * problem.communicationWeight;
		}
		return out;
	}

	private static String kind(Problem problem, int host) {
		StringBuilder kind = new StringBuilder();
		for (int resource = 0; resource < problem.resources; resource++) {
			kind.append(problem.capacity(host, resource)).append(' ');
		}
		for (int service = 0; service < problem.services; service++) {
			if (!problem.allows(service, host)) {
				kind.append(service).append(',');
			}
		}
		return kind.toString();
	}

	/**
	 * Computes a lower bound.
	 * @param problem what is placed where
	 * @param placement the best placement known; the closer to the optimum, the better
	 * the bound
	 * @param time how long to compute. Nothing else depends on it than how close the
	 * bound is
	 * @return a value that no objective is below
	 */
	public static double of(Problem problem, int[] placement, Duration time) {
		return of(problem, placement, time, new Cancellation());
	}

	/**
	 * Computes a lower bound until somebody cancels. The best bound so far is returned
	 * within milliseconds, as it is after an interrupt.
	 * @param problem what is placed where
	 * @param placement the best placement known
	 * @param time how long to compute
	 * @param cancellation ends the computation from another thread
	 * @return a value that no objective is below
	 */
	public static double of(Problem problem, int[] placement, Duration time, Cancellation cancellation) {
		long end = System.nanoTime() + time.toNanos();
		return of(problem, placement, time, (steps) -> cancellation.cancelled() || System.nanoTime() >= end
				|| Thread.currentThread().isInterrupted());
	}

	/**
	 * The same with a clock of the caller's.
	 * @param problem what is placed where
	 * @param placement the best placement known
	 * @param time how much is planned for
	 * @param clock says when to end
	 * @return a value that no objective is below
	 */
	static double of(Problem problem, int[] placement, Duration time, Clock clock) {
		double work = Math.max(MIN_WORK, Math.min(MAX_WORK, time.toNanos() * PER_NANO / PLANNED));
		return run(problem, placement, work, clock);
	}

	/**
	 * Looks for prices with rough answers first, so that few steps with close ones are
	 * left.
	 */
	private static double run(Problem problem, int[] placement, double work, Clock clock) {
		double incumbent = problem.value(placement).objective();
		LowerBound coarse = new LowerBound(problem, incumbent, Math.max(MIN_WORK, work / PARTS_OF_STEP), 1, clock);
		Node root = coarse.root();
		if (coarse.prepared) {
			coarse.improve(root, COARSE_STEPS);
		}
		LowerBound fine = new LowerBound(problem, incumbent, Math.min(MAX_WORK, work * FINE_PARTS / PARTS_OF_STEP),
				FINE_PARTS, clock);
		return fine.run(root);
	}

	/**
	 * The same within a number of operations instead of a time, so that the result is the
	 * same each time.
	 * @param problem what is placed where
	 * @param placement the best placement known
	 * @param operations operations of the planned steps
	 * @param most number of steps, if these take fewer operations than planned
	 * @param ended says whether to end early, whatever the operations
	 * @return a value that no objective is below
	 */
	static double of(Problem problem, int[] placement, long operations, int most, BooleanSupplier ended) {
		double work = Math.max(MIN_WORK, Math.min(MAX_WORK, (double) operations / PLANNED));
		Clock clock = new Clock() {

			private double left = Math.max((double) FINE_PARTS * most, PARTS_OF_STEP * operations / work);

			@Override
			public boolean expired(long steps) {
				this.left -= steps;
				return this.left < 0 || ended.getAsBoolean();
			}

		};
		return run(problem, placement, work, clock);
	}

	/** Ways to compute the bound of a problem. */
	static BoundMethod method(Problem problem) {
		return (problem.services > MAX_BRANCHED || problem.hosts > MAX_BRANCHED_HOSTS) ? BoundMethod.PRICES
				: BoundMethod.FIXED_SERVICES;
	}

	private Node root() {
		int[] free = new int[this.problem.services];
		Arrays.fill(free, -1);
		return new Node(free, prices(), this.problem.bound());
	}

	private double run(Node root) {
		if (!this.prepared) {
			return Math.min(root.bound, this.incumbent);
		}
		improve(root, MAX_STEPS);
		if (method(this.problem) == BoundMethod.PRICES) {
			return Math.min(root.bound, this.incumbent);
		}
		return branch(root);
	}

	/** Fixes services one by one, where the bound is lowest first. */
	private double branch(Node root) {
		PriorityQueue<Node> open = new PriorityQueue<>(Comparator.comparingDouble((node) -> node.bound));
		open.add(root);
		while (!open.isEmpty()) {
			Node node = open.remove();
			if (node.bound >= this.incumbent - ROUNDING) {
				return this.incumbent;
			}
			int service = next(node);
			if (service < 0 || open.size() > MAX_OPEN || this.clock.expired(this.cost)) {
				return node.bound;
			}
			Set<Integer> untouched = new HashSet<>();
			for (int host = 0; host < this.problem.hosts; host++) {
				boolean alone = !node.uses(host);
				// One of several equal empty hosts stands for all.
				if (!this.problem.allows(service, host) || (alone && !untouched.add(this.kindOf[host]))) {
					continue;
				}
				int[] fixed = node.fixed.clone();
				fixed[service] = host;
				if (!fits(fixed, host)) {
					continue;
				}
				Node child = new Node(fixed, node.price.clone(), node.bound);
				improve(child, BRANCH_STEPS);
				if (child.bound < this.incumbent - ROUNDING) {
					open.add(child);
				}
			}
		}
		return this.incumbent;
	}

	/** The service to fix next: one of those whose edges weigh most. */
	private int next(Node node) {
		int next = -1;
		for (int service = 0; service < this.problem.services; service++) {
			if (node.fixed[service] < 0 && this.problem.replicas[service] == 1
					&& (next < 0 || this.strength[service] > this.strength[next])) {
				next = service;
			}
		}
		return next;
	}

	private boolean fits(int[] fixed, int host) {
		for (int resource = 0; resource < this.problem.resources; resource++) {
			long used = 0;
			for (int service = 0; service < fixed.length; service++) {
				used += (fixed[service] == host) ? this.problem.demand(service, resource) : 0;
			}
			if (used > this.problem.capacity(host, resource)) {
				return false;
			}
		}
		return true;
	}

	/** Improves the prices of a node by steps along the subgradient. */
	private void improve(Node node, int steps) {
		boolean branched = method(this.problem) == BoundMethod.FIXED_SERVICES;
		int services = this.problem.services;
		double[] price = node.price.clone();
		double[] direction = new double[services];
		double[] slope = new double[services];
		double length = 1;
		int idle = 0;
		double before = node.bound;
		for (int step = 0; step < steps && length > SHORTEST && !this.clock.expired(this.cost); step++) {
			double bound = evaluate(node.fixed, price, slope, step % ALL_MEASURES == 0);
			if (bound == Double.NEGATIVE_INFINITY) {
				// The clock expired on the way.
				break;
			}
			idle++;
			if (bound > node.bound + ROUNDING) {
				node.bound = bound;
				System.arraycopy(price, 0, node.price, 0, services);
				idle = 0;
			}
			if (idle >= PATIENCE) {
				length /= 2;
				idle = 0;
				System.arraycopy(node.price, 0, price, 0, services);
			}
			if (branched && step % WORTHWHILE_STEPS == WORTHWHILE_STEPS - 1) {
				if (node.bound - before < WORTHWHILE * (this.incumbent - node.bound)) {
					break;
				}
				before = node.bound;
			}
			double square = 0;
			for (int service = 0; service < services; service++) {
				direction[service] = 0.7 * slope[service] + 0.3 * direction[service];
				square += direction[service] * direction[service];
			}
			double missing = this.incumbent - bound;
			if (square < FLAT || missing <= ROUNDING) {
				break;
			}
			for (int service = 0; service < services; service++) {
				double next = price[service] - length * missing / square * direction[service];
				price[service] = Math.max(-HIGHEST, Math.min(HIGHEST, next));
			}
		}
	}

	/** The bound for some prices, and where it rises. */
	private double evaluate(int[] fixed, double[] price, double[] slope, boolean all) {
		double local = 0;
		for (int service = 0; service < slope.length; service++) {
			local += price[service] * this.problem.replicas[service];
			slope[service] = this.problem.replicas[service];
		}
		int[] untouched = this.alike.stream().mapToInt(Integer::intValue).toArray();
		boolean[] used = new boolean[this.problem.hosts];
		for (int host : fixed) {
			if (host >= 0 && !used[host]) {
				used[host] = true;
				untouched[this.kindOf[host]]--;
				local += ask(this.kindOf[host], 1, price, fixed, host, slope, all);
			}
		}
		for (int kind = 0; kind < untouched.length; kind++) {
			if (untouched[kind] > 0) {
				local += ask(kind, untouched[kind], price, fixed, -1, slope, all);
			}
		}
		return this.constant - local - ROUNDING;
	}

	private double ask(int kind, int hosts, double[] price, int[] fixed, int host, double[] slope, boolean all) {
		HostPattern pattern = this.patterns.get(kind);
		double profit = pattern.best(price, fixed, host, all);
		if (profit == Double.POSITIVE_INFINITY) {
			return profit;
		}
		for (int service = 0; service < slope.length; service++) {
			slope[service] -= hosts * pattern.count(service);
		}
		return hosts * profit;
	}

	/** Some services fixed to hosts. */
	private static final class Node {

		final int[] fixed;

		final double[] price;

		double bound;

		Node(int[] fixed, double[] price, double bound) {
			this.fixed = fixed;
			this.price = price;
			this.bound = bound;
		}

		boolean uses(int host) {
			for (int used : this.fixed) {
				if (used == host) {
					return true;
				}
			}
			return false;
		}

	}

	/** Half of what the edges of a replica are worth. */
	private double[] prices() {
		double[] price = new double[this.problem.services];
		for (int edge = 0; edge < this.problem.edges(); edge++) {
			double half = this.problem.edgeGain[edge] * this.problem.communicationWeight / 2;
			int from = this.problem.edgeFrom[edge];
			int to = this.problem.edgeTo[edge];
			price[from] += half / this.problem.replicas[from];
			price[to] += half / this.problem.replicas[to];
		}
		return price;
	}

}
