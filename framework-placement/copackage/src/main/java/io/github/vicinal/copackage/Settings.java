package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads the configuration files that Spring Boot reads without profiles. What stands in
 * them last holds; {@code .properties} hold before YAML.
 */
final class Settings {

	private static final List<String> PLACES = List.of("", "config/");

	private Settings() {
	}

	static boolean isRead(String path) {
		return PLACES.stream()
			.anyMatch((place) -> path.equals(place + "application.properties") || path.equals(place + "application.yml")
					|| path.equals(place + "application.yaml"));
	}

	static void read(String path, String text, Map<String, String> settings) {
		try {
			if (path.endsWith(".properties")) {
				Properties properties = new Properties();
				properties.load(new StringReader(text));
				properties.stringPropertyNames().forEach((name) -> settings.put(name, properties.getProperty(name)));
				return;
			}
			LoaderOptions options = new LoaderOptions();
			for (Object document : new Yaml(new SafeConstructor(options)).loadAll(text)) {
				if (document instanceof Map<?, ?> map && !ofProfile(map)) {
					flatten("", map, settings);
				}
			}
		}
		catch (IOException | IllegalArgumentException | YAMLException ex) {
			throw new InvalidInputException("'%s' cannot be read: %s".formatted(path,
					String.valueOf(ex.getMessage()).lines().findFirst().orElse("")));
		}
	}

	private static boolean ofProfile(Map<?, ?> document) {
		return document.toString().contains("on-profile")
				|| (document.get("spring") instanceof Map<?, ?> spring && spring.get("profiles") instanceof String);
	}

	private static void flatten(String prefix, @Nullable Object value, Map<String, String> settings) {
		if (value instanceof Map<?, ?> map) {
			map.forEach((name, member) -> flatten(prefix.isEmpty() ? String.valueOf(name) : prefix + "." + name, member,
					settings));
		}
		else if (value != null) {
			settings.putIfAbsent(prefix, String.valueOf(value));
		}
	}

	/**
	 * Returns a number, also from {@code ${NAME:8080}}.
	 * @return the number, or -1 if it cannot be known
	 */
	static int number(Map<String, String> settings, String name, int preset) {
		String text = settings.get(name);
		if (text == null || text.isBlank()) {
			return preset;
		}
		String number = text.strip();
		if (number.startsWith("${") && number.endsWith("}") && number.contains(":")) {
			number = number.substring(number.lastIndexOf(':') + 1, number.length() - 1).strip();
		}
		try {
			return Integer.parseInt(number);
		}
		catch (NumberFormatException ex) {
			return -1;
		}
	}

}
