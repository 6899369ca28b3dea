package io.github.vicinal.cache.aic;

/** Lets tests of caches change the policy of AIC when they like. */
public final class ForcedSwitches {

	private ForcedSwitches() {
	}

	/**
	 * Makes another candidate the one in use.
	 * @param policy the policy
	 * @param candidate a number, modulo the number of candidates
	 */
	public static void force(AicPolicy policy, int candidate) {
		policy.force(candidate);
	}

}
