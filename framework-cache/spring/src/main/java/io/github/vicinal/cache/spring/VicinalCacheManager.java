package io.github.vicinal.cache.spring;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.github.vicinal.cache.CacheBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.transaction.AbstractTransactionSupportingCacheManager;

/**
 * Makes and keeps caches by name.
 *
 * <pre class="code">
 * &#064;Bean
 * CacheManager cacheManager() {
 *     return new VicinalCacheManager((name) -&gt; CacheBuilder.named(name)
 *         .policy(CachePolicy.AIC)
 *         .maximumSize(10_000)
 *         .recordStatistics());
 * }
 * </pre>
 *
 * Caches that are asked for by a new name are made at once, unless the names were fixed
 * by {@link #setCacheNames}. Set properties before the manager is used; thread-safe from
 * then on. With {@code setTransactionAware(true)}, for which {@code spring-tx} must be
 * there, writes and evictions within a transaction take effect after its commit.
 *
 * @since 0.1.0
 */
public class VicinalCacheManager extends AbstractTransactionSupportingCacheManager
		implements BeanFactoryAware, SmartInitializingSingleton {

	private final Function<String, CacheBuilder<Object, Object>> builders;

	private Set<String> names = Set.of();

	private boolean dynamic = true;

	private boolean allowNullValues = true;

	private InvalidationBroadcast broadcast = InvalidationBroadcast.NONE;

	private @Nullable BeanFactory beanFactory;

	/** Caches as they are, without what decorates them. */
	private final ConcurrentMap<String, Engine> engines = new ConcurrentHashMap<>();

	/** A cache as it is, and the count of its changes. */
	private record Engine(io.github.vicinal.cache.Cache<Object, Object> cache, ChangeCounts changes) {
	}

	/**
	 * Creates a manager.
	 * @param builders returns the builder of the cache of a name
	 */
	public VicinalCacheManager(Function<String, CacheBuilder<Object, Object>> builders) {
		this.builders = builders;
	}

	/**
	 * Fixes the names of caches, which are made right away when the manager starts.
	 * @param cacheNames all names there will be
	 */
	public void setCacheNames(Collection<String> cacheNames) {
		this.names = new LinkedHashSet<>(cacheNames);
		this.dynamic = false;
	}

	/**
	 * Lets some caches be made right away when the manager starts, so that what is wrong
	 * with them is known then.
	 * @param cacheNames names; others are made when they are asked for
	 */
	public void setInitialCacheNames(Collection<String> cacheNames) {
		this.names = new LinkedHashSet<>(cacheNames);
		this.dynamic = true;
	}

	/**
	 * Sets whether {@code null} may be cached, which is the default.
	 * @param allow whether it may
	 */
	public void setAllowNullValues(boolean allow) {
		this.allowNullValues = allow;
	}

	/**
	 * Sets the broadcast that notifies other instances of outdated values; none by
	 * default.
	 * @param invalidations the broadcast
	 */
	public void setInvalidationBroadcast(InvalidationBroadcast invalidations) {
		this.broadcast = invalidations;
	}

	@Override
	public void afterPropertiesSet() {
		this.broadcast.start(new LocalReceiver());
		super.afterPropertiesSet();
	}

	@Override
	protected Collection<? extends Cache> loadCaches() {
		return this.names.stream().map(this::create).toList();
	}

	@Override
	protected @Nullable Cache getMissingCache(String name) {
		return this.dynamic ? create(name) : null;
	}

	private VicinalCache create(String name) {
		Engine engine = this.engines.computeIfAbsent(name,
				(absent) -> new Engine(this.builders.apply(absent).build(), new ChangeCounts()));
		return new VicinalCache(engine.cache(), this.allowNullValues, this.broadcast, engine.changes());
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/** Lets the annotations of this context distinguish a fill from a change. */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.broadcast != InvalidationBroadcast.NONE && this.beanFactory != null) {
			boolean isOnly = this.beanFactory.getBeanProvider(CacheManager.class).getIfUnique() == this;
			Fills.install(this.beanFactory, isOnly ? this : null);
		}
	}

	/** Changes engines directly, so that no message is sent again. */
	private final class LocalReceiver implements InvalidationBroadcast.Receiver {

		@Override
		public void evict(String cache, Object key) {
			Engine engine = VicinalCacheManager.this.engines.get(cache);
			if (engine != null) {
				engine.changes().change(key);
				engine.cache().invalidate(key);
			}
		}

		@Override
		public void clear(String cache) {
			Engine engine = VicinalCacheManager.this.engines.get(cache);
			if (engine != null) {
				engine.changes().changeAll();
				engine.cache().invalidateAll();
			}
		}

	}

}
