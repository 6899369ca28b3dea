package io.github.vicinal.benchmarks.call;

import java.util.HashMap;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts applications with what all of them have in common. */
final class Contexts {

	private static final String OBSERVATION = "org.springframework.boot.micrometer.observation.autoconfigure."
			+ "ObservationAutoConfiguration";

	private Contexts() {
	}

	static ConfigurableApplicationContext start(Class<?> type, boolean observed, Map<String, Object> properties) {
		Map<String, Object> all = new HashMap<>(Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn",
				"spring.jmx.enabled", "false", "management.endpoints.web.exposure.include", "*"));
		if (!observed) {
			all.put("spring.autoconfigure.exclude", OBSERVATION);
		}
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

}
