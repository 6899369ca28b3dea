package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Places services without replicas: multilevel annealing, repeated on a small population.
 * <p>
 * A new member of the population is built by clustering services along heavy edges level
 * by level, placing the coarsest clusters, and annealing at every level on the way back.
 * Afterwards two members are combined: what both keep together is clustered, so that the
 * levels are about nothing but what they differ in, and the better one is refined on
 * them. Where combining stops to help, fresh members are built beside the best one.
 */
final class MultilevelSearch {

	/** The largest part of a host that a cluster of a new member may take. */
	private static final double CLUSTER_SHARE = 0.3;

	/** Part of the budget after which the first placement is made without looking far. */
	private static final double FIRST_PLACEMENT = 0.7;

	private static final double HOT = 1;

	private static final double COLD = 0.01;

	/**
	 * Where balance alone counts, exchanges of items that are nearly alike decide, which
	 * make far smaller differences than moves.
	 */
	private static final double COLD_BALANCE = 1e-5;

	/**
	 * Penalty for a host over capacity, in multiples of what moves of one host's items
	 * make.
	 */
	private static final double HARD = 50;

	/**
	 * First and last penalty where hosts are full, in the same measure. What does not fit
	 * there is hardly ever repaired later.
	 */
	private static final double FULL_SOFT = 50;

	private static final double FULL_HARD = 500;

	/** Part of the steps of an annealing where hosts are full: chains take longer. */
	private static final double FULL_STEPS = 0.5;

	private static final int BUILD_STEPS = 100;

	private static final int REFINE_STEPS = 30;

	/** Steps per unit of items with several, in multiples of those per other item. */
	private static final int UNIT_STEPS = 10;

	/** Hottest start of a build, in multiples of the spread of the units' weights. */
	private static final double HOTTEST = 8;

	/** The largest part of the budget for one annealing of items with several units. */
	private static final double BUILD_SLICE = 0.5;

	private static final double REFINE_SLICE = 0.1;

	/**
	 * First and last temperature where nothing counts but what does not fit, in multiples
	 * of one broken rule or of a mean replica over capacity.
	 */
	private static final double FIT_HOT = 0.5;

	private static final double FIT_COLD = 0.02;

	private static final int FIT_STEPS = 100;

	/** First temperature at which a placement that fits is improved. */
	private static final double TIDY = 0.3;

	/** Number of replicas up to which placements are tried anew rather than repaired. */
	private static final int SMALL = 64;

	/** Number of replicas from which time is better spent on two members than on four. */
	private static final int LARGE = 4000;

	private final Problem problem;

	private final Search search;

	private final Rng rng;

	private final Level finest;

	private final Goals goals;

	/** Temperature to begin a refinement with: small problems are reheated. */
	private final double warm;

	/**
	 * First penalty: in small problems a way through what does not fit is often needed.
	 */
	private final double soft;

	/**
	 * Whether services have many replicas. The first decisions of an annealing then
	 * decide, and repairs do not undo them: fresh members are worth more than refined
	 * ones.
	 */
	private final boolean dense;

	/**
	 * Whether nothing fits but exchanges, between more services than can be tried out.
	 */
	private final boolean full;

	private final List<int[]> population = new ArrayList<>();

	private final List<Value> values = new ArrayList<>();

	MultilevelSearch(Problem problem, Search search, Rng rng) {
		this.problem = problem;
		this.search = search;
		this.rng = rng;
		this.finest = Level.of(problem);
		this.goals = Goals.of(problem, this.finest);
		this.dense = problem.replicas() > 2 * problem.services;
		this.full = !this.dense && problem.replicas() > SMALL && this.finest.load() > Annealer.FULL;
		double size = (double) problem.replicas() / SMALL;
		this.warm = Math.max(0.1, Math.min(1, 1 / size));
		this.soft = this.full ? FULL_SOFT : Math.max(2, Math.min(10, 2 * size));
	}

	void run() {
		int size = (this.problem.replicas() > LARGE && !this.dense) ? 2 : 4;
		int patience = this.dense ? 2 : size * ((this.problem.replicas() <= SMALL) ? 3 : 10);
		boolean budgeted = this.problem.maxMoves >= 0;
		this.search.begin();
		int[] start = Greedy.place(this.finest, this.goals, this.rng, fixed(),
				(steps) -> this.search.expired(steps) || this.search.used() > FIRST_PLACEMENT);
		this.search.offer(start);
		offerCurrent();
		if (budgeted) {
			pass(refine(this.finest, start, this.warm, BUILD_STEPS));
		}
		int idle = 0;
		while (!this.search.expired(0)) {
			if (!this.search.value().feasible() && !this.population.isEmpty() && this.rng.nextInt(2) == 0) {
				fit();
				continue;
			}
			if (this.population.size() < size) {
				pass(budgeted ? refine(this.finest, start, HOT, BUILD_STEPS) : build());
				idle = 0;
				continue;
			}
			int one = this.rng.nextInt(size);
			int other = this.rng.nextInt(size);
			int better = this.values.get(one).betterThan(this.values.get(other)) ? one : other;
			int[] child = combine(this.population.get(one), this.population.get(other), this.population.get(better));
			boolean improved = this.search.offer(child);
			replaceWorst(child);
			idle = improved ? 0 : idle + 1;
			if (idle > patience) {
				renew();
			}
		}
	}

	/**
	 * Looks for any placement that fits. Rules and capacities weigh alike and may be
	 * broken on the way, which traffic, the smaller by far, does not decide; then it
	 * does, as far as all stays as it is.
	 */
	private void fit() {
		double penalty = Problem.CONFLICT / Math.max(this.finest.meanShare, 1e-9);
		Annealer annealer = new Annealer(this.finest, this.goals, this.search.best(), this.rng);
		annealer.anneal(FIT_HOT * Problem.CONFLICT, FIT_COLD * Problem.CONFLICT, penalty, penalty,
				steps(this.finest, FIT_STEPS), 1, this.search);
		int[] fitted = annealer.best();
		if (this.search.offer(fitted) && this.search.value().feasible()) {
			double hard = HARD * this.goals.scale() / Math.max(this.finest.meanShare, 1e-9);
			Annealer tidy = new Annealer(this.finest, this.goals, fitted, this.rng);
			tidy.anneal(TIDY * this.goals.scale(), COLD * TIDY * this.goals.scale(), hard, hard,
					steps(this.finest, BUILD_STEPS), 1, this.search);
			renew();
			enter(tidy.best());
		}
	}

	/** The placement that runs now is a plan, too, if all of it is known. */
	private void offerCurrent() {
		int[] current = this.problem.current;
		if (current != null && Arrays.stream(current).allMatch((host) -> host >= 0)) {
			this.search.offer(current);
		}
	}

	/** Hosts of services that run now, if moves count; otherwise none is fixed. */
	private int[] fixed() {
		int[] fixed = new int[this.problem.replicas()];
		for (int replica = 0; replica < fixed.length; replica++) {
			fixed[replica] = (this.problem.current != null && this.problem.maxMoves >= 0)
					? this.problem.current[replica] : -1;
		}
		return fixed;
	}

	/** What the end of the budget cuts short is no full pass. */
	private void pass(int[] placement) {
		if (!this.search.expired(0)) {
			this.search.passed();
		}
		enter(placement);
	}

	private void enter(int[] placement) {
		this.search.offer(placement);
		this.population.add(placement);
		this.values.add(this.problem.value(placement));
	}

	private void replaceWorst(int[] child) {
		Value value = this.problem.value(child);
		int worst = 0;
		for (int i = 0; i < this.values.size(); i++) {
			if (Math.abs(this.values.get(i).objective() - value.objective()) < 1e-12) {
				// Twins make a population of one.
				return;
			}
			if (this.values.get(worst).betterThan(this.values.get(i))) {
				worst = i;
			}
		}
		if (value.betterThan(this.values.get(worst))) {
			this.population.set(worst, child);
			this.values.set(worst, value);
		}
	}

	/** Keeps one member in a population that has become alike, the best of all. */
	private void renew() {
		this.population.clear();
		this.values.clear();
		enter(this.search.best());
	}

	private int[] build() {
		return multilevel(List.of(), null, HOT, BUILD_STEPS, CLUSTER_SHARE);
	}

	private int[] combine(int[] one, int[] other, int[] better) {
		List<int[]> separate = (one == other) ? List.of(one) : List.of(one, other);
		return multilevel(separate, better, this.warm, REFINE_STEPS, 1);
	}

	private int[] multilevel(List<int[]> separate, int @Nullable [] placement, double hot, int steps,
			double clusterShare) {
		List<Level> levels = new ArrayList<>(List.of(this.finest));
		List<int[]> clusters = new ArrayList<>();
		List<int[]> apart = separate;
		int[] start = placement;
		while (!this.search.expired(0)) {
			Level level = levels.get(levels.size() - 1);
			int[] cluster = Coarsener.cluster(level, clusterShare, apart, this.rng, this.search);
			int count = Coarsener.count(cluster);
			if (count > level.items * 0.95 || count < 10) {
				break;
			}
			Level coarser = Coarsener.contract(level, cluster);
			levels.add(coarser);
			clusters.add(cluster);
			apart = apart.stream().map((hosts) -> Coarsener.raise(level, coarser, cluster, hosts)).toList();
			start = (start != null) ? Coarsener.raise(level, coarser, cluster, start) : null;
			if (count <= 2 * this.problem.hosts) {
				break;
			}
		}
		int at = levels.size() - 1;
		Level coarsest = levels.get(at);
		int[] nothing = new int[coarsest.units];
		Arrays.fill(nothing, -1);
		int[] hosts = (start != null) ? start : Greedy.place(coarsest, this.goals, this.rng, nothing, this.search);
		while (true) {
			hosts = refine(levels.get(at), hosts, hot, steps);
			if (at == 0) {
				return hosts;
			}
			at--;
			hosts = Coarsener.lower(levels.get(at), levels.get(at + 1), clusters.get(at), hosts);
		}
	}

	private int[] refine(Level level, int[] hosts, double hot, int steps) {
		if (this.search.expired(0)) {
			return hosts;
		}
		Goals goals = Goals.of(this.problem, level);
		Annealer annealer = new Annealer(level, goals, hosts, this.rng);
		boolean built = hot == HOT;
		// Where few edges have most of the weight, only a start at their weight moves
		// what
		// they hold.
		double scale = this.dense ? goals.spread() : goals.scale();
		double begin = !this.dense ? hot
				: hot * (built ? Math.pow(HOTTEST, this.rng.nextDouble()) : 1 + this.rng.nextInt(5));
		double penalty = scale / Math.max(level.meanShare, 1e-9);
		boolean balanceAlone = this.problem.communicationWeight == 0;
		double cold = balanceAlone ? COLD_BALANCE : COLD;
		double slice = !this.dense ? 1 : built ? BUILD_SLICE : REFINE_SLICE;
		annealer.anneal(begin * scale, cold * Math.min(1, hot) * goals.scale(), this.soft * penalty,
				(this.full ? FULL_HARD : HARD) * penalty, steps(level, steps), slice, this.search);
		if (balanceAlone) {
			// Among pairs that are nearly alike the last good ones are hit too rarely.
			annealer.descend(this.search);
		}
		return annealer.best();
	}

	private long steps(Level level, int steps) {
		if (this.full) {
			return (long) (FULL_STEPS * steps * level.units);
		}
		if (level.replication == null) {
			return (long) steps * level.items;
		}
		int single = 0;
		for (int units : level.replication.parts) {
			single += (units == 1) ? 1 : 0;
		}
		return (long) steps * (single + (long) UNIT_STEPS * (level.units - single));
	}

}
