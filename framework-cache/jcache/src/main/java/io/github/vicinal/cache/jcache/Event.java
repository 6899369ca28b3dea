package io.github.vicinal.cache.jcache;

import java.util.Objects;

import javax.cache.Cache;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.EventType;

import org.jspecify.annotations.Nullable;

/** Change of an entry. */
@SuppressWarnings("serial")
final class Event<K, V> extends CacheEntryEvent<K, V> {

	private final K key;

	private final @Nullable V value;

	private final @Nullable V old;

	Event(Cache<K, V> source, EventType type, K key, @Nullable V value, @Nullable V old) {
		super(source, type);
		this.key = key;
		this.value = value;
		this.old = old;
	}

	/** Returns the event for a listener that does not want old values. */
	@SuppressWarnings("unchecked")
	Event<K, V> withoutOld() {
		boolean gone = getEventType() == EventType.REMOVED || getEventType() == EventType.EXPIRED;
		return new Event<>((Cache<K, V>) getSource(), getEventType(), this.key, gone ? null : this.value, null);
	}

	@Override
	public K getKey() {
		return this.key;
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: the old value was not asked for
	public V getValue() {
		return this.value;
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says
	public V getOldValue() {
		return this.old;
	}

	@Override
	public boolean isOldValueAvailable() {
		return this.old != null;
	}

	@Override
	public <T> T unwrap(Class<T> type) {
		if (!type.isInstance(this)) {
			throw new IllegalArgumentException("An event is not a " + type.getName());
		}
		return type.cast(this);
	}

	@Override
	public String toString() {
		return "%s[key=%s, value=%s, old=%s]".formatted(getEventType(), this.key, this.value,
				Objects.toString(this.old, "-"));
	}

}
