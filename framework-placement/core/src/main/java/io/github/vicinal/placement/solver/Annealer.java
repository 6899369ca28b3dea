package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * Improves the placement of one level by shifting, swapping and ejecting items under a
 * falling temperature.
 * <p>
 * Capacities are soft on the way: what does not fit counts as a penalty that grows while
 * the temperature falls, so that the search can pass through placements that do not fit.
 * All costs are incremental: one step looks at the neighbours of the one or two items
 * that it moves.
 */
final class Annealer {

	/** Temperatures in one annealing, at least; between two of them the best is kept. */
	private static final int INTERVALS = 64;

	private static final int MIN_INTERVAL = 16;

	/** Differences below are rounding. */
	private static final double EPSILON = 1e-12;

	private final Level level;

	private final Goals goals;

	private final Rng rng;

	private final int n;

	private final int m;

	private final int[] host;

	private final HostLoads loads;

	private final int[][] members;

	private final int[] count;

	private final int[] position;

	private double penalty;

	private double temperature;

	/** The objective without the penalty. */
	private double cost;

	/** How much is over capacity, in parts of a mean host. */
	private double over;

	private final int[] best;

	private double bestCost = Double.POSITIVE_INFINITY;

	private double bestViolated = Double.POSITIVE_INFINITY;

	private int moved;

	private final boolean homes;

	Annealer(Level level, Goals goals, int[] host, Rng rng) {
		this.level = level;
		this.goals = goals;
		this.rng = rng;
		this.n = level.items;
		this.m = level.hosts;
		this.host = host.clone();
		this.loads = new HostLoads(this.m, level.resources, level.demand, level.capacity, level.unit,
				goals.balanceWeight(), goals.balanced());
		this.members = new int[this.m][8];
		this.count = new int[this.m];
		this.position = new int[this.n];
		this.best = host.clone();
		this.homes = level.homeHost.length > 0;
		for (int v = 0; v < this.n; v++) {
			add(v, host[v]);
			this.loads.add(v, host[v], 1);
		}
		recount();
		keepBest();
	}

	/** Computes from scratch what moves keep up to date, without their rounding. */
	private void recount() {
		double cut = 0;
		this.moved = 0;
		for (int v = 0; v < this.n; v++) {
			int h = this.host[v];
			for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
				// Half of it, as each edge is seen from both ends. A conflict saves while
				// apart.
				double w = this.level.weight[e];
				cut += (this.host[this.level.neighbour[e]] != h) ? w / 2 : 0;
				cut += (w < 0) ? -w / 2 : 0;
			}
			for (int k = this.level.homeStart[v]; k < this.level.homeStart[v + 1]; k++) {
				if (this.level.homeHost[k] != h) {
					this.moved += this.level.homeParts[k];
				}
			}
			if (this.level.apartStart != null) {
				cut += Problem.CONFLICT / 2 * sharingZone(v, h, this.level.apartStart);
			}
			if (!this.level.allows(v, h)) {
				cut += Problem.CONFLICT;
			}
		}
		int used = 0;
		for (int members : this.count) {
			used += (members > 0) ? 1 : 0;
		}
		this.loads.recount();
		this.over = this.loads.over();
		this.cost = cut + this.goals.moveWeight() * this.moved + this.goals.hostWeight() * used / this.m
				+ this.loads.imbalanceCost();
	}

	private int sharingZone(int item, int host, int[] apartStart) {
		int sharing = 0;
		for (int e = apartStart[item]; e < apartStart[item + 1]; e++) {
			int other = this.level.apart[e];
			if (other != item && this.level.zone[this.host[other]] == this.level.zone[host]) {
				sharing++;
			}
		}
		return sharing;
	}

	private void add(int v, int h) {
		int[] list = this.members[h];
		if (this.count[h] == list.length) {
			list = Arrays.copyOf(list, list.length * 2);
			this.members[h] = list;
		}
		this.position[v] = this.count[h];
		list[this.count[h]++] = v;
	}

	private void move(int v, int to) {
		int from = this.host[v];
		int[] list = this.members[from];
		int last = list[--this.count[from]];
		list[this.position[v]] = last;
		this.position[last] = this.position[v];
		add(v, to);
		this.host[v] = to;
		this.loads.add(v, from, -1);
		this.loads.add(v, to, 1);
	}

	/** What an item's edges gain by going from one host to another. */
	private double pull(int v, int a, int b) {
		double pull = 0;
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			int h = this.host[this.level.neighbour[e]];
			if (h == a) {
				pull -= this.level.weight[e];
			}
			else if (h == b) {
				pull += this.level.weight[e];
			}
		}
		if (this.level.apartStart != null) {
			pull += Problem.CONFLICT
					* (sharingZone(v, a, this.level.apartStart) - sharingZone(v, b, this.level.apartStart));
		}
		return pull;
	}

	/**
	 * By how many parts more are not at home if an item goes from one host to another.
	 */
	private int awayBy(int v, int a, int b) {
		int away = 0;
		for (int k = this.level.homeStart[v]; k < this.level.homeStart[v + 1]; k++) {
			int h = this.level.homeHost[k];
			if (h == a) {
				away += this.level.homeParts[k];
			}
			else if (h == b) {
				away -= this.level.homeParts[k];
			}
		}
		return away;
	}

	/** What balance and number of hosts cost more if v goes from a to b, u back. */
	private double spreadBy(int v, int u, int a, int b) {
		double by = this.loads.imbalanceBy(v, 1, u, 1, a, b);
		if (this.goals.hostWeight() > 0 && u < 0) {
			by += this.goals.hostWeight() / this.m * (((this.count[b] == 0) ? 1 : 0) - ((this.count[a] == 1) ? 1 : 0));
		}
		return by;
	}

	private boolean accept(double delta) {
		if (delta <= 0) {
			return true;
		}
		double scaled = delta / this.temperature;
		return scaled < 16 && this.rng.nextDouble() < Math.exp(-scaled);
	}

	/**
	 * Anneals.
	 * @param hot the temperature to start with
	 * @param cold the temperature to end with
	 * @param soft the penalty to start with, for a whole host over capacity
	 * @param hard the penalty to end with
	 * @param count steps to make
	 * @param clock says when to stop early
	 */
	void anneal(double hot, double cold, double soft, double hard, long count, Clock clock) {
		long interval = Math.max(MIN_INTERVAL, Math.min(count / INTERVALS, this.n * 2L));
		for (long done = 0; done < count; done += interval) {
			double progress = (double) done / count;
			this.temperature = hot * Math.pow(cold / hot, progress);
			this.penalty = soft * Math.pow(hard / soft, progress);
			for (long i = 0; i < interval; i++) {
				step();
			}
			keepBest();
			if (clock.expired(interval)) {
				break;
			}
		}
		recount();
		keepBest();
	}

	/**
	 * Shifts and swaps as long as that improves and everything fits as well as before:
	 * tries all pairs of items, where annealing tries some.
	 * @param clock says when to stop early
	 */
	void descend(Clock clock) {
		boolean improved = true;
		while (improved) {
			improved = false;
			for (int v = 0; v < this.n; v++) {
				improved |= descendFrom(v);
				if (clock.expired(1)) {
					improved = false;
					break;
				}
			}
		}
		recount();
		keepBest();
	}

	private boolean descendFrom(int v) {
		boolean improved = false;
		for (int b = 0; b < this.m; b++) {
			int a = this.host[v];
			if (b != a && this.level.allows(v, b)) {
				double pull = pull(v, a, b);
				int away = this.homes ? awayBy(v, a, b) : 0;
				improved |= shiftIfBetter(v, b, pull, away) || swapIfBetter(v, b, pull, away);
			}
		}
		return improved;
	}

	private boolean shiftIfBetter(int v, int b, double pull, int away) {
		int a = this.host[v];
		double delta = -pull + spreadBy(v, -1, a, b) + this.goals.moveWeight() * away;
		double over = this.loads.overBy(b, v, 1, -1, 1) + this.loads.overBy(a, -1, 1, v, 1);
		if (delta < -EPSILON && over <= 0 && excessBy(away) <= 0) {
			move(v, b);
			take(delta, over, away);
			return true;
		}
		return false;
	}

	private boolean swapIfBetter(int v, int b, double pull, int awayV) {
		int a = this.host[v];
		for (int i = 0; i < this.count[b]; i++) {
			int u = this.members[b][i];
			if (!this.level.allows(u, a)) {
				continue;
			}
			int away = this.homes ? awayV + awayBy(u, b, a) : 0;
			double delta = -pull - pull(u, b, a) + 2 * weightBetween(v, u) + spreadBy(v, u, a, b)
					+ this.goals.moveWeight() * away;
			if (delta >= -EPSILON || excessBy(away) > 0) {
				continue;
			}
			double over = this.loads.overBy(a, u, 1, v, 1) + this.loads.overBy(b, v, 1, u, 1);
			if (over <= 0) {
				move(v, b);
				move(u, a);
				take(delta, over, away);
				return true;
			}
		}
		return false;
	}

	private void step() {
		int v = this.rng.nextInt(this.n);
		int a = this.host[v];
		int b = candidate(v);
		if (b == a || !this.level.allows(v, b)) {
			return;
		}
		double pull = pull(v, a, b);
		double overB = this.loads.overBy(b, v, 1, -1, 1);
		double overDelta = overB + this.loads.overBy(a, -1, 1, v, 1);
		double spread = spreadBy(v, -1, a, b);
		int away = this.homes ? awayBy(v, a, b) : 0;
		double delta = -pull + spread + this.goals.moveWeight() * away;
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			move(v, b);
			take(delta, overDelta, away);
			return;
		}
		if (this.count[b] == 0 || (overB <= 0 && this.goals.balanceWeight() == 0)) {
			return;
		}
		// It does not fit as it is: make room by a member of that host.
		int u = this.members[b][this.rng.nextInt(this.count[b])];
		int c = (this.rng.nextLong() < 0) ? a : candidate(u);
		if (c == b || !this.level.allows(u, c)) {
			return;
		}
		if (c == a) {
			swap(v, u, pull, away);
		}
		else {
			eject(v, u, c, delta, overDelta, away);
		}
	}

	private void take(double delta, double overDelta, int away) {
		this.cost += delta;
		this.over += overDelta;
		this.moved += away;
	}

	/** By how much more the moves exceed their most, in the measure of capacities. */
	private double excessBy(int away) {
		if (away == 0) {
			return 0;
		}
		int most = this.goals.maxMoves();
		return (Math.max(0, this.moved + away - most) - Math.max(0, this.moved - most)) * this.level.meanShare;
	}

	/** A host where the item has an edge to, or any. */
	private int candidate(int v) {
		int degree = this.level.start[v + 1] - this.level.start[v];
		int pick = this.rng.nextInt(degree + 1 + this.goals.wander());
		if (pick < degree) {
			return this.host[this.level.neighbour[this.level.start[v] + pick]];
		}
		return this.rng.nextInt(this.m);
	}

	private void swap(int v, int u, double pull, int awayV) {
		int a = this.host[v];
		int b = this.host[u];
		int away = this.homes ? awayV + awayBy(u, b, a) : 0;
		double delta = -pull - pull(u, b, a) + 2 * weightBetween(v, u) + spreadBy(v, u, a, b)
				+ this.goals.moveWeight() * away;
		double overDelta = this.loads.overBy(a, u, 1, v, 1) + this.loads.overBy(b, v, 1, u, 1);
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			move(v, b);
			move(u, a);
			take(delta, overDelta, away);
		}
	}

	/** v goes from a to b, u from b to c. */
	private void eject(int v, int u, int c, double deltaV, double overV, int awayV) {
		int a = this.host[v];
		int b = this.host[u];
		// As v has gone already when u goes, its move is undone if the pair is refused.
		move(v, b);
		int away = this.homes ? awayV + awayBy(u, b, c) : 0;
		double delta = deltaV - pull(u, b, c) + spreadBy(u, -1, b, c) + this.goals.moveWeight() * (away - awayV);
		double overDelta = overV + this.loads.overBy(b, -1, 1, u, 1) + this.loads.overBy(c, u, 1, -1, 1);
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			move(u, c);
			take(delta, overDelta, away);
		}
		else {
			move(v, a);
		}
	}

	private double weightBetween(int v, int u) {
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			if (this.level.neighbour[e] == u) {
				return this.level.weight[e];
			}
		}
		return 0;
	}

	private void keepBest() {
		this.over = this.loads.over();
		double violated = this.over + Math.max(0, this.moved - this.goals.maxMoves()) * this.level.meanShare;
		boolean better = (violated == this.bestViolated) ? this.cost < this.bestCost - EPSILON
				: violated < this.bestViolated;
		if (better) {
			System.arraycopy(this.host, 0, this.best, 0, this.n);
			this.bestCost = this.cost;
			this.bestViolated = violated;
		}
	}

	int[] best() {
		return this.best;
	}

}
