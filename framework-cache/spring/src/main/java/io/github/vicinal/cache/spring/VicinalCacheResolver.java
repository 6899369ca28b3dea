package io.github.vicinal.cache.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.cache.interceptor.SimpleCacheResolver;

/**
 * Tells a fill from a change: what {@code @Cacheable} stores after a miss is not
 * broadcast to other instances, what {@code @CachePut} stores is. Only the resolver knows
 * for which annotation a cache is used. Thread-safe.
 * <p>
 * A {@link VicinalCacheManager} that is a bean installs one by itself, unless the
 * application has a resolver of its own. An application that chooses the resolver, as by
 * {@code CachingConfigurer}, returns this one.
 *
 * @since 0.1.0
 */
public class VicinalCacheResolver extends SimpleCacheResolver {

	private final VicinalCacheManager manager;

	/**
	 * Creates a resolver.
	 * @param manager has the caches
	 */
	public VicinalCacheResolver(VicinalCacheManager manager) {
		super(manager);
		this.manager = manager;
	}

	@Override
	public Collection<? extends Cache> resolveCaches(CacheOperationInvocationContext<?> context) {
		Collection<? extends Cache> caches = super.resolveCaches(context);
		if (!(context.getOperation() instanceof CacheableOperation)) {
			return caches;
		}
		List<Cache> filled = new ArrayList<>(caches.size());
		for (Cache cache : caches) {
			filled.add(this.manager.forFills(cache));
		}
		return filled;
	}

}
