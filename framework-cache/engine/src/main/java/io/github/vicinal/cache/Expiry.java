package io.github.vicinal.cache;

/**
 * Says for each entry how long it lives.
 * <p>
 * All times are in nanoseconds; {@link Long#MAX_VALUE} means for ever, zero or less means
 * that it has expired already. What a method throws fails the operation and changes
 * nothing. Called without any lock by all engines but that of {@code TINY_LFU}, where
 * changes of the same key, and of some others, wait for it: there it must be quick and
 * must not use the cache, nor wait for a thread that does, which might never end.
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
