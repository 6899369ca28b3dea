package io.github.vicinal.samples.trainticket.bench;

import java.util.List;

/**
 * All that a run has measured, as it is written to a file.
 *
 * @param java the Java of the children
 * @param jvmOptions its options
 * @param processors number of processors
 * @param loadBefore load of the machine before the first mode, -1 if unknown
 * @param load how requests were sent
 * @param warmupSeconds for how long before measuring
 * @param durationSeconds for how long while measuring
 * @param rows the measurements
 * @param differences what was not answered in the same way in all modes
 */
record Outcome(String java, List<String> jvmOptions, int processors, double loadBefore, String load, long warmupSeconds,
		long durationSeconds, List<Row> rows, List<String> differences) {

	boolean good() {
		return this.differences.isEmpty() && this.rows.stream().allMatch((row) -> row.errors() == 0);
	}

}
