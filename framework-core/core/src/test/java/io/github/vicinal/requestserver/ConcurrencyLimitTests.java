package io.github.vicinal.requestserver;

import java.time.Duration;
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

/**
 * Limits that are found without configuration: a pool, a lock, processors, or none at
 * all.
 */
@Timeout(60)
class ConcurrencyLimitTests {

	private static final double SERVICE = 0.005;

	private static final ToDoubleFunction<Random> CONSTANT = (random) -> SERVICE;

	private static final ToDoubleFunction<Random> EXPONENTIAL = (random) -> -SERVICE
			* Math.log(1 - random.nextDouble());

	/** Service time of an application whose code is compiled. */
	private static final double WARM_SERVICE = 0.002;

	private static final int MANY = 1_000;

	/** When the load comes, after a quiet time. */
	private static final double LOADED = 5;

	/** When the limit must have been found. */
	private static final double WARM = 15;

	private static final double END = 45;

	private static Simulation simulation(int width, ToDoubleFunction<Random> service, double warm) {
		return simulation(width, service, warm, 1);
	}

	private static Simulation simulation(int width, ToDoubleFunction<Random> service, double warm, long seed) {
		RequestServerSettings settings = RequestServerSettings.of("simulated", new Threads.Auto(1, 200))
			.withQueueCapacity(200)
			.withBurst(800);
		return new Simulation(settings, width, service, warm, seed);
	}

	@ParameterizedTest
	@CsvSource({ "1, 2", "1, 5", "4, 2", "4, 5", "4, 10", "10, 2", "10, 5", "50, 2" })
	void aPoolIsFoundAndKeptBusy(int connections, double load) {
		double capacity = connections / SERVICE;
		Simulation simulation = simulation(connections, CONSTANT, WARM).pooled()
			.load(0, LOADED, 0.5 * capacity)
			.load(LOADED, END, load * capacity);
		Outcome outcome = simulation.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.95 * capacity * (END - WARM)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(10 * SERVICE);
		assertThat(simulation.limit()).isBetween(connections, 4 * connections);
	}

	@ParameterizedTest
	@CsvSource({ "4, 2", "4, 5", "10, 2" })
	void aPoolWithUnevenTimesIsFoundAndKeptBusy(int connections, double load) {
		double capacity = connections / SERVICE;
		Outcome outcome = simulation(connections, EXPONENTIAL, WARM).pooled()
			.load(0, LOADED, 0.5 * capacity)
			.load(LOADED, END, load * capacity)
			.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.95 * capacity * (END - WARM)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(20 * SERVICE);
	}

	/** Few requests end in a window, so chance looks like a change. */
	@ParameterizedTest
	@CsvSource({ "0.05, 2, 20", "0.05, 5, 20" })
	void aSlowPoolIsFoundAndStaysFound(double seconds, double load, double found) {
		double capacity = 4 / seconds;
		Outcome outcome = simulation(4, (random) -> -seconds * Math.log(1 - random.nextDouble()), found).pooled()
			.load(0, LOADED, 0.4 * capacity)
			.load(LOADED, 90, load * capacity)
			.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.9 * capacity * (90 - found)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(15 * seconds);
	}

	/**
	 * Each further request brings a little throughput. However often fewer are tried, the
	 * losses must not add up: a limit that gains less than 15 % by doubling has at least
	 * 0.74 of what can be had.
	 */
	@ParameterizedTest
	@CsvSource({ "4, 2", "8, 2", "8, 5", "16, 2" })
	void aResourceWithoutAKneeIsNotGivenUpStepByStep(double halving, double load) {
		double most = halving / SERVICE * 200 / (200 + halving);
		Simulation simulation = simulation(MANY, EXPONENTIAL, WARM).contended(halving)
			.load(0, LOADED, 0.5 * most)
			.load(LOADED, 150, load * most);
		Outcome outcome = simulation.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.74 * most * (150 - WARM)));
		assertThat(simulation.limit()).isGreaterThan((int) (2 * halving));
	}

	/** Within two seconds as much is done as can be done then. */
	@ParameterizedTest
	@CsvSource({ "0.25, 2, false", "0.25, 5, false", "0.5, 2, true", "4, 2, false", "4, 2, true", "4, 5, false" })
	void aCapacityThatChangesIsUsedSoon(double factor, double load, boolean uneven) {
		double capacity = 8 / SERVICE;
		Simulation simulation = simulation(8, uneven ? EXPONENTIAL : CONSTANT, WARM).pooled()
			.load(0, LOADED, 0.5 * capacity)
			.load(LOADED, 60, load * Math.max(1, factor) * capacity);
		simulation.at(20, () -> simulation.widen((int) (8 * factor))).at(40, () -> simulation.widen(8));
		simulation.run();
		assertThat(simulation.ended(22, 40)).isGreaterThan((long) (0.95 * factor * capacity * 18));
		assertThat(simulation.ended(42, 60)).isGreaterThan((long) (0.95 * capacity * 18));
	}

	/** It was too much for a while. */
	@ParameterizedTest
	@CsvSource({ "2, false", "4, false", "2, true", "4, true" })
	void theLoadThatAPoolCanTakeAgainIsNotRejectedForLong(int fewer, boolean uneven) {
		Simulation simulation = simulation(8, uneven ? EXPONENTIAL : CONSTANT, 0).pooled()
			.load(0, 60, 0.8 * 8 / SERVICE);
		simulation.at(20, () -> simulation.widen(fewer)).at(40, () -> simulation.widen(8));
		simulation.run();
		assertThat(simulation.refused(20, 40)).isPositive();
		assertThat(simulation.refused(42, 60)).isZero();
	}

	/** Each change looks like requests of another kind until it is familiar. */
	@ParameterizedTest
	@CsvSource({ "1, 2", "1.5, 2", "6, 2" })
	void aPoolThatVariesIsUsedAndNotWaitedFor(double period, double load) {
		Simulation simulation = simulation(4, CONSTANT, WARM).pooled()
			.load(0, LOADED, 400)
			.load(LOADED, 60, load * 800);
		for (double at = 10; at < 60; at += period) {
			simulation.at(at, () -> simulation.widen(2)).at(at + period / 2, () -> simulation.widen(4));
		}
		Outcome outcome = simulation.run();
		assertThat(simulation.ended(WARM, 60)).isGreaterThan((long) (0.95 * 600 * (60 - WARM)));
		assertThat(outcome.responseQuantile(0.9)).isLessThan(10 * SERVICE);
		assertThat(outcome.responseQuantile(0.99)).isLessThan(30 * SERVICE);
	}

	/** A dependency that is held up for a moment is the same afterwards. */
	@ParameterizedTest
	@CsvSource({ "0.12, 2, 0.06", "0.12, 5, 0.06", "0.3, 2, 0.1" })
	void aPoolThatStallsForAMomentIsNotForgotten(double stall, double load, double median) {
		Simulation simulation = simulation(4, EXPONENTIAL, WARM).pooled()
			.load(0, LOADED, 320)
			.load(LOADED, END, load * 800);
		for (double at = 6; at < END; at += 3) {
			simulation.at(at, () -> simulation.widen(0)).at(at + stall, () -> simulation.widen(4));
		}
		Outcome outcome = simulation.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.9 * (1 - stall / 3) * 800 * (END - WARM)));
		assertThat(outcome.responseQuantile(0.5)).isLessThan(median);
		assertThat(outcome.responseQuantile(0.9)).isLessThan(stall + 0.2);
	}

	/** A change that lasts is found, too, after many that did not. */
	@ParameterizedTest
	@CsvSource({ "0.12", "0.3" })
	void requestsOfAnotherKindAreServedAfterManyStalls(double stall) {
		Simulation simulation = simulation(4, CONSTANT, 65).pooled()
			.load(0, LOADED, 320)
			.load(LOADED, 60, 1_600)
			.load(60, 80, 1_000);
		for (double at = 6; at < 60; at += 3) {
			simulation.at(at, () -> simulation.widen(0)).at(at + stall, () -> simulation.widen(4));
		}
		simulation.at(60, () -> {
			simulation.widen(MANY);
			simulation.serve((random) -> 0.1);
		});
		Outcome outcome = simulation.run();
		assertThat((double) outcome.refused() / (outcome.refused() + outcome.responses().size())).isLessThan(0.02);
	}

	/** Trying fewer permits must not reject what would be served with those found. */
	@ParameterizedTest
	@CsvSource({ "5, NORMAL", "10, SHEDDABLE" })
	void experimentsDoNotHaveWhatIsCriticalRejected(double load, Priority lower) {
		for (int seed = 1; seed <= 2; seed++) {
			Simulation simulation = simulation(4, EXPONENTIAL, WARM, seed).pooled()
				.load(0, END, 0.8 * 800, Priority.CRITICAL)
				.load(LOADED, END, (load - 0.8) * 800, lower);
			simulation.run();
			assertThat(simulation.refused(Priority.CRITICAL)).as("seed %d", seed).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(doubles = { 2, 5, 10 })
	void processorsAreFoundAndKeptBusy(double load) {
		double capacity = 2 / SERVICE;
		Outcome outcome = simulation(2, CONSTANT, WARM).load(0, LOADED, 0.5 * capacity)
			.load(LOADED, END, load * capacity)
			.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.95 * capacity * (END - WARM)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(10 * SERVICE);
	}

	/**
	 * Requests need a processor on their way in, too, and come in slowly while many run:
	 * so slowly that none waits for a permit.
	 */
	@ParameterizedTest
	@CsvSource({ "2, 0.00005", "5, 0.00005", "10, 0.00005", "2, 0.0002", "5, 0.0001" })
	void processorsThatRequestsNeedOnTheirWayInAreFound(double load, double intake) {
		double capacity = 2 / SERVICE;
		Simulation simulation = simulation(2, CONSTANT, WARM).intake(1, intake)
			.load(0, LOADED, 0.5 * capacity)
			.load(LOADED, END, load * capacity);
		Outcome outcome = simulation.run();
		double left = 2 - load * capacity * intake;
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.95 * left / SERVICE * (END - WARM)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(10 * SERVICE);
		assertThat(simulation.intakeQuantile(0.99)).isLessThan(0.05);
		assertThat(simulation.limit()).isLessThan(20);
	}

	/** A server that has known nothing but overload since it started. */
	@ParameterizedTest
	@CsvSource({ "2, 0.0002", "5, 0.0001", "10, 0.00005" })
	void processorsAreFoundAfterAStartUnderOverload(double load, double intake) {
		double capacity = 2 / SERVICE;
		Simulation simulation = simulation(2, CONSTANT, WARM).intake(1, intake).load(0, END, load * capacity);
		Outcome outcome = simulation.run();
		double left = 2 - load * capacity * intake;
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.95 * left / SERVICE * (END - WARM)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(10 * SERVICE);
		assertThat(simulation.intakeQuantile(0.99)).isLessThan(0.05);
	}

	/**
	 * Something else keeps the processors busy, as rejections do, so that they say
	 * nothing about what requests wait for: a limit that is too low is left all the same.
	 */
	@ParameterizedTest
	@CsvSource({ "200", "1000" })
	void requestsOfAnotherKindAreServedBesideBusyProcessors(double perSecond) {
		for (int seed = 1; seed <= 5; seed++) {
			Simulation simulation = simulation(4, CONSTANT, 30, seed).pooled()
				.beside(1)
				.load(0, 20, 1_600)
				.load(20, END, perSecond);
			simulation.at(20, () -> {
				simulation.widen(MANY);
				simulation.serve((random) -> 0.1);
			});
			assertThat(simulation.run().refused()).as("seed %d", seed).isZero();
		}
	}

	/** Requests are so slow that a measurement would take half a minute. */
	@Test
	void verySlowRequestsOfAnotherKindAreServedBesideBusyProcessors() {
		Simulation simulation = simulation(4, CONSTANT, 35).pooled().beside(1).load(0, 20, 1_600).load(20, 60, 20);
		simulation.at(20, () -> {
			simulation.widen(MANY);
			simulation.serve((random) -> -5 * Math.log(1 - random.nextDouble()));
		});
		assertThat(simulation.run().refused()).isZero();
	}

	/**
	 * Other processes take one of two processors now and then, which halves the rate: no
	 * other limit would change that, so none is tried that is much larger, and overload
	 * control goes on.
	 */
	@ParameterizedTest
	@CsvSource({ "2, 0.3", "2, 1", "5, 1" })
	void processorsThatOthersTakeForAWhileAreNoReasonForALargerLimit(double load, double seconds) {
		double capacity = 2 / SERVICE;
		Simulation simulation = simulation(2, CONSTANT, WARM).load(0, LOADED, 0.5 * capacity)
			.load(LOADED, END, load * capacity);
		for (double at = WARM; at < END; at += 3) {
			simulation.at(at, () -> simulation.beside(1).widen(1))
				.at(at + seconds, () -> simulation.beside(0).widen(2));
		}
		Outcome outcome = simulation.run();
		assertThat(outcome.responseQuantile(0.99)).isLessThan(30 * SERVICE);
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.9 * (1 - seconds / 6) * capacity * (END - WARM)));
	}

	/**
	 * As many requests as before suddenly wait for something that is not short: others
	 * that keep the processors busy make no difference.
	 */
	@ParameterizedTest
	@CsvSource({ "0.05, 0", "0.2, 0", "0.5, 0", "0.05, 1", "0.2, 1", "0.5, 1" })
	void requestsThatAreSlowByThemselvesAreHardlyHeldUp(double seconds, double othersLoad) {
		Simulation simulation = simulation(MANY, CONSTANT, LOADED).load(0, END, 300).beside(othersLoad);
		simulation.at(LOADED, () -> simulation.serve((random) -> seconds));
		Outcome outcome = simulation.run();
		assertThat(outcome.refused()).isZero();
		assertThat(outcome.responseQuantile(0.9999)).isLessThan((othersLoad > 0) ? 2 * seconds + 0.2 : 1.01 * seconds);
		assertThat(simulation.limit()).isEqualTo(200);
	}

	/** A pool of four was found; then come requests that wait for other things. */
	@ParameterizedTest
	@CsvSource({ "0.02, 300, 0.005", "0.02, 1000, 0.006", "0.05, 300, 0.005", "0.05, 1000, 0.006", "0.1, 50, 0.005",
			"0.1, 300, 0.005", "0.1, 1000, 0.012", "0.02, 1600, 0.006", "0.1, 1600, 0.035" })
	void requestsOfAnotherKindAreHardlyEverRejected(double seconds, double perSecond, double share) {
		int came = 0;
		int rejected = 0;
		for (int seed = 1; seed <= 10; seed++) {
			Simulation simulation = simulation(4, CONSTANT, 20, seed).pooled()
				.load(0, LOADED, 400)
				.load(LOADED, 20, 1_600)
				.load(20, 40, perSecond);
			simulation.at(20, () -> {
				simulation.widen(MANY);
				simulation.serve((random) -> seconds);
			});
			Outcome outcome = simulation.run();
			came += outcome.responses().size() + outcome.refused();
			rejected += outcome.refused();
		}
		assertThat((double) rejected / came).isLessThanOrEqualTo(share);
	}

	/** Neither the rate nor the time in which requests end shows that they are others. */
	@Test
	void requestsOfAnotherKindThatEndAtTheSameRateAreServedSoon() {
		for (int seed = 1; seed <= 3; seed++) {
			Simulation simulation = simulation(4, CONSTANT, 20, seed).pooled()
				.load(0, LOADED, 400)
				.load(LOADED, 40, 1_600);
			simulation.at(20, () -> {
				simulation.widen(MANY);
				simulation.serve((random) -> 0.01);
			});
			simulation.run();
			assertThat(simulation.refused(25, 40)).as("seed %d", seed).isZero();
		}
	}

	@ParameterizedTest
	@CsvSource({ "1, 0.8", "4, 0.8", "4, 0.9", "10, 0.9", "50, 0.9" })
	void theLoadThatAPoolCanTakeIsNeverRejected(int connections, double load) {
		double capacity = connections / SERVICE;
		Simulation simulation = simulation(connections, EXPONENTIAL, 0).pooled().load(0, END, load * capacity);
		assertThat(simulation.run().refused()).isZero();
		assertThat(simulation.limit()).isEqualTo(200);
	}

	/** Many run by chance near saturation, so fewer are tried without any overload. */
	@ParameterizedTest
	@CsvSource({ "0.8, 0", "0.9, 0.0001" })
	void theLoadThatProcessorsCanTakeIsNeverRejected(double load, double intake) {
		double capacity = 2 / (SERVICE + intake);
		Outcome outcome = simulation(2, EXPONENTIAL, 0).intake((intake > 0) ? 1 : 0, intake)
			.load(0, END, load * capacity)
			.run();
		assertThat(outcome.refused()).isZero();
	}

	/** Waiting for nothing that is short, so as many run as there are. */
	@Test
	void waitingHandlersAreNotHeldUp() {
		Outcome outcome = simulation(MANY, (random) -> 0.5, 0).load(0, END, 300).run();
		assertThat(outcome.refused()).isZero();
		assertThat(outcome.responseQuantile(0.99)).isLessThan(0.51);
	}

	/** The processors have time, so nobody needs to wait for those that wait. */
	@Test
	void aFewThatWaitForLongAmongManyThatComputeAreNoOverload() {
		Simulation simulation = simulation(MANY, (random) -> (random.nextDouble() < 0.05) ? 0.1 : 0.001, 0).beside(0.38)
			.load(0, END, 800);
		Outcome outcome = simulation.run();
		assertThat(outcome.refused()).isZero();
		assertThat(outcome.responseQuantile(0.9)).isLessThan(0.0011);
		assertThat(simulation.limit()).isEqualTo(200);
	}

	/** A pool of four was found; then something else takes half a second. */
	@Test
	void aLimitThatIsTooLowIsLeft() {
		Simulation simulation = simulation(4, (random) -> SERVICE, 60).pooled()
			.load(0, LOADED, 400)
			.load(LOADED, 20, 1_600)
			.load(20, 90, 100);
		simulation.at(20, () -> {
			simulation.widen(MANY);
			simulation.serve((random) -> 0.5);
		});
		Outcome outcome = simulation.run();
		assertThat(simulation.limit()).isGreaterThan(50);
		assertThat(outcome.refused()).isZero();
	}

	/** Nothing ends in a process that is paused, which says nothing about the limit. */
	@Test
	void aPauseOfTheProcessIsNoCollapse() {
		Simulation simulation = simulation(4, CONSTANT, WARM).pooled().load(0, LOADED, 400).load(LOADED, END, 1_600);
		for (int at = 20; at < 40; at++) {
			simulation.clockJumps(at, Duration.ofMillis(300))
				.at(at + 0.2, () -> assertThat(simulation.limit()).isLessThan(20));
		}
		Outcome outcome = simulation.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.95 * 800 * (END - WARM)));
		assertThat(outcome.responseQuantile(0.5)).isLessThan(10 * SERVICE);
	}

	@Test
	void aClockThatJumpsLosesNothing() {
		Outcome outcome = simulation(4, CONSTANT, WARM).pooled()
			.load(0, LOADED, 400)
			.load(LOADED, END, 1_600)
			.clockJumps(12, Duration.ofHours(-1))
			.clockJumps(13, Duration.ofHours(2))
			.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.93 * 800 * (END - WARM)));
		assertThat(outcome.running() + outcome.waiting()).isZero();
	}

	/**
	 * Until its code is compiled an application is slower, here by up to 50 times, and
	 * more comes than it can do. As many are answered within a second as by a web server
	 * that lets all of them wait, or more.
	 */
	@ParameterizedTest
	@CsvSource({ "80, 0.1, 2, false", "80, 0.1, 2, true", "200, 0.03, 2, true", "200, 0.05, 2, false",
			"200, 0.05, 2, true", "200, 0.1, 1, true", "200, 0.1, 2, false", "200, 0.1, 3, true", "400, 0.1, 2, true" })
	void aColdServerAnswersAsManyInTimeAsOneThatRejectsNothing(double perSecond, double cold, double warmUp,
			boolean uneven) {
		RequestServerSettings all = RequestServerSettings.of("all wait", new Threads.Fixed(200))
			.withQueueCapacity(100_000)
			.withPatience(1000);
		long inTime = 0;
		long withoutRejections = 0;
		for (long seed = 1; seed <= 5; seed++) {
			inTime += answeredInTime(simulation(2, warm(uneven), 0, seed), perSecond, cold, warmUp);
			withoutRejections += answeredInTime(new Simulation(all, 2, warm(uneven), 0, seed), perSecond, cold, warmUp);
		}
		assertThat(inTime).isGreaterThan((long) (0.95 * withoutRejections));
	}

	private static ToDoubleFunction<Random> warm(boolean uneven) {
		return (random) -> uneven ? -WARM_SERVICE * Math.log(1 - random.nextDouble()) : WARM_SERVICE;
	}

	private static long answeredInTime(Simulation simulation, double perSecond, double cold, double warmUp) {
		simulation.load(0, 20, perSecond).accelerate(WARM_SERVICE / cold);
		for (int i = 1; i < 400; i++) {
			double at = i * 0.05 + 1e-4;
			double service = WARM_SERVICE + (cold - WARM_SERVICE) * Math.exp(-at / warmUp);
			simulation.at(at, () -> simulation.accelerate(WARM_SERVICE / service));
		}
		return simulation.run().responses().stream().filter((seconds) -> seconds < 1).count();
	}

}
