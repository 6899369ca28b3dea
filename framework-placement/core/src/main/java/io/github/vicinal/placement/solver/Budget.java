package io.github.vicinal.placement.solver;

import java.time.Duration;

/**
 * Limit of a solver's search.
 *
 * @param time the longest time
 * @param iterations the most iterations; what one is depends on the solver
 * @param seed decides all random choices. With the same seed and a bound on iterations
 * that is reached before the time is over, a solver returns the same placement
 * @param cancellation ends the search from another thread
 * @since 0.1.0
 */
public record Budget(Duration time, long iterations, long seed, Cancellation cancellation) {

	private static final Duration FOREVER = Duration.ofDays(365);

	public Budget {
		if (time.isNegative() || time.isZero() || iterations < 1) {
			throw new IllegalArgumentException("A budget of %s and %d iterations allows nothing; both must be positive"
				.formatted(time, iterations));
		}
		time = (time.compareTo(FOREVER) > 0) ? FOREVER : time;
	}

	/**
	 * Creates a budget that nobody cancels.
	 * @param time the longest time
	 * @param iterations the most iterations
	 * @param seed decides all random choices
	 */
	public Budget(Duration time, long iterations, long seed) {
		this(time, iterations, seed, new Cancellation());
	}

	/**
	 * Returns this budget with a switch that ends the search.
	 * @param cancellation the switch
	 * @return the budget
	 */
	public Budget cancelledBy(Cancellation cancellation) {
		return new Budget(this.time, this.iterations, this.seed, cancellation);
	}

	/**
	 * Returns a budget of time.
	 * @param time the longest time
	 * @param seed decides all random choices
	 * @return the budget
	 */
	public static Budget ofTime(Duration time, long seed) {
		return new Budget(time, Long.MAX_VALUE, seed);
	}

	/**
	 * Returns a budget of iterations, with which results are reproducible.
	 * @param iterations the most iterations
	 * @param seed decides all random choices
	 * @return the budget
	 */
	public static Budget ofIterations(long iterations, long seed) {
		return new Budget(FOREVER, iterations, seed);
	}

}
