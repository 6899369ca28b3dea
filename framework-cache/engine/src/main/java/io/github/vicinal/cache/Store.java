package io.github.vicinal.cache;

import java.util.Iterator;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * An engine: keeps entries within a bound and time. All operations are atomic for their
 * key, and run user code (weigher, expiry, {@code equals} of values) before a flight
 * begins to store, before anything changes and without a lock of the engine's own; but
 * Caffeine asks for expiry under its own, and what another write of the key made vain is
 * asked for again while the flight stores.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
abstract class Store<K, V> {

	/** A value that is not equal to itself, as {@code NaN} is not, is still the same. */
	static boolean same(Object expected, @Nullable Object value) {
		return expected == value || expected.equals(value);
	}

	/** Looks up as a use of the entry. */
	abstract @Nullable V get(K key);

	/** Looks up without being noticed by the policy. */
	abstract @Nullable V peek(K key);

	/** Returns how long ago a value was written in nanoseconds, 0 if it is absent. */
	abstract long age(K key);

	abstract @Nullable V put(K key, V value);

	abstract @Nullable V putIfAbsent(K key, V value);

	/**
	 * Sets the outcome of a flight if the key is absent and the flight may still store.
	 * @return whether it was stored
	 */
	abstract boolean add(K key, V value, Flight<K, V> flight);

	abstract @Nullable V replace(K key, V value);

	/**
	 * Replaces a value that is the expected one.
	 * @param flight if not null, only while this may still store
	 * @return whether it was replaced
	 */
	abstract boolean replace(K key, V expected, V value, @Nullable Flight<K, V> flight);

	abstract @Nullable V remove(K key);

	abstract boolean remove(K key, Object expected);

	/** Removes all entries, those that have expired as such. */
	abstract void removeAll();

	/** Live entries, each an immutable snapshot. */
	abstract Iterator<Map.Entry<K, V>> iterator();

	abstract long size();

	abstract void cleanUp();

	abstract CacheReport report();

}
