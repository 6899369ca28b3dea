package io.github.vicinal.cache;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** Common part of all engines: loading, refreshing, statistics, notification. */
final class DefaultCache<K, V> implements Cache<K, V> {

	private final String name;

	private final CachePolicy policy;

	private final Store<K, V> store;

	private final Removals<K, V> removals;

	private final @Nullable Counters counters;

	private final Flights<K, V> flights;

	private final CacheBuilder<K, V> builder;

	/** {@link Deadlines#NEVER} if values are not refreshed. */
	private final long refreshNanos;

	DefaultCache(CacheBuilder<K, V> builder, Store<K, V> store, Removals<K, V> removals, @Nullable Counters counters) {
		this.name = builder.name();
		this.policy = builder.policy();
		this.builder = builder;
		this.store = store;
		this.removals = removals;
		this.counters = counters;
		this.flights = new Flights<>(this.name);
		this.refreshNanos = Deadlines.nanos(builder.refreshAfterWrite());
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public CachePolicy policy() {
		return this.policy;
	}

	@Override
	public @Nullable V getIfPresent(K key) {
		V value = this.store.get(Objects.requireNonNull(key, "key"));
		count(value != null);
		notifyAfter(value != null);
		return value;
	}

	/** Lets the listener be notified, by another thread if a value was found. */
	private void notifyAfter(boolean hit) {
		if (hit) {
			this.removals.notifyElsewhere();
		}
		else {
			this.removals.notifyListener();
		}
	}

	@Override
	public @Nullable V peek(K key) {
		return this.store.peek(Objects.requireNonNull(key, "key"));
	}

	private void count(boolean hit) {
		if (this.counters != null) {
			this.counters.lookedUp(hit);
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	@Override
	public @Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader) {
		V value = this.store.get(Objects.requireNonNull(key, "key"));
		count(value != null);
		if (value != null) {
			if (this.refreshNanos != Deadlines.NEVER && this.store.age(key) >= this.refreshNanos) {
				refresh(key, value, loader);
			}
			this.removals.notifyElsewhere();
			return value;
		}
		value = load(key, Objects.requireNonNull(loader, "loader"));
		this.removals.notifyListener();
		return value;
	}

	private @Nullable V load(K key, Function<? super K, ? extends @Nullable V> loader) {
		while (true) {
			Flight<K, V> mine = new Flight<>(key, Thread.currentThread(), false);
			Flight<K, V> other = this.flights.join(mine);
			if (other == null) {
				return load(key, mine, loader);
			}
			if (other.isQueued()) {
				// The executor may be busy with other keys, or wait for this very thread.
				if (this.flights.takeOver(other)) {
					return load(key, other, loader);
				}
				continue;
			}
			if (!other.computes()) {
				return this.flights.await(other);
			}
			this.flights.awaitEnd(other);
			V value = this.store.get(key);
			if (value != null) {
				return value;
			}
		}
	}

	private @Nullable V load(K key, Flight<K, V> mine, Function<? super K, ? extends @Nullable V> loader) {
		V value;
		long start = 0;
		try {
			// Another load may have ended between the look-up and the take-off.
			value = this.store.peek(key);
			if (value != null) {
				this.flights.end(mine);
				mine.complete(value);
				return value;
			}
			start = (this.counters != null) ? System.nanoTime() : 0;
			value = loader.apply(key);
			loaded(value != null, start);
		}
		catch (Throwable ex) {
			if (start != 0) {
				loaded(false, start);
			}
			fail(mine, ex);
			throw ex;
		}
		arrive(key, mine, null, value);
		return value;
	}

	private void loaded(boolean success, long start) {
		if (this.counters != null) {
			this.counters.loaded(success, System.nanoTime() - start);
		}
	}

	/** Stores what was loaded, unless the key was written to or invalidated meanwhile. */
	private void arrive(K key, Flight<K, V> mine, @Nullable V old, @Nullable V value) {
		try {
			if (value != null) {
				// An entry that a refresh was for may have expired or been evicted
				// meanwhile.
				boolean stored = (old != null && this.store.replace(key, old, value, mine))
						|| this.store.add(key, value, mine);
				if (stored && this.counters != null) {
					this.counters.put();
				}
			}
		}
		catch (Throwable ex) {
			fail(mine, ex);
			throw ex;
		}
		this.flights.end(mine);
		mine.complete(value);
	}

	private void fail(Flight<K, V> mine, Throwable ex) {
		this.flights.end(mine);
		mine.completeExceptionally(ex);
	}

	@Override
	public CompletableFuture<@Nullable V> getAsync(K key,
			Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
		Objects.requireNonNull(loader, "loader");
		return getAsync(key, loader, false);
	}

	/**
	 * Looks up and loads.
	 * @param again whether the look-up has been counted before
	 */
	private CompletableFuture<@Nullable V> getAsync(K key,
			Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader, boolean again) {
		boolean counted = again;
		while (true) {
			V value = this.store.get(Objects.requireNonNull(key, "key"));
			if (!counted) {
				count(value != null);
				counted = true;
			}
			if (value != null) {
				if (this.refreshNanos != Deadlines.NEVER && this.store.age(key) >= this.refreshNanos) {
					refreshAsync(key, value, loader);
				}
				this.removals.notifyElsewhere();
				return CompletableFuture.completedFuture(value);
			}
			Flight<K, V> mine = new Flight<>(key, Thread.currentThread(), false);
			Flight<K, V> other = this.flights.join(mine);
			if (other == null) {
				return start(key, mine, loader);
			}
			if (other.isQueued()) {
				if (this.flights.takeOver(other)) {
					return start(key, other, loader);
				}
				continue;
			}
			if (!other.computes()) {
				return other.copy();
			}
			this.flights.refuseOwn(other);
			return other.handle((computed, ex) -> null).thenCompose((ended) -> getAsync(key, loader, true));
		}
	}

	private CompletableFuture<@Nullable V> start(K key, Flight<K, V> mine,
			Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
		CompletableFuture<@Nullable V> result = mine.copy();
		start(key, mine, null, loader);
		this.removals.notifyListener();
		return result;
	}

	/**
	 * Starts a load.
	 * @param stale the value that it is to replace, if any
	 */
	private void start(K key, Flight<K, V> mine, @Nullable V stale,
			Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
		V present;
		try {
			// Another load may have ended between the look-up and the take-off.
			present = this.store.peek(key);
		}
		catch (Throwable ex) {
			fail(mine, ex);
			throw ex;
		}
		if (present != null && present != stale) {
			this.flights.end(mine);
			mine.complete(present);
			return;
		}
		long start = (this.counters != null) ? System.nanoTime() : 0;
		CompletionStage<? extends @Nullable V> stage;
		try {
			stage = Objects.requireNonNull(loader.apply(key), "The loader returned null instead of a CompletionStage");
			// From here on the load belongs to no thread.
			mine.release();
			stage.whenComplete((value, ex) -> land(key, mine, present, value, ex, start));
		}
		catch (Throwable ex) {
			loaded(false, start);
			fail(mine, ex);
		}
	}

	private void land(K key, Flight<K, V> mine, @Nullable V old, @Nullable V value, @Nullable Throwable failure,
			long start) {
		loaded(failure == null && value != null, start);
		if (failure != null) {
			fail(mine, failure);
		}
		else {
			try {
				arrive(key, mine, old, value);
			}
			catch (Throwable ex) {
				// The future has it.
			}
		}
		this.removals.notifyListener();
	}

	@Override
	public @Nullable CompletableFuture<@Nullable V> getAsyncIfPresent(K key) {
		V value = this.store.get(Objects.requireNonNull(key, "key"));
		Flight<K, V> flight = (value == null) ? this.flights.find(key) : null;
		boolean loading = flight != null && !flight.computes() && !flight.isQueued();
		count(value != null || loading);
		notifyAfter(value != null);
		if (value != null) {
			return CompletableFuture.completedFuture(value);
		}
		return (loading && flight != null) ? flight.copy() : null;
	}

	@Override
	public CompletableFuture<@Nullable V> refresh(K key, Function<? super K, ? extends @Nullable V> loader) {
		Objects.requireNonNull(loader, "loader");
		Flight<K, V> flight = refresh(Objects.requireNonNull(key, "key"), null, loader);
		if (!flight.computes()) {
			return flight.copy();
		}
		this.flights.refuseOwn(flight);
		return flight.handle((computed, ex) -> null).thenCompose((ended) -> refresh(key, loader));
	}

	/**
	 * Returns the flight that it joins, which may be a computation, or its own.
	 * @param stale the value that is to be replaced, null if it is any
	 */
	private Flight<K, V> refresh(K key, @Nullable V stale, Function<? super K, ? extends @Nullable V> loader) {
		Flight<K, V> mine = Flight.queued(key);
		Flight<K, V> other = this.flights.join(mine);
		if (other != null) {
			return other;
		}
		try {
			V present = this.store.peek(key);
			if (stale == null || present == null || present == stale) {
				this.builder.executor().execute(() -> reload(key, mine, present, loader));
			}
			else if (mine.begin(Thread.currentThread())) {
				// Another refresh has ended between the look-up and the take-off.
				this.flights.end(mine);
				mine.complete(present);
			}
		}
		catch (Throwable ex) {
			// After any failure no thread will come, for example because none can be
			// started.
			if (mine.begin(Thread.currentThread())) {
				loaded(false, (this.counters != null) ? System.nanoTime() : 0);
				fail(mine, ex);
			}
		}
		return mine;
	}

	private void reload(K key, Flight<K, V> mine, @Nullable V old, Function<? super K, ? extends @Nullable V> loader) {
		if (!mine.begin(Thread.currentThread())) {
			return;
		}
		long start = (this.counters != null) ? System.nanoTime() : 0;
		V value;
		try {
			value = loader.apply(key);
			loaded(value != null, start);
		}
		catch (Throwable ex) {
			loaded(false, start);
			fail(mine, ex);
			return;
		}
		try {
			arrive(key, mine, old, value);
		}
		catch (Throwable ex) {
			// The future has it.
		}
		this.removals.notifyListener();
	}

	private void refreshAsync(K key, V stale,
			Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
		Flight<K, V> mine = new Flight<>(key, Thread.currentThread(), false);
		if (this.flights.join(mine) == null) {
			start(key, mine, stale, loader);
		}
	}

	@Override
	public void put(K key, V value) {
		putAndGet(key, value);
	}

	@Nullable V putAndGet(K key, V value) {
		Objects.requireNonNull(value, "value");
		this.flights.displace(Objects.requireNonNull(key, "key"));
		V old = this.store.put(key, value);
		written();
		return old;
	}

	private void written() {
		if (this.counters != null) {
			this.counters.put();
		}
		this.removals.notifyListener();
	}

	@Nullable V putIfAbsent(K key, V value) {
		Objects.requireNonNull(value, "value");
		V old = this.store.putIfAbsent(Objects.requireNonNull(key, "key"), value);
		if (old == null) {
			this.flights.displace(key);
			written();
		}
		else {
			this.removals.notifyElsewhere();
		}
		return old;
	}

	@Nullable V replace(K key, V value) {
		Objects.requireNonNull(value, "value");
		if (this.store.peek(Objects.requireNonNull(key, "key")) == null) {
			// A load that is under way is none of its business.
			return null;
		}
		this.flights.displace(key);
		V old = this.store.replace(key, value);
		if (old != null) {
			written();
		}
		return old;
	}

	boolean replace(K key, V expected, V value) {
		Objects.requireNonNull(value, "value");
		Objects.requireNonNull(expected, "expected");
		boolean replaced = displaceIf(Objects.requireNonNull(key, "key"), expected)
				&& this.store.replace(key, expected, value, null);
		if (replaced) {
			written();
		}
		return replaced;
	}

	/**
	 * Displaces a refresh before a change on condition: afterwards it would be too late
	 * for one that was just being stored.
	 * @return whether the value is the expected one
	 */
	private boolean displaceIf(K key, Object expected) {
		V value = this.store.peek(key);
		if (value == null || !Store.same(expected, value)) {
			return false;
		}
		this.flights.displace(key);
		return true;
	}

	@Override
	public boolean invalidate(K key) {
		return remove(key) != null;
	}

	@Nullable V remove(K key) {
		this.flights.displace(Objects.requireNonNull(key, "key"));
		V old = this.store.remove(key);
		this.removals.notifyListener();
		return old;
	}

	boolean remove(K key, Object expected) {
		boolean removed = displaceIf(Objects.requireNonNull(key, "key"), expected) && this.store.remove(key, expected);
		this.removals.notifyListener();
		return removed;
	}

	@Override
	public void invalidateAll(Iterable<? extends K> keys) {
		for (K key : keys) {
			this.flights.displace(key);
			this.store.remove(key);
		}
		this.removals.notifyListener();
	}

	@Override
	public void invalidateAll() {
		this.flights.displaceAll();
		this.store.removeAll();
		this.removals.notifyListener();
	}

	/**
	 * Computes a value from the present one, alone for the key.
	 * @return the value after it
	 */
	@Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function, boolean ifPresent) {
		Objects.requireNonNull(key, "key");
		while (true) {
			if (ifPresent && this.store.peek(key) == null) {
				return null;
			}
			Flight<K, V> mine = new Flight<>(key, Thread.currentThread(), true);
			Flight<K, V> other = this.flights.join(mine);
			if (other != null && other.isQueued()) {
				this.flights.displace(other);
				continue;
			}
			if (other != null) {
				this.flights.awaitEnd(other);
				continue;
			}
			try {
				V old = this.store.get(key);
				V value = (ifPresent && old == null) ? null : function.apply(key, old);
				if (swap(key, old, value, mine)) {
					if (value != null && this.counters != null) {
						this.counters.put();
					}
					return value;
				}
			}
			finally {
				this.flights.end(mine);
				mine.complete(null);
				this.removals.notifyListener();
			}
		}
	}

	private boolean swap(K key, @Nullable V old, @Nullable V value, Flight<K, V> mine) {
		if (value == null) {
			return mine.beginStoring() && (old == null || this.store.remove(key, old));
		}
		return (old == null) ? this.store.add(key, value, mine) : this.store.replace(key, old, value, mine);
	}

	Store<K, V> store() {
		return this.store;
	}

	@Override
	public long estimatedSize() {
		return this.store.size();
	}

	@Override
	public ConcurrentMap<K, V> asMap() {
		return new MapView<>(this);
	}

	@Override
	public CacheStatistics statistics() {
		return (this.counters != null) ? this.counters.snapshot() : new CacheStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);
	}

	@Override
	public CacheReport report() {
		return this.store.report();
	}

	@Override
	public void cleanUp() {
		this.store.cleanUp();
		this.removals.notifyOfAll();
	}

	@Override
	public String toString() {
		return "Cache '" + this.name + "' (" + this.policy + ")";
	}

}
