package io.github.vicinal.cache;

import java.util.List;

/**
 * State of a replacement policy. All but the first four are empty unless the policy is
 * {@link CachePolicy#AIC}.
 *
 * @param policy the policy of the cache
 * @param active the policy that replaces entries now: the chosen candidate of AIC,
 * otherwise {@code policy}
 * @param maximum the bound, in entries or weight
 * @param size the number of entries
 * @param requests accesses that the estimates rest on: those of sampled keys
 * @param candidates the candidates
 * @param regret by how much the hit ratio on sampled keys was below that of the candidate
 * that would have been best all the time; negative if it was above
 * @param switches number of times that the active policy changed
 * @param reverts how many of them went back because the new policy lost
 * @param missRatioCurve estimated hit ratios of the active policy at other sizes
 * @param log the last switches with their numbers, oldest first
 * @since 0.1.0
 */
public record CacheReport(String policy, String active, long maximum, long size, long requests,
		List<Candidate> candidates, double regret, long switches, long reverts, List<SizeEstimate> missRatioCurve,
		List<String> log) {

	public CacheReport {
		candidates = List.copyOf(candidates);
		missRatioCurve = List.copyOf(missRatioCurve);
		log = List.copyOf(log);
	}

	/**
	 * A policy among which AIC chooses.
	 *
	 * @param name its name
	 * @param active whether it is in use
	 * @param hitRatio the recent hit ratio that it would have, between 0 and 1,
	 * {@code NaN} if nothing is known yet
	 * @param lifetimeHitRatio the same over the whole life of the cache
	 */
	public record Candidate(String name, boolean active, double hitRatio, double lifetimeHitRatio) {
	}

	/**
	 * Estimate for another size.
	 *
	 * @param factor times the size that the cache has
	 * @param hitRatio the recent hit ratio at that size, between 0 and 1, {@code NaN} if
	 * nothing is known yet
	 */
	public record SizeEstimate(double factor, double hitRatio) {
	}

}
