package io.github.vicinal.placement.exact;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.ServiceLoader;

import io.github.vicinal.placement.model.InstanceFormat;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.ExactSolver;
import io.github.vicinal.placement.solver.Problem;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CpSatSolverTests {

	private static PlacementModel read(String name) throws IOException {
		try (Reader reader = new InputStreamReader(
				Objects.requireNonNull(CpSatSolverTests.class.getResourceAsStream("/instances/" + name)),
				StandardCharsets.UTF_8)) {
			return InstanceFormat.read(reader, name);
		}
	}

	@ParameterizedTest
	@CsvSource({ "online-boutique-H3-l75, 0.22855", "online-boutique-H4-l85, 0.33843", "sock-shop-H3-l75, 0.07094",
			"sock-shop-H4-l85, 0.36307" })
	void provesWhatTheFrameworksSolverFinds(String name, double optimum) throws IOException {
		PlacementModel model = read(name);
		CompiledModel compiled = new CompiledModel(model, -1);
		Solution exact = new CpSatSolver().solve(compiled.problem(), Budget.ofTime(Duration.ofSeconds(60), 1),
				Progress.none());
		assertThat(exact.optimal()).as("proven within the time").isTrue();
		assertThat(exact.value().communication()).isCloseTo(optimum, within(1e-5));
		assertThat(new PlacementVerifier().verify(model, compiled.plan(exact.placement())).feasible()).isTrue();
		Solution own = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(400_000, 1), Progress.none());
		assertThat(own.value().objective()).isCloseTo(exact.value().objective(), within(1e-9));
	}

	@Test
	void isFoundAsAService() {
		assertThat(ServiceLoader.load(ExactSolver.class)).singleElement().isInstanceOf(CpSatSolver.class);
	}

	@Test
	void aBoundIsNoMoreThanTheOptimum() throws IOException {
		Problem problem = new CompiledModel(read("sock-shop-H4-l85"), -1).problem();
		Solution hasty = new CpSatSolver().solve(problem, Budget.ofIterations(1, 1), Progress.none());
		assertThat(hasty.bound()).isLessThanOrEqualTo(0.36308);
	}

	@Test
	void refusesWhatItDoesNotModel() throws IOException {
		PlacementModel model = read("sock-shop-H3-l75");
		PlacementModel balanced = model.with(model.objective().weighted(1, 1, 0, 0));
		assertThat(new CpSatSolver().supports(new CompiledModel(balanced, -1).problem())).isFalse();
	}

}
