package io.github.vicinal.copackage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Arguments of {@code main}, of which Spring Boot takes {@code --name=value} first. */
final class ProgramArguments {

	private ProgramArguments() {
	}

	/**
	 * Returns arguments of a Dockerfile with others after them. Of two with one name only
	 * the other stays: Spring Boot would take both for a list.
	 */
	static List<String> replaced(@Nullable Container container, List<String> others) {
		List<String> all = new ArrayList<>();
		Map<String, String> known = settings(others);
		for (String each : (container != null) ? container.arguments() : List.<String>of()) {
			if (!known.keySet().containsAll(settings(List.of(each)).keySet()) || !each.startsWith("--")) {
				all.add(each);
			}
		}
		all.addAll(others);
		return all;
	}

	/** Returns the settings that arguments give, by name. */
	static Map<String, String> settings(List<String> arguments) {
		Map<String, String> settings = new LinkedHashMap<>();
		for (String each : arguments) {
			int equals = each.indexOf('=');
			if (each.startsWith("--") && each.length() > 2) {
				settings.put((equals < 0) ? each.substring(2) : each.substring(2, equals),
						(equals < 0) ? "" : each.substring(equals + 1));
			}
		}
		return settings;
	}

	/** Returns arguments that give settings. */
	static List<String> of(Map<String, String> settings) {
		return settings.entrySet().stream().map((each) -> "--%s=%s".formatted(each.getKey(), each.getValue())).toList();
	}

}
