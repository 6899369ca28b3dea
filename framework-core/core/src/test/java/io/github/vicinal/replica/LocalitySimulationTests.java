package io.github.vicinal.replica;

import io.github.vicinal.replica.QueueingSimulation.Result;
import io.github.vicinal.replica.QueueingSimulation.Service;
import io.github.vicinal.replica.QueueingSimulation.Setup;
import io.github.vicinal.replica.QueueingSimulation.Way;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The two promises, at loads from a tenth of what the near replica can do to more than it
 * can, in simulated time: calls stay near until it is saturated, and the 99 % quantile is
 * not above that of taking turns.
 * <p>
 * The near replica is saturated from the load on at which calling it alone has a higher
 * 99 % quantile than taking turns: from there on both promises cannot be kept by sending
 * all calls to it.
 */
class LocalitySimulationTests {

	private static final double[] LOADS = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2 };

	private static final int CALLS = 20_000;

	/** Seeds; what is compared is the mean over them. */
	private static final int SEEDS = 3;

	private static final double MIN_SHARE = 0.95;

	/** Tolerance of the mean of three quantiles of 20,000 calls. */
	private static final double NOISE = 1.04;

	@ParameterizedTest
	@CsvSource({ "2, 4, EXPONENTIAL, 0.3", "4, 4, EXPONENTIAL, 0.3", "2, 4, EXPONENTIAL, 1", "4, 4, EXPONENTIAL, 1",
			"4, 4, EXPONENTIAL, 3", "2, 16, EXPONENTIAL, 0.3", "4, 16, EXPONENTIAL, 1", "4, 16, EXPONENTIAL, 3",
			"4, 4, CONSTANT, 0.3", "4, 4, CONSTANT, 1", "2, 4, CONSTANT, 3", "4, 16, CONSTANT, 0.3",
			"4, 16, CONSTANT, 1", "8, 4, EXPONENTIAL, 1", "8, 8, CONSTANT, 1" })
	void callsStayNearAndTheTailDoesNotGrow(int replicas, int servers, Service service, double farWay) {
		for (double load : LOADS) {
			double share = 0;
			double uniform = 0;
			double nearestOnly = 0;
			double choice = 0;
			for (int seed = 1; seed <= SEEDS; seed++) {
				Setup setup = new Setup(replicas, servers, service, 5, 0.1, farWay * 5, load, CALLS);
				uniform += QueueingSimulation.run(setup, Way.UNIFORM, seed).p99Millis() / SEEDS;
				nearestOnly += QueueingSimulation.run(setup, Way.NEAREST_ONLY, seed).p99Millis() / SEEDS;
				Result chosen = QueueingSimulation.run(setup, Way.CHOICE, seed);
				choice += chosen.p99Millis() / SEEDS;
				share += chosen.nearShare() / SEEDS;
			}
			assertThat(choice).as("99 %% quantile in ms at load %s; near only %s", load, nearestOnly)
				.isLessThanOrEqualTo(uniform * NOISE);
			if (nearestOnly <= uniform) {
				assertThat(share).as("near share at load %s", load).isGreaterThanOrEqualTo(MIN_SHARE);
			}
		}
	}

}
