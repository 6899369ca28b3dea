package io.github.vicinal.boot.cache;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.vicinal.boot.cache.VicinalCacheBuildersAutoConfiguration.CallCacheBroadcast;
import io.github.vicinal.cache.spring.InvalidationBroadcast;
import io.github.vicinal.cache.spring.VicinalCache;
import io.github.vicinal.cache.spring.VicinalCacheManager;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CacheManagerCustomizer;
import org.springframework.boot.cache.autoconfigure.CacheManagerCustomizers;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration of Spring's cache abstraction: where caching is enabled, and the
 * application has neither a cache manager nor chosen a {@code spring.cache.type}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = CacheAutoConfiguration.class, after = VicinalCacheBuildersAutoConfiguration.class)
@ConditionalOnClass({ VicinalCacheManager.class, CacheAutoConfiguration.class })
@ConditionalOnBean({ CacheAspectSupport.class, CacheBuilders.class })
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
@ConditionalOnProperty(name = "vicinal.cache.enabled", matchIfMissing = true)
@Conditional(VicinalCacheAutoConfiguration.NoTypeChosen.class)
public final class VicinalCacheAutoConfiguration {

	/** Distinguishes a cache of calls from one of Spring's with the same name. */
	private static final String CALLS = "calls:";

	@Bean
	VicinalCacheManager cacheManager(CacheProperties properties, CacheBuilders builders, Environment environment,
			ObjectProvider<CacheManagerCustomizer<?>> customizers, ObjectProvider<InvalidationBroadcast> broadcast,
			ObjectProvider<EngineCallCaches> callCaches) {
		VicinalCacheManager manager = new VicinalCacheManager(builders::apply);
		manager.setAllowNullValues(properties.allowNullValues());
		manager.setTransactionAware(properties.transactionAware());
		broadcast.ifAvailable((known) -> manager.setInvalidationBroadcast(new BroadcastWithCalls(known, callCaches)));
		List<String> fixed = Binder.get(environment)
			.bind("spring.cache.cache-names", String[].class)
			.map(List::of)
			.orElse(List.of());
		Set<String> names = new LinkedHashSet<>(properties.caches().keySet());
		// Those of calls are none of Spring's, unless they are asked for there, too.
		callCaches.ifAvailable((known) -> known.caches().forEach((cache) -> names.remove(cache.name())));
		names.addAll(fixed);
		boolean dynamic = (properties.dynamic() != null) ? properties.dynamic() : fixed.isEmpty();
		if (dynamic) {
			builders.verifyDefaults();
			manager.setInitialCacheNames(names);
		}
		else {
			manager.setCacheNames(names);
		}
		return new CacheManagerCustomizers(customizers.orderedStream().toList()).customize(manager);
	}

	/** The manager starts the broadcast, so it has to be there. */
	@Bean
	CallCacheBroadcast vicinalCallCacheBroadcast(ObjectProvider<InvalidationBroadcast> broadcast) {
		return (cache) -> broadcast.ifAvailable((known) -> known.cleared(CALLS + cache));
	}

	/**
	 * Lets what other instances clear reach caches of calls, too. Their keys are known
	 * here only, so that no single one is evicted.
	 */
	private record BroadcastWithCalls(InvalidationBroadcast broadcast,
			ObjectProvider<EngineCallCaches> callCaches) implements InvalidationBroadcast {

		@Override
		public void evicted(String cache, Object key) {
			this.broadcast.evicted(cache, key);
		}

		@Override
		public void cleared(String cache) {
			this.broadcast.cleared(cache);
		}

		@Override
		public void start(Receiver receiver) {
			this.broadcast.start(new Receiver() {
				@Override
				public void evict(String cache, Object key) {
					receiver.evict(cache, key);
				}

				@Override
				public void clear(String cache) {
					if (cache.startsWith(CALLS)) {
						BroadcastWithCalls.this.callCaches
							.ifAvailable((known) -> known.clearHere(cache.substring(CALLS.length())));
					}
					else {
						receiver.clear(cache);
					}
				}
			});
		}

	}

	/** Beans for applications with meters. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ MeterBinder.class, CacheMeterBinderProvider.class })
	static class Metered {

		@Bean
		CacheMeterBinderProvider<VicinalCache> vicinalCacheMeterBinderProvider() {
			return (cache, tags) -> new EngineMetrics(cache.getNativeCache(), tags);
		}

	}

	/** Matches unless the application chooses a type of cache. */
	static final class NoTypeChosen extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String type = context.getEnvironment().getProperty("spring.cache.type");
			ConditionMessage.Builder message = ConditionMessage.forCondition("Vicinal's caches");
			return (type == null) ? ConditionOutcome.match(message.because("spring.cache.type is not set"))
					: ConditionOutcome.noMatch(message.because("spring.cache.type is " + type));
		}

	}

}
