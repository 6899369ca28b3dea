package io.github.vicinal.boot.client;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.github.vicinal.channel.AffinityChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Finds contracts with {@link AffinityChannel} that no client of a channel has. */
final class UnservedChannels {

	private static final String FEIGN_CLIENT = "org.springframework.cloud.openfeign.FeignClient";

	private static final Logger logger = LoggerFactory.getLogger(ClientChannels.class);

	private final ListableBeanFactory beanFactory;

	private final Environment environment;

	private final ResourceLoader resources;

	/**
	 * Creates an instance.
	 * @param beanFactory the beans of the application
	 * @param environment its environment
	 * @param resources the application context, which keeps what component scanning has
	 * read of classes until it has started
	 */
	UnservedChannels(ListableBeanFactory beanFactory, Environment environment, ResourceLoader resources) {
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.resources = resources;
	}

	/**
	 * Warns of beans and of interfaces in the application's packages.
	 * @param served the contracts that have channels
	 */
	void warn(Set<Class<?>> served) {
		Set<Class<?>> warned = new HashSet<>(served);
		for (String name : this.beanFactory.getBeanNamesForAnnotation(AffinityChannel.class)) {
			Class<?> type = this.beanFactory.getType(name, false);
			if (type != null) {
				Collection<Class<?>> contracts = type.isInterface() ? List.of(type)
						: isProxy(type) ? List.of(type.getInterfaces()) : List.of();
				contracts.forEach((contract) -> warn(contract, warned));
			}
		}
		candidates().forEach((contract) -> {
			if (this.beanFactory.getBeanNamesForType(contract, true, false).length == 0) {
				warn(contract, warned);
			}
		});
	}

	/** Returns whether an interface is that of a Feign client of Spring Cloud. */
	static boolean isFeignClient(Class<?> type) {
		return AnnotatedElementUtils.isAnnotated(type, FEIGN_CLIENT);
	}

	private static boolean isProxy(Class<?> type) {
		return java.lang.reflect.Proxy.isProxyClass(type);
	}

	/** Interfaces of the application; those of libraries may be for others. */
	private Collection<Class<?>> candidates() {
		Set<Class<?>> found = new HashSet<>();
		if (!AutoConfigurationPackages.has(this.beanFactory)) {
			return found;
		}
		Interfaces scanner = new Interfaces(this.environment, this.resources);
		for (String name : new TreeSet<>(AutoConfigurationPackages.get(this.beanFactory))) {
			if (!name.isEmpty()) {
				scanner.findCandidateComponents(name).forEach((definition) -> {
					String type = definition.getBeanClassName();
					if (type != null && ClassUtils.isPresent(type, null)) {
						found.add(ClassUtils.resolveClassName(type, null));
					}
				});
			}
		}
		return found;
	}

	private static void warn(Class<?> contract, Set<Class<?>> warned) {
		if (!AnnotatedElementUtils.hasAnnotation(contract, AffinityChannel.class) || !warned.add(contract)) {
			return;
		}
		boolean feign = isFeignClient(contract);
		logger.warn("@AffinityChannel on {} has no effect here: {}", contract.getName(), feign
				? "no Feign client in this application has this interface. Name it in @EnableFeignClients, or remove the "
						+ "annotation if only other applications call it"
				: "no HTTP interface client in this application implements it. Register it with @ImportHttpServices, or "
						+ "declare what HttpServiceProxyFactory creates as a bean, or remove the annotation if only other "
						+ "applications call it");
	}

	/** Finds interfaces, which are no components. */
	private static final class Interfaces extends ClassPathScanningCandidateComponentProvider {

		Interfaces(Environment environment, ResourceLoader resources) {
			super(false, environment);
			setResourceLoader(resources);
			addIncludeFilter(new AnnotationTypeFilter(AffinityChannel.class, true, false));
		}

		@Override
		protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
			return definition.getMetadata().isInterface() && !definition.getMetadata().isAnnotation();
		}

	}

}
