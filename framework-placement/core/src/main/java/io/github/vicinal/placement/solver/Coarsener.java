package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Builds coarser levels: items with heavy edges between them become one item, as long as
 * the cluster stays a small part of a host in every resource.
 */
final class Coarsener {

	private static final int MAX_JOINED = 3;

	/** Items or edges between two looks at the clock. */
	private static final int INTERVAL = 4096;

	private Coarsener() {
	}

	/**
	 * Joins items of one level.
	 * @param level the level
	 * @param maxShare the largest part of a mean host that a cluster may take
	 * @param separate placements; items that one of them separates are not joined
	 * @param rng decides between edges of similar weight
	 * @param clock says when to leave the rest as it is
	 * @return the cluster of each item, numbered from 0 without gaps
	 */
	static int[] cluster(Level level, double maxShare, List<int[]> separate, Rng rng, Clock clock) {
		int items = level.items;
		int[] first = level.firstUnits();
		double[] strength = new double[items];
		double[] share = new double[items];
		for (int item = 0; item < items; item++) {
			share[item] = level.share(item) + 1e-9;
			for (int edge = level.start[item]; edge < level.start[item + 1]; edge++) {
				strength[item] += Math.max(0, level.weight[edge]);
			}
		}
		long[] keys = new long[level.neighbour.length / 2 + 1];
		int[] from = new int[keys.length];
		int[] to = new int[keys.length];
		int count = 0;
		for (int item = 0; item < items && !(item % INTERVAL == 0 && clock.expired(0)); item++) {
			edges: for (int edge = level.start[item]; edge < level.start[item + 1]; edge++) {
				int other = level.neighbour[edge];
				if (other <= item || level.weight[edge] <= 0 || level.units(item) != 1 || level.units(other) != 1) {
					continue;
				}
				for (int[] placement : separate) {
					if (placement[first[item]] != placement[first[other]]) {
						continue edges;
					}
				}
				double weight = level.weight[edge];
				// The part of what the weaker end has, per size, a little disturbed.
				double rating = weight * (weight / Math.min(strength[item], strength[other]))
						/ Math.sqrt(share[item] * share[other]) * (0.6 + 0.8 * rng.nextDouble());
				from[count] = item;
				to[count] = other;
				keys[count] = ((long) Float.floatToIntBits((float) rating) << 32) | count;
				count++;
			}
		}
		Arrays.sort(keys, 0, count);
		int[] parent = new int[items];
		int[] joined = new int[items];
		Arrays.setAll(parent, (i) -> i);
		Arrays.fill(joined, 1);
		long[] demand = level.demand.clone();
		@Nullable BitSet[] allowed = level.allowed.clone();
		int resources = level.resources;
		for (int i = count - 1; i >= 0 && !(i % INTERVAL == 0 && clock.expired(0)); i--) {
			int edge = (int) keys[i];
			int into = find(parent, from[edge]);
			int absorbed = find(parent, to[edge]);
			if (into == absorbed || joined[into] + joined[absorbed] > MAX_JOINED) {
				continue;
			}
			boolean fits = true;
			for (int resource = 0; fits && resource < resources; resource++) {
				fits = (demand[into * resources + resource] + demand[absorbed * resources + resource])
						* level.unit[resource] <= maxShare;
			}
			if (!fits || conflict(level, parent, into, from, to, edge)) {
				continue;
			}
			BitSet one = allowed[into];
			BitSet other = allowed[absorbed];
			if (one != null && other != null) {
				BitSet both = (BitSet) one.clone();
				both.and(other);
				if (both.isEmpty()) {
					continue;
				}
				allowed[into] = both;
			}
			else if (other != null) {
				allowed[into] = other;
			}
			parent[absorbed] = into;
			joined[into] += joined[absorbed];
			for (int resource = 0; resource < resources; resource++) {
				demand[into * resources + resource] += demand[absorbed * resources + resource];
			}
		}
		int[] cluster = new int[items];
		int[] number = new int[items];
		Arrays.fill(number, -1);
		int clusters = 0;
		for (int item = 0; item < items; item++) {
			int root = find(parent, item);
			if (number[root] < 0) {
				number[root] = clusters++;
			}
			cluster[item] = number[root];
		}
		return cluster;
	}

	/**
	 * Conflicts are seen between the two ends only; refinement undoes what this misses.
	 */
	private static boolean conflict(Level level, int[] parent, int into, int[] from, int[] to, int edge) {
		int item = from[edge];
		int other = to[edge];
		for (int i = level.start[item]; i < level.start[item + 1]; i++) {
			if (level.weight[i] < 0 && find(parent, level.neighbour[i]) == find(parent, other)) {
				return true;
			}
		}
		for (int i = level.start[other]; i < level.start[other + 1]; i++) {
			if (level.weight[i] < 0 && find(parent, level.neighbour[i]) == into) {
				return true;
			}
		}
		return false;
	}

	private static int find(int[] parent, int item) {
		int root = item;
		while (parent[root] != root) {
			parent[root] = parent[parent[root]];
			root = parent[root];
		}
		return root;
	}

	static int count(int[] cluster) {
		int most = -1;
		for (int number : cluster) {
			most = Math.max(most, number);
		}
		return most + 1;
	}

	/**
	 * Builds the level whose items are clusters.
	 * @param level the finer level
	 * @param cluster the cluster of each of its items
	 * @return the coarser level
	 */
	static Level contract(Level level, int[] cluster) {
		int clusters = count(cluster);
		int resources = level.resources;
		long[] demand = new long[clusters * resources];
		@Nullable BitSet[] allowed = new BitSet[clusters];
		int[] memberStart = new int[clusters + 1];
		for (int coarse : cluster) {
			memberStart[coarse + 1]++;
		}
		for (int coarse = 0; coarse < clusters; coarse++) {
			memberStart[coarse + 1] += memberStart[coarse];
		}
		int[] members = new int[cluster.length];
		int[] next = memberStart.clone();
		for (int item = 0; item < cluster.length; item++) {
			members[next[cluster[item]]++] = item;
		}
		int[] start = new int[clusters + 1];
		int[] neighbour = new int[level.neighbour.length];
		double[] weight = new double[level.neighbour.length];
		double[] zoneWeight = (level.zoneWeight != null) ? new double[level.neighbour.length] : null;
		int[] homeStart = new int[clusters + 1];
		int[] homeHost = new int[level.homeHost.length];
		int[] homeParts = new int[level.homeParts.length];
		int[] seenAt = new int[Math.max(clusters, level.hosts)];
		Arrays.fill(seenAt, -1);
		int edges = 0;
		int homes = 0;
		for (int coarse = 0; coarse < clusters; coarse++) {
			start[coarse] = edges;
			for (int i = memberStart[coarse]; i < memberStart[coarse + 1]; i++) {
				int item = members[i];
				for (int resource = 0; resource < resources; resource++) {
					demand[coarse * resources + resource] += level.demand[item * resources + resource];
				}
				allowed[coarse] = both(allowed[coarse], level.allowed[item]);
				for (int edge = level.start[item]; edge < level.start[item + 1]; edge++) {
					int other = cluster[level.neighbour[edge]];
					if (other == coarse) {
						continue;
					}
					if (seenAt[other] < start[coarse]) {
						seenAt[other] = edges;
						neighbour[edges++] = other;
					}
					weight[seenAt[other]] += level.weight[edge];
					if (zoneWeight != null && level.zoneWeight != null) {
						zoneWeight[seenAt[other]] += level.zoneWeight[edge];
					}
				}
			}
		}
		start[clusters] = edges;
		Arrays.fill(seenAt, -1);
		for (int coarse = 0; coarse < clusters; coarse++) {
			homeStart[coarse] = homes;
			for (int i = memberStart[coarse]; i < memberStart[coarse + 1]; i++) {
				int item = members[i];
				for (int k = level.homeStart[item]; k < level.homeStart[item + 1]; k++) {
					int host = level.homeHost[k];
					if (seenAt[host] < homeStart[coarse]) {
						seenAt[host] = homes;
						homeHost[homes] = host;
						homeParts[homes++] = level.homeParts[k];
					}
					else {
						homeParts[seenAt[host]] += level.homeParts[k];
					}
				}
			}
		}
		homeStart[clusters] = homes;
		int[] apartStart = null;
		int[] apart = new int[0];
		if (level.apartStart != null) {
			apartStart = new int[clusters + 1];
			List<Integer> pairs = new ArrayList<>();
			for (int coarse = 0; coarse < clusters; coarse++) {
				apartStart[coarse] = pairs.size();
				for (int i = memberStart[coarse]; i < memberStart[coarse + 1]; i++) {
					for (int pair = level.apartStart[members[i]]; pair < level.apartStart[members[i] + 1]; pair++) {
						pairs.add(cluster[level.apart[pair]]);
					}
				}
			}
			apartStart[clusters] = pairs.size();
			apart = pairs.stream().mapToInt(Integer::intValue).toArray();
		}
		return new Level(clusters, level.hosts, resources, demand, level.capacity, start,
				Arrays.copyOf(neighbour, edges), Arrays.copyOf(weight, edges),
				(zoneWeight != null) ? Arrays.copyOf(zoneWeight, edges) : null, homeStart,
				Arrays.copyOf(homeHost, homes), Arrays.copyOf(homeParts, homes), level.surplus, allowed, apartStart,
				apart, level.zone, replication(level, cluster, clusters));
	}

	/** Items with several units stay alone. */
	private static @Nullable Replication replication(Level level, int[] cluster, int clusters) {
		Replication finer = level.replication;
		if (finer == null) {
			return null;
		}
		int[] parts = new int[clusters];
		int[] maxPerHost = new int[clusters];
		int[] minHosts = new int[clusters];
		int[] minZones = new int[clusters];
		int[] @Nullable [] home = new int[clusters][];
		for (int item = 0; item < cluster.length; item++) {
			int coarse = cluster[item];
			parts[coarse] = finer.parts[item];
			maxPerHost[coarse] = finer.maxPerHost[item];
			minHosts[coarse] = finer.minHosts[item];
			minZones[coarse] = finer.minZones[item];
			home[coarse] = finer.home[item];
		}
		return new Replication(parts, maxPerHost, minHosts, minZones, home, finer.locality);
	}

	/** Takes a placement of units over to a coarser level. */
	static int[] raise(Level finer, Level coarser, int[] cluster, int[] hosts) {
		return copy(finer, coarser, cluster, hosts, true);
	}

	/** Takes a placement of units over to a finer level. */
	static int[] lower(Level finer, Level coarser, int[] cluster, int[] hosts) {
		return copy(finer, coarser, cluster, hosts, false);
	}

	private static int[] copy(Level finer, Level coarser, int[] cluster, int[] hosts, boolean up) {
		int[] above = coarser.firstUnits();
		int[] copied = new int[up ? coarser.units : finer.units];
		int below = 0;
		for (int item = 0; item < cluster.length; item++) {
			int at = above[cluster[item]];
			int units = finer.units(item);
			System.arraycopy(hosts, up ? below : at, copied, up ? at : below, units);
			below += units;
		}
		return copied;
	}

	private static @Nullable BitSet both(@Nullable BitSet one, @Nullable BitSet other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		BitSet both = (BitSet) one.clone();
		both.and(other);
		return both;
	}

}
