package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;

import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import io.github.vicinal.requestserver.Simulation.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The queue under overload, in virtual time. */
@Timeout(60)
class OverloadTests {

	private static final double SERVICE = 0.005;

	private static final ToDoubleFunction<Random> CONSTANT = (random) -> SERVICE;

	private static final ToDoubleFunction<Random> EXPONENTIAL = (random) -> -SERVICE
			* Math.log(1 - random.nextDouble());

	private static final int MANY_PROCESSORS = 1_000;

	private static final double WARM = 2;

	private static final double END = 20;

	@ParameterizedTest
	@CsvSource({ "2, 2", "2, 5", "4, 1.5", "4, 2", "4, 5", "10, 2", "10, 5", "50, 2", "50, 5" })
	void lastingOverloadIsServedAtCapacityAndInTime(int threads, double load) {
		Outcome outcome = new Simulation(threads, MANY_PROCESSORS, CONSTANT, WARM, 1)
			.load(0, END, load * threads / SERVICE)
			.run();
		assertThat(outcome.busy(threads, WARM, END)).isGreaterThan(0.98);
		assertThat(outcome.responseQuantile(0.99)).isLessThan(2.9 * SERVICE);
		assertThat(outcome.overloads()).isOne();
		assertThat(outcome.running() + outcome.waiting()).isZero();
	}

	/**
	 * The first requests take long, and a web server alone would let the next ones wait.
	 */
	@Test
	void nobodyIsRejectedBeforeItIsKnownHowLongRequestsTake() {
		Simulation simulation = new Simulation(10, MANY_PROCESSORS, (random) -> 0.5, 0, 1).burst(0, 20)
			.load(0.01, 0.49, 20);
		Outcome outcome = simulation.run();
		assertThat(outcome.responseQuantile(1)).isBetween(1.0, 2.0);
		assertThat(simulation.refused(Priority.NORMAL)).isZero();
	}

	/** Even without waiting, 1 of 100 would take 4.6 service times. */
	@ParameterizedTest
	@CsvSource({ "4, 2", "4, 5", "10, 2", "10, 5" })
	void unevenServiceTimesAreStillWaitedForBriefly(int threads, double load) {
		Outcome outcome = new Simulation(threads, MANY_PROCESSORS, EXPONENTIAL, WARM, 1)
			.load(0, END, load * threads / SERVICE)
			.run();
		assertThat(outcome.busy(threads, WARM, END)).isGreaterThan(0.95);
		assertThat(outcome.waitQuantile(0.99)).isLessThan(2.1 * SERVICE);
	}

	/** A request that waits to be rejected keeps a thread, and its client. */
	@ParameterizedTest
	@CsvSource({ "4, 2", "4, 5", "4, 10", "10, 2", "10, 10" })
	void mostRejectionsAreImmediate(int threads, double load) {
		double perSecond = load * threads / SERVICE;
		Simulation even = new Simulation(threads, MANY_PROCESSORS, CONSTANT, WARM, 1).load(0, END, perSecond);
		even.run();
		assertThat(even.refusalQuantile(Priority.NORMAL, 0.98)).isLessThan(0.001);
		Simulation uneven = new Simulation(threads, MANY_PROCESSORS, EXPONENTIAL, WARM, 1).load(0, END, perSecond);
		uneven.run();
		assertThat(uneven.refusalQuantile(Priority.NORMAL, 0.8)).isLessThan(0.001);
	}

	/** Batches end in batches, too, with constant times. */
	@ParameterizedTest
	@CsvSource({ "20, 40, 2, true, 0.8", "50, 50, 1.5, true, 0.84", "8, 32, 2, false, 0.88", "20, 80, 2, false, 0.88" })
	void permitsStayBusyUnderOverloadByBatches(int threads, int batch, double load, boolean random, double least) {
		Simulation simulation = new Simulation(threads, MANY_PROCESSORS, CONSTANT, WARM, 1);
		Random gaps = new Random(1);
		double gap = batch * SERVICE / (load * threads);
		for (double at = 0; at < END; at += random ? -gap * Math.log(1 - gaps.nextDouble()) : gap) {
			simulation.burst(at, batch);
		}
		assertThat(simulation.run().busy(threads, WARM, END)).isGreaterThan(least);
	}

	/** Each takes longer then, and the mean service time says so. */
	@ParameterizedTest
	@ValueSource(ints = { 4, 16, 64 })
	void moreThreadsThanProcessorsChangeNothing(int threads) {
		int processors = 2;
		double shared = SERVICE * threads / processors;
		for (int load : new int[] { 2, 5 }) {
			Outcome outcome = new Simulation(threads, processors, CONSTANT, WARM, 1)
				.load(0, END, load * processors / SERVICE)
				.run();
			assertThat(outcome.busy(threads, WARM, END)).isGreaterThan(0.98);
			assertThat(outcome.responseQuantile(0.99)).isLessThan(2.9 * shared);
		}
	}

	/** The higher class waits briefly, and must not hide the queue of the lower one. */
	@ParameterizedTest
	@CsvSource({ "CRITICAL, NORMAL, 2", "CRITICAL, NORMAL, 5", "CRITICAL, SHEDDABLE, 2", "NORMAL, SHEDDABLE, 2",
			"NORMAL, SHEDDABLE, 5" })
	void aHigherPriorityDoesNotHideTheQueueOfALowerOne(Priority higher, Priority lower, double load) {
		double perSecond = load * 4 / SERVICE;
		Simulation simulation = new Simulation(4, MANY_PROCESSORS, CONSTANT, WARM, 1)
			.load(0, END, 0.1 * perSecond, higher)
			.load(0, END, 0.9 * perSecond, lower);
		Outcome outcome = simulation.run();
		// A burst of what is not critical may be rejected now and then.
		int most = (higher == Priority.CRITICAL) ? 0 : (int) (0.001 * 0.1 * perSecond * (END - WARM));
		assertThat(simulation.refused(higher)).isLessThanOrEqualTo(most);
		assertThat(simulation.responseQuantile(higher, 0.99)).isLessThan(3 * SERVICE);
		assertThat(simulation.responseQuantile(lower, 0.99)).isLessThan(4 * SERVICE);
		assertThat(outcome.busy(4, WARM, END)).isGreaterThan(0.95);
		assertThat(outcome.running() + outcome.waiting()).isZero();
	}

	/** The queue is full of others before overload is noticed. */
	@ParameterizedTest
	@CsvSource({ "2, CRITICAL, NORMAL", "10, CRITICAL, NORMAL", "10, CRITICAL, SHEDDABLE", "10, NORMAL, SHEDDABLE" })
	void aHigherPriorityTakesThePlaceOfALowerOneInAFullQueue(double load, Priority higher, Priority lower) {
		double capacity = 4 / SERVICE;
		Simulation simulation = new Simulation(
				RequestServerSettings.of("simulated", new Threads.Fixed(4)).withQueueCapacity(20), MANY_PROCESSORS,
				CONSTANT, 0, 1)
			.load(0, END, 0.5 * capacity, higher)
			.load(0, END, (load - 0.5) * capacity, lower);
		Outcome outcome = simulation.run();
		assertThat(simulation.refused(higher)).isZero();
		assertThat(outcome.longestQueue()).isLessThanOrEqualTo(20);
		assertThat(outcome.busy(4, 0, END)).isGreaterThan(0.95);
		assertThat(outcome.running() + outcome.waiting()).isZero();
	}

	/** No permit comes back for nine seconds, so only arrivals can notice it. */
	@Test
	void hungHandlersAreNoticedByWhatArrives() {
		int[] started = new int[1];
		Simulation simulation = new Simulation(4, MANY_PROCESSORS, (random) -> {
			int number = started[0]++;
			return (number >= 400 && number < 404) ? 9 : SERVICE;
		}, WARM, 1).load(0, 10, 400);
		Outcome outcome = simulation.run();
		// Of the 3,200 or so that come between the warm-up and the end of the hang.
		assertThat(outcome.refused()).isGreaterThan(3_100);
		assertThat(simulation.refusalQuantile(Priority.NORMAL, 0.98)).isLessThan(4 * SERVICE);
		assertThat(outcome.running() + outcome.waiting()).isZero();
	}

	/**
	 * Four handlers hang, and few requests come: too few for a queue beyond chance, and
	 * too far apart to notice anything in time.
	 */
	@ParameterizedTest
	@CsvSource({ "0.004, 2.11", "0.05, 2.11", "0.2, 2.21" })
	void aWaiterBehindHandlersThatHangIsRejectedInTime(double longest, double known) {
		int[] started = new int[1];
		Simulation simulation = new Simulation(4, MANY_PROCESSORS,
				(random) -> (started[0]++ < 396) ? (started[0] == 200) ? longest : 0.004 : 30, 2.0001, 1);
		for (int i = 0; i < 396; i++) {
			simulation.burst(0.001 + i * 0.005, 1);
		}
		Outcome outcome = simulation.burst(2, 4).burst(2.001, 1).burst(2.9, 1).burst(10, 1).run();
		assertThat(simulation.refusedAt()).hasSize(3);
		assertThat(simulation.refusedAt().get(0)).isBetween(known - 0.02, known);
		assertThat(simulation.refusedAt().get(1)).isBetween(2.9, 2.901);
		assertThat(simulation.refusedAt().get(2)).isBetween(10.0, 10.001);
		assertThat(outcome.running() + outcome.waiting()).isZero();
	}

	/** Nothing is known of requests yet, and all that run wait for one that waits. */
	@Test
	void handlersThatHangFromTheBeginningAreNoticedToo() {
		Simulation simulation = new Simulation(4, MANY_PROCESSORS, (random) -> 100, 0, 1);
		simulation.burst(1, 4).burst(2, 1).run();
		assertThat(simulation.refusedAt()).hasSize(1);
		assertThat(simulation.refusedAt().get(0)).isBetween(12.0, 12.03);
	}

	/**
	 * Everything hangs, then needs something else: the limit is no longer what it was.
	 */
	@Test
	void aLimitThatWasFoundIsLeftWhenEverythingHangs() {
		int[] started = new int[1];
		Simulation simulation = new Simulation(
				RequestServerSettings.of("simulated", new Threads.Auto(1, 200)).withQueueCapacity(200), MANY_PROCESSORS,
				(random) -> (started[0]++ >= 24_000 && started[0] <= 24_060) ? 30 : SERVICE, 20, 1);
		simulation.load(0, 40, 2_000).at(35, () -> assertThat(simulation.limit()).isGreaterThan(60));
		assertThat(simulation.run().refused()).isZero();
	}

	/** A process that was paused looks as if nothing had ended. */
	@Test
	void aPauseOfTheProcessIsNoHang() {
		Outcome outcome = new Simulation(4, MANY_PROCESSORS, CONSTANT, 0, 1).load(0, END, 0.6 * 4 / SERVICE)
			.burst(10, 5)
			.clockJumps(10.0001, Duration.ofSeconds(5))
			.run();
		assertThat(outcome.refused()).isZero();
	}

	@Test
	void anIdleServerIsNotOverloaded() {
		Simulation simulation = new Simulation(4, MANY_PROCESSORS, CONSTANT, 0, 1).load(0, 2, 5 * 4 / SERVICE);
		assertThat(simulation.run().overloads()).isOne();
		simulation.idle(1);
		assertThat(simulation.overloaded()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { 50, 400, 800 })
	void aBurstOnAnIdleServerIsServed(int count) {
		Outcome outcome = new Simulation(4, MANY_PROCESSORS, CONSTANT, 0, 1).burst(0, count).run();
		assertThat(outcome.responses()).hasSize(count);
		assertThat(outcome.overloads()).isZero();
	}

	/** Many clients wake up together. A web server alone would answer all of them. */
	@ParameterizedTest
	@CsvSource({ "1000, 0", "1200, 0", "1300, 100" })
	void aBurstThatIsGoneSoonMayBeLongerThanTheQueue(int count, int refused) {
		RequestServerSettings settings = RequestServerSettings.of("simulated", new Threads.Auto(1, 200))
			.withQueueCapacity(200)
			.withBurst(800);
		Outcome outcome = new Simulation(settings, MANY_PROCESSORS, CONSTANT, 0, 1).load(0, 5, 2_000)
			.burst(6, count)
			.run();
		assertThat(outcome.refused()).isEqualTo(refused);
		assertThat(outcome.responseQuantile(1)).isLessThan(0.1);
	}

	/** Requests that take long wait for long, so no more than the queue has room for. */
	@Test
	void aBurstThatIsNotGoneSoonIsAsLongAsTheQueue() {
		RequestServerSettings settings = RequestServerSettings.of("simulated", new Threads.Auto(1, 200))
			.withQueueCapacity(200)
			.withBurst(800);
		Outcome outcome = new Simulation(settings, MANY_PROCESSORS, (random) -> 1, 0, 1).load(0, 5, 20)
			.burst(10, 1_000)
			.run();
		assertThat(outcome.refused()).isEqualTo(600);
		assertThat(outcome.longestQueue()).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "4, 0.7, 0", "4, 0.9, 0.01", "10, 0.9, 0.002", "50, 0.9, 0" })
	void loadBelowCapacityIsHardlyEverRejected(int threads, double load, double most) {
		Outcome outcome = new Simulation(threads, MANY_PROCESSORS, CONSTANT, WARM, 1)
			.load(0, END, load * threads / SERVICE)
			.run();
		assertThat(outcome.refused()).isLessThanOrEqualTo((int) (most * outcome.responses().size()));
	}

	/** One waits for long, while a bulkhead turns many away that would never wait. */
	@Test
	void rejectionsOfABulkheadAreNoQueue() {
		long[] now = new long[1];
		PermitQueue queue = new PermitQueue(RequestServerSettings.of("test", new Threads.Fixed(1)), () -> now[0]);
		queue.served(1_000_000, 1);
		for (int i = 0; i < 1_000; i++) {
			queue
				.enter(new ThreadTicket("full", List.of(new Bulkhead("full", 2)), Priority.NORMAL, Ticket.NO_DEADLINE));
			now[0] += 1_000_000;
		}
		PermitQueue.Snapshot snapshot = queue.snapshot();
		assertThat(snapshot.refused()).containsExactly(Map.entry(Rejection.Reason.BULKHEAD, 998L));
		assertThat(snapshot.overloaded()).isFalse();
	}

	/** Few long requests among many short ones keep all permits now and then. */
	@ParameterizedTest
	@CsvSource({ "4, 0.7, 2, 100, 0.05", "4, 0.7, 5, 1000, 0.01", "16, 0.7, 2, 100, 0.05", "16, 0.7, 5, 1000, 0.01" })
	void unevenServiceTimesAreNoOverload(int threads, double load, double shortMillis, double longMillis, double rare) {
		double mean = (shortMillis * (1 - rare) + longMillis * rare) / 1_000;
		rejectsAtMost(0.005, threads, load / mean * threads,
				(random) -> ((random.nextDouble() < rare) ? longMillis : shortMillis) / 1_000);
	}

	@ParameterizedTest
	@CsvSource({ "4, 0.9", "10, 0.9", "4, 0.95" })
	void exponentialServiceTimesAreNoOverload(int threads, double load) {
		rejectsAtMost(0.005, threads, load / SERVICE * threads, EXPONENTIAL);
	}

	/** Service times with a mean of about 5 ms. */
	private enum Tail {

		/** Infinite variance, cut off at 5 s. */
		PARETO_15((random) -> Math.min(5, SERVICE / 3 * Math.pow(1 - random.nextDouble(), -1 / 1.5))),

		/** A squared coefficient of variation of 1. */
		PARETO_24((random) -> SERVICE * 1.4142 / 2.4142 * Math.pow(1 - random.nextDouble(), -1 / 2.4142)),

		/** A squared coefficient of variation of 1.7. */
		LOGNORMAL_1((random) -> SERVICE * Math.exp(random.nextGaussian() - 0.5)),

		/** A squared coefficient of variation of 8.5. */
		LOGNORMAL_15((random) -> SERVICE * Math.exp(1.5 * random.nextGaussian() - 1.125)),

		/** One of ten takes 46 times as long as the others. */
		BIMODAL((random) -> (random.nextDouble() < 0.1) ? 0.0418 : 0.000909);

		private final ToDoubleFunction<Random> seconds;

		Tail(ToDoubleFunction<Random> seconds) {
			this.seconds = seconds;
		}

	}

	@ParameterizedTest
	@CsvSource({ "PARETO_15, 4, 0.7", "PARETO_24, 4, 0.9", "LOGNORMAL_1, 4, 0.9", "LOGNORMAL_15, 4, 0.9",
			"BIMODAL, 4, 0.9", "PARETO_15, 16, 0.7" })
	void heavyTailsAreNoOverload(Tail tail, int threads, double load) {
		rejectsAtMost(0.005, 5, threads, load / SERVICE * threads, tail.seconds);
	}

	/**
	 * Half of the capacity is asked for by what is critical: long requests may hold all
	 * permits, but what lower classes ask for does not have it rejected.
	 */
	@ParameterizedTest
	@CsvSource({ "PARETO_15, 2", "PARETO_24, 2", "LOGNORMAL_1, 2", "LOGNORMAL_15, 2", "BIMODAL, 2", "PARETO_15, 5",
			"LOGNORMAL_15, 5", "BIMODAL, 5" })
	void heavyTailsOfLowerClassesDoNotHaveWhatIsCriticalRejected(Tail tail, double load) {
		int threads = 4;
		double capacity = threads / SERVICE;
		int rejected = 0;
		double busy = 0;
		int seeds = 4;
		for (int seed = 1; seed <= seeds; seed++) {
			Simulation simulation = new Simulation(threads, MANY_PROCESSORS, tail.seconds, WARM, seed)
				.load(0, END, 0.5 * capacity, Priority.CRITICAL)
				.load(0, END, (load - 0.5) * capacity, Priority.NORMAL);
			busy += simulation.run().busy(threads, WARM, END) / seeds;
			rejected += simulation.refused(Priority.CRITICAL);
		}
		assertThat(rejected).isZero();
		assertThat(busy).isGreaterThan(0.95);
	}

	/** A page or a job asks for many things at once, and then for nothing. */
	@ParameterizedTest
	@CsvSource({ "20, 0.5", "20, 0.7", "50, 0.5" })
	void requestsInBatchesAreNoOverload(int batch, double load) {
		int came = 0;
		int rejected = 0;
		for (int seed = 1; seed <= 3; seed++) {
			Simulation simulation = new Simulation(4, MANY_PROCESSORS, EXPONENTIAL, 5, seed);
			Random random = new Random(seed);
			double gap = batch / (load * 4 / SERVICE);
			for (double at = 0; at < 65; at -= gap * Math.log(1 - random.nextDouble())) {
				simulation.burst(at, batch);
			}
			Outcome outcome = simulation.run();
			came += outcome.responses().size() + outcome.refused();
			rejected += outcome.refused();
		}
		assertThat((double) rejected / came).isLessThanOrEqualTo(0.02);
	}

	private static void rejectsAtMost(double share, int threads, double perSecond, ToDoubleFunction<Random> service) {
		rejectsAtMost(share, 20, threads, perSecond, service);
	}

	private static void rejectsAtMost(double share, int seeds, int threads, double perSecond,
			ToDoubleFunction<Random> service) {
		int came = 0;
		int rejected = 0;
		for (int seed = 1; seed <= seeds; seed++) {
			Outcome outcome = new Simulation(threads, MANY_PROCESSORS, service, 10, seed).load(0, 70, perSecond).run();
			came += outcome.responses().size() + outcome.refused();
			rejected += outcome.refused();
		}
		assertThat((double) rejected / came).isLessThanOrEqualTo(share);
	}

	@Test
	void overloadEndsWithTheLoad() {
		Outcome outcome = new Simulation(4, MANY_PROCESSORS, CONSTANT, 6, 1).load(0, 5, 5 * 4 / SERVICE)
			.load(5, END, 0.7 * 4 / SERVICE)
			.run();
		assertThat(outcome.refused()).isZero();
		assertThat(outcome.overloads()).isOne();
	}

	/** The mean service time is far too high after that, and must not stay so. */
	@Test
	void aSlowDependencyLeavesNothingBehind() {
		int[] served = new int[1];
		Outcome outcome = new Simulation(4, MANY_PROCESSORS, (random) -> (served[0]++ < 40) ? 1 : SERVICE, 12, 1)
			.load(0, END, 0.7 * 4 / SERVICE)
			.run();
		assertThat(outcome.overloads()).isPositive();
		assertThat(outcome.refused()).isZero();
		assertThat(outcome.responseQuantile(0.99)).isLessThan(3 * SERVICE);
	}

	@ParameterizedTest
	@ValueSource(longs = { -3_600, -1, 1, 3_600 })
	void aClockThatJumpsLosesNothing(long seconds) {
		Outcome outcome = new Simulation(4, MANY_PROCESSORS, CONSTANT, 11, 1).load(0, END, 2 * 4 / SERVICE)
			.clockJumps(10, Duration.ofSeconds(seconds))
			.run();
		assertThat(outcome.busy(4, 11, END)).isGreaterThan(0.98);
		assertThat(outcome.responseQuantile(0.99)).isLessThan(2.9 * SERVICE);
		assertThat(outcome.running() + outcome.waiting()).isZero();
		Outcome calm = new Simulation(4, MANY_PROCESSORS, CONSTANT, 11, 1).load(0, END, 0.7 * 4 / SERVICE)
			.clockJumps(10, Duration.ofSeconds(seconds))
			.run();
		assertThat(calm.refused()).isZero();
	}

}
