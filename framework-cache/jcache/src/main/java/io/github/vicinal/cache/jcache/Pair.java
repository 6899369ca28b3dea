package io.github.vicinal.cache.jcache;

import javax.cache.Cache;

/** An entry as iterators and cache writers see it. */
record Pair<K, V>(K key, V value) implements Cache.Entry<K, V> {

	@Override
	public K getKey() {
		return this.key;
	}

	@Override
	public V getValue() {
		return this.value;
	}

	@Override
	public <T> T unwrap(Class<T> type) {
		if (!type.isInstance(this)) {
			throw new IllegalArgumentException("An entry is not a " + type.getName());
		}
		return type.cast(this);
	}

}
