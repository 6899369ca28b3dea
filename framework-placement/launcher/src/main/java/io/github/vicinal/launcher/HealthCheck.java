package io.github.vicinal.launcher;

import java.io.Closeable;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Asks an application how it is: its health endpoint, or what it says of its availability
 * where it has no such endpoint. All this is reflection.
 */
final class HealthCheck {

	/** Names of the endpoint in Spring Boot 4 and in Spring Boot 3. */
	private static final List<String> ENDPOINTS = List.of(
			"org.springframework.boot.health.actuate.endpoint.HealthEndpoint",
			"org.springframework.boot.actuate.health.HealthEndpoint");

	private static final String AVAILABILITY = "org.springframework.boot.availability.ApplicationAvailability";

	private static final String FACTORY = "org.springframework.beans.factory.BeanFactory";

	private final ClassLoader loader;

	HealthCheck(ClassLoader loader) {
		this.loader = loader;
	}

	/** Returns a word for the state of the first context that has one. */
	String ask(List<Closeable> contexts) {
		for (Closeable context : contexts) {
			for (String endpoint : ENDPOINTS) {
				Object bean = bean(context, endpoint);
				Object health = (bean != null) ? call(bean, "health") : null;
				Object status = (health != null) ? call(health, "getStatus") : null;
				if (status != null) {
					return word(call(status, "getCode"));
				}
			}
		}
		for (Closeable context : contexts) {
			Object availability = bean(context, AVAILABILITY);
			if (availability != null) {
				String liveness = word(call(availability, "getLivenessState"));
				return liveness.equals("broken") ? liveness : word(call(availability, "getReadinessState"));
			}
		}
		return "-";
	}

	private static String word(@Nullable Object state) {
		return switch (String.valueOf(state)) {
			case "ACCEPTING_TRAFFIC" -> "ready";
			case "REFUSING_TRAFFIC" -> "refusing";
			default -> String.valueOf(state).toLowerCase(Locale.ROOT);
		};
	}

	private @Nullable Object bean(Closeable context, String type) {
		try {
			Object provider = Class.forName(FACTORY, false, this.loader)
				.getMethod("getBeanProvider", Class.class)
				.invoke(context, Class.forName(type, false, this.loader));
			return call(provider, "getIfAvailable");
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			// It has none, or is closed.
			return null;
		}
	}

	private static @Nullable Object call(Object target, String name) {
		try {
			Method method = target.getClass().getMethod(name);
			method.setAccessible(true);
			return method.invoke(target);
		}
		catch (ReflectiveOperationException ex) {
			return null;
		}
	}

}
