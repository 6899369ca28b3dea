package io.github.vicinal.placement.solver;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.InstanceFormat;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

class SolverTests {

	private static final PlacementVerifier VERIFIER = new PlacementVerifier();

	private static PlacementModel read(String name) throws IOException {
		try (Reader reader = new InputStreamReader(
				Objects.requireNonNull(SolverTests.class.getResourceAsStream("/instances/" + name)),
				StandardCharsets.UTF_8)) {
			return InstanceFormat.read(reader, name);
		}
	}

	@ParameterizedTest
	@CsvSource({ "online-boutique-H3-l75, 22.8555", "online-boutique-H4-l85, 33.8435", "sock-shop-H3-l75, 7.0945",
			"sock-shop-H4-l85, 36.3075", "train-ticket-H3-l75, 14.51", "synth-100, 3.9" })
	void reachesWhatIsKnownToBePossible(String name, double percent) throws IOException {
		PlacementModel model = read(name);
		CompiledModel compiled = new CompiledModel(model, -1);
		Solution found = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(4_000_000, 1),
				Progress.none());
		Verdict verdict = VERIFIER.verify(model, compiled.plan(found.placement()));
		assertThat(verdict.violations()).isEmpty();
		assertThat(100 * verdict.crossHostShare()).isLessThanOrEqualTo(percent);
	}

	/** REMaP's and the knapsack's figures as measured with another implementation. */
	@ParameterizedTest
	@CsvSource({ "first-fit-affinity, online-boutique-H3-l75, 22.9", "first-fit-affinity, train-ticket-H3-l75, 22.2",
			"first-fit-affinity, synth-100, 19.5", "paper-knapsack, online-boutique-H3-l75, 26.4",
			"paper-knapsack, train-ticket-H3-l75, 30.8", "paper-knapsack, synth-100, 23.3" })
	void papersAlgorithmsDoWhatTheyDoElsewhere(String solver, String name, double percent) throws IOException {
		Problem problem = new CompiledModel(read(name), -1).problem();
		Solution found = Solvers.named(solver)
			.solve(problem, Budget.ofTime(Duration.ofSeconds(20), 1), Progress.none());
		assertThat(found.value().feasible()).isTrue();
		assertThat(100 * found.value().communication()).isCloseTo(percent, within(0.1));
	}

	@ParameterizedTest
	@CsvSource({ "online-boutique-H3-l75", "sock-shop-H3-l75", "train-ticket-H3-l75", "synth-100" })
	void noOtherSolverIsBetter(String name) throws IOException {
		Problem problem = new CompiledModel(read(name), -1).problem();
		double own = new VicinalSolver().solve(problem, Budget.ofIterations(2_000_000, 3), Progress.none())
			.value()
			.objective();
		for (PlacementSolver solver : Solvers.all()) {
			Value other = solver.solve(problem, Budget.ofIterations(300_000, 3), Progress.none()).value();
			if (other.feasible()) {
				assertThat(own).as(solver.name()).isLessThanOrEqualTo(other.objective() + 1e-9);
			}
		}
	}

	/** All placements of a few services are tried; the search must find the best. */
	@Property(tries = 60)
	void findsTheBestOfAllPlacements(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas,
			@ForAll boolean rules) {
		PlacementModel model = new RandomModels(seed, replicas, rules).model(replicas ? 3 : 6, 3);
		Problem problem = new CompiledModel(model, -1).problem();
		if (problem.replicas() > 9) {
			return;
		}
		int[] placement = new int[problem.replicas()];
		double best = Double.POSITIVE_INFINITY;
		for (long code = 0; code < Math.pow(3, placement.length); code++) {
			long rest = code;
			for (int i = 0; i < placement.length; i++) {
				placement[i] = (int) (rest % 3);
				rest /= 3;
			}
			Value value = problem.value(placement);
			if (value.feasible()) {
				best = Math.min(best, value.objective());
			}
		}
		Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(300_000, 1), Progress.none());
		assertThat(found.value().feasible()).isTrue();
		// A move more or less that nothing else depends on counts a millionth of all
		// replicas.
		assertThat(found.value().objective()).isGreaterThanOrEqualTo(best - 1e-9);
		assertThat(found.value().objective()).isCloseTo(best, within(2e-6));
		if (Enumeration.covers(problem, 300_000)) {
			assertThat(found.bound()).isEqualTo(found.value().objective());
		}
	}

	/** Eight replicas on three hosts that are almost full: steps do not lead there. */
	@Test
	void findsTheBestOfAnAlmostFullCluster() {
		findsTheBestOfAllPlacements(16_841, true, true);
	}

	@Test
	void likeHostsAreNotExchanged() throws IOException {
		PlacementModel model = read("synth-100");
		CompiledModel compiled = new CompiledModel(model, -1);
		Solution first = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(1_000_000, 1),
				Progress.none());
		PlacementModel running = model.with(compiled.plan(first.placement()));
		CompiledModel again = new CompiledModel(running, -1);
		Solution second = new VicinalSolver().solve(again.problem(), Budget.ofIterations(1_000_000, 2),
				Progress.none());
		Verdict verdict = VERIFIER.verify(running, again.plan(second.placement()));
		assertThat(verdict.crossHostShare()).isLessThanOrEqualTo(first.value().communication() + 1e-9);
		assertThat(verdict.moved()).isLessThan(50);
	}

	/** The verifier shares no code with the solvers: both must agree on every number. */
	@Property(tries = 25, deepTries = 60)
	void theVerifierAgrees(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas,
			@ForAll boolean rules) {
		PlacementModel model = new RandomModels(seed, replicas, rules).model(12, 4);
		CompiledModel compiled = new CompiledModel(model, -1);
		for (PlacementSolver solver : Solvers.all()) {
			if (!solver.supports(compiled.problem())) {
				continue;
			}
			Solution found = solver.solve(compiled.problem(), Budget.ofIterations(40_000, seed), Progress.none());
			Verdict verdict = VERIFIER.verify(model, compiled.plan(found.placement()));
			assertThat(verdict.feasible()).as("%s: %s", solver.name(), verdict.violations())
				.isEqualTo(found.value().feasible());
			assertThat(RandomModels.pairs(model, verdict)).isCloseTo(found.value().communication(), within(1e-9));
			assertThat(verdict.imbalance()).isCloseTo(found.value().imbalance(), within(1e-9));
			assertThat(verdict.moved()).isEqualTo(found.value().moved());
			assertThat(verdict.usedHosts()).isEqualTo(found.value().usedHosts());
			// The compiled objective prefers fewer moves by a millionth.
			assertThat(verdict.objective()).isCloseTo(found.value().objective(), within(1e-5));
		}
	}

	@Property(tries = 15, deepTries = 40)
	void aMoveBudgetHolds(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas) {
		PlacementModel model = new RandomModels(seed, replicas, false).model(12, 4);
		int budget = (int) (seed % 6);
		CompiledModel compiled = new CompiledModel(model, budget);
		Solution found = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(60_000, seed),
				Progress.none());
		assertThat(found.value().feasible()).isTrue();
		Verdict verdict = VERIFIER.verify(model, compiled.plan(found.placement()));
		assertThat(verdict.moved()).isLessThanOrEqualTo(budget);
		assertThat(verdict.objective())
			.isLessThanOrEqualTo(VERIFIER.verify(model, Objects.requireNonNull(model.current())).objective() + 1e-5);
	}

	@Property(tries = 15)
	void theSameSeedGivesTheSamePlacement(@ForAll @LongRange(min = 0, max = 1_000_000) long seed,
			@ForAll boolean replicas) {
		Problem problem = new CompiledModel(new RandomModels(seed, replicas, false).model(20, 4), -1).problem();
		for (PlacementSolver solver : Solvers.all()) {
			if (solver.supports(problem)) {
				Solution first = solver.solve(problem, Budget.ofIterations(30_000, seed), Progress.none());
				Solution second = solver.solve(problem, Budget.ofIterations(30_000, seed), Progress.none());
				assertThat(second.placement()).as(solver.name()).isEqualTo(first.placement());
				assertThat(second.iterations()).isEqualTo(first.iterations());
			}
		}
	}

	@Test
	void progressEndsASearchAndGetsItsBest() throws IOException {
		Problem problem = new CompiledModel(read("synth-100"), -1).problem();
		AtomicInteger reports = new AtomicInteger();
		Solution found = new VicinalSolver().solve(problem, Budget.ofTime(Duration.ofMinutes(5), 1),
				(elapsed, iterations, best) -> {
					assertThat(best.feasible()).isTrue();
					return reports.incrementAndGet() < 2;
				});
		assertThat(found.stopped()).isTrue();
		assertThat(reports).hasValue(2);
		assertThat(found.value().feasible()).isTrue();
	}

	@Test
	void anInterruptEndsASearch() throws IOException {
		Problem problem = new CompiledModel(read("synth-100"), -1).problem();
		Thread.currentThread().interrupt();
		Solution found = new VicinalSolver().solve(problem, Budget.ofTime(Duration.ofMinutes(5), 1), Progress.none());
		assertThat(Thread.interrupted()).as("the interrupt stays").isTrue();
		assertThat(found.stopped()).isTrue();
	}

	@Test
	void aHubIsChargedOncePerEdgeByThePaper() {
		// A star of four fits on the first host as a whole; the paper's weights see six
		// times 100.
		long[] demand = { 100, 0, 100, 0, 100, 0, 100, 0 };
		long[] capacity = { 400, 1, 400, 1 };
		Problem problem = Problem.of(new int[] { 1, 1, 1, 1 }, 2, 2, demand, capacity)
			.edges(new int[] { 0, 0, 0 }, new int[] { 1, 2, 3 }, new double[] { 0.4, 0.3, 0.3 }, 0)
			.build();
		Budget budget = Budget.ofIterations(10_000, 1);
		Value paper = new PaperKnapsack().solve(problem, budget, Progress.none()).value();
		Value corrected = new NodeKnapsack().solve(problem, budget, Progress.none()).value();
		assertThat(corrected.communication()).isCloseTo(0, within(1e-12));
		assertThat(paper.communication()).isGreaterThanOrEqualTo(0);
		assertThat(paper.feasible()).isTrue();
	}

	/** Two pairs, a triangle and two services that nobody calls, on hosts of three. */
	@Test
	void graphsOfSeveralPartsArePlaced() {
		long[] demand = new long[9];
		Arrays.fill(demand, 1);
		Problem.Builder parts = Problem.of(new int[] { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 3, 1, demand,
				new long[] { 3, 3, 3 });
		Problem problem = parts
			.edges(new int[] { 0, 2, 4, 5, 6 }, new int[] { 1, 3, 5, 6, 4 }, new double[] { 0.2, 0.2, 0.2, 0.2, 0.2 },
					0)
			.build();
		Problem without = Problem.of(new int[] { 1, 1, 1 }, 2, 1, new long[] { 1, 1, 1 }, new long[] { 2, 2 }).build();
		for (PlacementSolver solver : Solvers.all()) {
			Budget budget = Budget.ofIterations(50_000, 1);
			assertThat(solver.solve(problem, budget, Progress.none()).value().feasible()).as(solver.name()).isTrue();
			Value nothing = solver.solve(without, budget, Progress.none()).value();
			assertThat(nothing.feasible()).as(solver.name()).isTrue();
			assertThat(nothing.communication()).as(solver.name()).isZero();
		}
		Solution found = new VicinalSolver().solve(problem, Budget.ofIterations(50_000, 1), Progress.none());
		assertThat(found.value().communication()).isCloseTo(0, within(1e-12));
	}

	@Test
	void nothingThatFitsIsSaidSo() {
		Problem problem = Problem.of(new int[] { 1, 1, 1 }, 2, 1, new long[] { 6, 6, 6 }, new long[] { 10, 10 })
			.build();
		for (PlacementSolver solver : Solvers.all()) {
			Value value = solver.solve(problem, Budget.ofIterations(10_000, 1), Progress.none()).value();
			assertThat(value.feasible()).as(solver.name()).isFalse();
			assertThat(value.over()).isPositive();
		}
	}

	@Test
	void aBudgetOfNothingIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Budget.ofTime(Duration.ZERO, 1))
			.withMessageContaining("must be positive");
		assertThatIllegalArgumentException().isThrownBy(() -> Solvers.named("magic"))
			.withMessageContaining("shift-swap-replace");
	}

}
