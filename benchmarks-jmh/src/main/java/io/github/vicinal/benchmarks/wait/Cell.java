package io.github.vicinal.benchmarks.wait;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Result of one way of waiting in one repeat, or the medians of several.
 *
 * @param cost median latency, a tenth of the 99th percentile and CPU time, added
 * @param p50Micros median latency in microseconds
 * @param p99Micros 99th percentile in microseconds
 * @param p999Micros 99.9th percentile in microseconds
 * @param cpuMicros CPU time per call of both processes in microseconds
 * @param calls calls made
 * @param bansPerSecond how often yielding was banned
 */
record Cell(double cost, double p50Micros, double p99Micros, double p999Micros, double cpuMicros, double calls,
		double bansPerSecond) {

	static Cell of(double p50Micros, double p99Micros, double p999Micros, double cpuMicros, double calls,
			double bansPerSecond) {
		return new Cell(p50Micros + p99Micros / 10 + cpuMicros, p50Micros, p99Micros, p999Micros, cpuMicros, calls,
				bansPerSecond);
	}

	/** Takes the median of each figure for itself. */
	static Cell median(List<Cell> cells) {
		return new Cell(median(cells, Cell::cost), median(cells, Cell::p50Micros), median(cells, Cell::p99Micros),
				median(cells, Cell::p999Micros), median(cells, Cell::cpuMicros), median(cells, Cell::calls),
				median(cells, Cell::bansPerSecond));
	}

	private static double median(List<Cell> cells, ToDoubleFunction<Cell> figure) {
		double[] values = cells.stream().mapToDouble(figure).toArray();
		Arrays.sort(values);
		int middle = values.length / 2;
		return (values.length % 2 == 1) ? values[middle] : (values[middle - 1] + values[middle]) / 2;
	}

}
