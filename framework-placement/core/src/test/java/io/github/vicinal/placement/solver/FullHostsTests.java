package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.placement.PlantedModels;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Hosts that services fill exactly: nothing fits but exchanges. */
class FullHostsTests {

	private static Verdict solve(PlacementModel model, long steps, long seed) {
		CompiledModel compiled = new CompiledModel(model, -1);
		Solution found = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(steps, seed),
				Progress.none());
		return new PlacementVerifier().verify(model, compiled.plan(found.placement()));
	}

	/** The hidden placement has 10 % between hosts. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2 })
	void exchangesFindPlacementsThatFit(long seed) {
		Verdict verdict = solve(new PlantedModels(seed).model(300, 15), 1_500_000, seed);
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.crossHostShare()).isLessThan(0.19);
	}

	/** A service with replicas among the others does not end the exchanges. */
	@Test
	void replicasAreLeftWhereTheyAre() {
		PlacementModel model = new PlantedModels(3).model(200, 10);
		List<Service> services = new ArrayList<>(model.services());
		// A second replica needs room, so another service has to go.
		Service gone = services.remove(199);
		Service one = services.stream()
			.filter((service) -> service.demand().equals(gone.demand()))
			.findFirst()
			.orElseThrow();
		services.set(services.indexOf(one), new Service(one.name(), 2, one.demand()));
		PlacementModel replicated = model
			.withEdges(model.edges()
				.stream()
				.filter((edge) -> !edge.from().equals(gone.name()) && !edge.to().equals(gone.name()))
				.toList())
			.with(services, model.hosts());
		Verdict verdict = solve(replicated, 1_500_000, 1);
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.crossHostShare()).isLessThan(0.2);
	}

	@Test
	void theSameSeedGivesTheSamePlacement() {
		PlacementModel model = new PlantedModels(4).model(120, 6);
		assertThat(solve(model, 100_000, 5)).isEqualTo(solve(model, 100_000, 5));
	}

}
