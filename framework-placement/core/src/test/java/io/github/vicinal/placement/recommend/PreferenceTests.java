package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Preference;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** Services that had better share hosts. */
class PreferenceTests {

	/** Each of two hosts takes two of four services. */
	private static PlacementModel four() {
		List<Service> services = new ArrayList<>();
		for (String name : List.of("a", "b", "c", "d")) {
			services.add(new Service(name, 1, Resources.of(500, 1)));
		}
		return new PlacementModel(services,
				List.of(new Host("x", Resources.of(1000, 9)), new Host("y", Resources.of(1000, 9))),
				List.of(Edge.calls("a", "b", 60), Edge.calls("c", "d", 40)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
	}

	private static Recommendation recommend(PlacementModel model) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
				Budget.ofIterations(20_000, 1), Progress.none());
	}

	private static Preference prefer(double weight, String... services) {
		return new Preference(List.of(services), weight, "one team");
	}

	/** Apart, a and c cost the weight; together, they cost all traffic, which is 1. */
	@Test
	void aPreferenceYieldsToTrafficUnlessItWeighsMore() {
		Recommendation light = recommend(four().withPreferences(List.of(prefer(0.9, "a", "c"))));
		assertThat(light.after().on("a")).isEqualTo(light.after().on("b"));
		assertThat(light.afterVerdict().preferences()).isEqualTo(1);
		assertThat(light.afterVerdict().objective()).isCloseTo(0.9 / 1.9, within(1e-12));
		Recommendation heavy = recommend(four().withPreferences(List.of(prefer(1.1, "a", "c"))));
		assertThat(heavy.after().on("a")).isEqualTo(heavy.after().on("c"));
		assertThat(heavy.afterVerdict().preferences()).isZero();
		assertThat(heavy.afterVerdict().objective()).isCloseTo(1 / 2.1, within(1e-12));
	}

	/** It is no rule: a plan that does not meet it is feasible. */
	@Test
	void itIsMetByPairs() {
		PlacementModel model = four().withPreferences(List.of(prefer(0.3, "a", "b", "c"), prefer(0.1, "c", "d")));
		Plan plan = new Plan(
				Map.of("a", Map.of("x", 1), "b", Map.of("x", 1), "c", Map.of("y", 1), "d", Map.of("y", 1)));
		Verdict verdict = new PlacementVerifier().verify(model, plan);
		assertThat(verdict.feasible()).isTrue();
		assertThat(verdict.preferences()).isCloseTo(0.3 * 2 / 3 / 0.4, within(1e-12));
		assertThat(new PlacementVerifier().verify(four(), plan).preferences()).isZero();
	}

	@Property(tries = 300)
	void solverAndVerifierAgree(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean several,
			@ForAll boolean locality) {
		PlacementModel model = new RandomModels(seed, several, false).model(9, 5)
			.with((Plan) null)
			.with(new Objective(EdgeWeight.CALLS, locality ? Routing.LOCALITY : Routing.UNIFORM, 1, 0.5, 0, 0.25, 0.5))
			.withPreferences(List.of(prefer(0.4, "s0", "s1", "s2"), prefer(0.7, "s2", "s8")));
		CompiledModel compiled = new CompiledModel(model, -1);
		int[] placement = new Random(seed).ints(compiled.problem().replicas(), 0, 5).toArray();
		Verdict verdict = new PlacementVerifier().verify(model, compiled.plan(placement));
		assertThat(verdict.objective()).isCloseTo(compiled.problem().value(placement).objective(), within(1e-9));
		assertThat(verdict.preferences()).isBetween(0.0, 1.0);
	}

	@Test
	void modelsCarryThem() {
		PlacementModel model = four().withPreferences(List.of(prefer(0.3, "a", "b", "c")));
		assertThat(new ModelJson().read(new ModelJson().write(model))).isEqualTo(model);
	}

	@Test
	void impossibleRequestsAreRefusedByName() {
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> prefer(1, "a"))
			.withMessageContaining("[a]");
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> prefer(1, "a", "a"))
			.withMessageContaining("each once");
		for (double weight : new double[] { 0, -1, Double.NaN, Double.POSITIVE_INFINITY }) {
			assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> prefer(weight, "a", "b"))
				.withMessageContaining("weight " + weight);
		}
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> four().withPreferences(List.of(prefer(1e308, "a", "b"), prefer(1e308, "c", "d"))))
			.withMessageContaining("no finite sum");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> four().withPreferences(List.of(prefer(1, "a", "ghost"))))
			.withMessageContaining("'ghost'");
		String json = new ModelJson().write(four().withPreferences(List.of(prefer(0.5, "a", "b"))));
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new ModelJson().read(json.replaceFirst("\"weight\" : 0.5,", "")))
			.withMessageContaining("preferences[0]", "'weight' is missing");
	}

}
