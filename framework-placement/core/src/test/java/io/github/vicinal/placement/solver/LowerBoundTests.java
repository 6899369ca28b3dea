package io.github.vicinal.placement.solver;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.WideModels;
import io.github.vicinal.placement.model.InstanceFormat;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class LowerBoundTests {

	/** All placements of a few services are tried; none may be below the bound. */
	@Property(tries = 150)
	void nothingIsBelowTheBound(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas,
			@ForAll boolean rules) {
		PlacementModel model = new RandomModels(seed, replicas, rules).model(replicas ? 3 : 6, 3);
		Problem problem = new CompiledModel(model, -1).problem();
		if (problem.replicas() > 9) {
			return;
		}
		int[] placement = new int[problem.replicas()];
		int[] best = placement.clone();
		Value least = null;
		for (long code = 0; code < Math.pow(3, placement.length); code++) {
			long rest = code;
			for (int i = 0; i < placement.length; i++) {
				placement[i] = (int) (rest % 3);
				rest /= 3;
			}
			Value value = problem.value(placement);
			if (value.feasible() && (least == null || value.betterThan(least))) {
				least = value;
				best = placement.clone();
			}
		}
		Value optimum = Objects.requireNonNull(least);
		assertThat(LowerBound.of(problem, best, 2_000_000, 60, () -> false))
			.isLessThanOrEqualTo(optimum.objective() + 1e-12);
		// The incumbent only guides the steps: a bad one gives no bound that is too high.
		int[] bad = Spread.place(problem);
		assertThat(LowerBound.of(problem, bad, 2_000_000, 60, () -> false))
			.isLessThanOrEqualTo(optimum.objective() + 1e-9);
	}

	/**
	 * Three of demand 2 and two of demand 1 on hosts of 3: whole hosts as parts would
	 * count the small ones as nothing.
	 */
	@Test
	void smallServicesTakeRoomBesideLargeOnes() throws IOException {
		String instance = "5 3 2\n2 2\n2 2\n2 2\n1 1\n1 1\n3 3\n3 3\n3 3\n0 3 1\n0 4 1\n";
		Problem problem = new CompiledModel(InstanceFormat.read(new StringReader(instance), "test"), -1).problem();
		HostPattern pattern = new HostPattern(problem, 0, 1e6, List.of(0, 1), false, (steps) -> false);
		int[] anywhere = { -1, -1, -1, -1, -1 };
		assertThat(pattern.best(new double[5], anywhere, -1, true)).isCloseTo(0.5, within(1e-12));
		assertThat(pattern.count(0)).isEqualTo(1);
		assertThat(pattern.count(3) + pattern.count(4)).isEqualTo(1);
	}

	/** The same for separations, ports, pins and zones, and what the solver finds. */
	@Test
	void nothingIsBelowTheBoundOfModelsOfAllKinds() {
		int compared = 0;
		for (long seed = 0; seed < 1500; seed++) {
			PlacementModel model = WideModels.model(seed);
			Problem problem = new CompiledModel(model, -1).problem();
			if (Math.pow(problem.hosts(), problem.replicas()) > 20_000) {
				continue;
			}
			Value least = best(problem);
			if (least == null) {
				continue;
			}
			compared++;
			Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(20_000, seed), Progress.none());
			assertThat(found.value().objective()).as("seed %d", seed).isCloseTo(least.objective(), within(1e-9));
			assertThat(found.bound()).as("seed %d", seed).isLessThanOrEqualTo(least.objective() + 1e-9);
			assertThat(LowerBound.of(problem, found.placement(), 2_000_000, 60, () -> false)).as("seed %d", seed)
				.isLessThanOrEqualTo(least.objective() + 1e-9);
		}
		assertThat(compared).isGreaterThan(200);
	}

	/** The best of all placements. */
	private static @Nullable Value best(Problem problem) {
		int[] placement = new int[problem.replicas()];
		Value least = null;
		for (long code = 0; code < Math.pow(problem.hosts(), placement.length); code++) {
			long rest = code;
			for (int i = 0; i < placement.length; i++) {
				placement[i] = (int) (rest % problem.hosts());
				rest /= problem.hosts();
			}
			Value value = problem.value(placement);
			if (value.feasible() && (least == null || value.betterThan(least))) {
				least = value;
			}
		}
		return least;
	}

	@ParameterizedTest
	@CsvSource({ "online-boutique-H3-l75, 0.1, 1000000", "online-boutique-H4-l85, 0.1, 1000000",
			"sock-shop-H3-l75, 0.1, 1000000", "sock-shop-H4-l85, 0.1, 1000000" })
	void isCloseToWhatIsFound(String name, double percent, long work) throws IOException {
		try (Reader reader = new InputStreamReader(
				Objects.requireNonNull(LowerBoundTests.class.getResourceAsStream("/instances/" + name)),
				StandardCharsets.UTF_8)) {
			Problem problem = new CompiledModel(InstanceFormat.read(reader, name), -1).problem();
			Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(2_000_000, 1), Progress.none());
			double bound = LowerBound.of(problem, found.placement(), 80 * work, 1000, () -> false);
			double objective = found.value().objective();
			assertThat(100 * (objective - bound) / objective).isBetween(-1e-6, percent);
			assertThat(found.bound()).isLessThanOrEqualTo(objective + 1e-12);
		}
	}

}
