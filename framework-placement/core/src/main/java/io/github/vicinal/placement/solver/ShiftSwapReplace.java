package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The algorithm of Yokoyama, Sakamoto and Nakamura (a study of the acceleration of
 * microservices that considers communication paths, section 4.3, algorithms 1 and 2),
 * after Zhang et al. (FreeContainer, ICDCS 2017): from a spread placement, rounds of the
 * best of a shift, a swap and a replacement, where each search returns one of its three
 * best moves at random, if that improves.
 * <p>
 * Corrected: traffic counts if its ends are on <em>different</em> hosts (equation 3
 * prints the opposite), and the search ends after {@value #PATIENCE} rounds without a
 * better placement or with its budget instead of at a cost that may not exist. Kept: only
 * moves that improve are accepted, so that the choice among three cannot leave a local
 * optimum.
 *
 * @since 0.1.0
 */
public final class ShiftSwapReplace implements PlacementSolver {

	/** Its name. */
	public static final String NAME = "shift-swap-replace";

	private static final int PATIENCE = 20;

	/** The part of the hosts that is hot, and that is cold. */
	private static final double DELTA = 0.3;

	private static final int BEST = 3;

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String description() {
		return "greedy shift, swap and replace between hot and cold hosts, as in the communication-path study";
	}

	@Override
	public boolean supports(Problem problem) {
		return problem.plain();
	}

	@Override
	public Solution solve(Problem problem, Budget budget, Progress progress) {
		int[] start = Spread.place(problem);
		Search search = new Search(problem, budget, progress, start);
		new Run(problem, start, search, new Rng(budget.seed())).run();
		return search.end();
	}

	/** Takes v to b; if u is a service, it goes to where v was. */
	private record Move(int v, int b, int u, double delta) {
	}

	private static final class Run {

		private final Level level;

		private final Goals goals;

		private final Search search;

		private final Rng rng;

		private final HostLoads loads;

		private final int[] host;

		Run(Problem problem, int[] start, Search search, Rng rng) {
			this.level = Level.of(problem);
			this.goals = Goals.of(problem, this.level);
			this.search = search;
			this.rng = rng;
			this.host = start.clone();
			this.loads = new HostLoads(this.level.hosts, this.level.resources, this.level.demand, this.level.capacity,
					this.level.unit, this.goals.balanceWeight(), this.goals.balanced());
			for (int v = 0; v < start.length; v++) {
				this.loads.add(v, start[v], 1);
			}
		}

		void run() {
			int idle = 0;
			while (idle < PATIENCE && !this.search.expired(1)) {
				int[] ranked = ranked();
				int some = Math.max(1, (int) Math.ceil(DELTA * ranked.length));
				boolean[] hot = new boolean[ranked.length];
				boolean[] cold = new boolean[ranked.length];
				for (int i = 0; i < some; i++) {
					hot[ranked[i]] = true;
					cold[ranked[ranked.length - 1 - i]] = true;
				}
				List<List<Move>> candidates = new ArrayList<>();
				Move shift = pick(shifts(hot, cold));
				Move near = pick(nearShifts());
				Move swap = pick(swaps(hot));
				for (Move move : Arrays.asList(shift, near, swap)) {
					if (move != null) {
						candidates.add(List.of(move));
						replace(move, hot, candidates);
					}
				}
				List<Move> best = candidates.stream()
					.min(Comparator.comparingDouble((moves) -> moves.stream().mapToDouble(Move::delta).sum()))
					.orElse(List.of());
				if (best.isEmpty() || best.stream().mapToDouble(Move::delta).sum() >= -1e-12) {
					idle++;
					continue;
				}
				best.forEach(this::make);
				idle = this.search.offer(this.host) ? 0 : idle + 1;
			}
		}

		private @Nullable Move pick(List<Move> best) {
			Move move = best.isEmpty() ? null : best.get(this.rng.nextInt(best.size()));
			return (move != null && move.delta() < 0) ? move : null;
		}

		/** Hosts by falling utilisation. */
		private int[] ranked() {
			Integer[] order = new Integer[this.level.hosts];
			double[] utilisation = this.loads.utilisations();
			Arrays.setAll(order, (h) -> h);
			Arrays.sort(order, (g, h) -> Double.compare(utilisation[h], utilisation[g]));
			return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
		}

		private List<Move> shifts(boolean[] hot, boolean[] cold) {
			List<Move> best = new ArrayList<>();
			for (int v = 0; v < this.host.length && !this.search.expired(0); v++) {
				if (hot[this.host[v]]) {
					for (int h = 0; h < cold.length; h++) {
						if (cold[h] && h != this.host[v]) {
							keep(best, shift(v, h));
						}
					}
				}
			}
			return best;
		}

		/** Shifts to hosts of neighbours: what the paper adds for communication. */
		private List<Move> nearShifts() {
			List<Move> best = new ArrayList<>();
			for (int v = 0; v < this.host.length; v++) {
				for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
					int h = this.host[this.level.neighbour[e]];
					if (h != this.host[v]) {
						keep(best, shift(v, h));
					}
				}
			}
			return best;
		}

		private List<Move> swaps(boolean[] hot) {
			List<Move> best = new ArrayList<>();
			for (int v = 0; v < this.host.length; v++) {
				if (!hot[this.host[v]] || this.search.expired(0)) {
					continue;
				}
				for (int u = 0; u < this.host.length; u++) {
					if (this.host[u] != this.host[v]) {
						keep(best, swap(v, u));
					}
				}
			}
			return best;
		}

		/** With the move made: takes a service of a hot host to where it made room. */
		private void replace(Move move, boolean[] hot, List<List<Move>> candidates) {
			int vacated = this.host[move.v()];
			make(move);
			List<Move> best = new ArrayList<>();
			for (int v = 0; v < this.host.length; v++) {
				if (hot[this.host[v]] && this.host[v] != vacated) {
					keep(best, shift(v, vacated));
				}
			}
			Move second = pick(best);
			undo(move, vacated);
			if (second != null) {
				candidates.add(List.of(move, second));
			}
		}

		private static void keep(List<Move> best, @Nullable Move move) {
			if (move == null || (best.size() == BEST && move.delta() >= best.get(BEST - 1).delta())) {
				return;
			}
			best.add(move);
			best.sort(Comparator.comparingDouble(Move::delta));
			if (best.size() > BEST) {
				best.remove(BEST);
			}
		}

		private @Nullable Move shift(int v, int b) {
			int a = this.host[v];
			if (this.loads.overBy(b, v, 1, -1, 0) > 0) {
				return null;
			}
			return new Move(v, b, -1, -pull(v, a, b) + this.loads.imbalanceBy(v, 1, -1, 0, a, b));
		}

		private @Nullable Move swap(int v, int u) {
			int a = this.host[v];
			int b = this.host[u];
			if (this.loads.overBy(b, v, 1, u, 1) > 0 || this.loads.overBy(a, u, 1, v, 1) > 0) {
				return null;
			}
			double delta = -pull(v, a, b) - pull(u, b, a) + 2 * between(v, u)
					+ this.loads.imbalanceBy(v, 1, u, 1, a, b);
			return new Move(v, b, u, delta);
		}

		private void make(Move move) {
			int a = this.host[move.v()];
			if (move.u() >= 0) {
				take(move.u(), a);
			}
			take(move.v(), move.b());
		}

		private void undo(Move move, int vacated) {
			take(move.v(), vacated);
			if (move.u() >= 0) {
				take(move.u(), move.b());
			}
		}

		private void take(int v, int to) {
			this.loads.add(v, this.host[v], -1);
			this.loads.add(v, to, 1);
			this.host[v] = to;
		}

		private double pull(int v, int a, int b) {
			double pull = 0;
			for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
				int h = this.host[this.level.neighbour[e]];
				pull += (h == b) ? this.level.weight[e] : (h == a) ? -this.level.weight[e] : 0;
			}
			return pull;
		}

		private double between(int v, int u) {
			for (int e = this.level.start[v]; e < this.level.start[v + 1]; e++) {
				if (this.level.neighbour[e] == u) {
					return this.level.weight[e];
				}
			}
			return 0;
		}

	}

}
