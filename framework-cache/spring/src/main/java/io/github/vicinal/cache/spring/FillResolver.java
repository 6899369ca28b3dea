package io.github.vicinal.cache.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.CacheableOperation;

/** Hands out the caches of another resolver, those of reads as caches that are filled. */
final class FillResolver implements CacheResolver {

	private static final String CACHE_RESULT = "org.springframework.cache.jcache.interceptor.CacheResultOperation";

	private final Supplier<CacheResolver> delegate;

	FillResolver(Supplier<CacheResolver> delegate) {
		this.delegate = delegate;
	}

	@Override
	public Collection<? extends Cache> resolveCaches(CacheOperationInvocationContext<?> context) {
		return forOperation(this.delegate.get().resolveCaches(context), context);
	}

	static Collection<? extends Cache> forOperation(Collection<? extends Cache> caches,
			CacheOperationInvocationContext<?> context) {
		Object operation = context.getOperation();
		if (!(operation instanceof CacheableOperation) && !operation.getClass().getName().equals(CACHE_RESULT)) {
			return caches;
		}
		List<Cache> filled = new ArrayList<>(caches.size());
		caches.forEach((cache) -> filled.add(VicinalCache.forFills(cache)));
		return filled;
	}

}
