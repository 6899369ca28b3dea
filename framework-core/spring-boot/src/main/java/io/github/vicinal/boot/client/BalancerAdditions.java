package io.github.vicinal.boot.client;

import java.util.Collection;
import java.util.Locale;
import java.util.TreeSet;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.util.ClassUtils;

/** Finds what Spring Cloud's load balancers add to requests. */
final class BalancerAdditions {

	private static final String[] TRANSFORMERS = {
			"org.springframework.cloud.client.loadbalancer.LoadBalancerRequestTransformer",
			"org.springframework.cloud.client.loadbalancer.reactive.LoadBalancerClientRequestTransformer" };

	/** Adds a cookie only if a property says so. */
	private static final String COOKIE_TRANSFORMER = "org.springframework.cloud.loadbalancer.core."
			+ "LoadBalancerServiceInstanceCookieTransformer";

	/** Adds headers only if a property says so. */
	private static final String FORWARDED_TRANSFORMER = ".XForwardedHeadersTransformer";

	/** Transformers that add nothing. */
	private static final String OWN_TRANSFORMERS = "io.github.vicinal.";

	private static final String PROPERTIES = "springcloudloadbalancer";

	private BalancerAdditions() {
	}

	/** Returns what is registered, for people. */
	static Collection<String> find(ListableBeanFactory beanFactory, Environment environment) {
		Collection<String> found = new TreeSet<>();
		ClassLoader classLoader = BalancerAdditions.class.getClassLoader();
		for (String type : TRANSFORMERS) {
			if (ClassUtils.isPresent(type, classLoader)) {
				for (Object bean : beanFactory.getBeansOfType(ClassUtils.resolveClassName(type, classLoader))
					.values()) {
					String name = bean.getClass().getName();
					if (!name.equals(COOKIE_TRANSFORMER) && !name.endsWith(FORWARDED_TRANSFORMER)
							&& !name.startsWith(OWN_TRANSFORMERS)) {
						found.add("request transformer " + name);
					}
				}
			}
		}
		if (environment instanceof ConfigurableEnvironment configurable) {
			for (PropertySource<?> source : configurable.getPropertySources()) {
				if (source instanceof EnumerablePropertySource<?> enumerable) {
					for (String property : enumerable.getPropertyNames()) {
						if (adds(property) && isTrue(environment, property)) {
							found.add(property);
						}
					}
				}
			}
		}
		return found;
	}

	private static boolean isTrue(Environment environment, String property) {
		return "true".equalsIgnoreCase(environment.getProperty(property, "").strip());
	}

	/** Properties are written in several ways, and clients may have their own. */
	private static boolean adds(String property) {
		String uniform = property.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
		return uniform.startsWith(PROPERTIES)
				&& (uniform.endsWith("addserviceinstancecookie") || uniform.endsWith("xforwardedenabled"));
	}

}
