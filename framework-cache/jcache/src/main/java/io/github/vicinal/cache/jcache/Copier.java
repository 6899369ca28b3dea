package io.github.vicinal.cache.jcache;

/**
 * Makes the copies that store-by-value needs: of keys and values on their way into a
 * cache, and of values on their way out.
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Copier {

	/**
	 * Returns a value that shares nothing mutable with another.
	 * @param <T> the type of the value
	 * @param value the value; not changed
	 * @param loader the class loader of the cache manager
	 * @return a copy, or {@code value} itself if it is deeply immutable
	 * @throws javax.cache.CacheException if the value cannot be copied
	 */
	<T> T copy(T value, ClassLoader loader);

}
