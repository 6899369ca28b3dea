package io.github.vicinal.cache;

/**
 * Learns of each entry that left a cache, once.
 * <p>
 * Called after the fact and without any lock, on the builder's listener executor, which
 * is the thread of an operation unless set otherwise. What it throws is logged and
 * otherwise ignored. It may use the cache.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 * @since 0.1.0
 */
@FunctionalInterface
public interface RemovalListener<K, V> {

	/**
	 * Called for an entry that left.
	 * @param key its key
	 * @param value the value that it had
	 * @param cause why it left
	 */
	void onRemoval(K key, V value, RemovalCause cause);

}
