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
		int n = level.items;
		int[] first = level.firstUnits();
		double[] strength = new double[n];
		double[] share = new double[n];
		for (int v = 0; v < n; v++) {
			share[v] = level.share(v) + 1e-9;
			for (int e = level.start[v]; e < level.start[v + 1]; e++) {
				strength[v] += Math.max(0, level.weight[e]);
			}
		}
		long[] keys = new long[level.neighbour.length / 2 + 1];
		int[] from = new int[keys.length];
		int[] to = new int[keys.length];
		int count = 0;
		for (int v = 0; v < n && !(v % INTERVAL == 0 && clock.expired(0)); v++) {
			edges: for (int e = level.start[v]; e < level.start[v + 1]; e++) {
				int u = level.neighbour[e];
				if (u <= v || level.weight[e] <= 0 || level.units(v) != 1 || level.units(u) != 1) {
					continue;
				}
				for (int[] placement : separate) {
					if (placement[first[v]] != placement[first[u]]) {
						continue edges;
					}
				}
				double w = level.weight[e];
				// The part of what the weaker end has, per size, a little disturbed.
				double rating = w * (w / Math.min(strength[v], strength[u])) / Math.sqrt(share[v] * share[u])
						* (0.6 + 0.8 * rng.nextDouble());
				from[count] = v;
				to[count] = u;
				keys[count] = ((long) Float.floatToIntBits((float) rating) << 32) | count;
				count++;
			}
		}
		Arrays.sort(keys, 0, count);
		int[] parent = new int[n];
		int[] joined = new int[n];
		Arrays.setAll(parent, (i) -> i);
		Arrays.fill(joined, 1);
		long[] demand = level.demand.clone();
		@Nullable BitSet[] allowed = level.allowed.clone();
		int resources = level.resources;
		for (int i = count - 1; i >= 0 && !(i % INTERVAL == 0 && clock.expired(0)); i--) {
			int edge = (int) keys[i];
			int a = find(parent, from[edge]);
			int b = find(parent, to[edge]);
			if (a == b || joined[a] + joined[b] > MAX_JOINED) {
				continue;
			}
			boolean fits = true;
			for (int r = 0; fits && r < resources; r++) {
				fits = (demand[a * resources + r] + demand[b * resources + r]) * level.unit[r] <= maxShare;
			}
			if (!fits || conflict(level, parent, a, from, to, edge)) {
				continue;
			}
			BitSet one = allowed[a];
			BitSet other = allowed[b];
			if (one != null && other != null) {
				BitSet both = (BitSet) one.clone();
				both.and(other);
				if (both.isEmpty()) {
					continue;
				}
				allowed[a] = both;
			}
			else if (other != null) {
				allowed[a] = other;
			}
			parent[b] = a;
			joined[a] += joined[b];
			for (int r = 0; r < resources; r++) {
				demand[a * resources + r] += demand[b * resources + r];
			}
		}
		int[] cluster = new int[n];
		int[] number = new int[n];
		Arrays.fill(number, -1);
		int clusters = 0;
		for (int v = 0; v < n; v++) {
			int root = find(parent, v);
			if (number[root] < 0) {
				number[root] = clusters++;
			}
			cluster[v] = number[root];
		}
		return cluster;
	}

	/**
	 * Conflicts are seen between the two ends only; refinement undoes what this misses.
	 */
	private static boolean conflict(Level level, int[] parent, int a, int[] from, int[] to, int edge) {
		int v = from[edge];
		int u = to[edge];
		for (int e = level.start[v]; e < level.start[v + 1]; e++) {
			if (level.weight[e] < 0 && find(parent, level.neighbour[e]) == find(parent, u)) {
				return true;
			}
		}
		for (int e = level.start[u]; e < level.start[u + 1]; e++) {
			if (level.weight[e] < 0 && find(parent, level.neighbour[e]) == a) {
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
		for (int c : cluster) {
			most = Math.max(most, c);
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
		int n = count(cluster);
		int resources = level.resources;
		long[] demand = new long[n * resources];
		@Nullable BitSet[] allowed = new BitSet[n];
		int[] memberStart = new int[n + 1];
		for (int c : cluster) {
			memberStart[c + 1]++;
		}
		for (int c = 0; c < n; c++) {
			memberStart[c + 1] += memberStart[c];
		}
		int[] members = new int[cluster.length];
		int[] next = memberStart.clone();
		for (int v = 0; v < cluster.length; v++) {
			members[next[cluster[v]]++] = v;
		}
		int[] start = new int[n + 1];
		int[] neighbour = new int[level.neighbour.length];
		double[] weight = new double[level.neighbour.length];
		double[] zoneWeight = (level.zoneWeight != null) ? new double[level.neighbour.length] : null;
		int[] homeStart = new int[n + 1];
		int[] homeHost = new int[level.homeHost.length];
		int[] homeParts = new int[level.homeParts.length];
		int[] seenAt = new int[Math.max(n, level.hosts)];
		Arrays.fill(seenAt, -1);
		int edges = 0;
		int homes = 0;
		for (int c = 0; c < n; c++) {
			start[c] = edges;
			for (int i = memberStart[c]; i < memberStart[c + 1]; i++) {
				int v = members[i];
				for (int r = 0; r < resources; r++) {
					demand[c * resources + r] += level.demand[v * resources + r];
				}
				allowed[c] = both(allowed[c], level.allowed[v]);
				for (int e = level.start[v]; e < level.start[v + 1]; e++) {
					int d = cluster[level.neighbour[e]];
					if (d == c) {
						continue;
					}
					if (seenAt[d] < start[c]) {
						seenAt[d] = edges;
						neighbour[edges++] = d;
					}
					weight[seenAt[d]] += level.weight[e];
					if (zoneWeight != null && level.zoneWeight != null) {
						zoneWeight[seenAt[d]] += level.zoneWeight[e];
					}
				}
			}
		}
		start[n] = edges;
		Arrays.fill(seenAt, -1);
		for (int c = 0; c < n; c++) {
			homeStart[c] = homes;
			for (int i = memberStart[c]; i < memberStart[c + 1]; i++) {
				int v = members[i];
				for (int k = level.homeStart[v]; k < level.homeStart[v + 1]; k++) {
					int h = level.homeHost[k];
					if (seenAt[h] < homeStart[c]) {
						seenAt[h] = homes;
						homeHost[homes] = h;
						homeParts[homes++] = level.homeParts[k];
					}
					else {
						homeParts[seenAt[h]] += level.homeParts[k];
					}
				}
			}
		}
		homeStart[n] = homes;
		int[] apartStart = null;
		int[] apart = new int[0];
		if (level.apartStart != null) {
			apartStart = new int[n + 1];
			List<Integer> pairs = new ArrayList<>();
			for (int c = 0; c < n; c++) {
				apartStart[c] = pairs.size();
				for (int i = memberStart[c]; i < memberStart[c + 1]; i++) {
					for (int e = level.apartStart[members[i]]; e < level.apartStart[members[i] + 1]; e++) {
						pairs.add(cluster[level.apart[e]]);
					}
				}
			}
			apartStart[n] = pairs.size();
			apart = pairs.stream().mapToInt(Integer::intValue).toArray();
		}
		return new Level(n, level.hosts, resources, demand, level.capacity, start, Arrays.copyOf(neighbour, edges),
				Arrays.copyOf(weight, edges), (zoneWeight != null) ? Arrays.copyOf(zoneWeight, edges) : null, homeStart,
				Arrays.copyOf(homeHost, homes), Arrays.copyOf(homeParts, homes), allowed, apartStart, apart, level.zone,
				replication(level, cluster, n));
	}

	/** Items with several units stay alone. */
	private static @Nullable Replication replication(Level level, int[] cluster, int n) {
		Replication finer = level.replication;
		if (finer == null) {
			return null;
		}
		int[] parts = new int[n];
		int[] maxPerHost = new int[n];
		int[] minHosts = new int[n];
		int[] minZones = new int[n];
		int[] @Nullable [] home = new int[n][];
		for (int v = 0; v < cluster.length; v++) {
			int c = cluster[v];
			parts[c] = finer.parts[v];
			maxPerHost[c] = finer.maxPerHost[v];
			minHosts[c] = finer.minHosts[v];
			minZones[c] = finer.minZones[v];
			home[c] = finer.home[v];
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
		for (int v = 0; v < cluster.length; v++) {
			int at = above[cluster[v]];
			int units = finer.units(v);
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
