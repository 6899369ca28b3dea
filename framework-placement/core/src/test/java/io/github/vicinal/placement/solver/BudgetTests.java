package io.github.vicinal.placement.solver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A search ends when it is to end, and returns the best that it has. */
class BudgetTests {

	/** Seconds: 1.5 and five percent, and what a busy processor may add. */
	private static final double LONGEST = 1.8;

	private static Problem problem(int services, int hosts, int edges, int replicas) {
		SplittableRandom random = new SplittableRandom(1);
		List<Service> all = new ArrayList<>();
		long needed = 0;
		for (int s = 0; s < services; s++) {
			int demand = 100 + random.nextInt(900);
			int count = 1 + random.nextInt(replicas);
			needed += (long) demand * count;
			all.add(new Service("s" + s, count, Resources.of(demand, demand)));
		}
		List<Host> on = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			on.add(new Host("h" + h, Resources.of(needed * 5 / 4 / hosts + 1000, needed * 5 / 4 / hosts + 1000)));
		}
		List<Edge> traffic = new ArrayList<>();
		for (int e = 0; e < edges; e++) {
			int one = random.nextInt(services);
			int other = (one + 1 + random.nextInt(Math.min(40, services - 1))) % services;
			traffic.add(Edge.calls("s" + one, "s" + other, 1 + random.nextInt(1000)));
		}
		PlacementModel model = new PlacementModel(all, on, traffic, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), null);
		CompiledModel compiled = new CompiledModel(model, -1);
		Plan running = compiled.plan(Spread.place(compiled.problem()));
		return new CompiledModel(model.with(running), -1).problem();
	}

	/**
	 * Relabelling 200 hosts, greedy placement and clustering take long here: without a
	 * look at the clock, several times as long.
	 */
	@ParameterizedTest
	@CsvSource({ "8000, 200, 40000, 1", "1500, 200, 8000, 12" })
	void theTimeIsKept(int services, int hosts, int edges, int replicas) {
		Problem problem = problem(services, hosts, edges, replicas);
		Budget budget = Budget.ofTime(Duration.ofMillis(1500), 1);
		double shortest = Double.POSITIVE_INFINITY;
		for (int i = 0; i < 3 && shortest > LONGEST; i++) {
			long start = System.nanoTime();
			new VicinalSolver().solve(problem, budget, Progress.none());
			shortest = Math.min(shortest, (System.nanoTime() - start) / 1e9);
		}
		assertThat(shortest).isLessThan(LONGEST);
	}

	/**
	 * Placements that were tried before the end count as those of any other search.
	 */
	@Test
	void anEnumerationThatDoesNotEndIsNotInVain() {
		int unfinished = 0;
		for (int edges = 2; edges <= 12; edges++) {
			Problem problem = problem(4, 5, edges, 3);
			Budget budget = Budget.ofIterations(1, 1);
			assertThat(Enumeration.covers(problem, 1)).isTrue();
			Search tried = new Search(problem, budget, Progress.none(),
					Spread.place(problem, Search.deadline(budget, System.nanoTime())));
			unfinished += new Enumeration(problem, tried).run() ? 0 : 1;
			Solution found = new VicinalSolver().solve(problem, budget, Progress.none());
			assertThat(tried.value().betterThan(found.value()))
				.as("with %d edges: %s, found was %s", edges, tried.value(), found.value())
				.isFalse();
		}
		assertThat(unfinished).isPositive();
	}

	@Test
	void aCancelledSearchReturnsItsBest() throws InterruptedException {
		Problem problem = problem(400, 20, 1500, 1);
		Cancellation cancellation = new Cancellation();
		AtomicInteger reports = new AtomicInteger();
		Budget budget = Budget.ofTime(Duration.ofMinutes(10), 1).cancelledBy(cancellation);
		Solution[] found = new Solution[1];
		Thread search = new Thread(
				() -> found[0] = new VicinalSolver().solve(problem, budget, (elapsed, steps, best) -> {
					reports.incrementAndGet();
					cancellation.cancel();
					return true;
				}));
		search.start();
		search.join(60_000);
		assertThat(search.isAlive()).isFalse();
		assertThat(reports).hasValue(1);
		assertThat(found[0].stopped()).isTrue();
		assertThat(found[0].value().feasible()).isTrue();
		assertThat(found[0].value().communication()).isLessThan(problem.value(Spread.place(problem)).communication());
	}

	/** Large tables of the bound are left while they are filled. */
	@Test
	void theBoundEndsWithinMillisecondsOnceCancelled() throws InterruptedException {
		Problem problem = problem(200, 40, 2000, 3);
		int[] placement = Spread.place(problem);
		Cancellation cancellation = new Cancellation();
		long[] ended = new long[1];
		double[] bound = new double[1];
		CountDownLatch started = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			started.countDown();
			bound[0] = LowerBound.of(problem, placement, Duration.ofMinutes(10), cancellation);
			ended[0] = System.nanoTime();
		});
		thread.start();
		started.await();
		thread.join(1_500);
		assertThat(thread.isAlive()).isTrue();
		long cancelled = System.nanoTime();
		cancellation.cancel();
		thread.join(60_000);
		assertThat(thread.isAlive()).isFalse();
		// 50 ms, and what a busy processor may add.
		assertThat((ended[0] - cancelled) / 1e6).isLessThan(500);
		assertThat(bound[0]).isBetween(0.0, problem.value(placement).objective());
	}

	/** An interrupt, and a progress that says so, end the bound like the search. */
	@Test
	void theBoundListensToProgress() {
		Problem problem = problem(200, 20, 900, 1);
		long start = System.nanoTime();
		Solution found = new VicinalSolver().solve(problem, Budget.ofTime(Duration.ofSeconds(4), 1),
				(elapsed, steps, best) -> elapsed.toMillis() < 3_500);
		assertThat(found.stopped()).isTrue();
		assertThat((System.nanoTime() - start) / 1e9).isLessThan(3.95);
	}

	/** The steps after the search do not look at each host for each edge. */
	@Test
	@Timeout(25)
	void aLargePlanIsVerifiedAtOnce() {
		List<Service> services = new ArrayList<>();
		Map<String, Map<String, Integer>> on = new HashMap<>();
		for (int s = 0; s < 1000; s++) {
			services.add(new Service("s" + s, 1, Resources.of(1, 1)));
			on.put("s" + s, Map.of("h" + s, 1));
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 1000; h++) {
			hosts.add(new Host("h" + h, Resources.of(9, 9)));
		}
		List<Edge> edges = new ArrayList<>();
		for (int e = 0; e < 500_000; e++) {
			edges.add(Edge.calls("s" + e % 1000, "s" + (e % 1000 + 1 + e / 1000) % 1000, 1));
		}
		PlacementModel model = new PlacementModel(services, hosts, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		Verdict verdict = new PlacementVerifier().verify(model, new Plan(on));
		assertThat(verdict.feasible()).isTrue();
		assertThat(verdict.crossHostShare()).isEqualTo(1);
	}

	/** Nothing is better than no traffic between hosts. */
	@ParameterizedTest
	@CsvSource({ "1", "2" })
	void aSearchEndsAtItsBound(int replicas) {
		int[] count = new int[40];
		Arrays.fill(count, replicas);
		long[] demand = new long[40];
		Arrays.fill(demand, 1);
		int[] from = new int[39];
		int[] to = new int[39];
		double[] gain = new double[39];
		for (int e = 0; e < 39; e++) {
			from[e] = e;
			to[e] = e + 1;
			gain[e] = 1.0 / 39;
		}
		Problem problem = Problem.of(count, 4, 1, demand, new long[] { 100, 100, 100, 100 })
			.edges(from, to, gain, 0)
			.locality(true)
			.keepSpread(count, new int[40])
			.build();
		Solution found = new VicinalSolver().solve(problem, Budget.ofTime(Duration.ofMinutes(5), 1), Progress.none());
		assertThat(found.value().communication()).isLessThan(1e-9);
		assertThat(found.time()).isLessThan(Duration.ofMinutes(1));
		assertThat(found.optimal()).isTrue();
	}

}
