package io.github.vicinal.cache.jcache;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.EventType;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriterException;
import javax.cache.integration.CompletionListener;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;

import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.RemovalCause;
import io.github.vicinal.cache.jcache.KeyLocks.KeyLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of JCache on an engine. Atomic operations on a key run under the key's lock;
 * look-ups of present entries take none. The engine evicts and expires at any time.
 * JCache reports expiries as events, but not evictions.
 */
final class JCache<K, V> implements Cache<K, V> {

	private static final Logger LOG = LoggerFactory.getLogger(JCache.class);

	/** Instead of when a load began: the value comes from the caller. */
	private static final int NOT_LOADED = -1;

	/** Time after which a locked key is tried again. */
	private static final long PUBLISH_AGAIN_MILLIS = 1;

	private final JCacheManager manager;

	private final String name;

	private final VicinalConfiguration<K, V> configuration;

	private final @Nullable Copier copier;

	private final Executor executor = ForkJoinPool.commonPool();

	private final Outside<K, V> outside;

	private final Lifetimes lifetimes;

	private final Listeners<K, V> listeners;

	private final StatisticsBean statistics = new StatisticsBean();

	private final ConfigurationBean management;

	private final Beans beans;

	private final KeyLocks<K> locks;

	private final io.github.vicinal.cache.Cache<K, Held<V>> entries;

	/**
	 * Number of removals of all entries; the result of an earlier load may be outdated.
	 */
	private final AtomicInteger clears = new AtomicInteger();

	private final AtomicBoolean closed = new AtomicBoolean();

	JCache(JCacheManager manager, String name, VicinalConfiguration<K, V> configuration) {
		this.manager = manager;
		this.name = name;
		this.configuration = configuration;
		this.copier = !configuration.isStoreByValue() ? null
				: (configuration.getCopier() != null) ? configuration.getCopier() : new SerializingCopier();
		this.outside = new Outside<>(
				(configuration.getCacheLoaderFactory() != null) ? configuration.getCacheLoaderFactory().create() : null,
				(configuration.getCacheWriterFactory() != null) ? configuration.getCacheWriterFactory().create() : null,
				configuration.isReadThrough(), configuration.isWriteThrough());
		this.lifetimes = new Lifetimes(configuration.getExpiryPolicyFactory().create());
		this.listeners = new Listeners<>(this, this.executor, this::copy, this::copy);
		this.management = new ConfigurationBean(configuration);
		this.beans = new Beans(manager.getURI().toString(), name);
		this.locks = new KeyLocks<>(name, manager.waits());
		this.entries = engine();
		configuration.getCacheEntryListenerConfigurations().forEach(this.listeners::add);
	}

	private io.github.vicinal.cache.Cache<K, Held<V>> engine() {
		CachePolicy policy = Objects.requireNonNull(this.configuration.getPolicy(), "policy");
		CacheBuilder<K, Held<V>> builder = CacheBuilder.<K, Held<V>>named(this.name)
			.policy(policy)
			.maximumSize(this.configuration.getMaximumSize())
			.removalListener(this::left);
		if (!this.lifetimes.eternal()) {
			builder.expireAfter(this.lifetimes.<K, V>expiry());
		}
		return builder.build();
	}

	/** Called by the engine for what left it; only what nobody asked for is news. */
	private void left(K key, Held<V> held, RemovalCause cause) {
		if (cause == RemovalCause.SIZE) {
			this.statistics.evicted();
		}
		else if (cause == RemovalCause.EXPIRED && this.listeners.want(EventType.EXPIRED)) {
			KeyLock lock = this.locks.tryLock(key);
			if (lock != null) {
				publishExpiry(key, held, lock);
			}
			else {
				// This thread may hold other keys, and is to wait for none.
				this.executor.execute(() -> publishExpiryLater(key, held));
			}
		}
	}

	/** Waits for no key: the executor may have no other thread. */
	private void publishExpiryLater(K key, Held<V> held) {
		KeyLock lock = this.locks.tryLock(key);
		if (lock == null) {
			CompletableFuture.delayedExecutor(PUBLISH_AGAIN_MILLIS, TimeUnit.MILLISECONDS, this.executor)
				.execute(() -> publishExpiryLater(key, held));
			return;
		}
		try {
			publishExpiry(key, held, lock);
		}
		catch (RuntimeException ex) {
			LOG.warn("A listener of the cache '{}' failed", this.name, ex);
		}
	}

	/**
	 * Publishes an expiry, unless listeners know of the next entry of the key already,
	 * whose end it would seem to be.
	 */
	private void publishExpiry(K key, Held<V> held, KeyLock lock) {
		try {
			Held<V> present = this.entries.peek(key);
			if ((present == null || !present.isPublished()) && held.end()) {
				this.listeners.publish(EventType.EXPIRED, key, held.value(), held.value());
			}
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	void opened() {
		if (this.configuration.isStatisticsEnabled()) {
			enableStatistics(true);
		}
		if (this.configuration.isManagementEnabled()) {
			enableManagement(true);
		}
	}

	void enableStatistics(boolean enabled) {
		this.configuration.setStatisticsEnabled(enabled);
		this.statistics.enable(enabled);
		this.beans.register("Statistics", this.statistics, enabled);
	}

	void enableManagement(boolean enabled) {
		this.configuration.setManagementEnabled(enabled);
		this.beans.register("Configuration", this.management, enabled);
	}

	VicinalConfiguration<K, V> configuration() {
		return this.configuration;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public CacheManager getCacheManager() {
		return this.manager;
	}

	@Override
	public <C extends Configuration<K, V>> C getConfiguration(Class<C> type) {
		if (!type.isInstance(this.configuration)) {
			throw new IllegalArgumentException(
					"The configuration of the cache '%s' is no %s".formatted(this.name, type));
		}
		return type.cast(this.configuration);
	}

	private <T> T copy(T value) {
		return (this.copier != null) ? this.copier.copy(value, this.manager.getClassLoader()) : value;
	}

	private void checkOpen() {
		if (this.closed.get()) {
			throw new IllegalStateException("The cache '%s' is closed".formatted(this.name));
		}
	}

	private void check(K key) {
		checkOpen();
		Objects.requireNonNull(key, "key");
	}

	private void check(K key, V value) {
		check(key);
		checkTypes(key, value);
	}

	private void checkTypes(K key, V value) {
		Objects.requireNonNull(value, "value");
		checkType("key", this.configuration.getKeyType(), key);
		checkType("value", this.configuration.getValueType(), value);
	}

	private void checkType(String what, Class<?> type, Object given) {
		if (!type.isInstance(given)) {
			throw new ClassCastException("The %s '%s' of %s is no %s, as the cache '%s' wants it".formatted(what, given,
					given.getClass().getName(), type.getName(), this.name));
		}
	}

	/** Returns what is held of a key, without being a use of it. */
	private @Nullable Held<V> find(K key) {
		Held<V> held = this.entries.peek(key);
		if (held == null && !this.lifetimes.eternal()) {
			// It may have expired: this makes the engine publish that.
			held = this.entries.getIfPresent(key);
		}
		return alive(key, held);
	}

	/** Looks up as a use of the entry. */
	private @Nullable Held<V> use(K key) {
		Held<V> held = alive(key, this.entries.getIfPresent(key));
		if (held != null) {
			accessed(key, held);
		}
		return held;
	}

	/**
	 * Returns what is held, unless it has just expired: then the listeners are notified.
	 */
	private @Nullable Held<V> alive(K key, @Nullable Held<V> held) {
		if (held == null || !held.isExpired()) {
			return held;
		}
		KeyLock lock = this.locks.tryLock(key);
		if (lock == null) {
			// The thread that holds the key, or the engine, notices it too.
			return null;
		}
		try {
			if (this.entries.asMap().remove(key, held) && held.end()) {
				this.listeners.publish(EventType.EXPIRED, key, held.value(), held.value());
			}
			return null;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	private void accessed(K key, Held<V> held) {
		long deadline = this.lifetimes.accessed(held.deadline());
		if (deadline != held.deadline()) {
			held.expireAt(deadline);
			// Written again, so that the engine asks for the deadline.
			this.entries.asMap().replace(key, held, held);
		}
	}

	/**
	 * Returns what can be held of an entry. Comes before the entry is written through:
	 * what cannot be copied is to be nowhere then.
	 */
	private Pair<K, V> copy(K key, V value) {
		return new Pair<>(copy(key), copy(value));
	}

	/**
	 * Holds an entry, and notifies the listeners. Called with the key's lock.
	 * @param entry copies that nobody else has
	 * @param old what was held
	 * @return whether the value is held: not if it has expired already
	 */
	private boolean hold(Pair<K, V> entry, @Nullable Held<V> old) {
		return hold(entry, old, NOT_LOADED);
	}

	private boolean hold(Pair<K, V> entry, @Nullable Held<V> before, int clearsBefore) {
		Held<V> old = before;
		if (old != null && old.isExpired()) {
			// While it was written through: what follows is another entry.
			if (old.end()) {
				this.listeners.publish(EventType.EXPIRED, entry.key(), old.value(), old.value());
			}
			old = null;
		}
		if (old == null) {
			return create(entry, true, clearsBefore);
		}
		Held<V> held = new Held<>(entry.value(), this.lifetimes.updated(old.deadline()));
		held.published();
		if (store(entry.key(), held, clearsBefore)) {
			boolean updates = old.end();
			this.listeners.publish(updates ? EventType.UPDATED : EventType.CREATED, entry.key(), held.value(),
					updates ? old.value() : null);
		}
		return true;
	}

	private boolean create(Pair<K, V> entry, boolean publishesExpiry, int clearsBefore) {
		Held<V> held = new Held<>(entry.value(), this.lifetimes.created());
		if (held.isExpired()) {
			if (publishesExpiry) {
				this.listeners.publish(EventType.EXPIRED, entry.key(), held.value(), held.value());
			}
			return false;
		}
		if (store(entry.key(), held, clearsBefore)) {
			held.published();
			this.listeners.publish(EventType.CREATED, entry.key(), held.value(), null);
		}
		return true;
	}

	/** Stores a value, unless it was loaded and all entries have been removed since. */
	private boolean store(K key, Held<V> held, int clearsBefore) {
		if (clearsBefore == NOT_LOADED) {
			this.entries.put(key, held);
			return true;
		}
		if (clearsBefore != this.clears.get()) {
			return false;
		}
		boolean replaced = this.entries.asMap().put(key, held) != null;
		if (replaced || clearsBefore == this.clears.get()) {
			// A count that starts from here on also finds the entry; an earlier one finds
			// the key, which was not removed yet.
			return true;
		}
		this.entries.asMap().remove(key, held);
		return false;
	}

	/** Removes an entry, which may have expired since it was found. */
	private void drop(K key, Held<V> held) {
		boolean first = held.end();
		this.entries.invalidate(key);
		if (first) {
			this.listeners.publish(EventType.REMOVED, key, held.value(), held.value());
		}
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: there is none
	public V get(K key) {
		check(key);
		return lookUp(key);
	}

	private @Nullable V lookUp(K key) {
		long start = this.statistics.start();
		Held<V> held = use(key);
		if (held != null) {
			V value = copy(held.value());
			this.statistics.got(true, start);
			return value;
		}
		try {
			return this.outside.readsThrough() ? load(key) : null;
		}
		finally {
			this.statistics.got(false, start);
		}
	}

	private @Nullable V load(K key) {
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> held = use(key);
			if (held != null) {
				return copy(held.value());
			}
			refuseOwn(lock);
			int clearsBefore = this.clears.get();
			V value = this.outside.load(key);
			return (value != null && create(copy(key, value), false, clearsBefore)) ? value : null;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	/** Refuses to load a key for what this thread already does with it. */
	private void refuseOwn(KeyLock lock) {
		if (lock.getHoldCount() > 1) {
			throw new CacheLoaderException(
					"Cache '%s': the key '%s' is requested by its own load, entry processor, writer or listener"
						.formatted(this.name, lock.key()));
		}
	}

	@Override
	public Map<K, V> getAll(Set<? extends K> keys) {
		checkOpen();
		checkKeys(keys);
		Map<K, V> found = new HashMap<>();
		Set<K> missing = new LinkedHashSet<>();
		for (K key : keys) {
			long start = this.statistics.start();
			Held<V> held = use(key);
			if (held != null) {
				found.put(key, copy(held.value()));
			}
			else {
				missing.add(key);
			}
			this.statistics.got(held != null, start);
		}
		if (!missing.isEmpty() && this.outside.readsThrough()) {
			found.putAll(loadMissing(missing));
		}
		return found;
	}

	private Map<K, V> loadMissing(Set<K> missing) {
		Map<K, V> result = new HashMap<>();
		List<KeyLock> locked = this.locks.lockAll(missing);
		try {
			Set<K> absent = new LinkedHashSet<>();
			for (K key : missing) {
				Held<V> held = find(key);
				if (held != null) {
					result.put(key, copy(held.value()));
				}
				else {
					absent.add(key);
				}
			}
			if (!absent.isEmpty()) {
				locked.stream().filter((lock) -> absent.contains(lock.key())).forEach(this::refuseOwn);
				int clearsBefore = this.clears.get();
				this.outside.loadAll(absent).forEach((key, value) -> {
					if (value != null && absent.contains(key) && create(copy(key, value), false, clearsBefore)) {
						result.put(key, value);
					}
				});
			}
			return result;
		}
		finally {
			this.locks.unlockAll(locked);
		}
	}

	private static void checkKeys(Collection<?> keys) {
		for (Object key : keys) {
			Objects.requireNonNull(key, "key");
		}
	}

	@Override
	public boolean containsKey(K key) {
		check(key);
		return find(key) != null;
	}

	@Override
	public void loadAll(Set<? extends K> keys, boolean replaceExistingValues,
			@Nullable CompletionListener completionListener) {
		checkOpen();
		checkKeys(keys);
		if (!this.outside.canLoad()) {
			if (completionListener != null) {
				completionListener.onCompletion();
			}
			return;
		}
		Set<K> wanted = new LinkedHashSet<>(keys);
		this.executor.execute(() -> {
			try {
				loadInBackground(wanted, replaceExistingValues);
			}
			catch (Throwable ex) {
				if (completionListener != null) {
					completionListener.onException((ex instanceof Exception exception) ? exception
							: new CacheLoaderException("The CacheLoader failed", ex));
				}
				return;
			}
			if (completionListener != null) {
				completionListener.onCompletion();
			}
		});
	}

	private void loadInBackground(Set<K> keys, boolean replaceExistingValues) {
		Set<K> wanted = new LinkedHashSet<>(keys);
		if (!replaceExistingValues) {
			wanted.removeIf((key) -> find(key) != null);
		}
		if (wanted.isEmpty()) {
			return;
		}
		Failures failures = new Failures();
		int clearsBefore = this.clears.get();
		this.outside.loadAll(wanted).forEach((key, value) -> {
			if (value == null || this.closed.get()) {
				return;
			}
			KeyLock lock = this.locks.lock(key);
			try {
				Held<V> old = find(key);
				if (old == null || replaceExistingValues) {
					failures.collect(() -> hold(copy(key, value), old, clearsBefore));
				}
			}
			finally {
				this.locks.unlock(lock);
			}
		});
		failures.rethrow();
	}

	@Override
	public void put(K key, V value) {
		check(key, value);
		long start = this.statistics.start();
		Pair<K, V> copied = copy(key, value);
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> old = find(key);
			this.outside.write(key, value);
			if (hold(copied, old)) {
				this.statistics.put(start);
			}
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: there was none
	public V getAndPut(K key, V value) {
		check(key, value);
		long start = this.statistics.start();
		Pair<K, V> copied = copy(key, value);
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> old = find(key);
			this.outside.write(key, value);
			boolean held = hold(copied, old);
			this.statistics.got(old != null, start);
			if (held) {
				this.statistics.put(start);
			}
			return (old != null) ? copy(old.value()) : null;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	public void putAll(Map<? extends K, ? extends V> map) {
		checkOpen();
		map.forEach((key, value) -> {
			Objects.requireNonNull(key, "key");
			checkTypes(key, value);
		});
		Map<K, V> wanted = new LinkedHashMap<>(map);
		Map<K, Pair<K, V>> copies = new LinkedHashMap<>();
		wanted.forEach((key, value) -> copies.put(key, copy(key, value)));
		Failures failures = new Failures();
		List<KeyLock> locked = this.locks.lockAll(wanted.keySet());
		try {
			if (this.outside.writesThrough()) {
				Collection<Entry<? extends K, ? extends V>> writing = new ArrayList<>();
				wanted.forEach((key, value) -> writing.add(new Pair<>(key, value)));
				failures.add(this.outside.writeAll(writing));
				writing.forEach((unwritten) -> copies.remove(unwritten.getKey()));
			}
			copies.forEach((key, copied) -> {
				long start = this.statistics.start();
				failures.collect(() -> {
					if (hold(copied, find(key))) {
						this.statistics.put(start);
					}
				});
			});
		}
		finally {
			this.locks.unlockAll(locked);
		}
		failures.rethrow();
	}

	@Override
	public boolean putIfAbsent(K key, V value) {
		check(key, value);
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			boolean put = false;
			if (find(key) == null) {
				Pair<K, V> copied = copy(key, value);
				this.outside.write(key, value);
				put = hold(copied, null);
			}
			this.statistics.got(!put, start);
			if (put) {
				this.statistics.put(start);
			}
			return put;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	public boolean remove(K key) {
		check(key);
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			this.outside.delete(key);
			Held<V> held = find(key);
			if (held == null) {
				return false;
			}
			drop(key, held);
			this.statistics.removed(start);
			return true;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	public boolean remove(K key, V oldValue) {
		check(key);
		Objects.requireNonNull(oldValue, "oldValue");
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> held = find(key);
			if (held == null || !held.value().equals(oldValue)) {
				if (held != null) {
					accessed(key, held);
				}
				this.statistics.got(held != null, start);
				return false;
			}
			this.outside.delete(key);
			drop(key, held);
			this.statistics.got(true, start);
			this.statistics.removed(start);
			return true;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: there was none
	public V getAndRemove(K key) {
		check(key);
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			this.outside.delete(key);
			Held<V> held = find(key);
			this.statistics.got(held != null, start);
			if (held == null) {
				return null;
			}
			drop(key, held);
			this.statistics.removed(start);
			return copy(held.value());
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	public boolean replace(K key, V oldValue, V newValue) {
		check(key, newValue);
		Objects.requireNonNull(oldValue, "oldValue");
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> held = find(key);
			if (held == null || !held.value().equals(oldValue)) {
				if (held != null) {
					accessed(key, held);
				}
				this.statistics.got(held != null, start);
				return false;
			}
			Pair<K, V> copied = copy(key, newValue);
			this.outside.write(key, newValue);
			hold(copied, held);
			this.statistics.got(true, start);
			this.statistics.put(start);
			return true;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	public boolean replace(K key, V value) {
		return getAndReplace(key, value) != null;
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: there was none
	public V getAndReplace(K key, V value) {
		check(key, value);
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> held = find(key);
			if (held == null) {
				this.statistics.got(false, start);
				return null;
			}
			Pair<K, V> copied = copy(key, value);
			this.outside.write(key, value);
			hold(copied, held);
			this.statistics.got(true, start);
			this.statistics.put(start);
			return copy(held.value());
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	@Override
	public void removeAll(Set<? extends K> keys) {
		checkOpen();
		checkKeys(keys);
		Failures failures = new Failures();
		List<KeyLock> locked = this.locks.lockAll(keys);
		try {
			Set<K> deleted = new LinkedHashSet<>(keys);
			if (this.outside.writesThrough()) {
				Set<K> deleting = new HashSet<>(keys);
				failures.add(this.outside.deleteAll(deleting));
				deleted.removeAll(deleting);
			}
			for (K key : deleted) {
				long start = this.statistics.start();
				Held<V> held = find(key);
				if (held != null) {
					this.statistics.removed(start);
					failures.collect(() -> drop(key, held));
				}
			}
		}
		finally {
			this.locks.unlockAll(locked);
		}
		failures.rethrow();
	}

	@Override
	public void removeAll() {
		checkOpen();
		this.clears.incrementAndGet();
		this.entries.cleanUp();
		Set<K> keys = new LinkedHashSet<>(this.entries.asMap().keySet());
		if (!keys.isEmpty()) {
			removeAll(keys);
		}
	}

	@Override
	public void clear() {
		checkOpen();
		this.clears.incrementAndGet();
		this.entries.invalidateAll();
	}

	@Override
	@SuppressWarnings("NullAway") // null as JCache says: the processor returned it
	public <T> T invoke(K key, EntryProcessor<K, V, T> processor, Object... arguments) {
		check(key);
		Objects.requireNonNull(processor, "entryProcessor");
		long start = this.statistics.start();
		KeyLock lock = this.locks.lock(key);
		try {
			Held<V> held = find(key);
			this.statistics.got(held != null, start);
			ProcessedEntry<K, V> entry = new ProcessedEntry<>(key, held, this.outside, this::copy);
			int clearsBefore = this.clears.get();
			T result;
			try {
				result = processor.process(entry, arguments);
			}
			catch (CacheException ex) {
				throw ex;
			}
			catch (RuntimeException ex) {
				throw new EntryProcessorException(ex);
			}
			apply(key, held, entry, clearsBefore);
			return result;
		}
		finally {
			this.locks.unlock(lock);
		}
	}

	private void apply(K key, @Nullable Held<V> held, ProcessedEntry<K, V> entry, int clearsBefore) {
		long start = this.statistics.start();
		switch (entry.change()) {
			case NONE -> {
			}
			case ACCESS -> {
				if (held != null) {
					this.entries.getIfPresent(key);
					accessed(key, held);
				}
			}
			case LOAD -> hold(copy(key, entry.newValue()), null, clearsBefore);
			case CREATE, UPDATE -> {
				checkTypes(key, entry.newValue());
				Pair<K, V> copied = copy(key, entry.newValue());
				this.outside.write(key, entry.newValue());
				if (hold(copied, held)) {
					this.statistics.put(start);
				}
			}
			case REMOVE -> {
				this.outside.delete(key);
				this.statistics.removed(start);
				if (held != null) {
					drop(key, held);
				}
			}
		}
	}

	@Override
	public <T> Map<K, EntryProcessorResult<T>> invokeAll(Set<? extends K> keys, EntryProcessor<K, V, T> processor,
			Object... arguments) {
		checkOpen();
		checkKeys(keys);
		Objects.requireNonNull(processor, "entryProcessor");
		Map<K, EntryProcessorResult<T>> results = new HashMap<>();
		for (K key : keys) {
			try {
				T result = invoke(key, processor, arguments);
				if (result != null) {
					results.put(key, () -> result);
				}
			}
			catch (CacheException ex) {
				results.put(key, () -> {
					throw (ex instanceof EntryProcessorException known) ? known : new EntryProcessorException(ex);
				});
			}
		}
		return results;
	}

	@Override
	public void registerCacheEntryListener(CacheEntryListenerConfiguration<K, V> listener) {
		checkOpen();
		this.configuration.addCacheEntryListenerConfiguration(listener);
		this.listeners.add(listener);
	}

	@Override
	public void deregisterCacheEntryListener(CacheEntryListenerConfiguration<K, V> listener) {
		checkOpen();
		this.configuration.removeCacheEntryListenerConfiguration(Objects.requireNonNull(listener, "listener"));
		this.listeners.remove(listener);
	}

	@Override
	public Iterator<Entry<K, V>> iterator() {
		checkOpen();
		return new Entries(this.entries.asMap().entrySet().iterator());
	}

	private final class Entries implements Iterator<Entry<K, V>> {

		private final Iterator<Map.Entry<K, Held<V>>> delegate;

		private Map.@Nullable Entry<K, Held<V>> next;

		private @Nullable K last;

		Entries(Iterator<Map.Entry<K, Held<V>>> delegate) {
			this.delegate = delegate;
		}

		@Override
		public boolean hasNext() {
			while (this.next == null && this.delegate.hasNext()) {
				Map.Entry<K, Held<V>> candidate = this.delegate.next();
				if (!candidate.getValue().isExpired()) {
					this.next = candidate;
				}
			}
			return this.next != null;
		}

		@Override
		public Entry<K, V> next() {
			checkOpen();
			long start = JCache.this.statistics.start();
			if (!hasNext() || this.next == null) {
				throw new NoSuchElementException();
			}
			Map.Entry<K, Held<V>> entry = this.next;
			this.next = null;
			this.last = entry.getKey();
			accessed(entry.getKey(), entry.getValue());
			JCache.this.statistics.got(true, start);
			return new Pair<>(copy(entry.getKey()), copy(entry.getValue().value()));
		}

		@Override
		public void remove() {
			K key = this.last;
			if (key == null) {
				throw new IllegalStateException("next() comes first");
			}
			this.last = null;
			JCache.this.remove(key);
		}

	}

	@Override
	public <T> T unwrap(Class<T> type) {
		for (Object known : new Object[] { this, this.entries }) {
			if (type.isInstance(known)) {
				return type.cast(known);
			}
		}
		throw new IllegalArgumentException("The cache '%s' is no %s; it can be unwrapped to %s".formatted(this.name,
				type.getName(), io.github.vicinal.cache.Cache.class.getName()));
	}

	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		this.manager.forget(this);
		enableStatistics(false);
		enableManagement(false);
		for (Object resource : this.outside.resources()) {
			close(resource);
		}
		close(this.lifetimes.policy());
		for (Registration<K, V> registration : this.listeners.registrations()) {
			close(registration.listener());
		}
		this.clears.incrementAndGet();
		this.entries.invalidateAll();
	}

	private void close(@Nullable Object resource) {
		if (resource instanceof Closeable closeable) {
			try {
				closeable.close();
			}
			catch (IOException ex) {
				LOG.warn("{} of the cache '{}' could not be closed", resource, this.name, ex);
			}
		}
	}

	@Override
	public boolean isClosed() {
		return this.closed.get();
	}

	@Override
	public String toString() {
		return "JCache '%s' (%s)".formatted(this.name, this.entries.policy());
	}

	/** The first failure of several steps, each of which is taken nevertheless. */
	private static final class Failures {

		private @Nullable CacheException first;

		void add(@Nullable CacheWriterException failure) {
			if (this.first == null) {
				this.first = failure;
			}
		}

		void collect(Runnable step) {
			try {
				step.run();
			}
			catch (CacheEntryListenerException ex) {
				if (this.first == null) {
					this.first = ex;
				}
			}
		}

		void rethrow() {
			if (this.first != null) {
				throw this.first;
			}
		}

	}

}
