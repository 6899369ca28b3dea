package io.github.vicinal.placement.solver;

import java.util.Arrays;
import java.util.Objects;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class AnnealerTests {

	private static final Objective BALANCE = new Objective(EdgeWeight.CALLS, Routing.UNIFORM, 0, 1, 0, 0, 0);

	private static final Objective BOTH = new Objective(EdgeWeight.CALLS, Routing.UNIFORM, 1, 1, 0, 0, 0);

	/** Rounding of sums that are added up in another order. */
	private static final double ROUNDING = 1e-10;

	/** The value of a placement is computed anew, by none of the annealer's code. */
	@Property(tries = 100)
	void aDescentEndsWhereNoStepImproves(@ForAll @LongRange(min = 0, max = 1_000_000) long seed,
			@ForAll boolean traffic) {
		PlacementModel model = new RandomModels(seed, false, false).model(14, 4);
		Plan start = Objects.requireNonNull(model.current());
		int[] placement = new int[model.services().size()];
		Arrays.setAll(placement, (s) -> Integer.parseInt(start.on("s" + s).keySet().iterator().next().substring(1)));
		PlacementModel fresh = model.with((Plan) null).with(traffic ? BOTH : BALANCE);
		Problem problem = new CompiledModel(fresh, -1).problem();
		Level level = Level.of(problem);
		Annealer annealer = new Annealer(level, Goals.of(problem, level), placement, new Rng(seed));
		annealer.descend((steps) -> false);
		assertThat(problem.value(annealer.best()).objective())
			.isLessThanOrEqualTo(problem.value(placement).objective() + ROUNDING);
		assertThatNoStepImproves(problem, annealer.best());
	}

	@Test
	void aDescentThatIsStoppedKeepsWhatItHas() {
		PlacementModel model = new RandomModels(7, false, false).model(14, 4).with((Plan) null).with(BALANCE);
		Problem problem = new CompiledModel(model, -1).problem();
		Level level = Level.of(problem);
		int[] placement = new int[problem.services()];
		Annealer annealer = new Annealer(level, Goals.of(problem, level), placement, new Rng(1));
		annealer.descend((steps) -> true);
		assertThat(problem.value(annealer.best()).over()).isLessThanOrEqualTo(problem.value(placement).over());
	}

	/** Where balance alone counts, annealing leaves exchanges that are nearly alike. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void aSearchForBalanceEndsWhereNoStepImproves(long seed) {
		PlacementModel model = new RandomModels(5, false, false).model(80, 10).with((Plan) null).with(BALANCE);
		Problem problem = new CompiledModel(model, -1).problem();
		Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(400_000, seed), Progress.none());
		assertThatNoStepImproves(problem, found.placement());
	}

	/** Replicas of one service are on several hosts at once. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void aSearchForBalanceMayHaveReplicas(long seed) {
		PlacementModel model = new RandomModels(seed, true, false).model(80, 10).with((Plan) null).with(BALANCE);
		Problem problem = new CompiledModel(model, -1).problem();
		Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(400_000, seed), Progress.none());
		assertThat(found.value().feasible()).isTrue();
		assertThat(problem.value(found.placement()).objective()).isCloseTo(found.value().objective(), within(ROUNDING));
	}

	private static void assertThatNoStepImproves(Problem problem, int[] placement) {
		Value reached = problem.value(placement);
		assertThat(reached.feasible()).isTrue();
		for (int v = 0; v < placement.length; v++) {
			int from = placement[v];
			for (int to = 0; to < problem.hosts(); to++) {
				placement[v] = to;
				assertThatIsNoBetter(problem.value(placement), reached);
			}
			placement[v] = from;
			for (int u = v + 1; u < placement.length; u++) {
				int other = placement[u];
				placement[v] = other;
				placement[u] = from;
				assertThatIsNoBetter(problem.value(placement), reached);
				placement[v] = from;
				placement[u] = other;
			}
		}
	}

	private static void assertThatIsNoBetter(Value value, Value reached) {
		if (value.feasible()) {
			assertThat(value.objective()).isGreaterThanOrEqualTo(reached.objective() - ROUNDING);
		}
	}

}
