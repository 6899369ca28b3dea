package io.github.vicinal.boot.cache;

import io.github.vicinal.cache.CacheBuilder;

/**
 * Configures a cache beyond its properties: a removal listener, an expiry for each entry,
 * a policy of the user's own. Beans of this type are asked, in their order, for each
 * cache that is made from properties, after the properties.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CacheCustomizer {

	/**
	 * Called before a cache is made.
	 * @param name the name of the cache
	 * @param builder to be changed
	 */
	void customize(String name, CacheBuilder<Object, Object> builder);

}
