package io.github.vicinal.cache;

/**
 * Learns of each entry that left a cache, once.
 * <p>
 * Called after the fact and without any lock, on the builder's listener executor, which
 * is the thread of an operation unless set otherwise. A look-up that finds a value never
 * runs the listener: what waits then is left to the builder's executor. Any other
 * operation usually tells what others remove meanwhile, too, in order; if some hundred
 * removals wait, since the listener is slow, it tells some: the listener is then called
 * by several threads at once, and of two removals of one key perhaps of the later one
 * first. What it throws is logged and otherwise ignored. It may use the cache.
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
