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

	/**
	 * Takes a service to a host; the other service, unless it is -1, goes to where the
	 * first one was.
	 */
	private record Move(int service, int to, int other, double delta) {
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
			for (int service = 0; service < start.length; service++) {
				this.loads.add(service, start[service], 1);
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
			Arrays.setAll(order, (host) -> host);
			Arrays.sort(order, (one, other) -> Double.compare(utilisation[other], utilisation[one]));
			return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
		}

		private List<Move> shifts(boolean[] hot, boolean[] cold) {
			List<Move> best = new ArrayList<>();
			for (int service = 0; service < this.host.length && !this.search.expired(0); service++) {
				if (hot[this.host[service]]) {
					for (int host = 0; host < cold.length; host++) {
						if (cold[host] && host != this.host[service]) {
							keep(best, shift(service, host));
						}
					}
				}
			}
			return best;
		}

		/** Shifts to hosts of neighbours: what the paper adds for communication. */
		private List<Move> nearShifts() {
			List<Move> best = new ArrayList<>();
			for (int service = 0; service < this.host.length; service++) {
				for (int edge = this.level.start[service]; edge < this.level.start[service + 1]; edge++) {
					int host = this.host[this.level.neighbour[edge]];
					if (host != this.host[service]) {
						keep(best, shift(service, host));
					}
				}
			}
			return best;
		}

		private List<Move> swaps(boolean[] hot) {
			List<Move> best = new ArrayList<>();
			for (int service = 0; service < this.host.length; service++) {
				if (!hot[this.host[service]] || this.search.expired(0)) {
					continue;
				}
				for (int other = 0; other < this.host.length; other++) {
					if (this.host[other] != this.host[service]) {
						keep(best, swap(service, other));
					}
				}
			}
			return best;
		}

		/** With the move made: takes a service of a hot host to where it made room. */
		private void replace(Move move, boolean[] hot, List<List<Move>> candidates) {
			int vacated = this.host[move.service()];
			make(move);
			List<Move> best = new ArrayList<>();
			for (int service = 0; service < this.host.length; service++) {
				if (hot[this.host[service]] && this.host[service] != vacated) {
					keep(best, shift(service, vacated));
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

		private @Nullable Move shift(int service, int to) {
			int from = this.host[service];
			if (this.loads.overBy(to, service, 1, -1, 0) > 0) {
				return null;
			}
			return new Move(service, to, -1,
					-pull(service, from, to) + this.loads.imbalanceBy(service, 1, -1, 0, from, to));
		}

		private @Nullable Move swap(int service, int other) {
			int from = this.host[service];
			int to = this.host[other];
			if (this.loads.overBy(to, service, 1, other, 1) > 0 || this.loads.overBy(from, other, 1, service, 1) > 0) {
				return null;
			}
			double delta = -pull(service, from, to) - pull(other, to, from) + 2 * between(service, other)
					+ this.loads.imbalanceBy(service, 1, other, 1, from, to);
			return new Move(service, to, other, delta);
		}

		private void make(Move move) {
			int from = this.host[move.service()];
			if (move.other() >= 0) {
				take(move.other(), from);
			}
			take(move.service(), move.to());
		}

		private void undo(Move move, int vacated) {
			take(move.service(), vacated);
			if (move.other() >= 0) {
				take(move.other(), move.to());
			}
		}

		private void take(int service, int to) {
			this.loads.add(service, this.host[service], -1);
			this.loads.add(service, to, 1);
			this.host[service] = to;
		}

		private double pull(int service, int from, int to) {
			double pull = 0;
			for (int edge = this.level.start[service]; edge < this.level.start[service + 1]; edge++) {
				int host = this.host[this.level.neighbour[edge]];
				pull += (host == to) ? this.level.weight[edge] : (host == from) ? -this.level.weight[edge] : 0;
			}
			return pull;
		}

		private double between(int service, int other) {
			for (int edge = this.level.start[service]; edge < this.level.start[service + 1]; edge++) {
				if (this.level.neighbour[edge] == other) {
					return this.level.weight[edge];
				}
			}
			return 0;
		}

	}

}
