package io.github.vicinal.benchmarks.shm;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Result of one load on one transport.
 *
 * @param p50Micros median latency
 * @param p99Micros 99th percentile
 * @param p999Micros 99.9th percentile
 * @param cpuMicros processor time of all processes, per call
 * @param calls number of calls that were made
 * @param allocatedBytes what the calling threads allocated on the heap, per call
 */
record Result(double p50Micros, double p99Micros, double p999Micros, double cpuMicros, long calls,
		double allocatedBytes) {

	/** Writes the result as one word. */
	String encode() {
		return String.format(Locale.ROOT, "%.4f/%.4f/%.4f/%.4f/%d/%.6f", this.p50Micros, this.p99Micros,
				this.p999Micros, this.cpuMicros, this.calls, this.allocatedBytes);
	}

	static Result decode(String text) {
		String[] fields = text.split("/");
		return new Result(Double.parseDouble(fields[0]), Double.parseDouble(fields[1]), Double.parseDouble(fields[2]),
				Double.parseDouble(fields[3]), Long.parseLong(fields[4]), Double.parseDouble(fields[5]));
	}

	/** Takes the median of each figure. */
	static Result median(List<Result> results) {
		return new Result(median(results, Result::p50Micros), median(results, Result::p99Micros),
				median(results, Result::p999Micros), median(results, Result::cpuMicros),
				results.stream().mapToLong(Result::calls).sum(), median(results, Result::allocatedBytes));
	}

	private static double median(List<Result> results, ToDoubleFunction<Result> figure) {
		return median(results.stream().mapToDouble(figure).toArray());
	}

	static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		int middle = sorted.length / 2;
		return (sorted.length == 0) ? Double.NaN
				: (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

}
