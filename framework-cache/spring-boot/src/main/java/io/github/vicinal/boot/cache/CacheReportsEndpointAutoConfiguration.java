package io.github.vicinal.boot.cache;

import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.cache.Cache;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of {@link CacheReportsEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalCacheAutoConfiguration.class)
@ConditionalOnClass({ ConditionalOnAvailableEndpoint.class, Cache.class })
@ConditionalOnBean(CacheBuilders.class)
@ConditionalOnAvailableEndpoint(CacheReportsEndpoint.class)
public final class CacheReportsEndpointAutoConfiguration {

	/** Name of the manager in the meters' tag {@code cache.manager}. */
	private static final String CALLS = "calls";

	@Bean
	@ConditionalOnMissingBean
	CacheReportsEndpoint vicinalCacheReportsEndpoint(ListableBeanFactory beanFactory,
			ObjectProvider<EngineCallCaches> callCaches) {
		return new CacheReportsEndpoint(() -> {
			Map<String, Cache<?, ?>> caches = new TreeMap<>();
			beanFactory.getBeansOfType(CacheManager.class)
				.forEach((bean, manager) -> manager.getCacheNames().forEach((name) -> {
					org.springframework.cache.Cache cache = manager.getCache(name);
					if (cache != null && cache.getNativeCache() instanceof Cache<?, ?> engine) {
						add(name, engine, bean, caches);
					}
				}));
			callCaches
				.ifAvailable((known) -> known.caches().forEach((cache) -> add(cache.name(), cache, CALLS, caches)));
			return caches;
		});
	}

	/** Adds a cache. If the name is taken, the owner's name is appended. */
	private static void add(String name, Cache<?, ?> cache, String owner, Map<String, Cache<?, ?>> caches) {
		Cache<?, ?> other = caches.putIfAbsent(name, cache);
		if (other != null && other != cache) {
			caches.put(name + "@" + owner, cache);
		}
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(CacheReportsEndpoint.class)
	@ConditionalOnAvailableEndpoint(endpoint = CacheReportsEndpoint.class, exposure = EndpointExposure.WEB)
	CachePageEndpointExtension vicinalCachePageEndpointExtension(CacheReportsEndpoint endpoint) {
		return new CachePageEndpointExtension(endpoint);
	}

}
