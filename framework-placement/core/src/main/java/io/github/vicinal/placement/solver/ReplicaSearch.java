package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * Places services with replicas: annealing on how many replicas of each service each host
 * runs.
 * <p>
 * Steps are the shift of one or more replicas to another host, the swap of replicas of
 * two services, and the joint shift of two neighbours in proportion to their replicas,
 * because under locality-weighted routing either alone would only lose.
 */
final class ReplicaSearch {

	private static final int INTERVAL = 4096;

	private static final int MIN_INTERVAL = 64;

	private static final double HOT = 0.5;

	/**
	 * Small problems are melted down now and then, as one step away from the best is far.
	 */
	private static final double REHEAT = 6;

	private static final int SMALL = 200;

	/** A way through what does not fit helps some of them, and misleads others. */
	private static final double[] SMALL_SOFTS = { 0.3, 3, 30 };

	private static final double COLD = 0.002;

	private static final double SOFT = 3;

	private static final double HARD = 100;

	/** Steps per replica of one annealing. */
	private static final int STEPS = 3000;

	private final Problem problem;

	private final Search search;

	private final Rng rng;

	private final int services;

	private final int hosts;

	/** Replicas by service and host. */
	private final int[] count;

	/** Replicas of each service by host, at the start. */
	private final int[] home;

	private final int[] placement;

	private final int[] usedOn;

	private final int[] serviceOf;

	private final int[] start;

	private final int[] neighbour;

	private final double[] gain;

	private final double[] part;

	private final int[] separate;

	private final int[] separateStart;

	private final HostLoads loads;

	private final boolean small;

	private final double scale;

	private final double meanShare;

	private final double moveWeight;

	private final int maxMoves;

	private double temperature;

	private double penalty;

	private double over;

	private int moved;

	private boolean loaded;

	ReplicaSearch(Problem problem, Search search, Rng rng) {
		this.problem = problem;
		this.search = search;
		this.rng = rng;
		this.services = problem.services;
		this.hosts = problem.hosts;
		this.count = new int[this.services * this.hosts];
		this.home = new int[this.services * this.hosts];
		this.placement = search.best().clone();
		this.small = this.placement.length <= SMALL;
		this.usedOn = new int[this.hosts];
		this.serviceOf = new int[problem.replicas()];
		this.part = new double[this.services];
		this.start = new int[this.services + 1];
		double[] unit = HostLoads.units(this.hosts, problem.resources, problem.capacity);
		this.loads = new HostLoads(this.hosts, problem.resources, problem.demand, problem.capacity, unit,
				problem.imbalanceWeight, problem.balanced);
		double share = 0;
		for (int s = 0; s < this.services; s++) {
			this.part[s] = 1.0 / problem.replicas[s];
			Arrays.fill(this.serviceOf, problem.firstReplica[s], problem.firstReplica[s + 1], s);
			double most = 0;
			for (int r = 0; r < problem.resources; r++) {
				most = Math.max(most, problem.demand(s, r) * unit[r]);
			}
			share += most * problem.replicas[s];
		}
		this.meanShare = Math.max(1e-9, share / problem.replicas());
		int edges = problem.edges();
		for (int e = 0; e < edges; e++) {
			this.start[problem.edgeFrom[e] + 1]++;
			this.start[problem.edgeTo[e] + 1]++;
		}
		for (int s = 0; s < this.services; s++) {
			this.start[s + 1] += this.start[s];
		}
		this.neighbour = new int[2 * edges];
		this.gain = new double[2 * edges];
		int[] next = this.start.clone();
		double all = 0;
		for (int e = 0; e < edges; e++) {
			double g = problem.edgeGain[e] * problem.communicationWeight;
			all += g;
			this.neighbour[next[problem.edgeFrom[e]]] = problem.edgeTo[e];
			this.gain[next[problem.edgeFrom[e]]++] = g;
			this.neighbour[next[problem.edgeTo[e]]] = problem.edgeFrom[e];
			this.gain[next[problem.edgeTo[e]]++] = g;
		}
		this.separateStart = new int[this.services + 1];
		for (int p = 0; p < problem.apartOne.length; p++) {
			this.separateStart[problem.apartOne[p] + 1]++;
			this.separateStart[problem.apartOther[p] + 1]++;
		}
		for (int s = 0; s < this.services; s++) {
			this.separateStart[s + 1] += this.separateStart[s];
		}
		this.separate = new int[2 * problem.apartOne.length];
		next = this.separateStart.clone();
		for (int p = 0; p < problem.apartOne.length; p++) {
			this.separate[next[problem.apartOne[p]]++] = problem.apartOther[p];
			this.separate[next[problem.apartOther[p]]++] = problem.apartOne[p];
		}
		this.moveWeight = problem.moveWeight / problem.replicas();
		this.maxMoves = (problem.maxMoves < 0) ? Integer.MAX_VALUE : problem.maxMoves;
		double balance = problem.imbalanceWeight * 2 * problem.resources * this.meanShare * this.meanShare / this.hosts;
		double found = 2 * all / problem.replicas() + balance + problem.hostWeight / this.hosts + this.moveWeight;
		this.scale = (found > 0) ? found : 1;
	}

	void run() {
		begin();
		boolean first = true;
		while (!this.search.expired(0)) {
			load(this.search.best());
			double again = HOT * 0.1 * (1 + this.rng.nextInt(5));
			anneal(first ? HOT : (this.small && this.rng.nextInt(2) == 0) ? REHEAT * HOT : again, first);
			first = false;
		}
	}

	/** Starts from what runs now where moves count. */
	private void begin() {
		int[] current = this.problem.current;
		if (current == null) {
			return;
		}
		int[] now = this.placement.clone();
		for (int i = 0; i < now.length; i++) {
			if (current[i] >= 0) {
				now[i] = current[i];
				this.home[this.serviceOf[i] * this.hosts + current[i]]++;
			}
		}
		this.search.offer(now);
	}

	private void load(int[] from) {
		for (int i = 0; i < this.placement.length; i++) {
			if (this.loaded) {
				this.loads.add(this.serviceOf[i], this.placement[i], -1);
			}
			this.placement[i] = from[i];
		}
		Arrays.fill(this.count, 0);
		Arrays.fill(this.usedOn, 0);
		this.moved = 0;
		for (int i = 0; i < this.placement.length; i++) {
			int h = from[i];
			this.count[this.serviceOf[i] * this.hosts + h]++;
			this.usedOn[h]++;
			this.loads.add(this.serviceOf[i], h, 1);
		}
		this.loaded = true;
		this.loads.recount();
		this.over = this.loads.over();
		for (int s = 0; s < this.services; s++) {
			int here = 0;
			for (int h = 0; h < this.hosts; h++) {
				here += this.home[s * this.hosts + h];
				this.moved -= Math.min(this.count[s * this.hosts + h], this.home[s * this.hosts + h]);
			}
			this.moved += here;
		}
	}

	private void anneal(double hot, boolean whole) {
		long steps = (long) STEPS * this.placement.length;
		int interval = (int) Math.max(MIN_INTERVAL, Math.min(INTERVAL, steps / 64));
		double begin = this.search.used();
		double slice = whole ? 0.6 : 0.2;
		double soft = this.small ? SMALL_SOFTS[this.rng.nextInt(SMALL_SOFTS.length)] : SOFT;
		double progress = 0;
		long done = 0;
		while (progress < 1) {
			this.temperature = this.scale * hot * Math.pow(COLD / hot, progress);
			this.penalty = this.scale / this.meanShare * soft * Math.pow(HARD / soft, progress);
			for (int i = 0; i < interval; i++) {
				step();
			}
			done += interval;
			if (this.small && this.over < 1e-9) {
				this.search.offer(this.placement);
			}
			if (this.search.expired(interval)) {
				break;
			}
			progress = Math.max((double) done / steps, (this.search.used() - begin) / slice);
		}
		this.search.offer(this.placement);
	}

	private void step() {
		int i = this.rng.nextInt(this.placement.length);
		int s = this.serviceOf[i];
		int a = this.placement[i];
		int b = candidate(s);
		if (a == b || !mayHost(s, b, -1)) {
			return;
		}
		double delta = shiftBy(s, a, b);
		double overDelta = overBy(s, a, b);
		int away = awayBy(s, a, b);
		if (accept(delta, overDelta, away)) {
			shift(i, b);
			this.over += overDelta;
			this.moved += away;
			return;
		}
		long kind = this.rng.nextLong();
		if (kind < 0) {
			swap(i, s, a, b, delta, overDelta, away);
		}
		else {
			pair(i, s, a, b, delta, overDelta, away);
		}
	}

	/** A replica of b comes to a in exchange. */
	private void swap(int i, int s, int a, int b, double delta, double overDelta, int away) {
		int j = this.rng.nextInt(this.placement.length);
		// Most replicas are elsewhere; a few tries find one on b often enough.
		for (int tries = 0; this.placement[j] != b && tries < 64; tries++) {
			j = (j + 1 == this.placement.length) ? 0 : j + 1;
		}
		int t = this.serviceOf[j];
		if (this.placement[j] != b || t == s || !mayHost(t, a, s)) {
			return;
		}
		second(i, a, j, t, b, a, delta, overDelta, away);
	}

	/** A neighbour comes along from a to b. */
	private void pair(int i, int s, int a, int b, double delta, double overDelta, int away) {
		int degree = this.start[s + 1] - this.start[s];
		if (degree == 0) {
			return;
		}
		int t = this.neighbour[this.start[s] + this.rng.nextInt(degree)];
		if (this.count[t * this.hosts + a] == 0 || !mayHost(t, b, -1)) {
			return;
		}
		int first = this.problem.firstReplica[t];
		int size = this.problem.replicas[t];
		int at = this.rng.nextInt(size);
		for (int tries = 0; tries < size; tries++) {
			int j = first + (at + tries) % size;
			if (this.placement[j] == a) {
				second(i, a, j, t, a, b, delta, overDelta, away);
				return;
			}
		}
	}

	/** Shifts i from a to where j comes from or goes, then j; undoes both if refused. */
	private void second(int i, int a, int j, int t, int from, int to, double delta, double overDelta, int away) {
		int b = (from == a) ? to : from;
		shift(i, b);
		double deltaT = shiftBy(t, from, to);
		double overT = overBy(t, from, to);
		int awayT = awayBy(t, from, to);
		if (accept(delta + deltaT, overDelta + overT, away + awayT)) {
			shift(j, to);
			this.over += overDelta + overT;
			this.moved += away + awayT;
		}
		else {
			shift(i, a);
		}
	}

	private int candidate(int s) {
		int degree = this.start[s + 1] - this.start[s];
		if (degree > 0 && this.rng.nextInt(8) != 0) {
			int t = this.neighbour[this.start[s] + this.rng.nextInt(degree)];
			return this.placement[this.problem.firstReplica[t] + this.rng.nextInt(this.problem.replicas[t])];
		}
		return this.rng.nextInt(this.hosts);
	}

	/**
	 * Whether the rules let one more replica of s run on h, if a replica of leaving has
	 * gone.
	 */
	private boolean mayHost(int s, int h, int leaving) {
		if (!this.problem.allows(s, h) || this.count[s * this.hosts + h] >= this.problem.maxPerHost[s]) {
			return false;
		}
		for (int k = this.separateStart[s]; k < this.separateStart[s + 1]; k++) {
			int t = this.separate[k];
			if (this.count[t * this.hosts + h] > ((t == leaving) ? 1 : 0)) {
				return false;
			}
		}
		return this.problem.zoneApartOne.length == 0 || zoneAllows(s, h);
	}

	private boolean zoneAllows(int s, int h) {
		for (int p = 0; p < this.problem.zoneApartOne.length; p++) {
			int one = this.problem.zoneApartOne[p];
			int other = this.problem.zoneApartOther[p];
			if (one != s && other != s) {
				continue;
			}
			int t = (one == s) ? other : one;
			for (int k = 0; k < this.hosts; k++) {
				if (this.problem.zone[k] == this.problem.zone[h] && this.count[t * this.hosts + k] > 0) {
					return false;
				}
			}
		}
		return true;
	}

	private double shiftBy(int s, int a, int b) {
		double saved = 0;
		double p = this.part[s];
		int xa = this.count[s * this.hosts + a];
		int xb = this.count[s * this.hosts + b];
		for (int e = this.start[s]; e < this.start[s + 1]; e++) {
			int t = this.neighbour[e];
			double ya = this.count[t * this.hosts + a] * this.part[t];
			double yb = this.count[t * this.hosts + b] * this.part[t];
			if (this.problem.locality) {
				saved += this.gain[e] * (Math.min((xa - 1) * p, ya) - Math.min(xa * p, ya) + Math.min((xb + 1) * p, yb)
						- Math.min(xb * p, yb));
			}
			else {
				saved += this.gain[e] * p * (yb - ya);
			}
		}
		double by = -saved + this.loads.imbalanceBy(s, 1, -1, 0, a, b);
		if (this.problem.hostWeight > 0) {
			by += this.problem.hostWeight / this.hosts
					* (((this.usedOn[b] == 0) ? 1 : 0) - ((this.usedOn[a] == 1) ? 1 : 0));
		}
		return by;
	}

	private double overBy(int s, int a, int b) {
		return this.loads.overBy(b, s, 1, -1, 0) + this.loads.overBy(a, -1, 0, s, 1);
	}

	private int awayBy(int s, int a, int b) {
		int away = (this.count[s * this.hosts + a] <= this.home[s * this.hosts + a]) ? 1 : 0;
		return away - ((this.count[s * this.hosts + b] < this.home[s * this.hosts + b]) ? 1 : 0);
	}

	private boolean accept(double delta, double overDelta, int away) {
		double excess = (away == 0) ? 0
				: (Math.max(0, this.moved + away - this.maxMoves) - Math.max(0, this.moved - this.maxMoves))
						* this.meanShare;
		double all = delta + this.moveWeight * away + this.penalty * (overDelta + excess);
		if (all <= 0) {
			return true;
		}
		double scaled = all / this.temperature;
		return scaled < 16 && this.rng.nextDouble() < Math.exp(-scaled);
	}

	private void shift(int i, int b) {
		int s = this.serviceOf[i];
		int a = this.placement[i];
		this.count[s * this.hosts + a]--;
		this.count[s * this.hosts + b]++;
		this.usedOn[a]--;
		this.usedOn[b]++;
		this.loads.add(s, a, -1);
		this.loads.add(s, b, 1);
		this.placement[i] = b;
	}

}
