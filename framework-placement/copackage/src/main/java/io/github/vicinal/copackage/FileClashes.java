package io.github.vicinal.copackage;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.copackage.Finding.Rule;

/**
 * Finds files that two applications would both write, as their settings say: in one JVM,
 * as in one container, they have one file system, and mostly one working directory.
 */
final class FileClashes {

	/** Settings that name a file or directory, with what they make of a value. */
	private static final Map<String, UnaryOperator<String>> FILES = Map.of("logging.file.name",
			UnaryOperator.identity(), "logging.file.path", (directory) -> directory + "/spring.log", "spring.pid.file",
			UnaryOperator.identity(), "server.tomcat.basedir", UnaryOperator.identity(),
			"server.servlet.session.store-dir", UnaryOperator.identity(), "spring.datasource.url",
			FileClashes::database, "spring.r2dbc.url", FileClashes::database, "server.jetty.accesslog.filename",
			UnaryOperator.identity());

	/** Databases in a file, which one process at a time may open. */
	private static final Pattern DATABASE = Pattern.compile(
			"(?:jdbc:(?:h2:(?!mem:|tcp:|ssl:|zip:)(?:file:)?|hsqldb:file:|derby:(?!//|memory:)|sqlite:(?!:memory:))"
					+ "|r2dbc:h2:file:?//)([^;?]+).*");

	private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^${}:]+)(?::([^${}]*))?}");

	/** Placeholders that lead to others. */
	private static final int MAX_DEPTH = 8;

	private static final int MAX_LENGTH = 4096;

	private FileClashes() {
	}

	static void find(Inventory one, Inventory other, List<Finding> findings) {
		Map<String, String> ours = files(one);
		Map<String, String> theirs = files(other);
		ours.forEach((file, setting) -> {
			String theirSetting = theirs.get(file);
			if (theirSetting != null) {
				findings.add(new Finding(Rule.FILE, Verdict.FORBIDDEN,
						"both '%s' and '%s' write '%s', by %s".formatted(one.name(), other.name(), file, theirSetting),
						"give one of them another: --argument %s=--%s=…".formatted(other.name(), theirSetting)));
			}
		});
	}

	/** Returns the settings that name files, by file. */
	private static Map<String, String> files(Inventory inventory) {
		Map<String, String> files = new TreeMap<>();
		Container container = inventory.container();
		Map<String, String> environment = (container != null) ? container.environment() : Map.of();
		// Placeholders may name variables.
		Map<String, String> settings = new LinkedHashMap<>(environment);
		settings.putAll(inventory.settings());
		FILES.keySet().forEach((setting) -> {
			String variable = environment.get(Settings.variable(setting));
			if (variable != null) {
				settings.put(setting, variable);
			}
		});
		settings.putAll(EnvironmentClashes.definitions(container));
		settings.putAll(ProgramArguments.settings((container != null) ? container.arguments() : List.of()));
		if (settings.containsKey("logging.file.name")) {
			settings.remove("logging.file.path");
		}
		FILES.forEach((setting, file) -> {
			String value = settings.get(setting);
			String name = (value != null) ? file.apply(resolved(value, settings).strip()) : "";
			if (!name.isBlank()) {
				files.put(normalized(name), setting);
			}
		});
		return files;
	}

	private static String normalized(String file) {
		try {
			return Path.of(file).normalize().toString();
		}
		catch (InvalidPathException ex) {
			return file;
		}
	}

	private static String database(String url) {
		Matcher matcher = DATABASE.matcher(url);
		return matcher.matches() ? matcher.group(1) : "";
	}

	/**
	 * Unknown placeholders stay: the environment, and so their value, is the same for
	 * both.
	 */
	private static String resolved(String value, Map<String, String> settings) {
		String text = value;
		for (int i = 0; i < MAX_DEPTH && text.length() <= MAX_LENGTH && text.contains("${"); i++) {
			text = PLACEHOLDER.matcher(text).replaceAll((match) -> {
				String preset = (match.group(2) != null) ? match.group(2) : match.group();
				return Matcher.quoteReplacement(settings.getOrDefault(match.group(1), preset));
			});
		}
		return text;
	}

}
