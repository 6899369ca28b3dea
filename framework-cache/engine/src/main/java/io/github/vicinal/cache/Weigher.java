package io.github.vicinal.cache;

/**
 * Returns the share of the maximum weight that an entry takes.
 * <p>
 * Asked once for each value that is written, before anything changes: if it throws, or
 * returns a negative number, the write fails with that exception (or an
 * {@link IllegalArgumentException}) and the cache does not change.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 * @since 0.1.0
 */
@FunctionalInterface
public interface Weigher<K, V> {

	/**
	 * Returns the weight of an entry.
	 * @param key its key
	 * @param value its value
	 * @return at least 0, in the unit of the maximum weight. An entry that is heavier
	 * than the maximum is evicted at once
	 */
	int weigh(K key, V value);

}
