package io.github.vicinal.cache.jcache;

import java.lang.ref.WeakReference;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.spi.CachingProvider;

import io.github.vicinal.cache.CachePolicy;
import org.jspecify.annotations.Nullable;

/** Keeps the caches of one URI and class loader. */
final class JCacheManager implements CacheManager {

	private final VicinalCachingProvider provider;

	private final URI uri;

	/** The provider keeps managers by their loader as long as something else does. */
	private final WeakReference<ClassLoader> loader;

	private final Properties properties = new Properties();

	private final Defaults defaults;

	private final ConcurrentMap<String, JCache<?, ?>> caches = new ConcurrentHashMap<>();

	/** Creating a cache and closing the manager exclude one another. */
	private final ReentrantLock lock = new ReentrantLock();

	private volatile boolean closed;

	JCacheManager(VicinalCachingProvider provider, URI uri, ClassLoader loader, Properties properties) {
		this.provider = provider;
		this.uri = uri;
		this.loader = new WeakReference<>(loader);
		this.properties.putAll(properties);
		this.defaults = new Defaults(uri, uri.equals(provider.getDefaultURI()), loader, properties);
	}

	@Override
	public CachingProvider getCachingProvider() {
		return this.provider;
	}

	@Override
	public URI getURI() {
		return this.uri;
	}

	@Override
	public ClassLoader getClassLoader() {
		ClassLoader known = this.loader.get();
		return (known != null) ? known : JCacheManager.class.getClassLoader();
	}

	@Override
	public Properties getProperties() {
		return this.properties;
	}

	@Override
	public <K, V, C extends Configuration<K, V>> Cache<K, V> createCache(String name, C configuration) {
		Objects.requireNonNull(name, "cacheName");
		Objects.requireNonNull(configuration, "configuration");
		this.lock.lock();
		try {
			checkOpen();
			if (this.caches.containsKey(name)) {
				throw new CacheException("There is a cache '%s' already".formatted(name));
			}
			JCache<K, V> cache = new JCache<>(this, name, complete(name, configuration));
			try {
				cache.opened();
			}
			catch (RuntimeException ex) {
				cache.close();
				throw ex;
			}
			this.caches.put(name, cache);
			return cache;
		}
		finally {
			this.lock.unlock();
		}
	}

	private <K, V> VicinalConfiguration<K, V> complete(String name, Configuration<K, V> configuration) {
		CompleteConfiguration<K, V> complete = (configuration instanceof CompleteConfiguration<K, V> given) ? given
				: new MutableConfiguration<K, V>().setTypes(configuration.getKeyType(), configuration.getValueType())
					.setStoreByValue(configuration.isStoreByValue());
		VicinalConfiguration<K, V> copy = new VicinalConfiguration<>(complete);
		CachePolicy policy = copy.getPolicy();
		copy.setPolicy((policy != null) ? policy : this.defaults.policy(name));
		if (copy.getMaximumSize() < 0) {
			copy.setMaximumSize(this.defaults.maximumSize(name));
		}
		return copy;
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" }) // null as JCache says: there is none
	public <K, V> Cache<K, V> getCache(String name, Class<K> keyType, Class<V> valueType) {
		checkOpen();
		Objects.requireNonNull(keyType, "keyType");
		Objects.requireNonNull(valueType, "valueType");
		JCache<K, V> cache = (JCache<K, V>) this.caches.get(Objects.requireNonNull(name, "cacheName"));
		if (cache != null) {
			checkType(name, "keys", cache.configuration().getKeyType(), keyType);
			checkType(name, "values", cache.configuration().getValueType(), valueType);
		}
		return cache;
	}

	private static void checkType(String name, String what, Class<?> is, Class<?> asked) {
		if (is != asked) {
			throw new ClassCastException(
					"The %s of the cache '%s' are %s, not %s".formatted(what, name, is.getName(), asked.getName()));
		}
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" }) // null as JCache says: there is none
	public <K, V> Cache<K, V> getCache(String name) {
		checkOpen();
		return (JCache<K, V>) this.caches.get(Objects.requireNonNull(name, "cacheName"));
	}

	@Override
	public Iterable<String> getCacheNames() {
		checkOpen();
		return Set.copyOf(new TreeSet<>(this.caches.keySet()));
	}

	@Override
	public void destroyCache(String name) {
		JCache<?, ?> cache = find(name);
		if (cache != null) {
			cache.close();
		}
	}

	Waits waits() {
		return this.provider.waits();
	}

	void forget(JCache<?, ?> cache) {
		this.caches.remove(cache.getName(), cache);
	}

	@Override
	public void enableManagement(String name, boolean enabled) {
		JCache<?, ?> cache = find(name);
		if (cache != null) {
			cache.enableManagement(enabled);
		}
	}

	@Override
	public void enableStatistics(String name, boolean enabled) {
		JCache<?, ?> cache = find(name);
		if (cache != null) {
			cache.enableStatistics(enabled);
		}
	}

	private @Nullable JCache<?, ?> find(String name) {
		checkOpen();
		return this.caches.get(Objects.requireNonNull(name, "cacheName"));
	}

	private void checkOpen() {
		if (this.closed) {
			throw new IllegalStateException("The cache manager %s is closed".formatted(this.uri));
		}
	}

	@Override
	public void close() {
		List<JCache<?, ?>> closing;
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			this.closed = true;
			closing = new ArrayList<>(this.caches.values());
		}
		finally {
			this.lock.unlock();
		}
		this.provider.forget(this);
		closing.forEach(JCache::close);
	}

	@Override
	public boolean isClosed() {
		return this.closed;
	}

	@Override
	public <T> T unwrap(Class<T> type) {
		if (!type.isInstance(this)) {
			throw new IllegalArgumentException("The cache manager is not a " + type.getName());
		}
		return type.cast(this);
	}

}
