package io.github.vicinal.placement.solver;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Hosts of the units of a level's items, and their cost; kept up to date move by move.
 * <p>
 * An item with one unit has one host. An item with several has a number of units on each
 * host. What a move changes is computed from the item's edges and from the two hosts, and
 * never from all units.
 */
final class Layout {

	final Level level;

	private final Goals goals;

	private final int n;

	private final int m;

	/** The host of items with one unit. */
	final int[] host;

	final HostLoads loads;

	private final @Nullable Replication replication;

	/** Units by host, and places in lists, of items with several units. */
	private final @Nullable Spots[] spots;

	/** 1 / units. */
	private final double[] part;

	/** Items on each host. */
	private int[][] members;

	private final int[] memberCount;

	/** Place in the list of members, of items with one unit. */
	private final int[] position;

	/** Units by zone, of items that a rule about zones concerns. */
	private final int[] @Nullable [] inZone;

	/** The objective without penalties. */
	double cost;

	/** Load over capacity, in parts of a mean host. */
	double over;

	/** Units that are not where they run now. */
	int moved;

	private final boolean homes;

	private boolean loaded;

	Layout(Level level, Goals goals) {
		this.level = level;
		this.goals = goals;
		this.n = level.items;
		this.m = level.hosts;
		this.host = new int[this.n];
		this.loads = new HostLoads(this.m, level.resources, level.demand, level.capacity, level.unit,
				goals.balanceWeight(), goals.balanced());
		this.members = new int[this.m][8];
		this.memberCount = new int[this.m];
		this.position = new int[this.n];
		this.replication = level.replication;
		this.spots = new Spots[this.n];
		this.part = new double[this.n];
		this.inZone = new int[this.n][];
		boolean running = level.homeHost.length > 0;
		for (int v = 0; v < this.n; v++) {
			int units = level.units(v);
			this.part[v] = 1.0 / units;
			Replication several = this.replication;
			if (units > 1 && several != null) {
				int[] home = several.home[v];
				running |= home != null;
				this.spots[v] = new Spots(this.m, units, several.minHosts[v], several.minZones[v], home);
			}
			int[] rows = level.apartStart;
			boolean apart = rows != null && rows[v + 1] > rows[v];
			if (several != null && (apart || zonesCost(v) || (units > 1 && several.minZones[v] > 1))) {
				this.inZone[v] = new int[this.m];
			}
		}
		this.homes = running;
	}

	/** Whether any edge of an item costs more between zones. */
	private boolean zonesCost(int v) {
		double[] weight = this.level.zoneWeight;
		for (int e = this.level.start[v]; weight != null && e < this.level.start[v + 1]; e++) {
			if (weight[e] > 0) {
				return true;
			}
		}
		return false;
	}

	/** Whether any unit runs now, so that moves can be counted. */
	boolean homes() {
		return this.homes;
	}

	/**
	 * Takes over where units are.
	 * @param hosts the host of each unit, item by item
	 */
	void load(int[] hosts) {
		if (this.loaded) {
			clear();
		}
		int unit = 0;
		for (int v = 0; v < this.n; v++) {
			Spots spots = this.spots[v];
			int[] zones = this.inZone[v];
			for (int i = this.level.units(v); i > 0; i--) {
				int h = hosts[unit++];
				if (spots == null) {
					this.host[v] = h;
					join(v, h);
				}
				else {
					arrive(v, spots, h, 1);
				}
				this.loads.add(v, h, 1);
				if (zones != null) {
					zones[this.level.zone[h]]++;
				}
			}
		}
		this.loaded = true;
		recount();
	}

	private void clear() {
		for (int v = 0; v < this.n; v++) {
			Spots spots = this.spots[v];
			if (spots == null) {
				this.loads.add(v, this.host[v], -1);
			}
			else {
				for (int i = 0; i < spots.used; i++) {
					this.loads.add(v, spots.hosts[i], -spots.count[spots.hosts[i]]);
				}
				spots.clear();
			}
			int[] zones = this.inZone[v];
			if (zones != null) {
				Arrays.fill(zones, 0);
			}
		}
		Arrays.fill(this.memberCount, 0);
	}

	/** Writes where units are. */
	void store(int[] into) {
		if (this.replication == null) {
			System.arraycopy(this.host, 0, into, 0, this.n);
			return;
		}
		int unit = 0;
		for (int v = 0; v < this.n; v++) {
			for (int i = 0; i < usedHosts(v); i++) {
				int h = usedHost(v, i);
				int count = count(v, h);
				Arrays.fill(into, unit, unit + count, h);
				unit += count;
			}
		}
	}

	int count(int v, int h) {
		Spots spots = this.spots[v];
		return (spots != null) ? spots.count[h] : (this.host[v] == h) ? 1 : 0;
	}

	boolean single(int v) {
		return this.spots[v] == null;
	}

	/** A host that the item uses, each as likely as the other. */
	int anyHost(int v, Rng rng) {
		Spots spots = this.spots[v];
		return (spots == null) ? this.host[v] : spots.hosts[(spots.used == 1) ? 0 : rng.nextInt(spots.used)];
	}

	int usedHosts(int v) {
		Spots spots = this.spots[v];
		return (spots == null) ? 1 : spots.used;
	}

	int usedHost(int v, int i) {
		Spots spots = this.spots[v];
		return (spots == null) ? this.host[v] : spots.hosts[i];
	}

	int members(int h) {
		return this.memberCount[h];
	}

	int member(int h, int i) {
		return this.members[h][i];
	}

	void move(int v, int a, int b, int units) {
		Spots spots = this.spots[v];
		if (spots == null) {
			leave(a, this.position[v]);
			join(v, b);
			this.host[v] = b;
		}
		else {
			spots.away += spots.awayBy(a, b, units);
			depart(spots, a, units);
			arrive(v, spots, b, units);
		}
		int[] zones = this.inZone[v];
		if (zones != null) {
			zones[this.level.zone[a]] -= units;
			zones[this.level.zone[b]] += units;
		}
		this.loads.add(v, a, -units);
		this.loads.add(v, b, units);
	}

	private void arrive(int v, Spots spots, int h, int units) {
		if (spots.count[h] == 0) {
			spots.use(h);
			spots.position[h] = this.memberCount[h];
			append(v, h);
		}
		spots.count[h] += units;
	}

	private void depart(Spots spots, int h, int units) {
		spots.count[h] -= units;
		if (spots.count[h] == 0) {
			spots.free(h);
			leave(h, spots.position[h]);
		}
	}

	private void join(int v, int h) {
		this.position[v] = this.memberCount[h];
		append(v, h);
	}

	private void append(int v, int h) {
		int[] list = this.members[h];
		if (this.memberCount[h] == list.length) {
			list = Arrays.copyOf(list, list.length * 2);
			this.members[h] = list;
		}
		list[this.memberCount[h]++] = v;
	}

	private void leave(int h, int at) {
		int[] list = this.members[h];
		int last = list[--this.memberCount[h]];
		list[at] = last;
		Spots spots = this.spots[last];
		if (spots == null) {
			this.position[last] = at;
		}
		else {
			spots.position[h] = at;
		}
	}

	/**
	 * Returns the gain in edges and rules if units of an item go from one host to
	 * another.
	 */
	double pull(int v, int a, int b, int units) {
		double pull = (this.replication == null) ? pullSingle(v, a, b)
				: pullUnits(v, a, b, units, this.replication.locality);
		double[] zoneWeight = this.level.zoneWeight;
		return (zoneWeight == null || this.level.zone[a] == this.level.zone[b]) ? pull
				: pull + zonePull(v, this.level.zone[a], this.level.zone[b], units, zoneWeight);
	}

	/**
	 * The gain in traffic between zones if units of an item go from one zone to another.
	 */
	private double zonePull(int v, int from, int to, int units, double[] weight) {
		int[] own = this.inZone[v];
		double p = this.part[v];
		double pull = 0;
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			int t = this.level.neighbour[e];
			int[] others = this.inZone[t];
			if (weight[e] == 0) {
				continue;
			}
			if (own == null || others == null) {
				int z = this.level.zone[this.host[t]];
				pull += (z == to) ? weight[e] : (z == from) ? -weight[e] : 0;
				continue;
			}
			double ya = others[from] * this.part[t];
			double yb = others[to] * this.part[t];
			double xa = own[from] * p;
			double xb = own[to] * p;
			double moved = units * p;
			boolean locality = this.replication != null && this.replication.locality;
			pull += weight[e] * (locality
					? Math.min(xa - moved, ya) - Math.min(xa, ya) + Math.min(xb + moved, yb) - Math.min(xb, yb)
					: moved * (yb - ya));
		}
		return pull;
	}

	private double pullSingle(int v, int a, int b) {
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

	private double pullUnits(int v, int a, int b, int units, boolean locality) {
		Spots spots = this.spots[v];
		int xa = (spots != null) ? spots.count[a] : 1;
		int xb = (spots != null) ? spots.count[b] : 0;
		double p = this.part[v];
		double a0 = xa * p;
		double a1 = (xa - units) * p;
		double b0 = xb * p;
		double b1 = (xb + units) * p;
		double pull = 0;
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			int t = this.level.neighbour[e];
			double w = this.level.weight[e];
			Spots others = this.spots[t];
			int na;
			int nb;
			if (others == null) {
				int h = this.host[t];
				na = (h == a) ? 1 : 0;
				nb = (h == b) ? 1 : 0;
			}
			else {
				na = others.count[a];
				nb = others.count[b];
			}
			if ((na | nb) == 0) {
				continue;
			}
			if (w < 0) {
				pull += w * (Math.min(xa - units, na) - Math.min(xa, na) + Math.min(xb + units, nb) - Math.min(xb, nb));
				continue;
			}
			double q = this.part[t];
			double ya = na * q;
			double yb = nb * q;
			if (locality) {
				pull += w * (Math.min(a1, ya) - Math.min(a0, ya) + Math.min(b1, yb) - Math.min(b0, yb));
			}
			else {
				pull += w * units * p * (yb - ya);
			}
		}
		int[] zones = this.inZone[v];
		if (zones != null && this.level.zone[a] != this.level.zone[b]) {
			pull -= Problem.CONFLICT * zonesBy(v, zones, this.level.zone[a], this.level.zone[b], units);
		}
		if (spots != null && (spots.minHosts > 1 || spots.minZones > 1)) {
			pull -= Problem.CONFLICT * lackingBy(spots, zones, a, b, units);
		}
		return pull;
	}

	/** By how many units more two items that are to be apart share a zone. */
	private int zonesBy(int v, int[] zones, int from, int to, int units) {
		int[] rows = this.level.apartStart;
		if (rows == null) {
			return 0;
		}
		int by = 0;
		for (int e = rows[v]; e < rows[v + 1]; e++) {
			int t = this.level.apart[e];
			int[] others = this.inZone[t];
			if (t == v) {
				by += Math.max(0, zones[from] - units - 1) - Math.max(0, zones[from] - 1)
						+ Math.max(0, zones[to] + units - 1) - Math.max(0, zones[to] - 1);
			}
			else if (others != null) {
				by += Math.min(zones[from] - units, others[from]) - Math.min(zones[from], others[from])
						+ Math.min(zones[to] + units, others[to]) - Math.min(zones[to], others[to]);
			}
		}
		return by;
	}

	/** By how many more hosts and zones an item is short of its fewest. */
	private int lackingBy(Spots spots, int @Nullable [] zones, int a, int b, int units) {
		int used = spots.used - ((spots.count[a] == units) ? 1 : 0) + ((spots.count[b] == 0) ? 1 : 0);
		int before = Math.max(0, spots.minHosts - spots.used);
		int after = Math.max(0, spots.minHosts - used);
		if (zones != null && spots.minZones > 1) {
			int from = this.level.zone[a];
			int to = this.level.zone[b];
			int now = 0;
			for (int z = 0; z < zones.length; z++) {
				now += (zones[z] > 0) ? 1 : 0;
			}
			int then = now;
			if (from != to) {
				then += ((zones[to] == 0) ? 1 : 0) - ((zones[from] == units) ? 1 : 0);
			}
			before += Math.max(0, spots.minZones - now);
			after += Math.max(0, spots.minZones - then);
		}
		if (before == 0 && after == 0) {
			return 0;
		}
		return (spots.atHome(spots.away + spots.awayBy(a, b, units)) ? 0 : after)
				- (spots.atHome(spots.away) ? 0 : before);
	}

	private int lacking(int v, Spots spots) {
		if (spots.atHome(spots.away)) {
			return 0;
		}
		int lacking = Math.max(0, spots.minHosts - spots.used);
		int[] zones = this.inZone[v];
		if (zones != null && spots.minZones > 1) {
			lacking += Math.max(0, spots.minZones - (int) Arrays.stream(zones).filter((units) -> units > 0).count());
		}
		return lacking;
	}

	/** By how many units more are not at home if units go from one host to another. */
	int awayBy(int v, int a, int b, int units) {
		Spots spots = this.spots[v];
		if (spots != null) {
			return spots.awayBy(a, b, units);
		}
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

	/** Returns the additional cost of used hosts if units go from a to b. */
	double hostsBy(int v, int a, int b, int units) {
		return this.goals.hostWeight() / this.m
				* (((this.memberCount[b] == 0) ? 1 : 0) - ((this.memberCount[a] == 1 && count(v, a) == units) ? 1 : 0));
	}

	/** The most units of an item that a host may still take by the item's own rule. */
	int mayCome(int v, int h) {
		return (this.replication == null) ? 1 : this.replication.maxPerHost[v] - count(v, h);
	}

	/**
	 * Part that an exchange of two items on two hosts counts once too often in each pull.
	 */
	double weightBetween(int v, int u, int a, int b) {
		double[] zoneWeight = this.level.zoneWeight;
		for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
			if (this.level.neighbour[e] == u) {
				boolean far = this.level.zone[a] != this.level.zone[b];
				return this.level.weight[e] + ((zoneWeight != null && far) ? zoneWeight[e] : 0);
			}
		}
		return 0;
	}

	/** Computes from scratch what moves keep up to date, without their rounding. */
	void recount() {
		double cut = 0;
		this.moved = 0;
		for (int v = 0; v < this.n; v++) {
			for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
				cut += edge(v, this.level.neighbour[e], this.level.weight[e]) / 2;
				if (this.level.zoneWeight != null) {
					cut += this.level.zoneWeight[e] * (1 - zoneShare(v, this.level.neighbour[e])) / 2;
				}
			}
			Spots spots = this.spots[v];
			if (spots == null) {
				int h = this.host[v];
				for (int k = this.level.homeStart[v]; k < this.level.homeStart[v + 1]; k++) {
					this.moved += (this.level.homeHost[k] != h) ? this.level.homeParts[k] : 0;
				}
				cut += this.level.allows(v, h) ? 0 : Problem.CONFLICT;
			}
			else {
				spots.recount();
				this.moved += spots.away;
				cut += Problem.CONFLICT * lacking(v, spots);
				for (int i = 0; i < spots.used; i++) {
					int h = spots.hosts[i];
					cut += Problem.CONFLICT * Math.max(0, -mayCome(v, h));
					cut += this.level.allows(v, h) ? 0 : Problem.CONFLICT * spots.count[h];
				}
			}
			if (this.level.apartStart != null) {
				cut += Problem.CONFLICT * sharedZones(v, this.level.apartStart);
			}
		}
		int used = 0;
		for (int members : this.memberCount) {
			used += (members > 0) ? 1 : 0;
		}
		this.loads.recount();
		this.over = this.loads.over();
		this.cost = cut + this.goals.moveWeight() * this.moved + this.goals.hostWeight() * used / this.m
				+ this.loads.imbalanceCost();
	}

	private double sharedZones(int v, int[] rows) {
		int[] zones = this.inZone[v];
		if (zones == null) {
			return (this.replication == null) ? sharingZone(v, this.host[v], rows) / 2.0 : 0;
		}
		double shared = 0;
		for (int e = rows[v]; e < rows[v + 1]; e++) {
			int t = this.level.apart[e];
			int[] others = this.inZone[t];
			for (int z = 0; others != null && z < zones.length; z++) {
				// A pair is seen from both ends, and a single item twice from its own.
				shared += (t == v) ? Math.max(0, zones[z] - 1) : Math.min(zones[z], others[z]) / 2.0;
			}
		}
		return shared;
	}

	/** The part of an edge that stays in a zone. */
	private double zoneShare(int v, int t) {
		int[] own = this.inZone[v];
		int[] others = this.inZone[t];
		if (own == null || others == null) {
			return (this.level.zone[this.host[v]] == this.level.zone[this.host[t]]) ? 1 : 0;
		}
		boolean locality = this.replication != null && this.replication.locality;
		double share = 0;
		for (int z = 0; z < own.length; z++) {
			double x = own[z] * this.part[v];
			double y = others[z] * this.part[t];
			share += locality ? Math.min(x, y) : x * y;
		}
		return share;
	}

	/**
	 * Cost of an edge: the part that does not stay on a host, or, of a conflict, that
	 * does.
	 */
	private double edge(int v, int t, double w) {
		Spots one = this.spots[v];
		Spots other = this.spots[t];
		if (one == null && other == null) {
			return (this.host[v] == this.host[t]) ? Math.max(0, -w) : Math.max(0, w);
		}
		boolean locality = this.replication != null && this.replication.locality;
		double together = 0;
		int used = (one != null) ? one.used : 1;
		for (int i = 0; i < used; i++) {
			int h = (one != null) ? one.hosts[i] : this.host[v];
			int x = count(v, h);
			int y = count(t, h);
			if (w < 0) {
				together += Math.min(x, y);
			}
			else {
				double fx = x * this.part[v];
				double fy = y * this.part[t];
				together += locality ? Math.min(fx, fy) : fx * fy;
			}
		}
		return (w < 0) ? -w * together : w * (1 - together);
	}

	/** Where the units of an item are. */
	private static final class Spots {

		final int units;

		/** Units by host. */
		final int[] count;

		/** The used hosts, and how many they are. */
		final int[] hosts;

		int used;

		/** Place in the list of hosts, and in the host's list of members. */
		final int[] index;

		final int[] position;

		final int minHosts;

		final int minZones;

		final int @Nullable [] home;

		/** Units that run now. */
		final int running;

		/** Units that run now and are not where they do. */
		int away;

		Spots(int hosts, int units, int minHosts, int minZones, int @Nullable [] home) {
			this.units = units;
			this.count = new int[hosts];
			this.hosts = new int[Math.min(hosts, units)];
			this.index = new int[hosts];
			this.position = new int[hosts];
			this.minHosts = minHosts;
			this.minZones = minZones;
			this.home = home;
			this.running = (home == null) ? 0 : Arrays.stream(home).sum();
		}

		void use(int h) {
			if (this.used == this.hosts.length) {
				throw new IllegalStateException("More hosts than units");
			}
			this.index[h] = this.used;
			this.hosts[this.used++] = h;
		}

		void free(int h) {
			int last = this.hosts[--this.used];
			this.hosts[this.index[h]] = last;
			this.index[last] = this.index[h];
		}

		void clear() {
			Arrays.fill(this.count, 0);
			this.used = 0;
		}

		int awayBy(int a, int b, int units) {
			int[] home = this.home;
			if (home == null) {
				return 0;
			}
			return Math.max(0, home[a] - this.count[a] + units) - Math.max(0, home[a] - this.count[a])
					+ Math.max(0, home[b] - this.count[b] - units) - Math.max(0, home[b] - this.count[b]);
		}

		/** Whether no unit moves. */
		boolean atHome(int away) {
			return away == 0 && this.running == this.units;
		}

		void recount() {
			int[] home = this.home;
			this.away = 0;
			for (int h = 0; home != null && h < home.length; h++) {
				this.away += Math.max(0, home[h] - this.count[h]);
			}
		}

	}

}
