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

	private static final int MANY = 1_000;

	/** When the load comes, after a quiet time. */
	private static final double LOADED = 5;

	/** When the limit must have been found. */
	private static final double WARM = 15;

	private static final double END = 45;

	private static Simulation simulation(int width, ToDoubleFunction<Random> service, double warm) {
		RequestServerSettings settings = RequestServerSettings.of("simulated", new Threads.Auto(1, 200))
			.withQueueCapacity(200);
		return new Simulation(settings, width, service, warm, 1);
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

	@ParameterizedTest
	@ValueSource(doubles = { 2, 5, 10 })
	void processorsAreFoundAndKeptBusy(double load) {
		double capacity = 2 / SERVICE;
		Outcome outcome = simulation(2, CONSTANT, WARM).load(0, LOADED, 0.5 * capacity)
			.load(LOADED, END, load * capacity)
			.run();
		assertThat(outcome.responses().size()).isGreaterThan((int) (0.93 * capacity * (END - WARM)));
		assertThat(outcome.responseQuantile(0.99)).isLessThan(10 * SERVICE);
	}

	@ParameterizedTest
	@CsvSource({ "1, 0.8", "4, 0.8", "4, 0.9", "10, 0.9", "50, 0.9" })
	void whatAPoolCanDoIsNeverRejected(int connections, double load) {
		double capacity = connections / SERVICE;
		Simulation simulation = simulation(connections, EXPONENTIAL, 0).pooled().load(0, END, load * capacity);
		assertThat(simulation.run().refused()).isZero();
		assertThat(simulation.limit()).isEqualTo(200);
	}

	/** Waiting for nothing that is short, so as many run as there are. */
	@Test
	void waitingHandlersAreNotHeldUp() {
		Outcome outcome = simulation(MANY, (random) -> 0.5, 0).load(0, END, 300).run();
		assertThat(outcome.refused()).isZero();
		assertThat(outcome.responseQuantile(0.99)).isLessThan(0.51);
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

}
