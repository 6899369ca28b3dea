package io.github.vicinal.cache.jcache;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

import javax.cache.CacheManager;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;

import org.jspecify.annotations.Nullable;

/**
 * The entry to caches of this project for those who use JCache.
 * <p>
 * The default URI reads {@code vicinal-jcache.properties} from the class path if it is
 * there; a URI with the scheme {@code file}, {@code jar} or {@code classpath} reads that
 * file; any other only names the cache manager. Properties: {@code vicinal.cache.policy}
 * (by default {@code TINY_LFU}) and {@code vicinal.cache.maximum-size} (by default 10000
 * entries) for all caches, and {@code vicinal.cache.caches.<name>.policy} and
 * {@code .maximum-size} for one.
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class VicinalCachingProvider implements CachingProvider {

	private static final URI DEFAULT_URI = URI.create("vicinal:default");

	/** Guards the managers; never held while a manager is closed. */
	private final ReentrantLock lock = new ReentrantLock();

	private final Map<ClassLoader, Map<URI, JCacheManager>> managers = new WeakHashMap<>();

	private final Waits waits = new Waits();

	/**
	 * Creates a provider; {@code Caching.getCachingProvider()} does.
	 */
	public VicinalCachingProvider() {
	}

	@Override
	public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader,
			@Nullable Properties properties) {
		URI managerUri = (uri != null) ? uri : getDefaultURI();
		ClassLoader loader = loader(classLoader);
		this.lock.lock();
		try {
			return this.managers.computeIfAbsent(loader, (absent) -> new HashMap<>())
				.computeIfAbsent(managerUri, (absent) -> new JCacheManager(this, managerUri, loader,
						(properties != null) ? properties : new Properties()));
		}
		finally {
			this.lock.unlock();
		}
	}

	private ClassLoader loader(@Nullable ClassLoader loader) {
		return (loader != null) ? loader : getDefaultClassLoader();
	}

	@Override
	public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader) {
		return getCacheManager(uri, classLoader, getDefaultProperties());
	}

	@Override
	public CacheManager getCacheManager() {
		return getCacheManager(getDefaultURI(), getDefaultClassLoader());
	}

	/**
	 * Returns the context class loader of the thread, or that of this class if there is
	 * none.
	 */
	@Override
	public ClassLoader getDefaultClassLoader() {
		ClassLoader context = Thread.currentThread().getContextClassLoader();
		return (context != null) ? context : VicinalCachingProvider.class.getClassLoader();
	}

	@Override
	public URI getDefaultURI() {
		return DEFAULT_URI;
	}

	@Override
	public Properties getDefaultProperties() {
		return new Properties();
	}

	@Override
	public void close() {
		List<JCacheManager> closing = new ArrayList<>();
		this.lock.lock();
		try {
			this.managers.values().forEach((byUri) -> closing.addAll(byUri.values()));
			this.managers.clear();
		}
		finally {
			this.lock.unlock();
		}
		closing.forEach(JCacheManager::close);
	}

	@Override
	public void close(@Nullable ClassLoader classLoader) {
		Map<URI, JCacheManager> closing;
		this.lock.lock();
		try {
			closing = this.managers.remove(loader(classLoader));
		}
		finally {
			this.lock.unlock();
		}
		if (closing != null) {
			closing.values().forEach(JCacheManager::close);
		}
	}

	@Override
	public void close(@Nullable URI uri, @Nullable ClassLoader classLoader) {
		JCacheManager closing = remove((uri != null) ? uri : getDefaultURI(), loader(classLoader));
		if (closing != null) {
			closing.close();
		}
	}

	Waits waits() {
		return this.waits;
	}

	/** By identity, not by names, since another manager may have them by now. */
	void forget(JCacheManager manager) {
		this.lock.lock();
		try {
			this.managers.values().removeIf((byUri) -> byUri.values().remove(manager) && byUri.isEmpty());
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable JCacheManager remove(URI uri, ClassLoader loader) {
		this.lock.lock();
		try {
			Map<URI, JCacheManager> byUri = this.managers.get(loader);
			if (byUri == null) {
				return null;
			}
			JCacheManager removed = byUri.remove(uri);
			if (byUri.isEmpty()) {
				this.managers.remove(loader);
			}
			return removed;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean isSupported(OptionalFeature feature) {
		return feature == OptionalFeature.STORE_BY_REFERENCE;
	}

}
