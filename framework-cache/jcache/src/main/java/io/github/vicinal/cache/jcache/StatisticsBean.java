package io.github.vicinal.cache.jcache;

import java.util.concurrent.atomic.LongAdder;

import javax.cache.management.CacheStatisticsMXBean;

/** Counts as the table of the specification says. Averages are in microseconds. */
final class StatisticsBean implements CacheStatisticsMXBean {

	private final LongAdder hits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	private final LongAdder puts = new LongAdder();

	private final LongAdder removals = new LongAdder();

	private final LongAdder evictions = new LongAdder();

	private final LongAdder getNanos = new LongAdder();

	private final LongAdder putNanos = new LongAdder();

	private final LongAdder removeNanos = new LongAdder();

	private volatile boolean enabled;

	void enable(boolean on) {
		this.enabled = on;
	}

	/** Returns the time at which an operation starts, 0 if nobody wants to know. */
	long start() {
		return this.enabled ? System.nanoTime() : 0;
	}

	void got(boolean hit, long start) {
		if (this.enabled) {
			(hit ? this.hits : this.misses).increment();
			took(this.getNanos, start);
		}
	}

	void put(long start) {
		if (this.enabled) {
			this.puts.increment();
			took(this.putNanos, start);
		}
	}

	void removed(long start) {
		if (this.enabled) {
			this.removals.increment();
			took(this.removeNanos, start);
		}
	}

	void evicted() {
		if (this.enabled) {
			this.evictions.increment();
		}
	}

	private static void took(LongAdder total, long start) {
		if (start != 0) {
			total.add(System.nanoTime() - start);
		}
	}

	@Override
	public void clear() {
		for (LongAdder adder : new LongAdder[] { this.hits, this.misses, this.puts, this.removals, this.evictions,
				this.getNanos, this.putNanos, this.removeNanos }) {
			adder.reset();
		}
	}

	@Override
	public long getCacheHits() {
		return this.hits.sum();
	}

	@Override
	public float getCacheHitPercentage() {
		return percentage(getCacheHits(), getCacheGets());
	}

	@Override
	public long getCacheMisses() {
		return this.misses.sum();
	}

	@Override
	public float getCacheMissPercentage() {
		return percentage(getCacheMisses(), getCacheGets());
	}

	@Override
	public long getCacheGets() {
		return getCacheHits() + getCacheMisses();
	}

	@Override
	public long getCachePuts() {
		return this.puts.sum();
	}

	@Override
	public long getCacheRemovals() {
		return this.removals.sum();
	}

	@Override
	public long getCacheEvictions() {
		return this.evictions.sum();
	}

	@Override
	public float getAverageGetTime() {
		return average(this.getNanos, getCacheGets());
	}

	@Override
	public float getAveragePutTime() {
		return average(this.putNanos, getCachePuts());
	}

	@Override
	public float getAverageRemoveTime() {
		return average(this.removeNanos, getCacheRemovals());
	}

	private static float percentage(long part, long whole) {
		return (whole == 0) ? 0 : (float) (100.0 * part / whole);
	}

	private static float average(LongAdder nanos, long count) {
		return (count == 0) ? 0 : (float) (nanos.sum() / 1000.0 / count);
	}

}
