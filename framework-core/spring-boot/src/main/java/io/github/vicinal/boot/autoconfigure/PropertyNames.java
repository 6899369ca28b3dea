package io.github.vicinal.boot.autoconfigure;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.util.ClassUtils;

/**
 * Finds misspelt properties, which binding would ignore, in an application that has
 * started. The metadata of the modules say which properties there are; without metadata,
 * as in a native image, no property is reported. A property of a module that this
 * application does not have may be for another one with the same configuration. Names of
 * environment variables are not looked at, since they do not say where a word ends.
 */
final class PropertyNames implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(PropertyNames.class);

	private static final String METADATA = "classpath*:META-INF/spring-configuration-metadata.json";

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("vicinal");

	private static final String QUOTED_PREFIX = "\"" + PREFIX + ".";

	/** The request server knows more of its own. */
	private static final ConfigurationPropertyName REQUESTS = ConfigurationPropertyName.of("vicinal.server.requests");

	private static final String OWN_PACKAGE = "io.github.vicinal.";

	private final ApplicationContext context;

	PropertyNames(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (event.getApplicationContext() != this.context) {
			return;
		}
		Collection<ConfigurationPropertyName> configured = configured(this.context.getEnvironment());
		if (!configured.isEmpty()) {
			Map<ConfigurationPropertyName, Following> known = known(this.context);
			configured.forEach((name) -> check(name, known));
		}
	}

	private static Collection<ConfigurationPropertyName> configured(Environment environment) {
		Collection<ConfigurationPropertyName> configured = new TreeSet<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource names
					&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
				names.stream()
					.filter((name) -> PREFIX.isAncestorOf(name) && !REQUESTS.isAncestorOf(name))
					.forEach(configured::add);
			}
		}
		return configured;
	}

	/** Returns the known properties, with what may follow on each. */
	private static Map<ConfigurationPropertyName, Following> known(ResourcePatternResolver resources) {
		Map<ConfigurationPropertyName, Following> known = new TreeMap<>();
		try {
			for (Resource metadata : resources.getResources(METADATA)) {
				// Most are of other libraries, and some of those are large.
				String text = metadata.getContentAsString(StandardCharsets.UTF_8);
				if (text.contains(QUOTED_PREFIX)) {
					JsonMapper.shared().readTree(text).path("properties").forEach((property) -> add(known, property));
				}
			}
		}
		catch (IOException | JacksonException ex) {
			logger.debug("Names of properties are not checked, as metadata cannot be read", ex);
			return Map.of();
		}
		return known;
	}

	private static void add(Map<ConfigurationPropertyName, Following> known, JsonNode property) {
		ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property.path("name").asString(""));
		if (name != null && PREFIX.isAncestorOf(name)) {
			known.put(name, Following.of(property.path("type").asString("")));
		}
	}

	private static void check(ConfigurationPropertyName name, Map<ConfigurationPropertyName, Following> known) {
		if (known.containsKey(name)) {
			return;
		}
		for (Map.Entry<ConfigurationPropertyName, Following> each : known.entrySet()) {
			if (each.getValue().any() && each.getKey().isAncestorOf(name)) {
				checkSetting(name, each.getKey(), each.getValue().settings());
				return;
			}
		}
		List<String> ofGroup = known.keySet()
			.stream()
			.filter((each) -> group(each).equals(group(name)))
			.map(PropertyNames::withoutPrefix)
			.toList();
		List<String> near = ofGroup.isEmpty()
				? NearNames.of(group(name), known.keySet().stream().map(PropertyNames::group).distinct().toList())
				: NearNames.of(withoutPrefix(name), ofGroup);
		if (!near.isEmpty()) {
			logger.warn("Property {} does not exist and does nothing. Did you mean {}?", name,
					near.stream().map((each) -> PREFIX + "." + each).collect(Collectors.joining(" or ")));
		}
		else if (!ofGroup.isEmpty()) {
			logger.warn("Property {} does not exist and does nothing; the names there are {}", name,
					ofGroup.stream().map((each) -> PREFIX + "." + each).toList());
		}
	}

	/** The name of the thing that has the setting may have dots. */
	private static void checkSetting(ConfigurationPropertyName name, ConfigurationPropertyName map,
			List<String> settings) {
		int end = name.getNumberOfElements();
		while (name.isNumericIndex(end - 1)) {
			end--;
		}
		if (settings.isEmpty() || end - map.getNumberOfElements() < 2) {
			return;
		}
		String setting = name.getElement(end - 1, Form.DASHED);
		String uniform = name.getElement(end - 1, Form.UNIFORM);
		if (settings.stream().map((each) -> each.replace("-", "")).anyMatch(uniform::equals)) {
			return;
		}
		ConfigurationPropertyName thing = name.chop(end - 1);
		List<String> near = NearNames.of(setting, settings);
		if (!near.isEmpty()) {
			logger.warn("Property {} does not exist and does nothing. Did you mean {}?", name,
					near.stream().map((each) -> thing + "." + each).collect(Collectors.joining(" or ")));
		}
		else {
			logger.warn("Property {} does not exist and does nothing; the names there are {}", name,
					settings.stream().map((each) -> thing + "." + each).toList());
		}
	}

	/** Returns the first part of a name after the prefix that all have. */
	private static String group(ConfigurationPropertyName name) {
		return name.getElement(PREFIX.getNumberOfElements(), Form.DASHED);
	}

	private static String withoutPrefix(ConfigurationPropertyName name) {
		return name.toString().substring(PREFIX.toString().length() + 1);
	}

	/**
	 * What may follow on the name of a property.
	 *
	 * @param any whether something may
	 * @param settings names of the settings that each thing of a map has, empty if the
	 * map has other values
	 */
	private record Following(boolean any, List<String> settings) {

		private static final String MAP = "java.util.Map<java.lang.String,";

		static Following of(String type) {
			if (type.startsWith(MAP + OWN_PACKAGE)) {
				return new Following(true, settings(type.substring(MAP.length(), type.length() - 1)));
			}
			return new Following(type.startsWith("java.util.") || type.endsWith("[]"), List.of());
		}

		private static List<String> settings(String type) {
			try {
				RecordComponent[] components = ClassUtils.forName(type, PropertyNames.class.getClassLoader())
					.getRecordComponents();
				return (components == null) ? List.of()
						: Arrays.stream(components)
							.map((each) -> DataObjectPropertyName.toDashedForm(each.getName()))
							.toList();
			}
			catch (ClassNotFoundException | LinkageError ex) {
				return List.of();
			}
		}

	}

}
