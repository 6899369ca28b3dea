package io.github.vicinal.boot.actuate;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The reports that meters of one name and tags read: those of all sources that are open,
 * and the sum of the last reports of those that were closed, so that counters never fall.
 * Thread-safe.
 *
 * @param <R> the type of the reports
 */
final class TopicReports<R> {

	private final BinaryOperator<R> sum;

	/** Guarded by this. */
	private final Map<Object, Supplier<R>> open = new IdentityHashMap<>();

	/** Guarded by this. */
	private R closed;

	TopicReports(R empty, BinaryOperator<R> sum) {
		this.closed = empty;
		this.sum = sum;
	}

	synchronized void add(Object source, Supplier<R> report) {
		this.open.put(source, report);
	}

	synchronized void remove(Object source) {
		Supplier<R> report = this.open.remove(source);
		if (report != null) {
			this.closed = this.sum.apply(this.closed, report.get());
		}
	}

	/** Returns the value of a counter. */
	synchronized long total(ToLongFunction<R> counter) {
		return counter.applyAsLong(this.closed) + current(counter);
	}

	/** Returns the value of a gauge. */
	synchronized long current(ToLongFunction<R> gauge) {
		return this.open.values().stream().mapToLong((report) -> gauge.applyAsLong(report.get())).sum();
	}

}
