package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.PlacementSolver;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Spread;
import io.github.vicinal.placement.verify.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Makes recommendations. Has no state; may be used by many threads.
 *
 * @since 0.1.0
 */
public final class Recommender {

	private final PlacementSolver solver;

	private final MovePolicy policy;

	private final MergeChecker merges;

	private final PlacementVerifier verifier = new PlacementVerifier();

	/**
	 * Creates a recommender.
	 * @param solver finds plans
	 * @param policy decides whether moving pays
	 * @param merges says which services may share a JVM
	 */
	public Recommender(PlacementSolver solver, MovePolicy policy, MergeChecker merges) {
		this.solver = solver;
		this.policy = policy;
		this.merges = merges;
	}

	/**
	 * Recommends.
	 * @param given what is placed where; if it does not say which services may share a
	 * JVM, the checker does
	 * @param maxMoves the most replicas that may go to another host, -1 for no limit
	 * @param budget how long to search
	 * @param progress notified of each better placement; may end the search
	 * @return the recommendation
	 * @throws InvalidModelException if no solver, or not this one, can solve the model
	 */
	public Recommendation recommend(PlacementModel given, int maxMoves, Budget budget, Progress progress) {
		PlacementModel model = MergePlanner.withSharing(given, this.merges);
		SeparatedSpread separated = new SeparatedSpread(model, maxMoves, budget, progress);
		Map<String, Spread> lowered = separated.lowered();
		CompiledModel compiled = new CompiledModel(model, maxMoves, lowered);
		if (!this.solver.supports(compiled.problem())) {
			throw new InvalidModelException(
					"Solver '%s' knows single replicas and capacities only, and the model has more; use 'vicinal'"
						.formatted(this.solver.name()));
		}
		Solution solution = separated.better(compiled,
				this.solver.solve(compiled.problem(), separated.left(), separated.watched()));
		Plan after = compiled.plan(solution.placement());
		Verdict verdict = this.verifier.verify(model, after, lowered);
		Plan before = model.current();
		Verdict beforeVerdict = (before != null) ? this.verifier.verify(model, known(model, before), lowered) : null;
		Gain gain = (before != null) ? Gain.between(model, before, after) : null;
		List<Move> moves = (before != null) ? MovePlanner.plan(model, before, after, lowered.keySet()) : List.of();
		List<String> notSeen = new ArrayList<>(model.doubts().notSeen());
		for (Edge edge : compiled.unmeasured()) {
			notSeen.add("'%s' -> '%s': nobody measured its %s; it counts nothing".formatted(edge.from(), edge.to(),
					model.objective().weight().id()));
		}
		notSeen.addAll(partial(model));
		EvidenceCheck evidence = new EvidenceCheck(model);
		Set<String> moved = (before != null) ? moves.stream().map(Move::service).collect(Collectors.toSet())
				: model.serviceIndex().keySet();
		int worthwhile = (gain != null)
				? this.policy.worthwhile(gain, moves, needed(model, before, after, moves, lowered)) : 0;
		List<RouteGain> routes = (before != null) ? RouteGain.of(model, before, after) : List.of();
		List<Merge> merges = new MergePlanner(model, this.merges).merges(after);
		Savings savings = (gain != null && beforeVerdict != null)
				? Savings.of(gain, beforeVerdict, verdict, merges, model.prices()) : null;
		Decision decision = timely(solution, budget, keptSlo(routes, beforeVerdict, decide(verdict, beforeVerdict, gain,
				moves, maxMoves, evidence.missing(moved), worthwhile, solution.stopped())));
		boolean bounded = !Double.isNaN(solution.bound());
		// The solver also counts moves, with a weight that only decides between equals.
		double bound = verdict.feasible() ? Math.min(solution.bound(), verdict.objective()) : solution.bound();
		return new Recommendation(decision.action(), decision.reason(), before, beforeVerdict, after, verdict, gain,
				moves, merges, notSeen, Redundancy.givenUp(model, before, after, lowered), evidence.assumed(),
				worthwhile, this.solver.name(), budget.seed(), solution.iterations(), solution.time(),
				solution.stopped(), bounded ? Math.max(0, bound) : null, bounded ? solution.boundMethod() : null,
				routes, savings);
	}

	/**
	 * Returns the number of first moves after which no rule is broken that the plan
	 * keeps: those that leave a host which is drained or gone, for instance. Each move
	 * keeps what the moves before it have mended.
	 */
	private int needed(PlacementModel model, @Nullable Plan before, Plan after, List<Move> moves,
			Map<String, Spread> lowered) {
		if (before == null || !keeps(model, after, lowered) || keeps(model, before, lowered)) {
			return 0;
		}
		int broken = 0;
		int mended = moves.size();
		while (mended - broken > 1) {
			int middle = (broken + mended) / 2;
			if (keeps(model, Move.made(before, moves.subList(0, middle)), lowered)) {
				mended = middle;
			}
			else {
				broken = middle;
			}
		}
		return mended;
	}

	private boolean keeps(PlacementModel model, Plan plan, Map<String, Spread> lowered) {
		return this.verifier.feasible(model, known(model, plan), lowered);
	}

	/** A plan without the services that the model does not have: they are gone. */
	private static Plan known(PlacementModel model, Plan plan) {
		Map<String, Map<String, Integer>> known = new LinkedHashMap<>(plan.replicas());
		known.keySet().retainAll(model.serviceIndex().keySet());
		return new Plan(known);
	}

	/** Edges that lack the same are named once. */
	private static List<String> partial(PlacementModel model) {
		Map<String, List<Edge>> byNote = new LinkedHashMap<>();
		model.edges()
			.stream()
			.filter((edge) -> edge.evidence().partial())
			.forEach((edge) -> byNote.computeIfAbsent(edge.evidence().note(), (note) -> new ArrayList<>()).add(edge));
		List<String> sentences = new ArrayList<>();
		byNote.forEach((note, edges) -> sentences.add("'%s' -> '%s'%s: partial, %s".formatted(edges.get(0).from(),
				edges.get(0).to(), (edges.size() > 1) ? " and %d more".formatted(edges.size() - 1) : "", note)));
		return sentences;
	}

	/**
	 * A plan that breaks a route's limit is not applied unless what runs breaks a rule.
	 */
	private static Decision keptSlo(List<RouteGain> routes, @Nullable Verdict before, Decision decision) {
		List<RouteGain> broken = routes.stream().filter((route) -> route.limit() == RouteGain.Slo.BROKEN).toList();
		boolean breaking = before != null && !before.feasible();
		if (decision.action() != Recommendation.Action.APPLY || broken.isEmpty() || breaking) {
			return decision;
		}
		RouteGain first = broken.get(0);
		return new Decision(Recommendation.Action.KEEP,
				"it would break the limit of %s, first: '%s' is expected at %.4g ms for 99 %% of its requests, and may take %.4g ms"
					.formatted(counted(broken.size(), "route"), first.route(), millis(first.expectedP99Micros()),
							millis(first.sloMicros())));
	}

	/** A search that was too short to look around knows little of what is possible. */
	private static Decision timely(Solution solution, Budget budget, Decision decision) {
		if (!solution.unfinished()) {
			return decision;
		}
		String more = (budget.iterations() < Long.MAX_VALUE) ? "more iterations (--iterations)"
				: "more time (--time, or vicinal.placement.search-time)";
		return new Decision(decision.action(),
				"%s; the search %s before its first full pass, so that a better plan is likely%s".formatted(
						decision.reason(), solution.stopped() ? "was stopped" : "ended",
						solution.stopped() ? "" : ": give it " + more));
	}

	private static double millis(@Nullable Double micros) {
		return (micros != null) ? micros / 1000 : Double.NaN;
	}

	private record Decision(Recommendation.Action action, String reason) {
	}

	private Decision decide(Verdict after, @Nullable Verdict before, @Nullable Gain gain, List<Move> moves,
			int maxMoves, List<String> missing, int worthwhile, boolean stopped) {
		if (!after.feasible()) {
			return new Decision(Recommendation.Action.NONE,
					"no placement was found that fits; the nearest one breaks %s, first: %s"
						.formatted(counted(after.violations().size(), "rule"), after.violations().get(0)));
		}
		if (maxMoves >= 0 && after.moved() > maxMoves) {
			return new Decision(Recommendation.Action.NONE, "no placement was found within %s; the nearest one needs %d"
				.formatted(counted(maxMoves, "move"), after.moved()));
		}
		if (!missing.isEmpty()) {
			return new Decision(Recommendation.Action.UNDECIDED,
					String.join("; ", missing) + ((before != null && !before.feasible())
							? "; what runs now breaks a rule: " + before.violations().get(0) : ""));
		}
		if (before == null || gain == null) {
			return new Decision(Recommendation.Action.APPLY, "nothing is known to run yet");
		}
		if (!before.feasible()) {
			return new Decision(Recommendation.Action.APPLY,
					"what runs now breaks a rule: " + before.violations().get(0));
		}
		if (moves.isEmpty()) {
			return new Decision(Recommendation.Action.KEEP,
					"nothing better was found" + (stopped ? " before the search was stopped" : ""));
		}
		if (after.objective() >= before.objective()) {
			return new Decision(Recommendation.Action.KEEP, "the plan found is not better than what runs now");
		}
		if (gain.callsPerSecond() == 0 && gain.edgesWithoutCalls() > 0) {
			return new Decision(Recommendation.Action.UNDECIDED,
					"whether it pays is unknown: no edge says how many calls it has, and what moving saves is counted in their waiting; the objective would fall from %.4g to %.4g"
						.formatted(before.objective(), after.objective()));
		}
		String figures = "%.3g s of waiting saved per %s, less its error, against %.3g s lost by %s, with %.0f %% of margin"
			.formatted(this.policy.gainOverHorizon(gain) / 1e6, duration(), this.policy.loss(moves.size()) / 1e6,
					counted(moves.size(), "move"), this.policy.hysteresis() * 100);
		return this.policy.pays(gain, moves.size()) ? new Decision(Recommendation.Action.APPLY, "it pays: " + figures)
				: new Decision(Recommendation.Action.KEEP, "it does not pay: " + figures + ((worthwhile > 0)
						? "; the first %s alone would, so allow no more".formatted(counted(worthwhile, "move")) : ""));
	}

	private static String counted(int count, String what) {
		return "%d %s%s".formatted(count, what, (count == 1) ? "" : "s");
	}

	private String duration() {
		return this.policy.horizon().toString().substring(2).toLowerCase(Locale.ROOT);
	}

}
