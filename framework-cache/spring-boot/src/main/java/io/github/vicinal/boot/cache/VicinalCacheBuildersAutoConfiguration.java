package io.github.vicinal.boot.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.cache.CacheProperties.Single;
import io.github.vicinal.boot.client.CallCaches;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.Weigher;
import io.github.vicinal.codec.Codecs;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import io.micrometer.tracing.Tracer;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of what Spring's caches and caches of calls share: the properties
 * under {@code vicinal.cache}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnClass(CacheBuilder.class)
@EnableConfigurationProperties(CacheProperties.class)
@ImportRuntimeHints(CacheRuntimeHints.class)
public final class VicinalCacheBuildersAutoConfiguration {

	private static final String BAGGAGE = "management.tracing.baggage.remote-fields";

	private static final String TRANSFORMER = "org.springframework.cloud.client.loadbalancer.LoadBalancerRequestTransformer";

	private static final String TASK_EXECUTOR = "applicationTaskExecutor";

	@Bean
	@ConditionalOnMissingBean
	CacheBuilders vicinalCacheBuilders(CacheProperties properties, Environment environment,
			ListableBeanFactory beanFactory, ObjectProvider<CacheCustomizer> customizers) {
		return new CacheBuilders(properties, (name) -> dotted(environment, name), (name) -> weigher(beanFactory, name),
				() -> customizers.orderedStream().toList(), () -> beanFactory.containsBean(TASK_EXECUTOR)
						? beanFactory.getBean(TASK_EXECUTOR, Executor.class) : null);
	}

	private static @Nullable Single dotted(Environment environment, String cache) {
		String name = CacheProperties.PREFIX + ".caches." + cache;
		if (environment.containsProperty(name)) {
			// A setting of another cache, which has the first part of the name.
			return null;
		}
		return Binder.get(environment)
			.bind(ConfigurationPropertyName.adapt(name, '.'), Bindable.of(Single.class))
			.orElse(null);
	}

	@Bean
	@ConditionalOnMissingBean(CallCaches.class)
	@ConditionalOnBean(Codecs.class)
	EngineCallCaches vicinalCallCaches(CacheBuilders builders, ObjectProvider<Codecs> codecs,
			ObjectProvider<CallCacheKeyContributor> contributors, ObjectProvider<CallCacheMeters> meters,
			ObjectProvider<CallCacheBroadcast> broadcast, ObjectProvider<CallCacheBaggage> baggage,
			ListableBeanFactory beanFactory, Environment environment) {
		CallCacheBaggage traced = baggage.getIfAvailable();
		return new EngineCallCaches(builders, codecs::getObject, () -> contributors.orderedStream().toList(),
				() -> new RequestAdditions.Application(balancerTransformers(beanFactory),
						Binder.get(environment).bind(BAGGAGE, Bindable.listOf(String.class)).orElse(List.of())),
				(traced != null) ? traced::travelling : null,
				(cache) -> meters.ifAvailable((known) -> known.bind(cache)),
				(cache) -> broadcast.ifAvailable((known) -> known.cleared(cache)));
	}

	/** Transformers that Spring Cloud's load balancer applies to requests. */
	private static List<Class<?>> balancerTransformers(ListableBeanFactory beanFactory) {
		ClassLoader classLoader = VicinalCacheBuildersAutoConfiguration.class.getClassLoader();
		if (!ClassUtils.isPresent(TRANSFORMER, classLoader)) {
			return List.of();
		}
		List<Class<?>> types = new ArrayList<>();
		for (String name : beanFactory.getBeanNamesForType(ClassUtils.resolveClassName(TRANSFORMER, classLoader))) {
			Class<?> type = beanFactory.getType(name);
			// Spring Cloud's own transformers treat all requests alike.
			if (type != null && !type.getName().startsWith("org.springframework.cloud.")) {
				types.add(type);
			}
		}
		return types;
	}

	/** Notifies other instances of cleared caches of calls. */
	@FunctionalInterface
	interface CallCacheBroadcast {

		void cleared(String cache);

	}

	/** Shows caches of calls to whatever meters them. */
	@FunctionalInterface
	interface CallCacheMeters {

		void bind(Cache<?, ?> cache);

	}

	/** Baggage of traces. */
	@FunctionalInterface
	interface CallCacheBaggage {

		/** Returns what the trace of the calling thread adds to requests, by name. */
		Map<String, String> travelling();

	}

	/** Beans for applications with traces. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Tracer.class)
	static class Traced {

		private static final String LOCAL = "management.tracing.baggage.local-fields";

		/** Baggage need not be named in properties to travel, as with OpenTelemetry. */
		@Bean
		CallCacheBaggage vicinalCallCacheBaggage(ObjectProvider<Tracer> tracer, Environment environment) {
			SingletonSupplier<Tracer> known = SingletonSupplier.of(() -> tracer.getIfUnique(() -> Tracer.NOOP));
			Set<String> local = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
			local.addAll(Binder.get(environment).bind(LOCAL, Bindable.listOf(String.class)).orElse(List.of()));
			return () -> {
				Map<String, String> all = known.obtain().getAllBaggage();
				if (local.isEmpty() || all.isEmpty()) {
					return all;
				}
				Map<String, String> travelling = new HashMap<>(all);
				travelling.keySet().removeIf(local::contains);
				return travelling;
			};
		}

	}

	/** Beans for applications with meters. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(CacheMeterBinder.class)
	static class Metered {

		@Bean
		CallCacheMeters vicinalCallCacheMeters(ObjectProvider<MeterRegistry> registry) {
			return (cache) -> registry
				.ifAvailable((known) -> new EngineMetrics(cache, Tags.of("cache.manager", "calls")).bindTo(known));
		}

	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static @Nullable Weigher<Object, Object> weigher(ListableBeanFactory beanFactory, String cache) {
		Map<String, Weigher> weighers = beanFactory.getBeansOfType(Weigher.class);
		Weigher<Object, Object> own = weighers.get(cache);
		return (own != null || weighers.size() != 1) ? own : weighers.values().iterator().next();
	}

}
