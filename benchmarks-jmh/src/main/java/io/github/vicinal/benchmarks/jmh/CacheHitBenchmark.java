package io.github.vicinal.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A hit, as most of them are: some keys far more often than others. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CacheHitBenchmark {

	private static final int SIZE = 1 << 14;

	private static final int REQUESTS = 1 << 20;

	private static final String CAFFEINE = "caffeine";

	@Param({ CAFFEINE, "LRU", "LFU", "SLRU", "TWO_WAY", "AIC" })
	public String policy = CAFFEINE;

	private final Integer[] requests = new Integer[REQUESTS];

	private com.github.benmanes.caffeine.cache.@Nullable Cache<Integer, Integer> caffeine;

	private @Nullable Cache<Integer, Integer> cache;

	/** The place of a thread in the requests. */
	@State(Scope.Thread)
	public static class Place {

		private int next = Long.hashCode(Thread.currentThread().getId() * 0x9E3779B97F4A7C15L);

	}

	@Setup
	public void fill() {
		java.util.Random random = new java.util.Random(1);
		for (int i = 0; i < REQUESTS; i++) {
			double place = Math.exp(random.nextDouble() * Math.log(SIZE / 4.0));
			this.requests[i] = (int) place;
		}
		if (this.policy.equals(CAFFEINE)) {
			this.caffeine = Caffeine.newBuilder().maximumSize(SIZE).build();
		}
		else {
			this.cache = CacheBuilder.<Integer, Integer>named("measured")
				.policy(CachePolicy.of(this.policy))
				.maximumSize(SIZE)
				.build();
		}
		for (int i = 0; i < SIZE / 2; i++) {
			if (this.caffeine != null) {
				this.caffeine.put(i, i);
			}
			else if (this.cache != null) {
				this.cache.put(i, i);
			}
		}
	}

	@Benchmark
	public @Nullable Integer hit(Place place) {
		Integer key = this.requests[place.next++ & (REQUESTS - 1)];
		return (this.caffeine != null) ? this.caffeine.getIfPresent(key)
				: (this.cache != null) ? this.cache.getIfPresent(key) : null;
	}

}
