package io.github.vicinal.cache;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Entries in Caffeine. Its maintenance runs on the thread of an operation, and its
 * listener only queues, so that user code never runs under its locks.
 */
final class CaffeineStore<K, V> extends Store<K, V> {

	private final com.github.benmanes.caffeine.cache.Cache<K, Object> cache;

	private final CacheBuilder<K, V> builder;

	private final Deadlines<K, V> deadlines;

	/** Whether values carry the time of writing, for refreshing. */
	private final boolean stamped;

	/** A value with the time at which it was written; equal if the values are. */
	private record Stamped<V>(V value, long written) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Stamped<?> that && this.value.equals(that.value);
		}

		@Override
		public int hashCode() {
			return this.value.hashCode();
		}

	}

	@SuppressWarnings("unchecked")
	CaffeineStore(CacheBuilder<K, V> builder, Removals<K, V> removals) {
		this.builder = builder;
		this.deadlines = new Deadlines<>(builder);
		this.stamped = builder.refreshAfterWrite() != null;
		Caffeine<Object, Object> caffeine = Caffeine.newBuilder()
			.executor(Runnable::run)
			.ticker(builder.ticker()::getAsLong);
		Weigher<? super K, ? super V> weigher = builder.weigher();
		if (weigher != null) {
			caffeine.maximumWeight(builder.maximum())
				.weigher((key, value) -> weigher.weigh((K) key, value(unwrap(value))));
		}
		else {
			caffeine.maximumSize(builder.maximum());
		}
		if (builder.expireAfterWrite() != null) {
			caffeine.expireAfterWrite(builder.expireAfterWrite());
		}
		if (builder.expireAfterAccess() != null) {
			caffeine.expireAfterAccess(builder.expireAfterAccess());
		}
		Expiry<? super K, ? super V> expiry = builder.expiry();
		if (expiry != null) {
			caffeine.expireAfter(new Lifetimes<>(expiry, this));
		}
		caffeine.removalListener((key, value, cause) -> {
			if (key != null && value != null) {
				int weight = (weigher != null && cause.wasEvicted()) ? weigher.weigh((K) key, value(unwrap(value))) : 1;
				removals.add((K) key, value(unwrap(value)), weight, cause(cause));
			}
		});
		this.cache = caffeine.build();
	}

	private static <V> V value(@Nullable V value) {
		if (value == null) {
			throw new IllegalStateException("Caffeine keeps no null");
		}
		return value;
	}

	private static RemovalCause cause(com.github.benmanes.caffeine.cache.RemovalCause cause) {
		return switch (cause) {
			case EXPLICIT -> RemovalCause.EXPLICIT;
			case REPLACED -> RemovalCause.REPLACED;
			case EXPIRED -> RemovalCause.EXPIRED;
			case SIZE, COLLECTED -> RemovalCause.SIZE;
		};
	}

	private Object wrap(V value) {
		return this.stamped ? new Stamped<>(value, this.deadlines.now()) : value;
	}

	@SuppressWarnings("unchecked")
	@Nullable V unwrap(@Nullable Object value) {
		return (this.stamped && value != null) ? ((Stamped<V>) value).value : (V) value;
	}

	@Override
	@Nullable V get(K key) {
		return unwrap(this.cache.getIfPresent(key));
	}

	@Override
	@Nullable V peek(K key) {
		return unwrap(this.cache.policy().getIfPresentQuietly(key));
	}

	@Override
	long age(K key) {
		Object value = this.cache.policy().getIfPresentQuietly(key);
		return (value instanceof Stamped<?> it) ? this.deadlines.now() - it.written : 0;
	}

	@Override
	@Nullable V put(K key, V value) {
		return unwrap(this.cache.asMap().put(key, wrap(value)));
	}

	@Override
	@Nullable V putIfAbsent(K key, V value) {
		return unwrap(this.cache.asMap().putIfAbsent(key, wrap(value)));
	}

	@Override
	@Nullable V replace(K key, V value) {
		return unwrap(this.cache.asMap().replace(key, wrap(value)));
	}

	@Override
	boolean replace(K key, V expected, V value) {
		return this.cache.asMap().replace(key, wrap(expected), wrap(value));
	}

	@Override
	@Nullable V remove(K key) {
		return unwrap(this.cache.asMap().remove(key));
	}

	@Override
	@SuppressWarnings("unchecked")
	boolean remove(K key, Object expected) {
		return this.cache.asMap().remove(key, wrap((V) expected));
	}

	@Override
	Iterator<Map.Entry<K, V>> iterator() {
		Iterator<Map.Entry<K, Object>> entries = this.cache.asMap().entrySet().iterator();
		return new Iterator<>() {
			@Override
			public boolean hasNext() {
				return entries.hasNext();
			}

			@Override
			public Map.Entry<K, V> next() {
				Map.Entry<K, Object> entry = entries.next();
				return new SimpleImmutableEntry<>(entry.getKey(), value(unwrap(entry.getValue())));
			}
		};
	}

	@Override
	long size() {
		return this.cache.estimatedSize();
	}

	@Override
	void cleanUp() {
		this.cache.cleanUp();
	}

	@Override
	CacheReport report() {
		String name = this.builder.policy().name();
		return new CacheReport(name, name, this.builder.maximum(), size(), 0, List.of(), 0, 0, 0, List.of(), List.of());
	}

	/** Caffeine's form of an {@link Expiry}. */
	private record Lifetimes<K, V>(Expiry<? super K, ? super V> expiry,
			CaffeineStore<K, V> store) implements com.github.benmanes.caffeine.cache.Expiry<Object, Object> {

		@Override
		@SuppressWarnings("unchecked")
		public long expireAfterCreate(Object key, Object value, long now) {
			return this.expiry.expireAfterCreate((K) key, value(this.store.unwrap(value)));
		}

		@Override
		@SuppressWarnings("unchecked")
		public long expireAfterUpdate(Object key, Object value, long now, long remaining) {
			return this.expiry.expireAfterUpdate((K) key, value(this.store.unwrap(value)), remaining);
		}

		@Override
		@SuppressWarnings("unchecked")
		public long expireAfterRead(Object key, Object value, long now, long remaining) {
			return this.expiry.expireAfterRead((K) key, value(this.store.unwrap(value)), remaining);
		}

	}

}
