package io.github.vicinal.cache;

/**
 * Decides the lifetime of each entry.
 * <p>
 * All times are in nanoseconds; {@link Long#MAX_VALUE} means forever, zero or less means
 * that it has expired already. An exception of a method fails the operation and changes
 * nothing. All engines but that of {@code TINY_LFU} call it without any lock. With
 * {@code TINY_LFU} changes of the same key, and of some others, wait for it. There it
 * must be quick, and must neither use the cache nor wait for a thread that does, which
 * might never end.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 * @since 0.1.0
 */
public interface Expiry<K, V> {

	/**
	 * Returns how long a new entry lives.
	 * @param key its key
	 * @param value its value
	 * @return nanoseconds from now
	 */
	long expireAfterCreate(K key, V value);

	/**
	 * Returns how long an entry lives whose value has been replaced.
	 * @param key its key
	 * @param value its new value
	 * @param remainingNanos how long it would have lived
	 * @return nanoseconds from now; by default as a new entry
	 */
	default long expireAfterUpdate(K key, V value, long remainingNanos) {
		return expireAfterCreate(key, value);
	}

	/**
	 * Returns how long an entry lives that has been read.
	 * @param key its key
	 * @param value its value
	 * @param remainingNanos how long it would have lived
	 * @return nanoseconds from now; by default unchanged
	 */
	default long expireAfterRead(K key, V value, long remainingNanos) {
		return remainingNanos;
	}

}
