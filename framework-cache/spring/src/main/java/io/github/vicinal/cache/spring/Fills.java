package io.github.vicinal.cache.spring;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.cache.jcache.interceptor.DefaultJCacheOperationSource;
import org.springframework.cache.jcache.interceptor.JCacheAspectSupport;
import org.springframework.cache.jcache.interceptor.SimpleExceptionCacheResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Lets whatever annotations fill a cache through do so without a broadcast: the default
 * resolver, resolvers and managers that annotations name, and JCache's annotations.
 */
final class Fills {

	private static final boolean JCACHE = isPresent("javax.cache.annotation.CacheResult")
			&& isPresent("org.springframework.cache.jcache.interceptor.DefaultJCacheOperationSource");

	private Fills() {
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, Fills.class.getClassLoader());
	}

	/**
	 * Installs it in the aspects of a context.
	 * @param beans the context
	 * @param manager the manager that annotations use which name none, or {@code null} if
	 * that is another
	 */
	static void install(BeanFactory beans, @Nullable VicinalCacheManager manager) {
		for (CacheAspectSupport aspect : beans.getBeanProvider(CacheAspectSupport.class)) {
			CacheResolver resolver = aspect.getCacheResolver();
			if (resolver != null && !knowsFills(resolver)) {
				aspect.setCacheResolver(new FillResolver(() -> resolver));
			}
			else if (resolver == null && manager != null) {
				aspect.setCacheResolver(new VicinalCacheResolver(manager));
			}
			CacheOperationSource source = aspect.getCacheOperationSource();
			if (source != null && !(source instanceof FillOperations)
					&& beans instanceof ConfigurableBeanFactory configurable) {
				aspect.setCacheOperationSource(new FillOperations(source, configurable));
			}
		}
		if (JCACHE) {
			Annotations.install(beans);
		}
	}

	private static boolean knowsFills(CacheResolver resolver) {
		return resolver instanceof VicinalCacheResolver || resolver instanceof FillResolver;
	}

	/** Loaded only where JCache's annotations are. */
	private static final class Annotations {

		private Annotations() {
		}

		/** Operations keep the resolvers of their source, which has made them already. */
		static void install(BeanFactory beans) {
			for (JCacheAspectSupport aspect : beans.getBeanProvider(JCacheAspectSupport.class)) {
				if (aspect.getCacheOperationSource().getClass() == DefaultJCacheOperationSource.class) {
					DefaultJCacheOperationSource source = (DefaultJCacheOperationSource) aspect
						.getCacheOperationSource();
					aspect.setCacheOperationSource(new FillingSource(source, beans));
				}
			}
		}

	}

	/** Same as another source, with resolvers that know fills. */
	private static final class FillingSource extends DefaultJCacheOperationSource {

		FillingSource(DefaultJCacheOperationSource source, BeanFactory beans) {
			setBeanFactory(beans);
			if (source.getKeyGenerator() != null) {
				setKeyGenerator(source.getKeyGenerator());
			}
			Supplier<CacheManager> manager = SingletonSupplier.of(() -> (source.getCacheManager() != null)
					? source.getCacheManager() : beans.getBean(CacheManager.class));
			setCacheResolver(new FillResolver(
					configuredOr(source.getCacheResolver(), () -> new SimpleCacheResolver(manager.get()))));
			setExceptionCacheResolver(new FillResolver(configuredOr(source.getExceptionCacheResolver(),
					() -> new SimpleExceptionCacheResolver(manager.get()))));
		}

		private static Supplier<CacheResolver> configuredOr(@Nullable CacheResolver configured,
				Supplier<CacheResolver> usual) {
			return (configured != null) ? () -> configured : SingletonSupplier.of(usual);
		}

	}

}
