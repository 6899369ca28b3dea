package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The configuration files that Spring Boot reads without profiles. As there, a later
 * document of a file holds before an earlier one, {@code .properties} before YAML, and
 * {@code config/} before the root of the class path.
 */
final class Settings {

	/** Sources of settings; a later one overrides an earlier one. */
	static final List<String> FILES = List.of("application.yaml", "application.yml", "application.properties",
			"config/application.yaml", "config/application.yml", "config/application.properties");

	/** Names that rules ask for, which files may write in other ways. */
	private static final Map<String, String> NAMES = Stream
		.of("server.port", "management.server.port", "spring.rsocket.server.port", "spring.grpc.server.port",
				"logging.file.name", "logging.file.path", "spring.pid.file", "server.tomcat.basedir",
				"server.jetty.accesslog.filename", "server.servlet.session.store-dir", "spring.datasource.url",
				"spring.r2dbc.url", "spring.main.web-application-type", "spring.application.name")
		.collect(Collectors.toUnmodifiableMap(Settings::uniform, UnaryOperator.identity()));

	private static final int MAX_DEPTH = 64;

	private static final int MAX_SETTINGS = 100_000;

	private static final String PROFILE = "spring.config.activate.on-profile";

	private static final String PROFILE_BEFORE_2_4 = "spring.profiles";

	private final Map<Integer, Map<String, String>> files = new TreeMap<>();

	static boolean isRead(String path) {
		return FILES.contains(path);
	}

	/** Adds a file, in any order. */
	void add(String path, String text) {
		Map<String, String> settings = new LinkedHashMap<>();
		try {
			if (path.endsWith(".properties")) {
				for (String document : text.split("(?m)^[#!]---\\s*$")) {
					properties(document, settings);
				}
			}
			else {
				for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text)) {
					Map<String, String> flat = new LinkedHashMap<>();
					flatten("", document, flat, 0);
					addUnlessOfProfile(flat, settings);
				}
			}
		}
		catch (IOException | IllegalArgumentException | YAMLException ex) {
			throw new InvalidInputException("'%s' cannot be read: %s".formatted(path,
					String.valueOf(ex.getMessage()).lines().findFirst().orElse("")));
		}
		this.files.put(FILES.indexOf(path), settings);
	}

	/** Returns all settings that hold. */
	Map<String, String> all() {
		Map<String, String> all = new LinkedHashMap<>();
		this.files.values().forEach(all::putAll);
		return all;
	}

	private static void properties(String document, Map<String, String> settings) throws IOException {
		Properties properties = new Properties();
		properties.load(new StringReader(document));
		Map<String, String> flat = new LinkedHashMap<>();
		properties.stringPropertyNames().forEach((name) -> flat.put(name, properties.getProperty(name)));
		addUnlessOfProfile(flat, settings);
	}

	private static void addUnlessOfProfile(Map<String, String> document, Map<String, String> settings) {
		if (!document.containsKey(PROFILE) && !document.containsKey(PROFILE_BEFORE_2_4)) {
			document.forEach((name, value) -> settings.put(NAMES.getOrDefault(uniform(name), name), value));
		}
	}

	/** Aliases may stand for what they are in, or for a part that has many more. */
	private static void flatten(String prefix, @Nullable Object value, Map<String, String> settings, int depth) {
		if (depth > MAX_DEPTH || settings.size() > MAX_SETTINGS) {
			throw new IllegalArgumentException("its aliases make it deeper than %d levels, or more than %d settings"
				.formatted(MAX_DEPTH, MAX_SETTINGS));
		}
		if (value instanceof Map<?, ?> map) {
			map.forEach((name, member) -> flatten(prefix.isEmpty() ? text(name) : prefix + "." + text(name), member,
					settings, depth + 1));
		}
		else if (value != null && !prefix.isEmpty()) {
			settings.put(prefix, text(value));
		}
	}

	/** The text of a list may have no end, and no rule is about one. */
	private static String text(@Nullable Object value) {
		return (value instanceof Iterable<?> || value instanceof Map<?, ?>) ? "" : String.valueOf(value);
	}

	/** As Spring Boot compares names: without case and dashes. */
	private static String uniform(String name) {
		return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
	}

	/** Returns the variable that Spring Boot takes for a property. */
	static String variable(String name) {
		return name.replace('.', '_').replace("-", "").toUpperCase(Locale.ROOT);
	}

	/**
	 * Returns a number, also from <code>${NAME:8080}</code>, and from the variable of an
	 * image that holds before the files, such as {@code SERVER_PORT}.
	 * @return the number, or -1 if it cannot be known
	 */
	static int number(Map<String, String> settings, Map<String, String> environment, String name, int preset) {
		String variable = environment.get(variable(name));
		String text = (variable != null) ? variable : settings.get(name);
		if (text == null || text.isBlank()) {
			return preset;
		}
		String number = text.strip();
		if (number.startsWith("${") && number.endsWith("}") && number.contains(":")) {
			String placeholder = number.substring(2, number.indexOf(':'));
			String preferred = environment.get(placeholder);
			number = (preferred != null) ? preferred
					: number.substring(number.lastIndexOf(':') + 1, number.length() - 1).strip();
		}
		try {
			return Integer.parseInt(number);
		}
		catch (NumberFormatException ex) {
			return -1;
		}
	}

}
