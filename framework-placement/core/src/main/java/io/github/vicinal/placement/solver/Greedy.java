package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * A first placement: items in falling order of size, each on the host where it fits that
 * holds most of its neighbours' weight.
 */
final class Greedy {

	private static final double DISTURBANCE = 0.4;

	private Greedy() {
	}

	/**
	 * Places the items of a level.
	 * @param level the level
	 * @param goals what counts
	 * @param rng disturbs the order
	 * @param fixed hosts of items that are placed already, -1 for the others
	 * @return the host of each item; capacities may be exceeded
	 */
	static int[] place(Level level, Goals goals, Rng rng, int[] fixed) {
		int n = level.items;
		int m = level.hosts;
		int resources = level.resources;
		long[] order = new long[n];
		for (int v = 0; v < n; v++) {
			double key = level.share(v) * (1 - DISTURBANCE / 2 + DISTURBANCE * rng.nextDouble());
			order[v] = ((long) Float.floatToIntBits((float) key) << 32) | v;
		}
		Arrays.sort(order);
		int[] host = fixed.clone();
		long[] load = new long[m * resources];
		for (int v = 0; v < n; v++) {
			if (host[v] >= 0) {
				add(level, load, v, host[v]);
			}
		}
		double[] pull = new double[m];
		double overWeight = 1000 * goals.scale() / Math.max(level.meanShare, 1e-9);
		for (int i = n - 1; i >= 0; i--) {
			int v = (int) order[i];
			if (host[v] >= 0) {
				continue;
			}
			for (int e = level.start[v]; e < level.start[v + 1]; e++) {
				int h = host[level.neighbour[e]];
				if (h >= 0) {
					pull[h] += level.weight[e];
				}
			}
			double best = Double.NEGATIVE_INFINITY;
			for (int h = 0; h < m; h++) {
				if (!level.allows(v, h)) {
					continue;
				}
				double over = 0;
				double full = 0;
				for (int r = 0; r < resources; r++) {
					long after = load[h * resources + r] + level.demand[v * resources + r];
					over += Math.max(0, after - level.capacity[h * resources + r]) * level.unit[r];
					full = Math.max(full, after * level.inverse[h * resources + r]);
				}
				double score = 10 * pull[h] - overWeight * over - 0.2 * goals.scale() * full;
				if (score > best) {
					best = score;
					host[v] = h;
				}
			}
			for (int e = level.start[v]; e < level.start[v + 1]; e++) {
				int h = host[level.neighbour[e]];
				if (h >= 0) {
					pull[h] = 0;
				}
			}
			if (host[v] < 0) {
				// Clusters of services that no common host allows are not built.
				throw new IllegalStateException("Item " + v + " is allowed on no host");
			}
			add(level, load, v, host[v]);
		}
		return host;
	}

	private static void add(Level level, long[] load, int v, int h) {
		for (int r = 0; r < level.resources; r++) {
			load[h * level.resources + r] += level.demand[v * level.resources + r];
		}
	}

}
