package io.github.vicinal.selection;

import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongFunction;

import io.github.vicinal.selection.PathSimulation.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.vicinal.selection.PathSimulation.MICRO;
import static io.github.vicinal.selection.PathSimulation.MILLI;
import static io.github.vicinal.selection.PathSimulation.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

/** The scenarios of {@code bench selector-sim}, shorter. */
class PathScenarioTests {

	private static final int SEEDS = 5;

	/** Share of the time of calls that probes may cost. */
	private static final double PROBING = 0.005;

	private static final double[] MEANS = { 15 * MICRO, 45 * MICRO, 300 * MICRO };

	/** Three paths whose costs do not change, whatever the server does. */
	private static class Steady extends World {

		private final DoubleUnaryOperator service;

		Steady(DoubleUnaryOperator service) {
			this.service = service;
		}

		@Override
		double path(int path, int bytes, int inFlight, long now) {
			return MEANS[path];
		}

		@Override
		double service(int method, long now, Random random) {
			return this.service.applyAsDouble(now) * (0.9 + 0.2 * random.nextDouble());
		}

	}

	/** Repeats a scenario with other random numbers. */
	private static void holdsWithEachSeed(LongFunction<PathSimulation> scenario) {
		for (int seed = 1; seed <= SEEDS; seed++) {
			holds(scenario.apply(seed));
		}
	}

	private static void holds(PathSimulation run) {
		assertThat(run.wrongSwitches()).as("wrong switches: %s", run).isZero();
		assertThat(run.loss()).as("loss: %s", run).isLessThanOrEqualTo(0.01);
	}

	@ParameterizedTest
	@CsvSource({ "1, 10", "1, 4", "5, 10" })
	void handlerThatAlternates(long fast, long slow) {
		World world = new Steady((now) -> MILLI * ((now / (10 * SECOND) % 2 == 0) ? fast : slow));
		holdsWithEachSeed((seed) -> {
			PathSimulation run = new PathSimulation(3, 1, world, seed).run(8, 60 * SECOND);
			assertThat(run.switches()).as("%s", run).isZero();
			// The path in use is the best one, so nothing else costs anything.
			assertThat(run.loss()).as("probes: %s", run).isLessThanOrEqualTo(PROBING);
			return run;
		});
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0.05, 0.5 })
	void someCallsAreSlow(double share) {
		Steady world = new Steady((now) -> MILLI) {

			@Override
			double service(int method, long now, Random random) {
				return super.service(method, now, random) * ((random.nextDouble() < share) ? 20 : 1);
			}

		};
		holdsWithEachSeed((seed) -> new PathSimulation(3, 1, world, seed).run(8, 60 * SECOND));
	}

	@Test
	void unlikeCallsInFixedOrder() {
		Steady world = new Steady((now) -> 0) {

			@Override
			double service(int method, long now, Random random) {
				return (method % 2 == 0) ? 300 * MICRO : 10 * MICRO;
			}

		};
		holdsWithEachSeed((seed) -> new PathSimulation(3, 4, world, seed).run(1, 60 * SECOND));
	}

	@Test
	void pausesHoldUpAllCalls() {
		Steady world = new Steady((now) -> 200 * MICRO) {

			@Override
			double noise(int path, long now, Random random) {
				return super.noise(path, now, random) + Math.max(0, 20 * MILLI - now % (2 * SECOND)) / MEANS[path];
			}

		};
		holdsWithEachSeed((seed) -> new PathSimulation(3, 1, world, seed).run(8, 60 * SECOND));
	}

	@Test
	void hogsTakeTheProcessor() {
		Steady world = new Steady((now) -> 200 * MICRO) {

			@Override
			double noise(int path, long now, Random random) {
				boolean hog = now / (300 * MILLI) % 3 == 1;
				return super.noise(path, now, random)
						+ ((hog && random.nextInt(3) == 0) ? 4 * MILLI * random.nextDouble() / MEANS[path] : 0);
			}

		};
		holdsWithEachSeed((seed) -> new PathSimulation(3, 1, world, seed).run(8, 60 * SECOND));
	}

	/**
	 * Seven of ten pairs say that it is better. One call in ten takes eight times as long
	 * as usual, so its mean is worse by a third, and each of its trials fails.
	 */
	@Test
	void aPathThatIsMostlyCheaperIsNotTakenForThat() {
		World world = new World() {

			@Override
			double path(int path, int bytes, int inFlight, long now) {
				return (path == 0) ? 45 * MICRO : 60 * MICRO;
			}

			@Override
			double noise(int path, long now, Random random) {
				return (path == 0) ? super.noise(path, now, random) : (random.nextInt(10) == 0) ? 5.95 : 0.45;
			}

			@Override
			double service(int method, long now, Random random) {
				return 200 * MICRO;
			}

		};
		holdsWithEachSeed((seed) -> {
			PathSimulation run = new PathSimulation(2, 1, world, seed).run(4, 60 * SECOND);
			assertThat(run.selector().current(200)).as("%s", run).isZero();
			return run;
		});
	}

	private static final class Loaded extends World {

		@Override
		double path(int path, int bytes, int inFlight, long now) {
			return (path == 0) ? 50 * MICRO + 12 * MICRO * inFlight : 150 * MICRO + MICRO * inFlight;
		}

		@Override
		double service(int method, long now, Random random) {
			return 100 * MICRO;
		}

	}

	@Test
	void loadChangesWhichPathIsBetter() {
		holdsWithEachSeed((seed) -> {
			PathSimulation run = new PathSimulation(2, 1, new Loaded(), seed);
			for (int i = 0; i < 6; i++) {
				run.run((i % 2 == 0) ? 2 : 32, 10 * SECOND);
			}
			assertThat(run.switches()).as("%s", run).isEqualTo(5);
			return run;
		});
	}

	@Test
	void sizeDecidesWhichPathIsBetter() {
		World world = new World() {

			@Override
			double path(int path, int bytes, int inFlight, long now) {
				return (path == 0) ? 10 * MICRO + 2.0 * bytes : 80 * MICRO + 0.2 * bytes;
			}

			@Override
			double service(int method, long now, Random random) {
				return 100 * MICRO;
			}

		};
		holdsWithEachSeed((seed) -> {
			PathSimulation run = new PathSimulation(2, 1, world, seed).sizes(100, 10_000, 1_000_000)
				.run(4, 60 * SECOND);
			assertThat(run.selector().current(100)).isZero();
			assertThat(run.selector().current(1_000_000)).isEqualTo(1);
			return run;
		});
	}

	@Test
	void throttledLink() {
		World world = new World() {

			@Override
			double path(int path, int bytes, int inFlight, long now) {
				return (path == 0) ? Math.max(30 * MICRO, 100.0 * bytes / 10 * inFlight) : 250 * MICRO;
			}

			@Override
			double service(int method, long now, Random random) {
				return 100 * MICRO;
			}

		};
		holdsWithEachSeed((seed) -> {
			PathSimulation run = new PathSimulation(2, 1, world, seed).sizes(2_000);
			for (int i = 0; i < 6; i++) {
				run.run((i % 2 == 0) ? 1 : 32, 10 * SECOND);
			}
			return run;
		});
	}

	/** At 10 calls a second: 2,000 calls. At 10,000 calls a second: 30 s. */
	@ParameterizedTest
	@CsvSource({ "100, 1", "1, 2", "0, 8" })
	void aPathThatIsMuchBetterIsTaken(long thinkMillis, int callers) {
		for (int seed = 0; seed < 10; seed++) {
			World world = new World() {

				@Override
				double path(int path, int bytes, int inFlight, long now) {
					return (path == 1) ? 60 * MICRO : 100 * MICRO;
				}

				@Override
				double service(int method, long now, Random random) {
					return (now / (3 * SECOND) % 2 == 0) ? MILLI : 3 * MILLI;
				}

				@Override
				double noise(int path, long now, Random random) {
					return 0.8 - 0.2 * Math.log(1 - random.nextDouble());
				}

			};
			PathSimulation run = new PathSimulation(3, 1, world, seed).think(thinkMillis * MILLI);
			while (run.firstSwitchCall() < 0 && run.calls() < 1_000_000) {
				run.run(callers, SECOND);
			}
			assertThat(run.firstSwitchCall() <= 2_000 || run.firstSwitchNanos() <= 30 * SECOND)
				.as("taken after %d calls and %d ms, seed %d", run.firstSwitchCall(), run.firstSwitchNanos() / MILLI,
						seed)
				.isTrue();
			run.run(callers, 10 * SECOND);
			assertThat(run.selector().current(200)).as("%s", run).isEqualTo(1);
		}
	}

}
