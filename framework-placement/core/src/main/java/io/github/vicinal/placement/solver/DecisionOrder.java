package io.github.vicinal.placement.solver;

import java.util.Arrays;

/**
 * Order in which {@link HostPattern} decides services. A decided service is open while it
 * has neighbours that are not decided yet, and the number of states is the product of the
 * levels of all open services, so it grows exponentially with how many are open at once:
 * a good order is worth a part of the time. It is found by a greedy rule, then by
 * annealing, in which one service moves at a time.
 */
final class DecisionOrder {

	/** Maximum number of orders that are tried. */
	private static final int MAX_TRIED = 50_000;

	/** Maximum number of places by which a service moves. */
	private static final int FARTHEST = 12;

	/** First temperature at which the logarithm of the number of states is annealed. */
	private static final double HOTTEST = 1;

	/** Orders after which the clock is looked at. */
	private static final int LOOK = 256;

	private final int services;

	private final int[] levels;

	private final int[][] neighbour;

	private int[] order;

	/**
	 * Finds an order by the greedy rule.
	 * @param levels numbers of replicas that are distinguished, by service
	 * @param neighbour neighbours, by service
	 */
	DecisionOrder(int[] levels, int[][] neighbour) {
		this.services = levels.length;
		this.levels = levels;
		this.neighbour = neighbour;
		this.order = greedy();
	}

	int[] order() {
		return this.order;
	}

	/** Returns the number of states of all decisions together. */
	double states() {
		return states(this.order);
	}

	/** Returns the largest number of states of a decision. */
	double widest() {
		return Arrays.stream(sizes(this.order)).max().orElse(1);
	}

	/** Decides next what leaves the fewest combinations open. */
	private int[] greedy() {
		int[] undecided = new int[this.services];
		boolean[] decided = new boolean[this.services];
		boolean[] open = new boolean[this.services];
		for (int service = 0; service < this.services; service++) {
			undecided[service] = this.neighbour[service].length;
		}
		int[] greedy = new int[this.services];
		for (int i = 0; i < this.services; i++) {
			int next = -1;
			double least = Double.POSITIVE_INFINITY;
			for (int service = 0; service < this.services; service++) {
				if (decided[service]) {
					continue;
				}
				double grows = (undecided[service] > 0) ? Math.log(this.levels[service]) : -1;
				boolean near = false;
				for (int other : this.neighbour[service]) {
					near |= open[other];
					grows -= (open[other] && undecided[other] == 1) ? Math.log(this.levels[other]) : 0;
				}
				grows += near ? 0 : 1e-3;
				if (grows < least) {
					least = grows;
					next = service;
				}
			}
			greedy[i] = next;
			decided[next] = true;
			open[next] = undecided[next] > 0;
			for (int other : this.neighbour[next]) {
				if (--undecided[other] == 0) {
					open[other] = false;
				}
			}
		}
		return greedy;
	}

	/**
	 * Improves the order.
	 * @param work operations that this may take, about
	 * @param clock says when to give up
	 */
	void improve(double work, Clock clock) {
		double most = Math.min(MAX_TRIED, work / sizeOfGraph());
		if (this.services < 2) {
			return;
		}
		Rng rng = new Rng(1);
		int[] current = this.order.clone();
		int[] next = new int[this.services];
		double cost = Math.log(states(current));
		double least = cost;
		for (int tried = 0; tried < most && (tried % LOOK != 0 || !clock.expired(0)); tried++) {
			move(current, next, rng);
			double changed = Math.log(states(next));
			double temperature = HOTTEST * (1 - tried / most);
			if (changed <= cost || rng.nextDouble() < Math.exp((cost - changed) / temperature)) {
				cost = changed;
				System.arraycopy(next, 0, current, 0, this.services);
				if (cost < least) {
					least = cost;
					this.order = current.clone();
				}
			}
		}
	}

	private int sizeOfGraph() {
		int size = this.services;
		for (int[] neighbours : this.neighbour) {
			size += neighbours.length;
		}
		return size;
	}

	/** Moves one service by a few places. */
	private void move(int[] current, int[] next, Rng rng) {
		int from = rng.nextInt(this.services);
		int far = 1 + rng.nextInt(Math.min(this.services - 1, FARTHEST));
		int to = (rng.nextInt(2) == 0) ? Math.max(0, from - far) : Math.min(this.services - 1, from + far);
		System.arraycopy(current, 0, next, 0, this.services);
		if (from < to) {
			System.arraycopy(current, from + 1, next, from, to - from);
		}
		else {
			System.arraycopy(current, to, next, to + 1, from - to);
		}
		next[to] = current[from];
	}

	private double states(int[] order) {
		double states = 0;
		for (double size : sizes(order)) {
			states += size;
		}
		return states;
	}

	/** States that are looked at when each service is decided. */
	private double[] sizes(int[] order) {
		double[] sizes = new double[this.services];
		int[] left = new int[this.services];
		boolean[] decided = new boolean[this.services];
		double open = 1;
		for (int service = 0; service < this.services; service++) {
			left[service] = this.neighbour[service].length;
		}
		for (int i = 0; i < this.services; i++) {
			int service = order[i];
			open *= this.levels[service];
			sizes[i] = open;
			decided[service] = true;
			open /= (left[service] == 0) ? this.levels[service] : 1;
			for (int other : this.neighbour[service]) {
				if (--left[other] == 0 && decided[other]) {
					open /= this.levels[other];
				}
			}
		}
		return sizes;
	}

}
