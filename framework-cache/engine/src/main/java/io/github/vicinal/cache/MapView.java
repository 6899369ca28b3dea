package io.github.vicinal.cache;

import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** A cache as a map. */
@SuppressWarnings("NullAway") // java.util.Map is not annotated for what is absent
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {

	private final DefaultCache<K, V> cache;

	MapView(DefaultCache<K, V> cache) {
		this.cache = cache;
	}

	@SuppressWarnings("unchecked")
	private K key(Object key) {
		return (K) Objects.requireNonNull(key, "key");
	}

	@Override
	public int size() {
		return (int) Math.min(Integer.MAX_VALUE, this.cache.estimatedSize());
	}

	@Override
	public boolean isEmpty() {
		return !entrySet().iterator().hasNext();
	}

	@Override
	public boolean containsKey(Object key) {
		return this.cache.store().peek(key(key)) != null;
	}

	@Override
	public boolean containsValue(Object value) {
		return super.containsValue(Objects.requireNonNull(value, "value"));
	}

	@Override
	public V get(Object key) {
		return this.cache.getIfPresent(key(key));
	}

	@Override
	public V getOrDefault(Object key, V otherwise) {
		V value = get(key);
		return (value != null) ? value : otherwise;
	}

	@Override
	public V put(K key, V value) {
		return this.cache.putAndGet(key, value);
	}

	@Override
	public V putIfAbsent(K key, V value) {
		return this.cache.putIfAbsent(key, value);
	}

	@Override
	public V remove(Object key) {
		return this.cache.remove(key(key));
	}

	@Override
	public boolean remove(Object key, Object value) {
		Objects.requireNonNull(key, "key");
		return value != null && this.cache.remove(key(key), value);
	}

	@Override
	public boolean replace(K key, V expected, V value) {
		return this.cache.replace(key, expected, value);
	}

	@Override
	public V replace(K key, V value) {
		return this.cache.replace(key, value);
	}

	@Override
	public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
		Objects.requireNonNull(function, "function");
		for (K key : keySet()) {
			computeIfPresent(key, (k, v) -> Objects.requireNonNull(function.apply(k, v), "value"));
		}
	}

	@Override
	public void clear() {
		this.cache.invalidateAll();
	}

	@Override
	public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
		return this.cache.get(key, function);
	}

	@Override
	public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
		Objects.requireNonNull(function, "function");
		return this.cache.compute(key, function, true);
	}

	@Override
	public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
		Objects.requireNonNull(function, "function");
		return this.cache.compute(key, function, false);
	}

	@Override
	public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
		Objects.requireNonNull(value, "value");
		Objects.requireNonNull(function, "function");
		return this.cache.compute(key, (k, old) -> (old == null) ? value : function.apply(old, value), false);
	}

	@Override
	public Set<K> keySet() {
		return new KeySet();
	}

	@Override
	public Set<Map.Entry<K, V>> entrySet() {
		return new EntrySet();
	}

	@Override
	public Collection<V> values() {
		return new Values();
	}

	/**
	 * The number of entries is not known in advance: some expire, and others are added.
	 */
	private static <T> Spliterator<T> spliterator(Iterator<T> entries, int characteristics) {
		return Spliterators.spliteratorUnknownSize(entries,
				characteristics | Spliterator.NONNULL | Spliterator.CONCURRENT);
	}

	private final class Values extends AbstractCollection<V> {

		@Override
		public Iterator<V> iterator() {
			Iterator<Map.Entry<K, V>> entries = entrySet().iterator();
			return new Iterator<>() {
				@Override
				public boolean hasNext() {
					return entries.hasNext();
				}

				@Override
				public V next() {
					return entries.next().getValue();
				}

				@Override
				public void remove() {
					entries.remove();
				}
			};
		}

		@Override
		public Spliterator<V> spliterator() {
			return MapView.spliterator(iterator(), 0);
		}

		@Override
		public int size() {
			return MapView.this.size();
		}

		@Override
		public boolean isEmpty() {
			return MapView.this.isEmpty();
		}

		@Override
		public boolean contains(Object other) {
			return other != null && containsValue(other);
		}

		@Override
		public void clear() {
			MapView.this.clear();
		}

	}

	private final class KeySet extends AbstractSet<K> {

		@Override
		public Spliterator<K> spliterator() {
			return MapView.spliterator(iterator(), Spliterator.DISTINCT);
		}

		@Override
		public Iterator<K> iterator() {
			Iterator<Map.Entry<K, V>> entries = MapView.this.cache.store().iterator();
			return new Iterator<>() {
				private K last;

				@Override
				public boolean hasNext() {
					return entries.hasNext();
				}

				@Override
				public K next() {
					this.last = entries.next().getKey();
					return this.last;
				}

				@Override
				public void remove() {
					if (this.last == null) {
						throw new IllegalStateException("next() comes first");
					}
					MapView.this.remove(this.last);
					this.last = null;
				}
			};
		}

		@Override
		public int size() {
			return MapView.this.size();
		}

		@Override
		public boolean isEmpty() {
			return MapView.this.isEmpty();
		}

		@Override
		public boolean contains(Object other) {
			return other != null && containsKey(other);
		}

		@Override
		public boolean remove(Object other) {
			return other != null && MapView.this.remove(other) != null;
		}

		/** Looks up each, however many there are: a collection may search slowly. */
		@Override
		public boolean removeAll(Collection<?> others) {
			boolean changed = false;
			for (Object other : others) {
				changed |= remove(other);
			}
			return changed;
		}

		@Override
		public void clear() {
			MapView.this.clear();
		}

	}

	private final class EntrySet extends AbstractSet<Map.Entry<K, V>> {

		@Override
		public Spliterator<Map.Entry<K, V>> spliterator() {
			return MapView.spliterator(iterator(), Spliterator.DISTINCT);
		}

		@Override
		public Iterator<Map.Entry<K, V>> iterator() {
			return new Entries(MapView.this.cache.store().iterator());
		}

		@Override
		public boolean isEmpty() {
			return MapView.this.isEmpty();
		}

		@Override
		public int size() {
			return MapView.this.size();
		}

		@Override
		public boolean contains(Object other) {
			return other instanceof Map.Entry<?, ?> entry && entry.getKey() != null && entry.getValue() != null
					&& entry.getValue().equals(MapView.this.cache.store().peek(key(entry.getKey())));
		}

		@Override
		public boolean remove(Object other) {
			return other instanceof Map.Entry<?, ?> entry && entry.getKey() != null
					&& MapView.this.remove(entry.getKey(), entry.getValue());
		}

		@Override
		public void clear() {
			MapView.this.clear();
		}

	}

	private final class Entries implements Iterator<Map.Entry<K, V>> {

		private final Iterator<Map.Entry<K, V>> delegate;

		private Map.Entry<K, V> last;

		Entries(Iterator<Map.Entry<K, V>> delegate) {
			this.delegate = delegate;
		}

		@Override
		public boolean hasNext() {
			return this.delegate.hasNext();
		}

		@Override
		public Map.Entry<K, V> next() {
			if (!hasNext()) {
				throw new NoSuchElementException();
			}
			this.last = new WriteThrough(this.delegate.next());
			return this.last;
		}

		@Override
		public void remove() {
			if (this.last == null) {
				throw new IllegalStateException("next() comes first");
			}
			// Compares with the value that the decision was based on, not with a later
			// one.
			MapView.this.remove(this.last.getKey(), this.last.getValue());
			this.last = null;
		}

	}

	private final class WriteThrough extends SimpleEntry<K, V> {

		private static final long serialVersionUID = 1;

		WriteThrough(Map.Entry<K, V> entry) {
			super(entry);
		}

		@Override
		public V setValue(V value) {
			MapView.this.put(getKey(), value);
			return super.setValue(value);
		}

	}

}
