package io.github.vicinal.samples.trainticket.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out whether a mode has reached its steady state: the CPU time of a request no
 * longer falls, so the mean of the last windows is that of as many before them.
 */
final class WarmUp {

	/** Number of windows that are compared with as many before them. */
	private static final int WINDOWS = 3;

	/** Largest part of the CPU time by which the means differ in a steady state. */
	private static final double TOLERANCE = 0.1;

	private final List<Double> cpuOfRequest = new ArrayList<>();

	/**
	 * Notes what a window has cost.
	 * @param cpu CPU time of all processes
	 * @param requests number of requests that were answered
	 */
	void window(Duration cpu, long requests) {
		this.cpuOfRequest.add(cpu.toNanos() / (double) Math.max(1, requests));
	}

	/**
	 * Returns whether the latest windows cost as much as those before them.
	 * @return {@code false} while there are too few windows
	 */
	boolean isSteady() {
		int size = this.cpuOfRequest.size();
		if (size < 2 * WINDOWS) {
			return false;
		}
		double before = mean(this.cpuOfRequest.subList(size - 2 * WINDOWS, size - WINDOWS));
		double now = mean(this.cpuOfRequest.subList(size - WINDOWS, size));
		return Math.abs(now - before) <= TOLERANCE * before;
	}

	private static double mean(List<Double> values) {
		return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
	}

}
