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

	/** Members that are looked at for an exchange where hosts are full. */
	private static final int PARTNERS = 16;

	/** Members that are looked at for the next move of a chain. */
	private static final int LOOKS = 32;

	/** The part of the capacities from which on hosts are full. */
	static final double FULL = 0.97;

	/** The part of the exchanges on full hosts that may become chains. */
	private static final double CHAINS = 0.5;

	/** The part of the moves in a chain that go to another host than where it began. */
	private static final double DETOURS = 0.3;

	/** Steps between two looks at the clock, at most. */
	private static final int CHUNK = 8192;

	/** Moves of one step, at most. */
	private static final int MAX_CHAIN = 6;

	/** Differences below are rounding. */
	private static final double EPSILON = 1e-12;

	private final Level level;

	private final Goals goals;

	private final Rng rng;

	private final int n;

	private final int m;

	private final Layout layout;

	private final HostLoads loads;

	/** Whether items have several units. */
	private final boolean several;

	/** The item of each unit, if items have several. */
	private final int[] itemOf;

	private double penalty;

	private double temperature;

	private final int[] best;

	private double bestCost = Double.POSITIVE_INFINITY;

	private double bestViolated = Double.POSITIVE_INFINITY;

	private final boolean homes;

	/** Whether hosts are so full that little fits but exchanges. */
	private final boolean full;

	/** The neighbour whose host was chosen last, -1 if it was any host. */
	private int toward;

	/** Moves of the step that is being tried: item, from, to, units. */
	private final int[] trail = new int[4 * MAX_CHAIN];

	private int trailed;

	private double trailDelta;

	private double trailOver;

	private int trailAway;

	/** The host that a chain goes on to. */
	private int next;

	Annealer(Level level, Goals goals, int[] hosts, Rng rng) {
		this.level = level;
		this.goals = goals;
		this.rng = rng;
		this.n = level.items;
		this.m = level.hosts;
		this.layout = new Layout(level, goals);
		this.loads = this.layout.loads;
		this.homes = this.layout.homes();
		this.several = level.replication != null;
		this.full = level.load() > FULL;
		this.itemOf = new int[this.several ? level.units : 0];
		int unit = 0;
		for (int v = 0; this.several && v < this.n; v++) {
			Arrays.fill(this.itemOf, unit, unit + level.units(v), v);
			unit += level.units(v);
		}
		this.best = hosts.clone();
		this.layout.load(hosts);
		keepBest();
	}

	/** Additional cost of balance and number of hosts if v goes from a to b, u back. */
	private double spreadBy(int v, int u, int a, int b) {
		double by = this.loads.imbalanceBy(v, 1, u, 1, a, b);
		if (this.goals.hostWeight() > 0 && u < 0) {
			by += this.layout.hostsBy(v, a, b, 1);
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
	 * @param slice the largest part of the clock's time to take; the temperature falls
	 * faster if the steps would take longer
	 * @param clock says when to stop early
	 */
	void anneal(double hot, double cold, double soft, double hard, long count, double slice, Clock clock) {
		long interval = Math.max(MIN_INTERVAL, Math.min(count / INTERVALS, this.level.units * 2L));
		double begin = clock.used();
		double progress = 0;
		for (long done = 0; progress < 1; done += interval, progress = Math.max((double) done / count,
				(clock.used() - begin) / slice)) {
			this.temperature = hot * Math.pow(cold / hot, progress);
			this.penalty = soft * Math.pow(hard / soft, progress);
			boolean expired = steps(interval, clock);
			keepBest();
			if (expired) {
				break;
			}
		}
		this.layout.recount();
		keepBest();
	}

	private boolean steps(long count, Clock clock) {
		for (long left = count; left > 0; left -= CHUNK) {
			int chunk = (int) Math.min(CHUNK, left);
			for (int i = 0; i < chunk; i++) {
				if (this.several) {
					stepUnits();
				}
				else {
					step(this.rng.nextInt(this.n));
				}
			}
			if (clock.expired(chunk)) {
				return true;
			}
		}
		return false;
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
		this.layout.recount();
		keepBest();
	}

	private boolean descendFrom(int v) {
		boolean improved = false;
		for (int b = 0; b < this.m; b++) {
			int a = this.layout.host[v];
			if (b != a && this.level.allows(v, b)) {
				double pull = this.layout.pull(v, a, b, 1);
				int away = this.homes ? this.layout.awayBy(v, a, b, 1) : 0;
				improved |= shiftIfBetter(v, b, pull, away) || swapIfBetter(v, b, pull, away);
			}
		}
		return improved;
	}

	private boolean shiftIfBetter(int v, int b, double pull, int away) {
		int a = this.layout.host[v];
		double delta = -pull + spreadBy(v, -1, a, b) + this.goals.moveWeight() * away;
		double over = this.loads.overBy(b, v, 1, -1, 1) + this.loads.overBy(a, -1, 1, v, 1);
		if (delta < -EPSILON && over <= 0 && excessBy(away) <= 0) {
			this.layout.move(v, a, b, 1);
			take(delta, over, away);
			return true;
		}
		return false;
	}

	private boolean swapIfBetter(int v, int b, double pull, int awayV) {
		int a = this.layout.host[v];
		for (int i = 0; i < this.layout.members(b); i++) {
			int u = this.layout.member(b, i);
			if (!this.level.allows(u, a)) {
				continue;
			}
			int away = this.homes ? awayV + this.layout.awayBy(u, b, a, 1) : 0;
			double delta = -pull - this.layout.pull(u, b, a, 1) + 2 * this.layout.weightBetween(v, u, a, b)
					+ spreadBy(v, u, a, b) + this.goals.moveWeight() * away;
			if (delta >= -EPSILON || excessBy(away) > 0) {
				continue;
			}
			double over = this.loads.overBy(a, u, 1, v, 1) + this.loads.overBy(b, v, 1, u, 1);
			if (over <= 0) {
				this.layout.move(v, a, b, 1);
				this.layout.move(u, b, a, 1);
				take(delta, over, away);
				return true;
			}
		}
		return false;
	}

	/** A step of an item with one unit. */
	private void step(int v) {
		int a = this.layout.host[v];
		int b = candidate(v);
		if (b == a || !this.level.allows(v, b)) {
			return;
		}
		double pull = this.layout.pull(v, a, b, 1);
		double overB = this.loads.overBy(b, v, 1, -1, 1);
		double overDelta = overB + this.loads.overBy(a, -1, 1, v, 1);
		double spread = spreadBy(v, -1, a, b);
		int away = this.homes ? this.layout.awayBy(v, a, b, 1) : 0;
		double delta = -pull + spread + this.goals.moveWeight() * away;
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			this.layout.move(v, a, b, 1);
			take(delta, overDelta, away);
			return;
		}
		if (this.layout.members(b) == 0 || (overB <= 0 && this.goals.balanceWeight() == 0)) {
			return;
		}
		if (this.full && this.rng.nextDouble() < CHAINS) {
			exchange(v, a, b);
			return;
		}
		// It does not fit as it is: make room by a member of that host.
		int u = this.full ? partner(v, a, b) : this.layout.member(b, this.rng.nextInt(this.layout.members(b)));
		int c = (this.rng.nextLong() < 0) ? a : candidate(u);
		if (c == b || !this.level.allows(u, c)) {
			return;
		}
		if (!this.layout.single(u)) {
			begin();
			push(v, a, b, 1);
			makeRoom(v, a, b);
			undo();
			return;
		}
		if (c == a) {
			swap(v, u, pull, away);
		}
		else {
			eject(v, u, c, delta, overDelta, away);
		}
	}

	/**
	 * Where hosts are full, one member rarely makes room for exactly one other. v goes
	 * from a to b, a member of b leaves for it, and so on from the host that is most over
	 * capacity, until all hosts of the chain fit or it is too long.
	 */
	private void exchange(int v, int a, int b) {
		begin();
		push(v, a, b, 1);
		int from = b;
		while (this.trailed > 0 && this.trailed < MAX_CHAIN && this.layout.members(from) > 0) {
			this.next = (from != a) ? a : b;
			boolean detour = from != a && this.trailed < MAX_CHAIN - 2 && this.rng.nextDouble() < DETOURS;
			int u = detour ? strayed(from) : -1;
			if (u < 0) {
				u = fitting(from, this.next);
			}
			if (u < 0) {
				break;
			}
			int to = this.next;
			push(u, from, to, 1);
			if (accepted()) {
				return;
			}
			int fullest = fullest(from, to, a);
			if (this.loads.overOf(fullest) <= 0) {
				break;
			}
			from = fullest;
		}
		undo();
	}

	private int fullest(int one, int other, int third) {
		double most = this.loads.overOf(other);
		int fullest = other;
		for (int h : new int[] { one, third }) {
			double over = this.loads.overOf(h);
			if (over > most) {
				most = over;
				fullest = h;
			}
		}
		return fullest;
	}

	/** A member that goes where one of its neighbours is, -1 if it may not. */
	private int strayed(int from) {
		int u = this.layout.member(from, this.rng.nextInt(this.layout.members(from)));
		int to = this.layout.single(u) ? candidate(u) : from;
		if (to == from || moves(u) || !this.level.allows(u, to)) {
			return -1;
		}
		this.next = to;
		return u;
	}

	/**
	 * The member whose move leaves least over capacity, and of those that fit as well the
	 * one that gains most; -1 for none.
	 */
	private int fitting(int from, int to) {
		int members = this.layout.members(from);
		int first = this.rng.nextInt(members);
		int best = -1;
		double least = Double.POSITIVE_INFINITY;
		double most = 0;
		for (int i = 0; i < Math.min(members, LOOKS); i++) {
			int u = this.layout.member(from, (first + i) % members);
			if (!this.layout.single(u) || moves(u) || !this.level.allows(u, to)) {
				continue;
			}
			double over = this.loads.overBy(to, u, 1, -1, 1) + this.loads.overBy(from, -1, 1, u, 1);
			if (over > least + EPSILON) {
				continue;
			}
			double gain = this.layout.pull(u, from, to, 1);
			if (over < least - EPSILON || gain > most) {
				least = over;
				most = gain;
				best = u;
			}
		}
		return best;
	}

	/** Whether the item is part of the step that is being tried. */
	private boolean moves(int u) {
		for (int i = 0; i < this.trailed; i++) {
			if (this.trail[4 * i] == u) {
				return true;
			}
		}
		return false;
	}

	/** Returns the one of some members of b whose exchange for v fits best. */
	private int partner(int v, int a, int b) {
		int best = -1;
		double least = Double.POSITIVE_INFINITY;
		for (int i = 0; i < PARTNERS && least > 0; i++) {
			int u = this.layout.member(b, this.rng.nextInt(this.layout.members(b)));
			double over = this.loads.overBy(a, u, 1, v, 1) + this.loads.overBy(b, v, 1, u, 1);
			if (over < least) {
				least = over;
				best = u;
			}
		}
		return best;
	}

	private void take(double delta, double overDelta, int away) {
		this.layout.cost += delta;
		this.layout.over += overDelta;
		this.layout.moved += away;
	}

	/** By how much more the moves exceed their most, in the measure of capacities. */
	private double excessBy(int away) {
		if (away == 0) {
			return 0;
		}
		int most = this.goals.maxMoves();
		return (Math.max(0, this.layout.moved + away - most) - Math.max(0, this.layout.moved - most))
				* this.level.meanShare;
	}

	/** A host where the item has an edge to, or any. */
	private int candidate(int v) {
		int degree = this.level.start[v + 1] - this.level.start[v];
		int pick = this.rng.nextInt(degree + 1 + this.goals.wander());
		if (pick < degree) {
			return this.layout.anyHost(this.level.neighbour[this.level.start[v] + pick], this.rng);
		}
		return this.rng.nextInt(this.m);
	}

	private void swap(int v, int u, double pull, int awayV) {
		int a = this.layout.host[v];
		int b = this.layout.host[u];
		int away = this.homes ? awayV + this.layout.awayBy(u, b, a, 1) : 0;
		double delta = -pull - this.layout.pull(u, b, a, 1) + 2 * this.layout.weightBetween(v, u, a, b)
				+ spreadBy(v, u, a, b) + this.goals.moveWeight() * away;
		double overDelta = this.loads.overBy(a, u, 1, v, 1) + this.loads.overBy(b, v, 1, u, 1);
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			this.layout.move(v, a, b, 1);
			this.layout.move(u, b, a, 1);
			take(delta, overDelta, away);
		}
	}

	/** v goes from a to b, u from b to c. */
	private void eject(int v, int u, int c, double deltaV, double overV, int awayV) {
		int a = this.layout.host[v];
		int b = this.layout.host[u];
		// As v has gone already when u goes, its move is undone if the pair is refused.
		this.layout.move(v, a, b, 1);
		int away = this.homes ? awayV + this.layout.awayBy(u, b, c, 1) : 0;
		double delta = deltaV - this.layout.pull(u, b, c, 1) + spreadBy(u, -1, b, c)
				+ this.goals.moveWeight() * (away - awayV);
		double overDelta = overV + this.loads.overBy(b, -1, 1, u, 1) + this.loads.overBy(c, u, 1, -1, 1);
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			this.layout.move(u, b, c, 1);
			take(delta, overDelta, away);
		}
		else {
			this.layout.move(v, b, a, 1);
		}
	}

	/** A step where items have several units: a group of them moves at once. */
	private void stepUnits() {
		int v = ((this.rng.nextLong() & 1) == 0) ? this.itemOf[this.rng.nextInt(this.itemOf.length)]
				: this.rng.nextInt(this.n);
		if (this.layout.single(v)) {
			step(v);
			return;
		}
		int a = this.layout.anyHost(v, this.rng);
		int b = candidateOf(v);
		int most = Math.min(this.layout.count(v, a), this.layout.mayCome(v, b));
		if (b == a || most < 1 || !this.level.allows(v, b)) {
			return;
		}
		begin();
		int units = (most == 1) ? 1 : units(v, b, most);
		double overB = push(v, a, b, units);
		if (accepted()) {
			return;
		}
		if (overB > 0 && (this.rng.nextLong() & 3) != 0) {
			makeRoom(v, a, b);
		}
		else {
			follow(v, a, b, units);
			if (!accepted() && overB > 0) {
				makeRoom(v, a, b);
			}
		}
		if (!accepted()) {
			undo();
		}
	}

	/** Returns the maximum number of units that may go. */
	private int units(int v, int b, int most) {
		int kind = this.rng.nextInt(8);
		if (kind < 2) {
			return 1;
		}
		if (kind < 3) {
			return most;
		}
		if (kind < 4) {
			return 1 + this.rng.nextInt(most);
		}
		if (kind < 6 && this.toward >= 0) {
			// As many as have no partner there yet.
			int t = this.toward;
			double ratio = (double) this.level.units(v) / this.level.units(t);
			double lacking = ratio * this.layout.count(t, b) - this.layout.count(v, b);
			return Math.max(1, Math.min(most, (int) Math.ceil(lacking - 1e-9)));
		}
		return Math.max(1, Math.min(most, this.loads.room(b, v)));
	}

	/** Members of b go elsewhere until what came fits. */
	private void makeRoom(int v, int a, int b) {
		for (int tries = 0; tries < 4 && this.trailed > 0 && this.trailed < MAX_CHAIN; tries++) {
			if (this.loads.overOf(b) <= 0) {
				return;
			}
			int u = this.layout.member(b, this.rng.nextInt(this.layout.members(b)));
			if (u == v) {
				continue;
			}
			int c = (this.rng.nextInt(4) != 0) ? a : candidateOf(u);
			int most = Math.min(this.layout.count(u, b), this.layout.mayCome(u, c));
			if (c == b || most < 1 || !this.level.allows(u, c)) {
				continue;
			}
			push(u, b, c, Math.max(1, Math.min(most, this.loads.excessUnits(b, u))));
			if (accepted()) {
				return;
			}
		}
	}

	/** A neighbour that is on a comes along in proportion. */
	private void follow(int v, int a, int b, int units) {
		int degree = this.level.start[v + 1] - this.level.start[v];
		if (degree == 0) {
			return;
		}
		int t = this.level.neighbour[this.level.start[v] + this.rng.nextInt(degree)];
		int here = this.layout.count(t, a);
		int most = Math.min(here, this.layout.mayCome(t, b));
		if (most < 1 || !this.level.allows(t, b)) {
			return;
		}
		int along = (int) Math.round((double) units * this.level.units(t) / this.level.units(v));
		push(t, a, b, ((this.rng.nextLong() & 3) == 0) ? most : Math.max(1, Math.min(most, along)));
	}

	private int candidateOf(int v) {
		int degree = this.level.start[v + 1] - this.level.start[v];
		this.toward = -1;
		if (degree > 0 && this.rng.nextInt(8) != 0) {
			this.toward = this.level.neighbour[this.level.start[v] + this.rng.nextInt(degree)];
			return this.layout.anyHost(this.toward, this.rng);
		}
		return this.rng.nextInt(this.m);
	}

	private void begin() {
		this.trailed = 0;
		this.trailDelta = 0;
		this.trailOver = 0;
		this.trailAway = 0;
	}

	/** Makes a move and returns by how much more its target is over capacity. */
	private double push(int v, int a, int b, int units) {
		double overB = this.loads.overBy(b, v, units, -1, 0);
		int away = this.homes ? this.layout.awayBy(v, a, b, units) : 0;
		double delta = -this.layout.pull(v, a, b, units) + this.loads.imbalanceBy(v, units, -1, 0, a, b)
				+ this.goals.moveWeight() * away;
		if (this.goals.hostWeight() > 0) {
			delta += this.layout.hostsBy(v, a, b, units);
		}
		this.trailDelta += delta;
		this.trailOver += overB + this.loads.overBy(a, -1, 0, v, units);
		this.trailAway += away;
		this.layout.move(v, a, b, units);
		int at = 4 * this.trailed++;
		this.trail[at] = v;
		this.trail[at + 1] = a;
		this.trail[at + 2] = b;
		this.trail[at + 3] = units;
		return overB;
	}

	/** Keeps the moves of this step if the temperature allows; true if none is open. */
	private boolean accepted() {
		if (this.trailed == 0) {
			return true;
		}
		if (accept(this.trailDelta + this.penalty * (this.trailOver + excessBy(this.trailAway)))) {
			take(this.trailDelta, this.trailOver, this.trailAway);
			begin();
			return true;
		}
		return false;
	}

	private void undo() {
		while (this.trailed > 0) {
			int at = 4 * --this.trailed;
			this.layout.move(this.trail[at], this.trail[at + 2], this.trail[at + 1], this.trail[at + 3]);
		}
	}

	private void keepBest() {
		this.layout.over = this.loads.over();
		double violated = this.layout.over
				+ Math.max(0, this.layout.moved - this.goals.maxMoves()) * this.level.meanShare;
		boolean better = (violated == this.bestViolated) ? this.layout.cost < this.bestCost - EPSILON
				: violated < this.bestViolated;
		if (better) {
			this.layout.store(this.best);
			this.bestCost = this.layout.cost;
			this.bestViolated = violated;
		}
	}

	int[] best() {
		return this.best;
	}

}
