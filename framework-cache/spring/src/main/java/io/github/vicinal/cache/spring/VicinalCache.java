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

	/** This cache for fills: puts are not broadcast. */
	private volatile @Nullable VicinalCache forFills;

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
		super(allowNullValues);
		this.cache = cache;
		this.broadcast = broadcast;
	}

	/**
	 * Returns a cache in which a value that is put is a fill, which others need not know.
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
		if (this.broadcast == InvalidationBroadcast.NONE) {
			return this;
		}
		VicinalCache known = this.forFills;
		if (known == null) {
			known = new FilledCache(this);
			this.forFills = known;
		}
		return known;
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
		boolean evicted = this.cache.invalidate(key);
		// Others may have what is not here.
		this.broadcast.evicted(getName(), key);
		return evicted;
	}

	@Override
	public void clear() {
		this.cache.invalidateAll();
		this.broadcast.cleared(getName());
	}

	@Override
	public boolean invalidate() {
		boolean notEmpty = !this.cache.asMap().isEmpty();
		clear();
		return notEmpty;
	}

	/** Notifies others of evictions only. */
	private static final class FilledCache extends VicinalCache {

		FilledCache(VicinalCache cache) {
			super(cache.cache, cache.isAllowNullValues(), cache.broadcast);
		}

		@Override
		public void put(Object key, @Nullable Object value) {
			fill(key, value);
		}

	}

}
