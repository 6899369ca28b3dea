package io.github.vicinal.cache.policy;

/**
 * Makes policies.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PolicyFactory {

	/**
	 * Makes a policy that knows no entry.
	 * @param slots where entries have links, a mark and a hash
	 * @param capacity number of entries that will be kept, at least 1
	 * @return a policy of its own for each call
	 */
	ReplacementPolicy create(Slots slots, int capacity);

}
