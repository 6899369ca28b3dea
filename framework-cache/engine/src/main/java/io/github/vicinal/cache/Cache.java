package io.github.vicinal.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Keeps values by key, in this process, within a bound.
 * <p>
 * Thread-safe. Keys and values are never {@code null}. The changes of one key have an
 * order, which all threads see, and the actions of a thread before it writes a value are
 * visible to any thread that reads that value. There is no order across keys: two threads
 * that each write a key and then look up the other's may both miss. The bound may be
 * exceeded for a moment while threads write at the same time; {@link #cleanUp()} enforces
 * it.
 * <p>
 * <strong>Loading is single-flight.</strong> For one key, at most one loader runs at a
 * time, whichever method asked for it; the others wait for its outcome. No lock is held
 * while a loader or a function of {@link #asMap()} runs: a slow load delays nobody but
 * those who asked for that very key. What a loader throws reaches everybody who waited
 * for it, and is not cached; nor is {@code null}. A value that is written or invalidated
 * while it is being loaded is not overwritten by the load: the loader's callers get what
 * it returned, the cache keeps what was written later. A loader that asks the cache for
 * the key it is loading, directly or through threads that wait for each other's loads, in
 * this cache or in others, gets an {@link IllegalStateException} instead of a deadlock.
 * Circles through asynchronous loads are not noticed.
 * <p>
 * "At most one" has one exception: once a value has been written or invalidated while it
 * is being loaded, a new load of the key may begin beside the old one, whose outcome is
 * stale.
 *
 * @param <K> the type of keys, with {@code equals} and {@code hashCode}
 * @param <V> the type of values
 * @since 0.1.0
 */
public interface Cache<K, V> {

	/**
	 * Returns the name that the cache has in metrics and errors.
	 * @return the name given to the builder
	 */
	String name();

	/**
	 * Returns the replacement policy.
	 * @return the policy given to the builder
	 */
	CachePolicy policy();

	/**
	 * Looks a value up; counts as a hit or miss.
	 * @param key the key
	 * @return the value, or {@code null} if there is none or it is still being loaded
	 */
	@Nullable V getIfPresent(K key);

	/**
	 * Looks a value up without a trace: it is no use of the entry, neither for the policy
	 * nor for its time to live, and is not counted.
	 * @param key the key
	 * @return the value, or {@code null} if there is none or it is still being loaded
	 */
	@Nullable V peek(K key);

	/**
	 * Returns the value, loading it on the calling thread if it is absent. If another
	 * thread is loading it, waits for that.
	 * @param key the key
	 * @param loader computes the value; may block, may use the cache for other keys; its
	 * exceptions are thrown to all callers that wait
	 * @return the value, or {@code null} if the loader returned that
	 * @throws IllegalStateException if the key is being loaded by this very thread, or by
	 * one that waits for this thread
	 * @throws java.util.concurrent.CompletionException if an asynchronous load of the key
	 * that this call waited for failed with a checked exception, or the thread was
	 * interrupted while it waited (it stays interrupted)
	 */
	@Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader);

	/**
	 * Returns the value without waiting, starting to load it if it is absent.
	 * @param key the key
	 * @param loader starts the load; its exceptions fail the future. It is called on the
	 * calling thread, or, if a function of {@link #asMap()} computes the key just now, by
	 * the thread that does so, when it is done
	 * @return a future of its own for this caller: cancelling it cancels neither the load
	 * nor the futures of others. Completes with {@code null} if the load did
	 * @throws IllegalStateException if this very thread computes the key
	 */
	CompletableFuture<@Nullable V> getAsync(K key,
			Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader);

	/**
	 * Returns what is known of a key without waiting or loading; counts as a hit, or as a
	 * miss if neither a value nor a load is there.
	 * @param key the key
	 * @return a future of its own for this caller, complete if the value is there, or
	 * {@code null} if the key is neither present nor being loaded
	 */
	@Nullable CompletableFuture<@Nullable V> getAsyncIfPresent(K key);

	/**
	 * Replaces a value by a newer one, in the background. Until the load ends the old
	 * value is served; if it fails the old value is kept. A caller that needs the value
	 * before the executor has begun does not wait for the executor: it loads the value
	 * itself, with its own loader.
	 * @param key the key
	 * @param loader computes the value on the builder's executor
	 * @return completes with the new value; joins a load of the key that is under way,
	 * and waits for a computation of it to end. Fails if the executor does
	 * @throws IllegalStateException if this very thread computes the key
	 */
	CompletableFuture<@Nullable V> refresh(K key, Function<? super K, ? extends @Nullable V> loader);

	/**
	 * Sets a value.
	 * @param key the key
	 * @param value the value
	 */
	void put(K key, V value);

	/**
	 * Removes a value, and keeps a load of it that is under way from being cached.
	 * @param key the key
	 * @return whether there was a value
	 */
	boolean invalidate(K key);

	/**
	 * Removes the values of some keys, as {@link #invalidate}.
	 * @param keys the keys
	 */
	void invalidateAll(Iterable<? extends K> keys);

	/**
	 * Removes all values, and keeps loads that are under way from being cached.
	 */
	void invalidateAll();

	/**
	 * Returns the number of entries, those that have expired but were not yet removed
	 * among them.
	 * @return an estimate while other threads write
	 */
	long estimatedSize();

	/**
	 * Returns a live view. Its look-ups count as hits and misses for the policy as well
	 * as for the statistics; iteration does not. {@code compute}, {@code merge} and their
	 * kind are atomic and call their function once, unless the entry is written to,
	 * evicted or expires between: then again with what is there. {@code computeIfAbsent}
	 * is {@link #get}. Iterators are weakly consistent, skip what has expired, and
	 * support {@code remove}: those of entries and values, and {@code removeIf} with
	 * them, remove nothing that was written since.
	 * @return the view
	 */
	ConcurrentMap<K, V> asMap();

	/**
	 * Returns what has been counted since the cache was made.
	 * @return all zero unless the builder said {@link CacheBuilder#recordStatistics()}
	 */
	CacheStatistics statistics();

	/**
	 * Returns what the replacement policy knows about itself.
	 * @return a snapshot
	 */
	CacheReport report();

	/**
	 * Performs the maintenance that other calls usually do: applies buffered accesses to
	 * the policy, evicts down to the bound, removes expired entries, and notifies the
	 * listener.
	 */
	void cleanUp();

}
