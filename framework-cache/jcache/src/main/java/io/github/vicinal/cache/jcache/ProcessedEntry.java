package io.github.vicinal.cache.jcache;

import java.util.Objects;
import java.util.function.UnaryOperator;

import javax.cache.processor.MutableEntry;

import org.jspecify.annotations.Nullable;

/**
 * Entry that an entry processor sees. It records changes, which are applied to the cache
 * afterwards.
 */
final class ProcessedEntry<K, V> implements MutableEntry<K, V> {

	/** Action after the processor. */
	enum Change {

		NONE, ACCESS, LOAD, CREATE, UPDATE, REMOVE

	}

	private final K key;

	private final @Nullable Held<V> held;

	private final Outside<K, V> outside;

	private final UnaryOperator<V> copy;

	private Change change = Change.NONE;

	private @Nullable V value;

	ProcessedEntry(K key, @Nullable Held<V> held, Outside<K, V> outside, UnaryOperator<V> copy) {
		this.key = key;
		this.held = held;
		this.outside = outside;
		this.copy = copy;
	}

	Change change() {
		return this.change;
	}

	V newValue() {
		return Objects.requireNonNull(this.value, "value");
	}

	@Override
	public K getKey() {
		return this.key;
	}

	@Override
	public boolean exists() {
		return this.value != null || (this.change == Change.NONE && this.held != null);
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: there is no entry
	public V getValue() {
		if (this.value == null && this.change == Change.NONE && this.held != null) {
			this.value = this.copy.apply(this.held.value());
			this.change = Change.ACCESS;
		}
		else if (this.value == null && this.outside.readsThrough()) {
			this.value = this.outside.load(this.key);
			if (this.value != null) {
				this.change = Change.LOAD;
			}
		}
		return this.value;
	}

	@Override
	public void setValue(V newValue) {
		this.value = Objects.requireNonNull(newValue, "value");
		this.change = (this.held != null) ? Change.UPDATE : Change.CREATE;
	}

	@Override
	public void remove() {
		this.change = (this.change == Change.CREATE || this.change == Change.LOAD) ? Change.NONE : Change.REMOVE;
		this.value = null;
	}

	@Override
	public <T> T unwrap(Class<T> type) {
		if (!type.isInstance(this)) {
			throw new IllegalArgumentException("An entry is not a " + type.getName());
		}
		return type.cast(this);
	}

}
