package io.github.vicinal.boot.server;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.boot.server.Endpoints.Endpoint;
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

	/**
	 * Warns of names for which there is no contract.
	 * @param named what priorities are configured for
	 * @param endpoints know the contracts of the application
	 */
	static void warnOfContracts(Set<String> named, Endpoints endpoints) {
		Set<String> known = new TreeSet<>();
		for (Endpoint endpoint : endpoints.all()) {
			String contract = endpoint.contract();
			if (contract != null) {
				known.add(contract);
			}
		}
		for (String name : named) {
			if (known.stream()
				.noneMatch((each) -> each.equals(name) || each.substring(each.lastIndexOf('.') + 1).equals(name))) {
				logger.warn("Property vicinal.server.requests.priorities.{} does nothing: no controller implements "
						+ "such a contract; there are {}", name, known);
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
