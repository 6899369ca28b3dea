package io.github.vicinal.channel;

import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.report.LatencyHistogram;

/** Calls, errors and latencies of one path to one peer for one channel. Thread-safe. */
final class PathStatistics {

	private final LongAdder calls = new LongAdder();

	private final LongAdder errors = new LongAdder();

	private final LatencyHistogram latency = LatencyHistogram.coarse();

	void count() {
		this.calls.increment();
	}

	void time(long nanos) {
		this.latency.record(nanos);
	}

	void error() {
		this.errors.increment();
	}

	long calls() {
		return this.calls.sum();
	}

	long errors() {
		return this.errors.sum();
	}

	LatencyHistogram latency() {
		return this.latency;
	}

}
