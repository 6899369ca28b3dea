package io.github.vicinal.boot.cache;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheReport;
import io.github.vicinal.cache.CacheReport.SizeEstimate;
import io.github.vicinal.cache.CacheStatistics;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows what each cache knows of itself: what it counted, and for AIC how its candidates
 * do, what it regrets, and what another size would bring. Actuator's own endpoint
 * {@code caches} lists and clears them.
 *
 * @since 0.1.0
 */
@Endpoint(id = "vicinalcaches")
public class CacheReportsEndpoint {

	private final Supplier<Map<String, Cache<?, ?>>> caches;

	/**
	 * Creates the endpoint.
	 * @param caches returns the application's caches by name
	 */
	public CacheReportsEndpoint(Supplier<Map<String, Cache<?, ?>>> caches) {
		this.caches = caches;
	}

	/**
	 * Describes all caches.
	 * @return the caches, by name
	 */
	@ReadOperation
	public CachesDescriptor caches() {
		Map<String, CacheDescriptor> all = new TreeMap<>();
		this.caches.get().forEach((name, cache) -> all.put(name, CacheDescriptor.of(cache)));
		return new CachesDescriptor(all);
	}

	/**
	 * Describes one cache.
	 * @param name its name
	 * @return the cache, or {@code null} if there is none of that name
	 */
	@ReadOperation
	public @Nullable CacheDescriptor cache(@Selector String name) {
		Cache<?, ?> cache = this.caches.get().get(name);
		return (cache != null) ? CacheDescriptor.of(cache) : null;
	}

	/**
	 * Caches of an application.
	 *
	 * @param caches the caches by name
	 */
	public record CachesDescriptor(Map<String, CacheDescriptor> caches) {
	}

	/**
	 * A cache.
	 *
	 * @param policy the replacement policy
	 * @param active the policy that replaces entries now: with AIC the chosen candidate
	 * @param maximum the bound, in entries or weight
	 * @param size the number of entries
	 * @param hitRatio hits divided by look-ups, {@code null} if nothing was counted
	 * @param statistics what was counted
	 * @param sampledRequests accesses that the estimates rest on
	 * @param candidates the policies among which AIC chooses
	 * @param regret by how much the hit ratio was below that of the best candidate
	 * @param switches number of times that the active policy changed
	 * @param reverts how many of these changes went back
	 * @param missRatioCurve what other sizes would bring
	 * @param log the last switches, oldest first
	 */
	public record CacheDescriptor(String policy, String active, long maximum, long size, @Nullable Double hitRatio,
			CacheStatistics statistics, long sampledRequests, List<CandidateDescriptor> candidates,
			@Nullable Double regret, long switches, long reverts, List<SizeDescriptor> missRatioCurve,
			List<String> log) {

		static CacheDescriptor of(Cache<?, ?> cache) {
			CacheReport report = cache.report();
			CacheStatistics statistics = cache.statistics();
			boolean counted = statistics.hits() + statistics.misses() > 0;
			return new CacheDescriptor(report.policy(), report.active(), report.maximum(), report.size(),
					counted ? number(statistics.hitRatio()) : null, statistics, report.requests(),
					report.candidates()
						.stream()
						.map((candidate) -> new CandidateDescriptor(candidate.name(), candidate.active(),
								number(candidate.hitRatio()), number(candidate.lifetimeHitRatio())))
						.toList(),
					report.candidates().isEmpty() ? null : number(report.regret()), report.switches(), report.reverts(),
					report.missRatioCurve().stream().map((at) -> SizeDescriptor.of(at, report.maximum())).toList(),
					report.log());
		}

		private static @Nullable Double number(double value) {
			return Double.isFinite(value) ? value : null;
		}

	}

	/**
	 * A policy among which AIC chooses.
	 *
	 * @param policy its name
	 * @param active whether it is in use
	 * @param hitRatio the recent hit ratio that it would have, {@code null} if nothing is
	 * known yet
	 * @param lifetimeHitRatio the same over the whole life of the cache
	 */
	public record CandidateDescriptor(String policy, boolean active, @Nullable Double hitRatio,
			@Nullable Double lifetimeHitRatio) {
	}

	/**
	 * Estimate for another size.
	 *
	 * @param factor times the size that the cache has
	 * @param maximum that size
	 * @param missRatio the recent miss ratio at that size, {@code null} if nothing is
	 * known yet
	 */
	public record SizeDescriptor(double factor, long maximum, @Nullable Double missRatio) {

		static SizeDescriptor of(SizeEstimate estimate, long maximum) {
			return new SizeDescriptor(estimate.factor(), Math.round(estimate.factor() * maximum),
					CacheDescriptor.number(1 - estimate.hitRatio()));
		}

	}

}
