package io.github.vicinal.boot.cache;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.CacheReport;
import io.github.vicinal.cache.CacheReport.Candidate;
import io.github.vicinal.cache.CacheReport.SizeEstimate;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Meters of a cache: Micrometer's standard ones, loads, and for AIC what it knows of its
 * candidates. They read counters that exist anyway.
 */
final class EngineMetrics extends CacheMeterBinder<Cache<?, ?>> {

	/**
	 * Creates the binder.
	 * @param cache the cache
	 * @param tags more tags
	 */
	public EngineMetrics(Cache<?, ?> cache, Iterable<Tag> tags) {
		super(cache, cache.name(), tags);
	}

	private Cache<?, ?> cache() {
		Cache<?, ?> cache = getCache();
		if (cache == null) {
			throw new IllegalStateException("The cache is gone");
		}
		return cache;
	}

	@Override
	protected @Nullable Long size() {
		Cache<?, ?> cache = getCache();
		return (cache != null) ? cache.estimatedSize() : null;
	}

	@Override
	protected long hitCount() {
		return cache().statistics().hits();
	}

	@Override
	protected Long missCount() {
		return cache().statistics().misses();
	}

	@Override
	protected Long evictionCount() {
		return cache().statistics().evictions();
	}

	@Override
	protected long putCount() {
		return cache().statistics().puts();
	}

	@Override
	protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
		Cache<?, ?> cache = cache();
		FunctionCounter.builder("cache.eviction.weight", cache, (known) -> known.statistics().evictionWeight())
			.tags(getTagsWithCacheName())
			.description("Sum of the weights of evicted entries")
			.register(registry);
		FunctionTimer
			.builder("cache.load.duration", cache,
					(known) -> known.statistics().loadSuccesses() + known.statistics().loadFailures(),
					(known) -> known.statistics().loadNanos(), TimeUnit.NANOSECONDS)
			.tags(getTagsWithCacheName())
			.description("Time of loads of new values")
			.register(registry);
		loads(registry, cache, "success");
		loads(registry, cache, "failure");
		if (cache.policy().equals(CachePolicy.AIC)) {
			choice(registry, cache);
		}
	}

	private void loads(MeterRegistry registry, Cache<?, ?> cache, String result) {
		FunctionCounter
			.builder("cache.load", cache,
					(known) -> result.equals("success") ? known.statistics().loadSuccesses()
							: known.statistics().loadFailures())
			.tags(getTagsWithCacheName())
			.tag("result", result)
			.description("The number of loads")
			.register(registry);
	}

	private void choice(MeterRegistry registry, Cache<?, ?> cache) {
		Snapshot snapshot = new Snapshot(registry.config().clock());
		FunctionCounter.builder("cache.policy.switches", cache, (known) -> snapshot.of(known).switches())
			.tags(getTagsWithCacheName())
			.description("Number of changes of the replacement policy")
			.register(registry);
		FunctionCounter.builder("cache.policy.reverts", cache, (known) -> snapshot.of(known).reverts())
			.tags(getTagsWithCacheName())
			.description("Number of changes of the replacement policy that were reverted because the new one lost")
			.register(registry);
		Gauge.builder("cache.policy.regret", cache, (known) -> snapshot.of(known).regret())
			.tags(getTagsWithCacheName())
			.description("Difference between the hit ratio of the best candidate and that of the cache")
			.register(registry);
		CacheReport report = snapshot.of(cache);
		for (Candidate candidate : report.candidates()) {
			Gauge.builder("cache.policy.hit.ratio", cache, (known) -> hitRatio(snapshot.of(known), candidate.name()))
				.tags(getTagsWithCacheName())
				.tag("policy", candidate.name())
				.description("The recent hit ratio that a candidate would have")
				.register(registry);
		}
		for (SizeEstimate size : report.missRatioCurve()) {
			Gauge.builder("cache.policy.miss.ratio", cache, (known) -> missRatio(snapshot.of(known), size.factor()))
				.tags(getTagsWithCacheName())
				.tag("factor", factor(size.factor()))
				.description("The recent miss ratio that the cache would have at the given multiple of its size")
				.register(registry);
		}
	}

	/** One report for all meters of a scrape. Keeps no cache alive. */
	private static final class Snapshot {

		private static final long LIFETIME_NANOS = TimeUnit.SECONDS.toNanos(1);

		private final Clock clock;

		private volatile @Nullable Taken last;

		private record Taken(CacheReport report, long at) {
		}

		Snapshot(Clock clock) {
			this.clock = clock;
		}

		CacheReport of(Cache<?, ?> cache) {
			long now = this.clock.monotonicTime();
			Taken taken = this.last;
			if (taken == null || now - taken.at >= LIFETIME_NANOS) {
				taken = new Taken(cache.report(), now);
				this.last = taken;
			}
			return taken.report;
		}

	}

	private static String factor(double factor) {
		return BigDecimal.valueOf(factor).stripTrailingZeros().toPlainString();
	}

	private static double missRatio(CacheReport report, double factor) {
		return report.missRatioCurve()
			.stream()
			.filter((size) -> size.factor() == factor)
			.mapToDouble((size) -> 1 - size.hitRatio())
			.findFirst()
			.orElse(Double.NaN);
	}

	private static double hitRatio(CacheReport report, String policy) {
		return report.candidates()
			.stream()
			.filter((candidate) -> candidate.name().equals(policy))
			.mapToDouble(Candidate::hitRatio)
			.findFirst()
			.orElse(Double.NaN);
	}

}
