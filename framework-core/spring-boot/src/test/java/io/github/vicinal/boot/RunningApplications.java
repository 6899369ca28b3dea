package io.github.vicinal.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts applications for a test, servers and clients, and closes them after it, the
 * latest first.
 */
public final class RunningApplications implements AfterEachCallback {

	private static final Map<String, Object> COMMON = Map.of("server.port", "0", "spring.main.banner-mode", "off",
			"management.endpoints.web.exposure.include", "*", "vicinal.compare-paths", "false",
			"vicinal.confirm-interval", "0s", "server.shutdown", "immediate", "spring.cloud.loadbalancer.enabled",
			"false");

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	/** Starts an application with what all have in common, and these properties. */
	public ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(COMMON);
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		ConfigurableApplicationContext context;
		// Each start resets the logging of the JVM, which two cannot do at once.
		synchronized (RunningApplications.class) {
			context = application.run();
		}
		this.contexts.add(context);
		return context;
	}

	@Override
	public void afterEach(ExtensionContext test) {
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
	}

}
