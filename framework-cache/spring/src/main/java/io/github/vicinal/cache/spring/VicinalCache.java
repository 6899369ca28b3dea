package io.github.vicinal.cache.spring;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import io.github.vicinal.cache.Cache;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.support.AbstractValueAdaptingCache;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;

/**
 * A cache of Spring on a cache of this project. Thread-safe.
 * <p>
 * {@link #get(Object, Callable)} and {@link #retrieve(Object, Supplier)} load a key once
 * for all concurrent callers of either method, and do not delay callers of other keys. A
 * load that fails is not cached.
 *
 * @since 0.1.0
 */
public class VicinalCache extends AbstractValueAdaptingCache {

	private final Cache<Object, Object> cache;

	private final InvalidationBroadcast broadcast;

	private final ChangeCounts changes;

	/**
	 * Creates a cache.
	 * @param cache where values are kept
	 * @param allowNullValues whether {@code null} may be cached; it is kept as
	 * {@code NullValue}
	 */
	public VicinalCache(Cache<Object, Object> cache, boolean allowNullValues) {
		this(cache, allowNullValues, InvalidationBroadcast.NONE);
	}

	/**
	 * Creates a cache that notifies other instances of outdated values.
	 * @param cache keeps the values
	 * @param allowNullValues whether {@code null} may be cached
	 * @param broadcast notified of evictions and of values that are put
	 */
	public VicinalCache(Cache<Object, Object> cache, boolean allowNullValues, InvalidationBroadcast broadcast) {
		this(cache, allowNullValues, broadcast, new ChangeCounts());
	}

	VicinalCache(Cache<Object, Object> cache, boolean allowNullValues, InvalidationBroadcast broadcast,
			ChangeCounts changes) {
		super(allowNullValues);
		this.cache = cache;
		this.broadcast = broadcast;
		this.changes = changes;
	}

	/**
	 * Returns a cache for one invocation, in which a value that is put after a miss is a
	 * fill: others need not know of it, and it is not kept if the key has changed since.
	 */
	static org.springframework.cache.Cache forFills(org.springframework.cache.Cache cache) {
		if (cache instanceof TransactionAwareCacheDecorator decorator) {
			org.springframework.cache.Cache target = decorator.getTargetCache();
			org.springframework.cache.Cache filled = forFills(target);
			return (filled != target) ? new TransactionAwareCacheDecorator(filled) : cache;
		}
		// A subclass may do more when a value is put.
		return (cache.getClass() == VicinalCache.class) ? ((VicinalCache) cache).forFills() : cache;
	}

	private VicinalCache forFills() {
		return (this.broadcast != InvalidationBroadcast.NONE) ? new FilledCache(this) : this;
	}

	@Override
	public String getName() {
		return this.cache.name();
	}

	@Override
	public Cache<Object, Object> getNativeCache() {
		return this.cache;
	}

	@Override
	protected @Nullable Object lookup(Object key) {
		return this.cache.getIfPresent(key);
	}

	/**
	 * Returns the value, loading it if it is absent.
	 * @param key the key
	 * @param valueLoader computes the value
	 * @return the value, {@code null} only if null values are allowed
	 * @throws ValueRetrievalException if the load failed, or another's that was waited
	 * for; if that was one of {@link #retrieve(Object, Supplier)} which failed with an
	 * unchecked exception, that exception itself
	 */
	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
		Object stored;
		try {
			stored = this.cache.get(key, (missing) -> load(missing, valueLoader));
		}
		catch (CompletionException ex) {
			throw new ValueRetrievalException(key, valueLoader, (ex.getCause() != null) ? ex.getCause() : ex);
		}
		return (T) fromStoreValue(stored);
	}

	private Object load(Object key, Callable<?> valueLoader) {
		try {
			return toStoreValue(valueLoader.call());
		}
		catch (Exception ex) {
			throw new ValueRetrievalException(key, valueLoader, ex);
		}
	}

	@Override
	public @Nullable CompletableFuture<?> retrieve(Object key) {
		CompletableFuture<@Nullable Object> found = this.cache.getAsyncIfPresent(key);
		// The wrapper distinguishes a cached null from a miss for Spring.
		return (found != null && isAllowNullValues()) ? found.thenApply(this::toValueWrapper) : found;
	}

	/**
	 * Returns the value, starting to load it if it is absent.
	 * @param key the key
	 * @param valueLoader starts the load
	 * @return a future of its own for this caller. Fails as the load does; if that is one
	 * of {@link #get(Object, Callable)}, with its {@link ValueRetrievalException}
	 */
	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> valueLoader) {
		return this.cache.getAsync(key, (missing) -> valueLoader.get().thenApply(this::toStoreValue))
			.thenApply((stored) -> (T) fromStoreValue(stored));
	}

	@Override
	public void put(Object key, @Nullable Object value) {
		this.changes.change(key);
		fill(key, value);
		this.broadcast.evicted(getName(), key);
	}

	/** Puts a value that is no news to other instances. */
	void fill(Object key, @Nullable Object value) {
		this.cache.put(key, toStoreValue(value));
	}

	@Override
	public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
		return toValueWrapper(this.cache.asMap().putIfAbsent(key, toStoreValue(value)));
	}

	@Override
	public void evict(Object key) {
		evictIfPresent(key);
	}

	@Override
	public boolean evictIfPresent(Object key) {
		this.changes.change(key);
		boolean evicted = this.cache.invalidate(key);
		// Others may have what is not here.
		this.broadcast.evicted(getName(), key);
		return evicted;
	}

	@Override
	public void clear() {
		this.changes.changeAll();
		this.cache.invalidateAll();
		this.broadcast.cleared(getName());
	}

	@Override
	public boolean invalidate() {
		boolean notEmpty = !this.cache.asMap().isEmpty();
		clear();
		return notEmpty;
	}

	/**
	 * Notifies others of evictions only. Used for one invocation, which may end on
	 * another thread.
	 */
	private static final class FilledCache extends VicinalCache {

		private final VicinalCache target;

		/** Key that was not there, and the count of its changes before it was missed. */
		private volatile @Nullable Miss miss;

		FilledCache(VicinalCache cache) {
			super(cache.cache, cache.isAllowNullValues(), cache.broadcast, cache.changes);
			this.target = cache;
		}

		private record Miss(Object key, long changes) {
		}

		@Override
		protected @Nullable Object lookup(Object key) {
			long before = this.target.changes.of(key);
			Object found = super.lookup(key);
			if (found == null) {
				this.miss = new Miss(key, before);
			}
			return found;
		}

		@Override
		public @Nullable CompletableFuture<?> retrieve(Object key) {
			long before = this.target.changes.of(key);
			CompletableFuture<?> found = super.retrieve(key);
			if (found == null) {
				this.miss = new Miss(key, before);
			}
			return found;
		}

		@Override
		public void put(Object key, @Nullable Object value) {
			Miss known = this.miss;
			if (known == null || !known.key().equals(key)) {
				fill(key, value);
			}
			else if (!hasChanged(known)) {
				fill(key, value);
				// A change is counted before it takes effect: one that came in between
				// is seen here, and a later one removes the value itself.
				if (hasChanged(known)) {
					this.target.cache.invalidate(key);
				}
			}
		}

		private boolean hasChanged(Miss known) {
			return this.target.changes.of(known.key()) != known.changes();
		}

	}

}
