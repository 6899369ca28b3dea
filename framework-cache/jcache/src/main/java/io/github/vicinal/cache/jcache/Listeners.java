package io.github.vicinal.cache.jcache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.EventType;

import org.jspecify.annotations.Nullable;

/**
 * The listeners of a cache. Synchronous ones run on the thread that changes an entry,
 * which holds the key's lock: thereby they learn of the events of a key in their order. A
 * synchronous listener that changes other keys can meet one that does the reverse: one of
 * the two is refused by {@link Waits}, where JCache warns that they wait for ever.
 */
final class Listeners<K, V> {

	private final Cache<K, V> source;

	private final Executor executor;

	private final UnaryOperator<K> copyKey;

	private final UnaryOperator<V> copy;

	private final List<Registration<K, V>> registrations = new CopyOnWriteArrayList<>();

	Listeners(Cache<K, V> source, Executor executor, UnaryOperator<K> copyKey, UnaryOperator<V> copy) {
		this.source = source;
		this.executor = executor;
		this.copyKey = copyKey;
		this.copy = copy;
	}

	void add(CacheEntryListenerConfiguration<K, V> configuration) {
		this.registrations.add(new Registration<>(configuration, this.executor));
	}

	void remove(CacheEntryListenerConfiguration<K, V> configuration) {
		this.registrations.removeIf((known) -> known.configuration().equals(configuration));
	}

	List<Registration<K, V>> registrations() {
		return this.registrations;
	}

	/** Whether there are listeners. */
	boolean want(EventType type) {
		for (Registration<K, V> registration : this.registrations) {
			if (registration.wants(type)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Notifies all listeners.
	 * @param key the key, perhaps as the cache holds it
	 * @param value the value as the cache holds it
	 * @param old the value that it held before
	 * @throws CacheEntryListenerException if a synchronous listener failed; all others
	 * were notified
	 */
	void publish(EventType type, K key, @Nullable V value, @Nullable V old) {
		if (this.registrations.isEmpty()) {
			return;
		}
		Event<K, V> event = null;
		CacheEntryListenerException failure = null;
		for (Registration<K, V> registration : this.registrations) {
			if (!registration.wants(type)) {
				continue;
			}
			if (event == null) {
				event = new Event<>(this.source, type, this.copyKey.apply(key), copy(value), copy(old));
			}
			try {
				registration.accept(event);
			}
			catch (CacheEntryListenerException ex) {
				failure = (failure != null) ? failure : ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	private @Nullable V copy(@Nullable V value) {
		return (value != null) ? this.copy.apply(value) : null;
	}

}
