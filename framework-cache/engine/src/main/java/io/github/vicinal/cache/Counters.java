package io.github.vicinal.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counts what happens, from all threads. */
final class Counters {

	private final LongAdder hits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	private final LongAdder loadSuccesses = new LongAdder();

	private final LongAdder loadFailures = new LongAdder();

	private final LongAdder loadNanos = new LongAdder();

	private final LongAdder puts = new LongAdder();

	private final LongAdder evictions = new LongAdder();

	private final LongAdder evictionWeight = new LongAdder();

	private final LongAdder expirations = new LongAdder();

	void lookedUp(boolean hit) {
		(hit ? this.hits : this.misses).increment();
	}

	void loaded(boolean success, long nanos) {
		(success ? this.loadSuccesses : this.loadFailures).increment();
		this.loadNanos.add(nanos);
	}

	void put() {
		this.puts.increment();
	}

	void removed(RemovalCause cause, int weight) {
		if (cause == RemovalCause.EXPIRED) {
			this.expirations.increment();
		}
		else {
			this.evictions.increment();
			this.evictionWeight.add(weight);
		}
	}

	CacheStatistics snapshot() {
		return new CacheStatistics(this.hits.sum(), this.misses.sum(), this.loadSuccesses.sum(),
				this.loadFailures.sum(), this.loadNanos.sum(), this.puts.sum(), this.evictions.sum(),
				this.evictionWeight.sum(), this.expirations.sum());
	}

}
