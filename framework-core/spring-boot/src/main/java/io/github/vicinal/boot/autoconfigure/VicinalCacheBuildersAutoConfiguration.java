package io.github.vicinal.boot.autoconfigure;

import java.util.Map;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.github.vicinal.boot.cache.CacheBuilders;
import io.github.vicinal.boot.cache.CacheCustomizer;
import io.github.vicinal.boot.cache.CacheProperties;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.Weigher;

/**
 * Auto-configuration of what Spring's caches and caches of calls share: the properties
 * under {@code vicinal.cache}.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnClass(CacheBuilder.class)
@EnableConfigurationProperties(CacheProperties.class)
public final class VicinalCacheBuildersAutoConfiguration {

	private static final String TASK_EXECUTOR = "applicationTaskExecutor";

	@Bean
	@ConditionalOnMissingBean
	CacheBuilders vicinalCacheBuilders(CacheProperties properties, ListableBeanFactory beanFactory,
			ObjectProvider<CacheCustomizer> customizers) {
		return new CacheBuilders(properties, (name) -> weigher(beanFactory, name),
				() -> customizers.orderedStream().toList(), () -> beanFactory.containsBean(TASK_EXECUTOR)
						? beanFactory.getBean(TASK_EXECUTOR, Executor.class) : null);
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static @Nullable Weigher<Object, Object> weigher(ListableBeanFactory beanFactory, String cache) {
		Map<String, Weigher> weighers = beanFactory.getBeansOfType(Weigher.class);
		Weigher<Object, Object> own = weighers.get(cache);
		return (own != null || weighers.size() != 1) ? own : weighers.values().iterator().next();
	}

}
