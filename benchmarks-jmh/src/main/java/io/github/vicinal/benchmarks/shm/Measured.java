package io.github.vicinal.benchmarks.shm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All that was seen. Used by one thread. */
final class Measured {

	private static final Result NOTHING = new Result(Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0, Double.NaN);

	private final Map<ShmMeasurement.Cell, List<Result>> cells = new LinkedHashMap<>();

	private final Map<String, List<Double>> figures = new LinkedHashMap<>();

	void add(ShmMeasurement.Cell cell, Result result) {
		this.cells.computeIfAbsent(cell, (key) -> new ArrayList<>()).add(result);
	}

	void figure(String name, double value) {
		this.figures.computeIfAbsent(name, (key) -> new ArrayList<>()).add(value);
	}

	Iterable<ShmMeasurement.Cell> cells() {
		return this.cells.keySet();
	}

	Iterable<String> figures() {
		return this.figures.keySet();
	}

	/**
	 * Returns medians; what was not measured is not a number, and no bar holds for it.
	 */
	Result get(String transport, Load load) {
		return get(new ShmMeasurement.Cell(transport, load));
	}

	Result get(ShmMeasurement.Cell cell) {
		List<Result> results = this.cells.get(cell);
		return (results != null) ? Result.median(results) : NOTHING;
	}

	double get(String figure) {
		List<Double> values = this.figures.getOrDefault(figure, List.of());
		return Result.median(values.stream().mapToDouble(Double::doubleValue).toArray());
	}

}
