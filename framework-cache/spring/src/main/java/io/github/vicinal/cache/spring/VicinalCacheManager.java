package io.github.vicinal.cache.spring;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.transaction.AbstractTransactionSupportingCacheManager;

import io.github.vicinal.cache.CacheBuilder;

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
public class VicinalCacheManager extends AbstractTransactionSupportingCacheManager {

	private final Function<String, CacheBuilder<Object, Object>> builders;

	private Set<String> names = Set.of();

	private boolean dynamic = true;

	private boolean allowNullValues = true;

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
	 * Says of some caches that they are made right away when the manager starts, so that
	 * what is wrong with them is known then.
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

	@Override
	protected Collection<? extends Cache> loadCaches() {
		List<VicinalCache> caches = this.names.stream().map(this::create).toList();
		return caches;
	}

	@Override
	protected @Nullable Cache getMissingCache(String name) {
		return this.dynamic ? create(name) : null;
	}

	private VicinalCache create(String name) {
		return new VicinalCache(this.builders.apply(name).build(), this.allowNullValues);
	}

}
