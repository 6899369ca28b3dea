package io.github.vicinal.cache;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Entries in Caffeine. Its maintenance runs on the thread of an operation, its listener
 * only queues, and an entry's weight is asked for once, before it is written: so of the
 * user's code only an {@link Expiry} runs under its locks.
 */
final class CaffeineStore<K, V> extends Store<K, V> {

	private final com.github.benmanes.caffeine.cache.Cache<K, Object> cache;

	private final CacheBuilder<K, V> builder;

	private final Removals<K, V> removals;

	private final Deadlines<K, V> deadlines;

	private final @Nullable Weigher<? super K, ? super V> weigher;

	/** Whether Caffeine's values are {@link Cell}s; otherwise they are the values. */
	private final boolean celled;

	/**
	 * A value with its weight and the time at which it was written. Each is equal to
	 * itself alone, so that to replace or remove one by compare-and-set calls no
	 * {@code equals} of the user's.
	 */
	private static final class Cell<V> {

		final V value;

		final int weight;

		final long written;

		Cell(V value, int weight, long written) {
			this.value = value;
			this.weight = weight;
			this.written = written;
		}

	}

	@SuppressWarnings("unchecked")
	CaffeineStore(CacheBuilder<K, V> builder, Removals<K, V> removals) {
		this.builder = builder;
		this.removals = removals;
		this.deadlines = new Deadlines<>(builder);
		this.weigher = builder.weigher();
		this.celled = this.weigher != null || builder.refreshAfterWrite() != null;
		Caffeine<Object, Object> caffeine = Caffeine.newBuilder()
			.executor(Runnable::run)
			.ticker(builder.ticker()::getAsLong);
		if (this.weigher != null) {
			caffeine.maximumWeight(builder.maximum()).weigher((key, value) -> ((Cell<?>) value).weight);
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
			// A cell may be replaced by another of the same value: the writer knows.
			boolean notified = this.celled && cause == com.github.benmanes.caffeine.cache.RemovalCause.REPLACED;
			if (key != null && value != null && !notified) {
				removals.add((K) key, value(unwrap(value)), weight(value), cause(cause));
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

	/** Makes what Caffeine keeps for a value, before anything changes. */
	private Object wrap(K key, V value) {
		if (!this.celled) {
			return value;
		}
		int weight = 1;
		if (this.weigher != null) {
			weight = this.weigher.weigh(key, value);
			if (weight < 0) {
				throw new IllegalArgumentException(
						"Cache '%s': the weigher returned %d for key '%s', but a weight is at least 0"
							.formatted(this.builder.name(), weight, key));
			}
		}
		return new Cell<>(value, weight, this.deadlines.now());
	}

	@SuppressWarnings("unchecked")
	@Nullable V unwrap(@Nullable Object value) {
		return (this.celled && value != null) ? ((Cell<V>) value).value : (V) value;
	}

	private int weight(Object value) {
		return this.celled ? ((Cell<?>) value).weight : 1;
	}

	/** Notifies of a value that was overwritten, unless by itself. */
	private @Nullable V replaced(K key, @Nullable Object old, V value) {
		V oldValue = unwrap(old);
		if (this.celled && old != null && oldValue != null && oldValue != value) {
			this.removals.add(key, oldValue, weight(old), RemovalCause.REPLACED);
		}
		return oldValue;
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
		return (this.celled && value != null) ? this.deadlines.now() - ((Cell<?>) value).written : 0;
	}

	@Override
	@Nullable V put(K key, V value) {
		return replaced(key, this.cache.asMap().put(key, wrap(key, value)), value);
	}

	@Override
	@Nullable V putIfAbsent(K key, V value) {
		return unwrap(this.cache.asMap().putIfAbsent(key, wrap(key, value)));
	}

	@Override
	boolean add(K key, V value, Flight<K, V> flight) {
		Object wrapped = wrap(key, value);
		return flight.beginStoring() && this.cache.asMap().putIfAbsent(key, wrapped) == null;
	}

	@Override
	@Nullable V replace(K key, V value) {
		return replaced(key, this.cache.asMap().replace(key, wrap(key, value)), value);
	}

	@Override
	boolean replace(K key, V expected, V value, @Nullable Flight<K, V> flight) {
		while (true) {
			Object old = this.cache.policy().getIfPresentQuietly(key);
			if (old == null || !same(expected, unwrap(old))) {
				return false;
			}
			Object wrapped = wrap(key, value);
			if (flight != null && !flight.beginStoring()) {
				return false;
			}
			if (this.cache.asMap().replace(key, old, wrapped)) {
				replaced(key, old, value);
				return true;
			}
		}
	}

	@Override
	@Nullable V remove(K key) {
		return unwrap(this.cache.asMap().remove(key));
	}

	@Override
	boolean remove(K key, Object expected) {
		while (true) {
			Object old = this.cache.policy().getIfPresentQuietly(key);
			if (old == null || !same(expected, unwrap(old))) {
				return false;
			}
			if (this.cache.asMap().remove(key, old)) {
				return true;
			}
		}
	}

	@Override
	void removeAll() {
		this.cache.invalidateAll();
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
			return this.expiry.expireAfterUpdate((K) key, value(this.store.unwrap(value)), remaining(remaining));
		}

		@Override
		@SuppressWarnings("unchecked")
		public long expireAfterRead(Object key, Object value, long now, long remaining) {
			return this.expiry.expireAfterRead((K) key, value(this.store.unwrap(value)), remaining(remaining));
		}

		/** Caffeine lets nothing live longer than about 146 years. */
		private static long remaining(long remaining) {
			return (remaining > Long.MAX_VALUE >> 2) ? Long.MAX_VALUE : remaining;
		}

	}

}
