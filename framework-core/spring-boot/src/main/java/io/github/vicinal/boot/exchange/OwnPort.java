package io.github.vicinal.boot.exchange;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * The port of the application's own web server, {@code null} while it has none. It is
 * read with every request, so only the property source that Spring Boot makes for ports
 * is searched, and not the whole environment.
 */
final class OwnPort implements Supplier<@Nullable Integer> {

	/** Name that Spring Boot gives to the property source. */
	private static final String PORTS = "server.ports";

	private static final String PORT = "local.server.port";

	private final Environment environment;

	OwnPort(Environment environment) {
		this.environment = environment;
	}

	@Override
	public @Nullable Integer get() {
		if (!(this.environment instanceof ConfigurableEnvironment configurable)) {
			return this.environment.getProperty(PORT, Integer.class);
		}
		PropertySource<?> ports = configurable.getPropertySources().get(PORTS);
		return (ports != null && ports.getProperty(PORT) instanceof Integer port) ? port : null;
	}

}
