package io.github.vicinal.benchmarks.selector;

import java.util.Random;
import java.util.function.ToDoubleFunction;

/** Stationary distributions with mean 1. */
enum Noise {

	/** Half to one and a half times the mean. */
	UNIFORM((random) -> 0.5 + random.nextDouble()),

	/** Exponential, like waiting for a memoryless event. */
	EXPONENTIAL((random) -> -Math.log(1 - random.nextDouble())),

	/** Two in a hundred calls take 25 times as long as the others. */
	BIMODAL((random) -> (random.nextInt(50) == 0) ? 25 / 1.48 : 1 / 1.48),

	/** Log-normal with sigma 1: the 99.9th percentile is 13 times the mean. */
	LOGNORMAL((random) -> Math.exp(random.nextGaussian() - 0.5)),

	/** Pareto with index 2.2: the variance is 4 times the mean's square. */
	PARETO((random) -> (1.2 / 2.2) * Math.pow(1 - random.nextDouble(), -1 / 2.2)),

	/** Pareto with index 1.5: the variance is infinite. */
	HEAVY((random) -> (0.5 / 1.5) * Math.pow(1 - random.nextDouble(), -1 / 1.5));

	@SuppressWarnings("ImmutableEnumChecker")
	private final ToDoubleFunction<Random> draw;

	Noise(ToDoubleFunction<Random> draw) {
		this.draw = draw;
	}

	double draw(Random random) {
		return this.draw.applyAsDouble(random);
	}

}
