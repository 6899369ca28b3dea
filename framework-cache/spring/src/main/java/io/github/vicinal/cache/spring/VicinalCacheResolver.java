package io.github.vicinal.cache.spring;

import java.util.Collection;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.SimpleCacheResolver;

/**
 * Distinguishes a fill from a change. Values that {@code @Cacheable} and JCache's
 * {@code @CacheResult} store after a miss are not broadcast to other instances; values of
 * {@code @CachePut} are. Only the resolver knows for which annotation a cache is used.
 * Thread-safe.
 * <p>
 * A {@link VicinalCacheManager} that is a bean with a broadcast installs one by itself,
 * and lets the resolvers and managers that annotations name do the same.
 *
 * @since 0.1.0
 */
public class VicinalCacheResolver extends SimpleCacheResolver {

	/**
	 * Creates a resolver.
	 * @param manager has the caches
	 */
	public VicinalCacheResolver(VicinalCacheManager manager) {
		super(manager);
	}

	@Override
	public Collection<? extends Cache> resolveCaches(CacheOperationInvocationContext<?> context) {
		return FillResolver.forOperation(super.resolveCaches(context), context);
	}

}
