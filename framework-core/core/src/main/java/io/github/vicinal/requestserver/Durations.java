package io.github.vicinal.requestserver;

import java.util.concurrent.TimeUnit;

import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

import io.github.vicinal.requestserver.RequestServerReport.Quantiles;

/** A histogram of durations, within one percent. Thread-safe, without allocation. */
final class Durations {

	/** What takes longer is counted as this long. */
	private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

	private static final int DIGITS = 2;

	/** Nothing shorter than a microsecond is told apart, which keeps it small. */
	private static final long SMALLEST_NANOS = 512;

	private final AtomicHistogram histogram = new AtomicHistogram(SMALLEST_NANOS, LONGEST_NANOS, DIGITS);

	void record(long nanos, int count) {
		// A clock that jumps back must not end a request.
		this.histogram.recordValueWithCount(Math.max(0, Math.min(nanos, LONGEST_NANOS)), count);
	}

	Quantiles quantiles() {
		Histogram copy = new Histogram(SMALLEST_NANOS, LONGEST_NANOS, DIGITS);
		copy.add(this.histogram);
		return new Quantiles(copy.getTotalCount(), copy.getTotalCount() * copy.getMean() / 1e3, micros(copy, 50),
				micros(copy, 99), micros(copy, 99.9), copy.getMaxValue() / 1e3);
	}

	private static double micros(Histogram histogram, double percentile) {
		return histogram.getValueAtPercentile(percentile) / 1e3;
	}

}
