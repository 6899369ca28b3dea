package io.github.vicinal.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the end of a warm-up. A subject is steady once the mean cost of its last windows
 * is within a few percent of that of as many windows before them.
 */
public final class SteadyState {

	/** Number of windows that are compared with as many before them. */
	private static final int COMPARED = 4;

	/** Number of windows after which a subject is measured as it is. */
	private static final int MAX_WINDOWS = 40;

	/** Smallest ratio of the means in a steady state. */
	private static final double STEADY = 0.95;

	private SteadyState() {
	}

	/**
	 * A window of the warm-up.
	 *
	 * @param <E> what it throws
	 */
	@FunctionalInterface
	public interface Window<E extends Exception> {

		/**
		 * Runs the subject for a while.
		 * @return its cost per operation in that time, in any unit
		 * @throws E if it fails
		 */
		double cost() throws E;

	}

	/**
	 * Runs windows until the subject is steady.
	 * @param window a window of the warm-up
	 * @param <E> what it throws
	 * @return the number of windows, or {@code -1} if there was no steady state within
	 * {@value #MAX_WINDOWS}
	 * @throws E if a window fails
	 */
	public static <E extends Exception> int await(Window<E> window) throws E {
		List<Double> costs = new ArrayList<>();
		while (costs.size() < MAX_WINDOWS) {
			costs.add(window.cost());
			int size = costs.size();
			if (size >= 2 * COMPARED) {
				double before = mean(costs.subList(size - 2 * COMPARED, size - COMPARED));
				double now = mean(costs.subList(size - COMPARED, size));
				if (now >= before * STEADY && now <= before / STEADY) {
					return size;
				}
			}
		}
		return -1;
	}

	private static double mean(List<Double> values) {
		return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
	}

}
