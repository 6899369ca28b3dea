package io.github.vicinal.placement.recommend;

import java.time.Duration;
import java.util.List;

import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.solver.BoundMethod;
import io.github.vicinal.placement.verify.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * A plan, its verdict, and the reasons. {@link RecommendationJson} writes it.
 *
 * @param action whether to apply the plan
 * @param reason why, in one sentence
 * @param before where replicas run now, {@code null} if that is unknown
 * @param beforeVerdict the verifier's word on that
 * @param after the plan found
 * @param afterVerdict the verifier's word on it
 * @param gain what it saves, {@code null} if it is unknown where replicas run now
 * @param moves steps from before to after, in order
 * @param merges services that could share a JVM, and pairs that could not, with the
 * reason
 * @param notSeen what is known to be missing in the evidence, one sentence each
 * @param givenUp redundancy that the plan gives up, one sentence each
 * @param assumed what the verdict assumes, one sentence each
 * @param worthwhileMoves number of first moves whose gain exceeds their loss most, and
 * after which none of the rules is broken that the plan keeps; 0 if no first moves pay
 * and none are needed
 * @param solver name of the solver
 * @param seed its seed
 * @param iterations its iterations
 * @param time wall time of the search
 * @param stopped whether the search was ended before its budget was used
 * @param lowerBound a proven lower bound of the objective, {@code null} if there is none
 * @param boundMethod how that bound was computed, {@code null} if there is none
 * @param routes what requests of each route gain, in the order of the model; empty if it
 * is unknown where replicas run now
 * @param savings what the gain is worth as capacity and money, {@code null} if it is
 * unknown where replicas run now
 * @since 0.1.0
 */
public record Recommendation(Action action, String reason, @Nullable Plan before, @Nullable Verdict beforeVerdict,
		Plan after, Verdict afterVerdict, @Nullable Gain gain, List<Move> moves, List<Merge> merges,
		List<String> notSeen, List<String> givenUp, List<String> assumed, int worthwhileMoves, String solver, long seed,
		long iterations, Duration time, boolean stopped, @Nullable Double lowerBound, @Nullable BoundMethod boundMethod,
		List<RouteGain> routes, @Nullable Savings savings) {

	/** Gap below which only rounding and the preference of fewer moves are left. */
	private static final double PROVEN = 2e-6;

	/**
	 * Recommended action.
	 *
	 * @since 0.1.0
	 */
	public enum Action {

		/** Apply the plan. */
		APPLY,

		/** Leave everything as it is. */
		KEEP,

		/** No feasible plan was found; the plan is the one that violates least. */
		NONE,

		/** The evidence does not suffice to say whether to apply the plan. */
		UNDECIDED

	}

	public Recommendation {
		moves = List.copyOf(moves);
		merges = List.copyOf(merges);
		notSeen = List.copyOf(notSeen);
		givenUp = List.copyOf(givenUp);
		assumed = List.copyOf(assumed);
		routes = List.copyOf(routes);
	}

	/**
	 * Returns this recommendation as one that is undecided. What asks for nothing to be
	 * done stays as it is.
	 * @param why why not, in one sentence
	 * @return another recommendation, or this one
	 */
	public Recommendation withheld(String why) {
		return (this.action != Action.APPLY) ? this
				: new Recommendation(Action.UNDECIDED, why, this.before, this.beforeVerdict, this.after,
						this.afterVerdict, this.gain, this.moves, this.merges, this.notSeen, this.givenUp, this.assumed,
						this.worthwhileMoves, this.solver, this.seed, this.iterations, this.time, this.stopped,
						this.lowerBound, this.boundMethod, this.routes, this.savings);
	}

	/**
	 * Returns where replicas run after the first moves.
	 * @param count number of moves that are made, at least 0 and at most all
	 * @return what runs now, changed by these moves; the plan found if nothing is known
	 * to run now
	 */
	public Plan afterMoves(int count) {
		if (count < 0 || count > this.moves.size()) {
			throw new IllegalArgumentException("%d moves; there are %d".formatted(count, this.moves.size()));
		}
		return (this.before == null) ? this.after : Move.made(this.before, this.moves.subList(0, count));
	}

	/**
	 * Returns how far the plan may be from the best one.
	 * @return the objective less the lower bound, {@code null} if there is no bound
	 */
	public @Nullable Double gap() {
		return (this.lowerBound == null) ? null : Math.max(0, this.afterVerdict.objective() - this.lowerBound);
	}

	/**
	 * Returns by which part of its objective the plan may be worse than the best one:
	 * with 0.03 it is optimal within 3 %, and with 0 it is proven to be the best.
	 * @return between 0 and 1, {@code null} if there is no bound or the plan does not fit
	 */
	public @Nullable Double relativeGap() {
		Double gap = gap();
		if (gap == null || !this.afterVerdict.feasible()) {
			return null;
		}
		double objective = this.afterVerdict.objective();
		return (gap <= PROVEN || objective <= 0) ? 0.0 : Math.min(1, gap / objective);
	}

}
