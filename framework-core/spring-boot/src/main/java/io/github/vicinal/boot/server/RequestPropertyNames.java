package io.github.vicinal.boot.server;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.requestserver.RequestServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds misspelt properties of the request server, which binding would ignore. Names of
 * environment variables are not looked at, since they do not say where a word ends.
 */
final class RequestPropertyNames {

	private static final Logger logger = LoggerFactory.getLogger(RequestServer.class);

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("vicinal.server.requests");

	private static final String RULES = "rules";

	private RequestPropertyNames() {
	}

	static void warn(Environment environment) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource known
					&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
				known.stream().filter(PREFIX::isAncestorOf).forEach(RequestPropertyNames::check);
			}
		}
	}

	private static void check(ConfigurationPropertyName name) {
		int first = PREFIX.getNumberOfElements();
		check(name, first, VicinalProperties.Requests.class);
		if (name.getElement(first, Form.UNIFORM).equals(RULES) && name.getNumberOfElements() > first + 2) {
			check(name, first + 2, VicinalProperties.Requests.Rule.class);
		}
	}

	private static void check(ConfigurationPropertyName name, int element, Class<?> type) {
		List<String> known = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
		String said = name.getElement(element, Form.UNIFORM);
		if (known.stream().noneMatch((each) -> each.toLowerCase(Locale.ROOT).equals(said))) {
			logger.warn("Property {} does not exist and does nothing; the names there are {}", name,
					known.stream()
						.map((each) -> each.replaceAll("(\\p{Upper})", "-$1").toLowerCase(Locale.ROOT))
						.toList());
		}
	}

}
