package io.github.vicinal.placement.recommend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.solver.Value;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Spread;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how many hosts and zones services of separations can keep. A separation may
 * forbid what the redundancy of its services demands; then as much of it is kept as some
 * plan has: first two hosts and two zones of each, then all that are used now.
 * <p>
 * Whether a plan exists is asked of the search, without traffic, which ends with the
 * first plan that fits.
 */
final class SeparatedSpread {

	/** Parts of the budget for all demands together, for none, and for some of them. */
	private static final double ALL = 0.35;

	private static final double NONE = 0.1;

	private static final double EACH = 0.02;

	/** Part of the time after which nothing more is asked. */
	private static final double LONGEST = 0.7;

	private final PlacementModel bare;

	private final int maxMoves;

	private final Budget budget;

	private final Progress progress;

	/** Spread that separated services are to keep, by name. */
	private final Map<String, Spread> wanted;

	private long iterations;

	/** Time of all questions so far. */
	private long nanos;

	private boolean stopped;

	private int @Nullable [] known;

	SeparatedSpread(PlacementModel model, int maxMoves, Budget budget, Progress progress) {
		this.wanted = separated(model);
		// Nothing else is asked of a model without separations.
		this.bare = this.wanted.isEmpty() ? model : bare(model);
		this.maxMoves = maxMoves;
		this.budget = budget;
		this.progress = progress;
	}

	private static PlacementModel bare(PlacementModel model) {
		return new PlacementModel(model.services(), model.hosts(), List.of(), model.separations(), model.pathCosts(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), model.current())
			.concentrating(model.mayConcentrate());
	}

	/**
	 * Returns the spread of the services that a separation names together with others.
	 */
	private static Map<String, Spread> separated(PlacementModel model) {
		WantedSpread wanted = new WantedSpread(model);
		Map<String, Spread> separated = new LinkedHashMap<>();
		for (Service service : model.services()) {
			Spread spread = wanted.separated(service) ? wanted.of(service) : WantedSpread.NOTHING;
			if (spread.hosts() > 1 || spread.zones() > 1) {
				separated.put(service.name(), spread);
			}
		}
		return separated;
	}

	/**
	 * Returns what services may fall to.
	 * @return by name of the service, only those that cannot keep what they are to keep
	 */
	Map<String, Spread> lowered() {
		Plan current = this.bare.current();
		if (this.wanted.isEmpty()
				|| (current != null && new PlacementVerifier().feasible(this.bare, current, Map.of()))) {
			return Map.of();
		}
		if (fit(Map.of(), ALL) != null) {
			return Map.of();
		}
		Map<String, Spread> floors = new LinkedHashMap<>();
		this.wanted.keySet().forEach((name) -> floors.put(name, WantedSpread.NOTHING));
		Plan found = fit(floors, NONE);
		if (found == null) {
			return floors;
		}
		take(found, floors, SeparatedSpread::atMostTwo);
		raise(floors, SeparatedSpread::atMostTwo);
		raise(floors, (one, other) -> one);
		floors.entrySet().removeIf((floor) -> floor.getValue().equals(this.wanted.get(floor.getKey())));
		return floors;
	}

	/** The lesser of two numbers of hosts and zones, and not more than two of each. */
	private static Spread atMostTwo(Spread one, Spread other) {
		return new Spread(Math.min(2, Math.min(one.hosts(), other.hosts())),
				Math.min(2, Math.min(one.zones(), other.zones())));
	}

	/**
	 * Raises what services keep as far as plans have it: all that lack something at once
	 * and, where no plan has that, either half of them.
	 */
	private void raise(Map<String, Spread> floors, BinaryOperator<Spread> level) {
		List<String> lacking = new ArrayList<>();
		this.wanted.forEach((name, spread) -> {
			if (!level.apply(spread, spread).equals(floors.get(name))) {
				lacking.add(name);
			}
		});
		raise(lacking, floors, level);
	}

	private void raise(List<String> names, Map<String, Spread> floors, BinaryOperator<Spread> level) {
		if (names.size() == 1) {
			raise(names.get(0), floors, level);
			return;
		}
		Map<String, Spread> raised = new LinkedHashMap<>(floors);
		names.forEach((name) -> raised.put(name, goal(name, floors, level)));
		Plan found = raised.equals(floors) ? null : fit(raised, EACH);
		if (found != null) {
			floors.putAll(raised);
			take(found, floors, level);
		}
		else if (!names.isEmpty() && !raised.equals(floors)) {
			raise(names.subList(0, names.size() / 2), floors, level);
			raise(names.subList(names.size() / 2, names.size()), floors, level);
		}
	}

	/** Raises hosts and zones of a service or, where no plan has both, one of them. */
	private void raise(String name, Map<String, Spread> floors, BinaryOperator<Spread> level) {
		Spread goal = goal(name, floors, level);
		Spread floor = floors.getOrDefault(name, WantedSpread.NOTHING);
		Set<Spread> steps = new LinkedHashSet<>(
				List.of(goal, new Spread(goal.hosts(), floor.zones()), new Spread(floor.hosts(), goal.zones())));
		steps.remove(floor);
		for (Spread step : steps) {
			Map<String, Spread> raised = new LinkedHashMap<>(floors);
			raised.put(name, step);
			Plan found = fit(raised, EACH);
			if (found != null) {
				floors.put(name, step);
				take(found, floors, level);
				break;
			}
		}
	}

	private Spread goal(String name, Map<String, Spread> floors, BinaryOperator<Spread> level) {
		Spread wanted = this.wanted.getOrDefault(name, WantedSpread.NOTHING);
		Spread spread = level.apply(wanted, wanted);
		Spread floor = floors.getOrDefault(name, WantedSpread.NOTHING);
		return new Spread(Math.max(floor.hosts(), spread.hosts()), Math.max(floor.zones(), spread.zones()));
	}

	/** Whatever a plan has, plans can keep. */
	private void take(Plan found, Map<String, Spread> floors, BinaryOperator<Spread> level) {
		Map<String, String> zones = this.bare.zones();
		this.wanted.forEach((name, spread) -> {
			Map<String, Integer> on = found.on(name);
			Plan current = this.bare.current();
			boolean stays = current != null && on.equals(current.on(name));
			Spread uses = stays ? spread : new Spread(Math.min(spread.hosts(), on.size()), Math.min(spread.zones(),
					(int) on.keySet().stream().map((host) -> zones.getOrDefault(host, "")).distinct().count()));
			Spread has = level.apply(uses, uses);
			floors.merge(name, has, (one, other) -> new Spread(Math.max(one.hosts(), other.hosts()),
					Math.max(one.zones(), other.zones())));
		});
	}

	/**
	 * Seeks any plan in which services keep no less than this, {@code null} if none is
	 * found.
	 */
	private @Nullable Plan fit(Map<String, Spread> floors, double part) {
		if (this.stopped || this.budget.cancellation().cancelled()
				|| this.nanos > LONGEST * this.budget.time().toNanos()) {
			return null;
		}
		long start = System.nanoTime();
		CompiledModel compiled = new CompiledModel(this.bare, this.maxMoves, floors);
		long steps = (this.budget.iterations() == Long.MAX_VALUE) ? Long.MAX_VALUE
				: Math.max(1, (long) (part * this.budget.iterations()));
		Solution solution = new VicinalSolver().solve(compiled.problem(),
				new Budget(Duration.ofNanos(Math.max(1, (long) (part * this.budget.time().toNanos()))), steps,
						this.budget.seed(), this.budget.cancellation()),
				this::report);
		this.iterations += solution.iterations();
		this.nanos += System.nanoTime() - start;
		this.stopped |= solution.stopped();
		if (!solution.value().feasible()) {
			return null;
		}
		this.known = solution.placement();
		return compiled.plan(solution.placement());
	}

	/**
	 * Returns what watches the search for traffic, as if all were one search.
	 * @return a progress
	 */
	Progress watched() {
		return (elapsed, steps, best) -> this.progress.report(Duration.ofNanos(this.nanos).plus(elapsed),
				this.iterations + steps, best);
	}

	/** A plan that fits here is none for the traffic yet. */
	private boolean report(Duration elapsed, long steps, Value best) {
		return this.progress.report(Duration.ofNanos(this.nanos).plus(elapsed), this.iterations + steps, new Value(1, 1,
				best.imbalance(), best.moved(), best.usedHosts(), best.over(), Math.max(1, best.violations())));
	}

	/**
	 * Returns what is left of the budget.
	 * @return time and iterations for the search
	 */
	Budget left() {
		long nanos = this.budget.time().toNanos() - this.nanos;
		long steps = (this.budget.iterations() == Long.MAX_VALUE) ? Long.MAX_VALUE
				: this.budget.iterations() - this.iterations;
		return new Budget(Duration.ofNanos(Math.max(1, nanos)), Math.max(1, steps), this.budget.seed(),
				this.budget.cancellation());
	}

	/**
	 * Returns what a search found, or the plan that is known to fit if it found none.
	 * @param compiled the problem that was searched
	 * @param found what was found
	 * @return the better one, with the time and the iterations of all searches
	 */
	Solution better(CompiledModel compiled, Solution found) {
		int[] placement = found.placement();
		Value value = found.value();
		if (this.known != null && !value.feasible()) {
			Value other = compiled.problem().value(this.known);
			placement = other.betterThan(value) ? this.known : placement;
			value = other.betterThan(value) ? other : value;
		}
		return new Solution(placement, value, found.bound(), found.boundMethod(), found.iterations() + this.iterations,
				Duration.ofNanos(this.nanos).plus(found.time()), found.stopped() || this.stopped, found.unfinished());
	}

	/**
	 * Says why services cannot keep what they are to keep.
	 * @param model the model
	 * @param lowered names of the services
	 * @return a clause for each of them, by name
	 */
	static Map<String, String> reasons(PlacementModel model, Set<String> lowered) {
		Map<String, String> reasons = new HashMap<>();
		for (String name : lowered) {
			List<String> rules = model.separations()
				.stream()
				.filter((separation) -> separation.services().size() > 1 && separation.services().contains(name))
				.map((separation) -> rule(separation, name))
				.distinct()
				.toList();
			reasons.put(name,
					"because no plan was found that keeps that and all rules; it is kept "
							+ String.join(", and ", rules.subList(0, Math.min(3, rules.size())))
							+ ((rules.size() > 3) ? ", and so on" : ""));
		}
		return reasons;
	}

	private static String rule(Separation separation, String name) {
		List<String> others = separation.services().stream().filter((other) -> !other.equals(name)).toList();
		String named = "'%s'%s".formatted(others.get(0),
				(others.size() > 1) ? " and %d more".formatted(others.size() - 1) : "");
		String rule = (separation.maximum() > 1)
				? "to at most %d replicas per host together with %s".formatted(separation.maximum(), named)
				: (separation.scope() == Separation.Scope.HOST) ? "on other hosts than " + named
						: "in other zones than " + named;
		return separation.reason().isEmpty() ? rule : rule + " (" + separation.reason() + ')';
	}

}
