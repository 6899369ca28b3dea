package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.stream.IntStream;

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

	private final int itemCount;

	private final int hostCount;

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
		this.itemCount = level.items;
		this.hostCount = level.hosts;
		this.host = new int[this.itemCount];
		this.loads = new HostLoads(this.hostCount, level.resources, level.demand, level.capacity, level.unit,
				goals.balanceWeight(), goals.balanced());
		this.members = new int[this.hostCount][8];
		this.memberCount = new int[this.hostCount];
		this.position = new int[this.itemCount];
		this.replication = level.replication;
		this.spots = new Spots[this.itemCount];
		this.part = new double[this.itemCount];
		this.inZone = new int[this.itemCount][];
		boolean running = level.homeHost.length > 0;
		for (int item = 0; item < this.itemCount; item++) {
			int units = level.units(item);
			this.part[item] = 1.0 / units;
			Replication several = this.replication;
			if (units > 1 && several != null) {
				int[] home = several.home[item];
				running |= home != null;
				this.spots[item] = new Spots(this.hostCount, units, several.minHosts[item], several.minZones[item],
						home, level.zone);
			}
			int[] rows = level.apartStart;
			boolean apart = rows != null && rows[item + 1] > rows[item];
			if (several != null && (apart || zonesCost(item) || (units > 1 && several.minZones[item] > 1))) {
				this.inZone[item] = new int[this.hostCount];
			}
		}
		this.homes = running;
	}

	/** Whether any edge of an item costs more between zones. */
	private boolean zonesCost(int item) {
		double[] weight = this.level.zoneWeight;
		for (int edge = this.level.start[item]; weight != null && edge < this.level.start[item + 1]; edge++) {
			if (weight[edge] > 0) {
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
		for (int item = 0; item < this.itemCount; item++) {
			Spots spots = this.spots[item];
			int[] zones = this.inZone[item];
			for (int i = this.level.units(item); i > 0; i--) {
				int host = hosts[unit++];
				if (spots == null) {
					this.host[item] = host;
					join(item, host);
				}
				else {
					arrive(item, spots, host, 1);
				}
				this.loads.add(item, host, 1);
				if (zones != null) {
					zones[this.level.zone[host]]++;
				}
			}
		}
		this.loaded = true;
		recount();
	}

	private void clear() {
		for (int item = 0; item < this.itemCount; item++) {
			Spots spots = this.spots[item];
			if (spots == null) {
				this.loads.add(item, this.host[item], -1);
			}
			else {
				for (int i = 0; i < spots.used; i++) {
					this.loads.add(item, spots.hosts[i], -spots.count[spots.hosts[i]]);
				}
				spots.clear();
			}
			int[] zones = this.inZone[item];
			if (zones != null) {
				Arrays.fill(zones, 0);
			}
		}
		Arrays.fill(this.memberCount, 0);
	}

	/** Writes where units are. */
	void store(int[] into) {
		if (this.replication == null) {
			System.arraycopy(this.host, 0, into, 0, this.itemCount);
			return;
		}
		int unit = 0;
		for (int item = 0; item < this.itemCount; item++) {
			for (int i = 0; i < usedHosts(item); i++) {
				int host = usedHost(item, i);
				int count = count(item, host);
				Arrays.fill(into, unit, unit + count, host);
				unit += count;
			}
		}
	}

	int count(int item, int host) {
		Spots spots = this.spots[item];
		return (spots != null) ? spots.count[host] : (this.host[item] == host) ? 1 : 0;
	}

	boolean single(int item) {
		return this.spots[item] == null;
	}

	/** A host that the item uses, each as likely as the other. */
	int anyHost(int item, Rng rng) {
		Spots spots = this.spots[item];
		return (spots == null) ? this.host[item] : spots.hosts[(spots.used == 1) ? 0 : rng.nextInt(spots.used)];
	}

	int usedHosts(int item) {
		Spots spots = this.spots[item];
		return (spots == null) ? 1 : spots.used;
	}

	int usedHost(int item, int index) {
		Spots spots = this.spots[item];
		return (spots == null) ? this.host[item] : spots.hosts[index];
	}

	int members(int host) {
		return this.memberCount[host];
	}

	int member(int host, int index) {
		return this.members[host][index];
	}

	void move(int item, int from, int to, int units) {
		Spots spots = this.spots[item];
		if (spots == null) {
			leave(from, this.position[item]);
			join(item, to);
			this.host[item] = to;
		}
		else {
			spots.away += spots.awayBy(from, to, units);
			depart(spots, from, units);
			arrive(item, spots, to, units);
		}
		int[] zones = this.inZone[item];
		if (zones != null) {
			zones[this.level.zone[from]] -= units;
			zones[this.level.zone[to]] += units;
		}
		this.loads.add(item, from, -units);
		this.loads.add(item, to, units);
	}

	private void arrive(int item, Spots spots, int host, int units) {
		if (spots.count[host] == 0) {
			spots.use(host);
			spots.position[host] = this.memberCount[host];
			append(item, host);
		}
		spots.count[host] += units;
	}

	private void depart(Spots spots, int host, int units) {
		spots.count[host] -= units;
		if (spots.count[host] == 0) {
			spots.free(host);
			leave(host, spots.position[host]);
		}
	}

	private void join(int item, int host) {
		this.position[item] = this.memberCount[host];
		append(item, host);
	}

	private void append(int item, int host) {
		int[] list = this.members[host];
		if (this.memberCount[host] == list.length) {
			list = Arrays.copyOf(list, list.length * 2);
			this.members[host] = list;
		}
		list[this.memberCount[host]++] = item;
	}

	private void leave(int host, int at) {
		int[] list = this.members[host];
		int last = list[--this.memberCount[host]];
		list[at] = last;
		Spots spots = this.spots[last];
		if (spots == null) {
			this.position[last] = at;
		}
		else {
			spots.position[host] = at;
		}
	}

	/**
	 * Returns the gain in edges and rules if units of an item go from one host to
	 * another.
	 */
	double pull(int item, int from, int to, int units) {
		double pull = (this.replication == null) ? pullSingle(item, from, to)
				: pullUnits(item, from, to, units, this.replication.locality);
		double[] zoneWeight = this.level.zoneWeight;
		return (zoneWeight == null || this.level.zone[from] == this.level.zone[to]) ? pull
				: pull + zonePull(item, this.level.zone[from], this.level.zone[to], units, zoneWeight);
	}

	/**
	 * The gain in traffic between zones if units of an item go from one zone to another.
	 */
	private double zonePull(int item, int from, int to, int units, double[] weight) {
		int[] own = this.inZone[item];
		double part = this.part[item];
		double pull = 0;
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			int other = this.level.neighbour[edge];
			int[] others = this.inZone[other];
			if (weight[edge] == 0) {
				continue;
			}
			if (own == null || others == null) {
				int zone = this.level.zone[this.host[other]];
				pull += (zone == to) ? weight[edge] : (zone == from) ? -weight[edge] : 0;
				continue;
			}
			double otherFrom = others[from] * this.part[other];
			double otherTo = others[to] * this.part[other];
			double ownFrom = own[from] * part;
			double ownTo = own[to] * part;
			double moved = units * part;
			boolean locality = this.replication != null && this.replication.locality;
			pull += weight[edge] * (locality
					? Math.min(ownFrom - moved, otherFrom) - Math.min(ownFrom, otherFrom)
							+ Math.min(ownTo + moved, otherTo) - Math.min(ownTo, otherTo)
					: moved * (otherTo - otherFrom));
		}
		return pull;
	}

	private double pullSingle(int item, int from, int to) {
		double pull = 0;
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			int host = this.host[this.level.neighbour[edge]];
			if (host == from) {
				pull -= this.level.weight[edge];
			}
			else if (host == to) {
				pull += this.level.weight[edge];
			}
		}
		if (this.level.apartStart != null) {
			pull += Problem.CONFLICT
					* (sharingZone(item, from, this.level.apartStart) - sharingZone(item, to, this.level.apartStart));
		}
		return pull;
	}

	private int sharingZone(int item, int host, int[] apartStart) {
		int sharing = 0;
		for (int pair = apartStart[item]; pair < apartStart[item + 1]; pair++) {
			int other = this.level.apart[pair];
			if (other != item && this.level.zone[this.host[other]] == this.level.zone[host]) {
				sharing++;
			}
		}
		return sharing;
	}

	private double pullUnits(int item, int from, int to, int units, boolean locality) {
		Spots spots = this.spots[item];
		int ownFrom = (spots != null) ? spots.count[from] : 1;
		int ownTo = (spots != null) ? spots.count[to] : 0;
		double part = this.part[item];
		double fromBefore = ownFrom * part;
		double fromAfter = (ownFrom - units) * part;
		double toBefore = ownTo * part;
		double toAfter = (ownTo + units) * part;
		double pull = 0;
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			int other = this.level.neighbour[edge];
			double weight = this.level.weight[edge];
			Spots others = this.spots[other];
			int otherFrom;
			int otherTo;
			if (others == null) {
				int host = this.host[other];
				otherFrom = (host == from) ? 1 : 0;
				otherTo = (host == to) ? 1 : 0;
			}
			else {
				otherFrom = others.count[from];
				otherTo = others.count[to];
			}
			if ((otherFrom | otherTo) == 0) {
				continue;
			}
			if (weight < 0) {
				pull += weight * (Math.min(ownFrom - units, otherFrom) - Math.min(ownFrom, otherFrom)
						+ Math.min(ownTo + units, otherTo) - Math.min(ownTo, otherTo));
				continue;
			}
			double otherPart = this.part[other];
			double otherShareFrom = otherFrom * otherPart;
			double otherShareTo = otherTo * otherPart;
			if (locality) {
				pull += weight * (Math.min(fromAfter, otherShareFrom) - Math.min(fromBefore, otherShareFrom)
						+ Math.min(toAfter, otherShareTo) - Math.min(toBefore, otherShareTo));
			}
			else {
				pull += weight * units * part * (otherShareTo - otherShareFrom);
			}
		}
		int[] zones = this.inZone[item];
		if (zones != null && this.level.zone[from] != this.level.zone[to]) {
			pull -= Problem.CONFLICT * zonesBy(item, zones, this.level.zone[from], this.level.zone[to], units);
		}
		if (spots != null && (spots.minHosts > 1 || spots.minZones > 1)) {
			pull -= Problem.CONFLICT * lackingBy(spots, zones, from, to, units);
		}
		return pull;
	}

	/** By how many units more two items that are to be apart share a zone. */
	private int zonesBy(int item, int[] zones, int from, int to, int units) {
		int[] rows = this.level.apartStart;
		if (rows == null) {
			return 0;
		}
		int by = 0;
		for (int pair = rows[item]; pair < rows[item + 1]; pair++) {
			int other = this.level.apart[pair];
			int[] others = this.inZone[other];
			if (other == item) {
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
	private int lackingBy(Spots spots, int @Nullable [] zones, int fromHost, int toHost, int units) {
		int used = spots.used - ((spots.count[fromHost] == units) ? 1 : 0) + ((spots.count[toHost] == 0) ? 1 : 0);
		int now = Integer.MAX_VALUE;
		int then = Integer.MAX_VALUE;
		if (zones != null && spots.minZones > 1) {
			int from = this.level.zone[fromHost];
			int to = this.level.zone[toHost];
			now = 0;
			for (int zone = 0; zone < zones.length; zone++) {
				now += (zones[zone] > 0) ? 1 : 0;
			}
			then = now;
			if (from != to) {
				then += ((zones[to] == 0) ? 1 : 0) - ((zones[from] == units) ? 1 : 0);
			}
		}
		if (Math.min(spots.used, used) >= spots.minHosts && Math.min(now, then) >= spots.minZones) {
			return 0;
		}
		return spots.lacking(spots.away + spots.awayBy(fromHost, toHost, units), used, then)
				- spots.lacking(spots.away, spots.used, now);
	}

	private int lacking(int item, Spots spots) {
		int[] zones = this.inZone[item];
		int usedZones = (zones != null && spots.minZones > 1)
				? (int) Arrays.stream(zones).filter((units) -> units > 0).count() : Integer.MAX_VALUE;
		return spots.lacking(spots.away, spots.used, usedZones);
	}

	/** By how many units more are not at home if units go from one host to another. */
	int awayBy(int item, int from, int to, int units) {
		Spots spots = this.spots[item];
		if (spots != null) {
			return spots.awayBy(from, to, units);
		}
		int away = 0;
		for (int k = this.level.homeStart[item]; k < this.level.homeStart[item + 1]; k++) {
			int host = this.level.homeHost[k];
			if (host == from) {
				away += this.level.homeParts[k];
			}
			else if (host == to) {
				away -= this.level.homeParts[k];
			}
		}
		return away;
	}

	/** Returns the additional cost of used hosts if units go from one host to another. */
	double hostsBy(int item, int from, int to, int units) {
		return this.goals.hostWeight() / this.hostCount * (((this.memberCount[to] == 0) ? 1 : 0)
				- ((this.memberCount[from] == 1 && count(item, from) == units) ? 1 : 0));
	}

	/** The most units of an item that a host may still take by the item's own rule. */
	int mayCome(int item, int host) {
		return (this.replication == null) ? 1 : this.replication.maxPerHost[item] - count(item, host);
	}

	/**
	 * Part that an exchange of two items on two hosts counts once too often in each pull.
	 */
	double weightBetween(int item, int other, int from, int to) {
		double[] zoneWeight = this.level.zoneWeight;
		for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
			if (this.level.neighbour[edge] == other) {
				boolean far = this.level.zone[from] != this.level.zone[to];
				return this.level.weight[edge] + ((zoneWeight != null && far) ? zoneWeight[edge] : 0);
			}
		}
		return 0;
	}

	/** Computes from scratch what moves keep up to date, without their rounding. */
	void recount() {
		double cut = 0;
		this.moved = -this.level.surplus;
		for (int item = 0; item < this.itemCount; item++) {
			for (int edge = this.level.start[item]; edge < this.level.start[item + 1]; edge++) {
				cut += edge(item, this.level.neighbour[edge], this.level.weight[edge]) / 2;
				if (this.level.zoneWeight != null) {
					cut += this.level.zoneWeight[edge] * (1 - zoneShare(item, this.level.neighbour[edge])) / 2;
				}
			}
			Spots spots = this.spots[item];
			if (spots == null) {
				int host = this.host[item];
				for (int k = this.level.homeStart[item]; k < this.level.homeStart[item + 1]; k++) {
					this.moved += (this.level.homeHost[k] != host) ? this.level.homeParts[k] : 0;
				}
				cut += this.level.allows(item, host) ? 0 : Problem.CONFLICT;
			}
			else {
				spots.recount();
				this.moved += spots.away - spots.surplus;
				cut += Problem.CONFLICT * lacking(item, spots);
				for (int i = 0; i < spots.used; i++) {
					int host = spots.hosts[i];
					cut += Problem.CONFLICT * Math.max(0, -mayCome(item, host));
					cut += this.level.allows(item, host) ? 0 : Problem.CONFLICT * spots.count[host];
				}
			}
			if (this.level.apartStart != null) {
				cut += Problem.CONFLICT * sharedZones(item, this.level.apartStart);
			}
		}
		int used = 0;
		for (int members : this.memberCount) {
			used += (members > 0) ? 1 : 0;
		}
		this.loads.recount();
		this.over = this.loads.over();
		this.cost = cut + this.goals.moveWeight() * this.moved + this.goals.hostWeight() * used / this.hostCount
				+ this.loads.imbalanceCost();
	}

	private double sharedZones(int item, int[] rows) {
		int[] zones = this.inZone[item];
		if (zones == null) {
			return (this.replication == null) ? sharingZone(item, this.host[item], rows) / 2.0 : 0;
		}
		double shared = 0;
		for (int pair = rows[item]; pair < rows[item + 1]; pair++) {
			int other = this.level.apart[pair];
			int[] others = this.inZone[other];
			for (int zone = 0; others != null && zone < zones.length; zone++) {
				// A pair is seen from both ends, and a single item twice from its own.
				shared += (other == item) ? Math.max(0, zones[zone] - 1) : Math.min(zones[zone], others[zone]) / 2.0;
			}
		}
		return shared;
	}

	/** The part of an edge that stays in a zone. */
	private double zoneShare(int item, int other) {
		int[] own = this.inZone[item];
		int[] others = this.inZone[other];
		if (own == null || others == null) {
			return (this.level.zone[this.host[item]] == this.level.zone[this.host[other]]) ? 1 : 0;
		}
		boolean locality = this.replication != null && this.replication.locality;
		double share = 0;
		for (int zone = 0; zone < own.length; zone++) {
			double ownShare = own[zone] * this.part[item];
			double otherShare = others[zone] * this.part[other];
			share += locality ? Math.min(ownShare, otherShare) : ownShare * otherShare;
		}
		return share;
	}

	/**
	 * Cost of an edge: the part that does not stay on a host, or, of a conflict, that
	 * does.
	 */
	private double edge(int item, int neighbour, double weight) {
		Spots one = this.spots[item];
		Spots other = this.spots[neighbour];
		if (one == null && other == null) {
			return (this.host[item] == this.host[neighbour]) ? Math.max(0, -weight) : Math.max(0, weight);
		}
		boolean locality = this.replication != null && this.replication.locality;
		double together = 0;
		int used = (one != null) ? one.used : 1;
		for (int i = 0; i < used; i++) {
			int host = (one != null) ? one.hosts[i] : this.host[item];
			int itemUnits = count(item, host);
			int neighbourUnits = count(neighbour, host);
			if (weight < 0) {
				together += Math.min(itemUnits, neighbourUnits);
			}
			else {
				double itemShare = itemUnits * this.part[item];
				double neighbourShare = neighbourUnits * this.part[neighbour];
				together += locality ? Math.min(itemShare, neighbourShare) : itemShare * neighbourShare;
			}
		}
		return (weight < 0) ? -weight * together : weight * (1 - together);
	}

	/** Hosts of the units of an item. */
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

		/** Units that run now beyond those of the item: they stop. */
		final int surplus;

		/** Hosts and zones that units run on now. */
		final int homeHosts;

		final int homeZones;

		/** Units that run now and are not where they do, or stop. */
		int away;

		Spots(int hosts, int units, int minHosts, int minZones, int @Nullable [] home, int[] zone) {
			this.units = units;
			this.count = new int[hosts];
			this.hosts = new int[Math.min(hosts, units)];
			this.index = new int[hosts];
			this.position = new int[hosts];
			this.minHosts = minHosts;
			this.minZones = minZones;
			this.home = home;
			int[] used = (home == null) ? new int[0]
					: IntStream.range(0, hosts).filter((host) -> home[host] > 0).toArray();
			this.running = (home == null) ? 0 : Arrays.stream(home).sum();
			this.surplus = Math.max(0, this.running - units);
			this.homeHosts = Math.min(units, used.length);
			this.homeZones = Math.min(units, (int) Arrays.stream(used).map((host) -> zone[host]).distinct().count());
		}

		void use(int host) {
			if (this.used == this.hosts.length) {
				throw new IllegalStateException("More hosts than units");
			}
			this.index[host] = this.used;
			this.hosts[this.used++] = host;
		}

		void free(int host) {
			int last = this.hosts[--this.used];
			this.hosts[this.index[host]] = last;
			this.index[last] = this.index[host];
		}

		void clear() {
			Arrays.fill(this.count, 0);
			this.used = 0;
		}

		int awayBy(int from, int to, int units) {
			int[] home = this.home;
			if (home == null) {
				return 0;
			}
			return Math.max(0, home[from] - this.count[from] + units) - Math.max(0, home[from] - this.count[from])
					+ Math.max(0, home[to] - this.count[to] - units) - Math.max(0, home[to] - this.count[to]);
		}

		/**
		 * Hosts and zones that units lack. Where none comes to a host, as when some stop,
		 * as many as now are enough.
		 */
		int lacking(int away, int usedHosts, int usedZones) {
			boolean stays = away == this.surplus && this.running >= this.units;
			int hosts = stays ? Math.min(this.minHosts, this.homeHosts) : this.minHosts;
			int zones = stays ? Math.min(this.minZones, this.homeZones) : this.minZones;
			return Math.max(0, hosts - usedHosts) + Math.max(0, zones - usedZones);
		}

		void recount() {
			int[] home = this.home;
			this.away = 0;
			for (int host = 0; home != null && host < home.length; host++) {
				this.away += Math.max(0, home[host] - this.count[host]);
			}
		}

	}

}
