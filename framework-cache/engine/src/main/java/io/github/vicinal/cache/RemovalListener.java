package io.github.vicinal.cache;

/**
 * Notified once of each entry that has left a cache.
 * <p>
 * Called after the fact and without any lock, on the builder's listener executor, which
 * is the thread of an operation unless set otherwise. A look-up that finds a value never
 * runs the listener; pending removals are left to the builder's executor. Any other
 * operation usually also delivers the removals of other threads, in order. If some
 * hundred removals are pending, because the listener is slow, it delivers only some.
 * Several threads then call the listener at once, and a later removal of a key may come
 * first. Exceptions of the listener are logged and otherwise ignored. It may use the
 * cache.
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
