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

	/**
	 * Steps between two looks at the clock, at most: fewer where items have many edges.
	 */
	private static final int CHUNK = 8192;

	/** Edges of an item up to which the rest of a step takes longer. */
	private static final int FEW_EDGES = 8;

	/** Moves of one step, at most. */
	private static final int MAX_CHAIN = 6;

	/** Differences below are rounding. */
	private static final double EPSILON = 1e-12;

	private final Level level;

	private final Goals goals;

	private final Rng rng;

	private final int itemCount;

	private final int hostCount;

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
		this.itemCount = level.items;
		this.hostCount = level.hosts;
		this.layout = new Layout(level, goals);
		this.loads = this.layout.loads;
		this.homes = this.layout.homes();
		this.several = level.replication != null;
		this.full = level.load() > FULL;
		this.itemOf = new int[this.several ? level.units : 0];
		int unit = 0;
		for (int item = 0; this.several && item < this.itemCount; item++) {
			Arrays.fill(this.itemOf, unit, unit + level.units(item), item);
			unit += level.units(item);
		}
		this.best = hosts.clone();
		this.layout.load(hosts);
		keepBest();
	}

	/**
	 * Additional cost of balance and number of hosts if an item goes from one host to
	 * another and the other item, unless it is -1, goes back.
	 */
	private double spreadBy(int item, int other, int from, int to) {
		double by = this.loads.imbalanceBy(item, 1, other, 1, from, to);
		if (this.goals.hostWeight() > 0 && other < 0) {
			by += this.layout.hostsBy(item, from, to, 1);
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
		int most = Math.max(MIN_INTERVAL,
				CHUNK * FEW_EDGES / (FEW_EDGES + this.level.neighbour.length / this.itemCount));
		for (long left = count; left > 0; left -= most) {
			int chunk = (int) Math.min(most, left);
			for (int i = 0; i < chunk; i++) {
				if (this.several) {
					stepUnits();
				}
				else {
					step(this.rng.nextInt(this.itemCount));
				}
			}
			if (clock.expired(chunk)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Shifts and swaps items of one unit as long as that improves and everything fits as
	 * well as before: tries all pairs of them, where annealing tries some.
	 * @param clock says when to stop early
	 */
	void descend(Clock clock) {
		boolean improved = true;
		while (improved) {
			improved = false;
			for (int item = 0; item < this.itemCount; item++) {
				improved |= descendFrom(item);
				if (clock.expired(1)) {
					improved = false;
					break;
				}
			}
		}
		this.layout.recount();
		keepBest();
	}

	private boolean descendFrom(int item) {
		boolean improved = false;
		if (!this.layout.single(item)) {
			return false;
		}
		for (int to = 0; to < this.hostCount; to++) {
			int from = this.layout.host[item];
			if (to != from && this.level.allows(item, to)) {
				double pull = this.layout.pull(item, from, to, 1);
				int away = this.homes ? this.layout.awayBy(item, from, to, 1) : 0;
				improved |= shiftIfBetter(item, to, pull, away) || swapIfBetter(item, to, pull, away);
			}
		}
		return improved;
	}

	private boolean shiftIfBetter(int item, int to, double pull, int away) {
		int from = this.layout.host[item];
		double delta = -pull + spreadBy(item, -1, from, to) + this.goals.moveWeight() * away;
		double over = this.loads.overBy(to, item, 1, -1, 1) + this.loads.overBy(from, -1, 1, item, 1);
		if (delta < -EPSILON && over <= 0 && excessBy(away) <= 0) {
			this.layout.move(item, from, to, 1);
			take(delta, over, away);
			return true;
		}
		return false;
	}

	private boolean swapIfBetter(int item, int to, double pull, int itemAway) {
		int from = this.layout.host[item];
		for (int i = 0; i < this.layout.members(to); i++) {
			int other = this.layout.member(to, i);
			if (!this.layout.single(other) || !this.level.allows(other, from)) {
				continue;
			}
			int away = this.homes ? itemAway + this.layout.awayBy(other, to, from, 1) : 0;
			double delta = -pull - this.layout.pull(other, to, from, 1)
					+ 2 * this.layout.weightBetween(item, other, from, to) + spreadBy(item, other, from, to)
					+ this.goals.moveWeight() * away;
			if (delta >= -EPSILON || excessBy(away) > 0) {
				continue;
			}
			double over = this.loads.overBy(from, other, 1, item, 1) + this.loads.overBy(to, item, 1, other, 1);
			if (over <= 0) {
				this.layout.move(item, from, to, 1);
				this.layout.move(other, to, from, 1);
				take(delta, over, away);
				return true;
			}
		}
		return false;
	}

	/** A step of an item with one unit. */
	private void step(int item) {
		int from = this.layout.host[item];
		int to = candidate(item);
		if (to == from || !this.level.allows(item, to)) {
			return;
		}
		double pull = this.layout.pull(item, from, to, 1);
		double overTo = this.loads.overBy(to, item, 1, -1, 1);
		double overDelta = overTo + this.loads.overBy(from, -1, 1, item, 1);
		double spread = spreadBy(item, -1, from, to);
		int away = this.homes ? this.layout.awayBy(item, from, to, 1) : 0;
		double delta = -pull + spread + this.goals.moveWeight() * away;
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			this.layout.move(item, from, to, 1);
			take(delta, overDelta, away);
			return;
		}
		if (this.layout.members(to) == 0 || (overTo <= 0 && this.goals.balanceWeight() == 0)) {
			return;
		}
		if (this.full && this.rng.nextDouble() < CHAINS) {
			exchange(item, from, to);
			return;
		}
		// It does not fit as it is: make room by a member of that host.
		int other = this.full ? partner(item, from, to)
				: this.layout.member(to, this.rng.nextInt(this.layout.members(to)));
		int otherTo = (this.rng.nextLong() < 0) ? from : candidate(other);
		if (otherTo == to || !this.level.allows(other, otherTo)) {
			return;
		}
		if (!this.layout.single(other)) {
			begin();
			push(item, from, to, 1);
			makeRoom(item, from, to);
			undo();
			return;
		}
		if (otherTo == from) {
			swap(item, other, pull, away);
		}
		else {
			eject(item, other, otherTo, delta, overDelta, away);
		}
	}

	/**
	 * Ejects members in a chain, since one member rarely makes room on a full host. The
	 * item goes from its origin to the target, a member of the target leaves for it, and
	 * so on from the host that is most over capacity, until all hosts of the chain fit or
	 * it is too long.
	 */
	private void exchange(int item, int origin, int target) {
		begin();
		push(item, origin, target, 1);
		int from = target;
		while (this.trailed > 0 && this.trailed < MAX_CHAIN && this.layout.members(from) > 0) {
			this.next = (from != origin) ? origin : target;
			boolean detour = from != origin && this.trailed < MAX_CHAIN - 2 && this.rng.nextDouble() < DETOURS;
			int member = detour ? strayed(from) : -1;
			if (member < 0) {
				member = fitting(from, this.next);
			}
			if (member < 0) {
				break;
			}
			int to = this.next;
			push(member, from, to, 1);
			if (accepted()) {
				return;
			}
			int fullest = fullest(from, to, origin);
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
		for (int host : new int[] { one, third }) {
			double over = this.loads.overOf(host);
			if (over > most) {
				most = over;
				fullest = host;
			}
		}
		return fullest;
	}

	/** A member that goes where one of its neighbours is, -1 if it may not. */
	private int strayed(int from) {
		int member = this.layout.member(from, this.rng.nextInt(this.layout.members(from)));
		int to = this.layout.single(member) ? candidate(member) : from;
		if (to == from || moves(member) || !this.level.allows(member, to)) {
			return -1;
		}
		this.next = to;
		return member;
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
			int member = this.layout.member(from, (first + i) % members);
			if (!this.layout.single(member) || moves(member) || !this.level.allows(member, to)) {
				continue;
			}
			double over = this.loads.overBy(to, member, 1, -1, 1) + this.loads.overBy(from, -1, 1, member, 1);
			if (over > least + EPSILON) {
				continue;
			}
			double gain = this.layout.pull(member, from, to, 1);
			if (over < least - EPSILON || gain > most) {
				least = over;
				most = gain;
				best = member;
			}
		}
		return best;
	}

	/** Whether the item is part of the step that is being tried. */
	private boolean moves(int item) {
		for (int i = 0; i < this.trailed; i++) {
			if (this.trail[4 * i] == item) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the one of some members of the host whose exchange for the item fits best.
	 */
	private int partner(int item, int from, int to) {
		int best = -1;
		double least = Double.POSITIVE_INFINITY;
		for (int i = 0; i < PARTNERS && least > 0; i++) {
			int other = this.layout.member(to, this.rng.nextInt(this.layout.members(to)));
			double over = this.loads.overBy(from, other, 1, item, 1) + this.loads.overBy(to, item, 1, other, 1);
			if (over < least) {
				least = over;
				best = other;
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
	private int candidate(int item) {
		int degree = this.level.start[item + 1] - this.level.start[item];
		int pick = this.rng.nextInt(degree + 1 + this.goals.wander());
		if (pick < degree) {
			return this.layout.anyHost(this.level.neighbour[this.level.start[item] + pick], this.rng);
		}
		return this.rng.nextInt(this.hostCount);
	}

	private void swap(int item, int other, double pull, int itemAway) {
		int from = this.layout.host[item];
		int to = this.layout.host[other];
		int away = this.homes ? itemAway + this.layout.awayBy(other, to, from, 1) : 0;
		double delta = -pull - this.layout.pull(other, to, from, 1)
				+ 2 * this.layout.weightBetween(item, other, from, to) + spreadBy(item, other, from, to)
				+ this.goals.moveWeight() * away;
		double overDelta = this.loads.overBy(from, other, 1, item, 1) + this.loads.overBy(to, item, 1, other, 1);
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			this.layout.move(item, from, to, 1);
			this.layout.move(other, to, from, 1);
			take(delta, overDelta, away);
		}
	}

	/** The item takes the place of the other, which goes on to a third host. */
	private void eject(int item, int other, int otherTo, double itemDelta, double itemOver, int itemAway) {
		int from = this.layout.host[item];
		int to = this.layout.host[other];
		// As the item has gone already when the other goes, its move is undone if the
		// pair is refused.
		this.layout.move(item, from, to, 1);
		int away = this.homes ? itemAway + this.layout.awayBy(other, to, otherTo, 1) : 0;
		double delta = itemDelta - this.layout.pull(other, to, otherTo, 1) + spreadBy(other, -1, to, otherTo)
				+ this.goals.moveWeight() * (away - itemAway);
		double overDelta = itemOver + this.loads.overBy(to, -1, 1, other, 1)
				+ this.loads.overBy(otherTo, other, 1, -1, 1);
		if (accept(delta + this.penalty * (overDelta + excessBy(away)))) {
			this.layout.move(other, to, otherTo, 1);
			take(delta, overDelta, away);
		}
		else {
			this.layout.move(item, to, from, 1);
		}
	}

	/** A step where items have several units: a group of them moves at once. */
	private void stepUnits() {
		int item = ((this.rng.nextLong() & 1) == 0) ? this.itemOf[this.rng.nextInt(this.itemOf.length)]
				: this.rng.nextInt(this.itemCount);
		if (this.layout.single(item)) {
			step(item);
			return;
		}
		int from = this.layout.anyHost(item, this.rng);
		int to = candidateOf(item);
		int most = Math.min(this.layout.count(item, from), this.layout.mayCome(item, to));
		if (to == from || most < 1 || !this.level.allows(item, to)) {
			return;
		}
		begin();
		int units = (most == 1) ? 1 : units(item, to, most);
		double overTo = push(item, from, to, units);
		if (accepted()) {
			return;
		}
		if (overTo > 0 && (this.rng.nextLong() & 3) != 0) {
			makeRoom(item, from, to);
		}
		else {
			follow(item, from, to, units);
			if (!accepted() && overTo > 0) {
				makeRoom(item, from, to);
			}
		}
		if (!accepted()) {
			undo();
		}
	}

	/** Returns the maximum number of units that may go. */
	private int units(int item, int to, int most) {
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
			int neighbour = this.toward;
			double ratio = (double) this.level.units(item) / this.level.units(neighbour);
			double lacking = ratio * this.layout.count(neighbour, to) - this.layout.count(item, to);
			return Math.max(1, Math.min(most, (int) Math.ceil(lacking - 1e-9)));
		}
		return Math.max(1, Math.min(most, this.loads.room(to, item)));
	}

	/** Members of the host that the item came to go elsewhere until it fits. */
	private void makeRoom(int item, int from, int to) {
		for (int tries = 0; tries < 4 && this.trailed > 0 && this.trailed < MAX_CHAIN; tries++) {
			if (this.loads.overOf(to) <= 0) {
				return;
			}
			int other = this.layout.member(to, this.rng.nextInt(this.layout.members(to)));
			if (other == item) {
				continue;
			}
			int otherTo = (this.rng.nextInt(4) != 0) ? from : candidateOf(other);
			int most = Math.min(this.layout.count(other, to), this.layout.mayCome(other, otherTo));
			if (otherTo == to || most < 1 || !this.level.allows(other, otherTo)) {
				continue;
			}
			push(other, to, otherTo, Math.max(1, Math.min(most, this.loads.excessUnits(to, other))));
			if (accepted()) {
				return;
			}
		}
	}

	/** A neighbour that is on the host that the item left comes along in proportion. */
	private void follow(int item, int from, int to, int units) {
		int degree = this.level.start[item + 1] - this.level.start[item];
		if (degree == 0) {
			return;
		}
		int neighbour = this.level.neighbour[this.level.start[item] + this.rng.nextInt(degree)];
		int here = this.layout.count(neighbour, from);
		int most = Math.min(here, this.layout.mayCome(neighbour, to));
		if (most < 1 || !this.level.allows(neighbour, to)) {
			return;
		}
		int along = (int) Math.round((double) units * this.level.units(neighbour) / this.level.units(item));
		push(neighbour, from, to, ((this.rng.nextLong() & 3) == 0) ? most : Math.max(1, Math.min(most, along)));
	}

	private int candidateOf(int item) {
		int degree = this.level.start[item + 1] - this.level.start[item];
		this.toward = -1;
		if (degree > 0 && this.rng.nextInt(8) != 0) {
			this.toward = this.level.neighbour[this.level.start[item] + this.rng.nextInt(degree)];
			return this.layout.anyHost(this.toward, this.rng);
		}
		return this.rng.nextInt(this.hostCount);
	}

	private void begin() {
		this.trailed = 0;
		this.trailDelta = 0;
		this.trailOver = 0;
		this.trailAway = 0;
	}

	/** Makes a move and returns by how much more its target is over capacity. */
	private double push(int item, int from, int to, int units) {
		double overTo = this.loads.overBy(to, item, units, -1, 0);
		int away = this.homes ? this.layout.awayBy(item, from, to, units) : 0;
		double delta = -this.layout.pull(item, from, to, units) + this.loads.imbalanceBy(item, units, -1, 0, from, to)
				+ this.goals.moveWeight() * away;
		if (this.goals.hostWeight() > 0) {
			delta += this.layout.hostsBy(item, from, to, units);
		}
		this.trailDelta += delta;
		this.trailOver += overTo + this.loads.overBy(from, -1, 0, item, units);
		this.trailAway += away;
		this.layout.move(item, from, to, units);
		int at = 4 * this.trailed++;
		this.trail[at] = item;
		this.trail[at + 1] = from;
		this.trail[at + 2] = to;
		this.trail[at + 3] = units;
		return overTo;
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
