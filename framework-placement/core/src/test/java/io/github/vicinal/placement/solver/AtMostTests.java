package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.Move;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** At most so many replicas of a set of services run on one host. */
class AtMostTests {

	private static final PlacementVerifier VERIFIER = new PlacementVerifier();

	private static PlacementModel model(long seed, int services, int hosts, boolean replicas) {
		SplittableRandom random = new SplittableRandom(seed);
		List<Service> all = new ArrayList<>();
		int count = 0;
		List<String> limited = new ArrayList<>();
		for (int s = 0; s < services; s++) {
			int these = (replicas && random.nextInt(3) == 0) ? 2 : 1;
			all.add(new Service("s" + s, these, Resources.of(100, 100)));
			if (random.nextInt(3) != 0) {
				limited.add("s" + s);
				count += these;
			}
		}
		limited.add(limited.isEmpty() ? "s0" : limited.remove(0));
		List<Host> on = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			on.add(new Host("h" + h, Resources.of(100_000, 100_000)));
		}
		List<Edge> edges = new ArrayList<>();
		for (int s = 1; s < services; s++) {
			edges.add(Edge.calls("s" + s, "s" + random.nextInt(s), 1 + random.nextInt(100)));
		}
		int most = Math.max(2, (Math.max(1, count) + hosts - 1) / hosts);
		return new PlacementModel(all, on, edges,
				List.of(new Separation(limited, Separation.Scope.HOST, "one disk", most)), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), null);
	}

	/** The verifier alone decides what is allowed here. */
	@Property(tries = 60)
	void findsTheBestThatTheVerifierAllows(@ForAll @LongRange(min = 0, max = 1_000_000) long seed,
			@ForAll boolean replicas) {
		PlacementModel model = model(seed, replicas ? 4 : 6, 3, replicas);
		CompiledModel compiled = new CompiledModel(model, -1);
		int[] placement = new int[compiled.problem().replicas()];
		double best = Double.POSITIVE_INFINITY;
		for (long code = 0; code < Math.pow(3, placement.length); code++) {
			long rest = code;
			for (int i = 0; i < placement.length; i++) {
				placement[i] = (int) (rest % 3);
				rest /= 3;
			}
			Verdict verdict = VERIFIER.verify(model, compiled.plan(placement));
			assertThat(compiled.problem().value(placement).feasible()).isEqualTo(verdict.feasible());
			best = verdict.feasible() ? Math.min(best, verdict.objective()) : best;
		}
		Solution found = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(100_000, seed),
				Progress.none());
		Verdict verdict = VERIFIER.verify(model, compiled.plan(found.placement()));
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.objective()).isCloseTo(best, within(1e-9));
	}

	/** Beyond what is enumerated, and with what runs now. */
	@Property(tries = 10)
	void largerPlansAndTheirMovesKeepTheLimit(@ForAll @LongRange(min = 0, max = 1_000_000) long seed,
			@ForAll boolean replicas) {
		PlacementModel model = model(seed, 40, 5, replicas);
		CompiledModel compiled = new CompiledModel(model, -1);
		PlacementModel running = model.with(compiled.plan(Spread.place(compiled.problem())));
		Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(running, -1, Budget.ofIterations(200_000, seed), Progress.none());
		assertThat(found.afterVerdict().violations()).isEmpty();
		assertThat(found.afterVerdict().checks()).contains("most replicas of several services on a host");
		boolean fit = found.moves().stream().allMatch(Move::fits)
				&& Objects.requireNonNull(found.beforeVerdict()).feasible();
		for (int made = 0; fit && made <= found.moves().size(); made++) {
			assertThat(VERIFIER.verify(running.concentrating(running.serviceIndex().keySet()), found.afterMoves(made))
				.violations()).isEmpty();
		}
	}

	@Test
	void limitsThatCannotHoldAreNamed() {
		PlacementModel model = model(1, 6, 3, false);
		List<Separation> tight = List
			.of(new Separation(List.of("s0", "s1", "s2", "s3", "s4", "s5"), Separation.Scope.HOST, "", 2));
		PlacementModel possible = new PlacementModel(model.services(), model.hosts(), model.edges(), tight,
				model.pathCosts(), model.objective(), null);
		assertThat(new ModelJson().read(new ModelJson().write(possible))).isEqualTo(possible);
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new PlacementModel(model.services(), model.hosts().subList(0, 2), model.edges(), tight,
					model.pathCosts(), model.objective(), null))
			.withMessageContaining("6 replicas, but their 2 possible hosts take at most 2 of them each");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new Separation(List.of("a", "b"), Separation.Scope.ZONE, "", 2))
			.withMessageContaining("maximum 2", "1 for zones");
		Plan crowded = new Plan(Map.of("s0", Map.of("h0", 1), "s1", Map.of("h0", 1), "s2", Map.of("h0", 1), "s3",
				Map.of("h1", 1), "s4", Map.of("h1", 1), "s5", Map.of("h2", 1)));
		assertThat(VERIFIER.verify(possible, crowded).violations()).singleElement()
			.asString()
			.startsWith("'h0' may run 2 replicas of [s0, s1, s2, s3, s4, s5], the plan puts 3 on it");
	}

}
