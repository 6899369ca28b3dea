package io.github.vicinal.cache.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.util.StringUtils;

/**
 * The operations of annotations, where those that fill a cache and name a resolver or a
 * manager name a {@link FillResolver} of it instead. Thread-safe.
 */
final class FillOperations implements CacheOperationSource {

	private static final String PREFIX = FillResolver.class.getName() + ".";

	private final CacheOperationSource delegate;

	private final ConfigurableBeanFactory beans;

	FillOperations(CacheOperationSource delegate, ConfigurableBeanFactory beans) {
		this.delegate = delegate;
		this.beans = beans;
	}

	@Override
	public boolean isCandidateClass(Class<?> type) {
		return this.delegate.isCandidateClass(type);
	}

	@Override
	public boolean hasCacheOperations(Method method, @Nullable Class<?> type) {
		return this.delegate.hasCacheOperations(method, type);
	}

	@Override
	public @Nullable Collection<CacheOperation> getCacheOperations(Method method, @Nullable Class<?> type) {
		Collection<CacheOperation> operations = this.delegate.getCacheOperations(method, type);
		if (operations == null || operations.stream().noneMatch(FillOperations::namesOne)) {
			return operations;
		}
		List<CacheOperation> filling = new ArrayList<>(operations.size());
		operations.forEach(
				(operation) -> filling.add(namesOne(operation) ? filling((CacheableOperation) operation) : operation));
		return filling;
	}

	private static boolean namesOne(CacheOperation operation) {
		return operation instanceof CacheableOperation && operation.getClass() == CacheableOperation.class
				&& (StringUtils.hasText(operation.getCacheResolver())
						|| StringUtils.hasText(operation.getCacheManager()));
	}

	private CacheOperation filling(CacheableOperation operation) {
		CacheableOperation.Builder builder = new CacheableOperation.Builder();
		builder.setName(operation.getName());
		builder.setCacheNames(operation.getCacheNames().toArray(String[]::new));
		builder.setKey(operation.getKey());
		builder.setKeyGenerator(operation.getKeyGenerator());
		builder.setCondition(operation.getCondition());
		builder.setUnless((operation.getUnless() != null) ? operation.getUnless() : "");
		builder.setSync(operation.isSync());
		builder.setCacheResolver(StringUtils.hasText(operation.getCacheResolver())
				? resolver(operation.getCacheResolver()) : resolverOf(operation.getCacheManager()));
		return builder.build();
	}

	private String resolver(String name) {
		return registered(PREFIX + "resolver." + name,
				() -> BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.beans, CacheResolver.class, name));
	}

	private String resolverOf(String manager) {
		return registered(PREFIX + "manager." + manager, () -> new SimpleCacheResolver(
				BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.beans, CacheManager.class, manager)));
	}

	/** The aspect asks for a bean; what it stands for is asked for when it is needed. */
	private synchronized String registered(String name, Supplier<CacheResolver> delegate) {
		if (!this.beans.containsSingleton(name)) {
			this.beans.registerSingleton(name, new FillResolver(delegate));
		}
		return name;
	}

}
