package io.github.vicinal.samples.trainticket.bench;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Result of a load: latencies of the good answers, and the number of bad ones. Safe for
 * use by many threads.
 */
final class LoadResult {

	private static final long LONGEST_MICROS = 3_600_000_000L;

	private static final int DIGITS = 3;

	private final Histogram micros = new ConcurrentHistogram(LONGEST_MICROS, DIGITS);

	private final LongAdder errors = new LongAdder();

	private final AtomicReference<String> firstError = new AtomicReference<>("");

	void good(long nanos) {
		this.micros.recordValue(Math.min(LONGEST_MICROS, Math.max(0, nanos / 1000)));
	}

	void bad(String error) {
		this.errors.increment();
		this.firstError.compareAndSet("", error);
	}

	long operations() {
		return this.micros.getTotalCount() + errors();
	}

	long errors() {
		return this.errors.sum();
	}

	String firstError() {
		return this.firstError.get();
	}

	double percentileMillis(double percentile) {
		return this.micros.getValueAtPercentile(percentile) / 1000.0;
	}

}
