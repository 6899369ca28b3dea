package io.github.vicinal.copackage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.copackage.Finding.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Finds environment variables and system properties that applications want to be
 * different. A JVM has one environment; of system properties, the launcher gives each
 * application its own, but the JDK reads its own ones once for all.
 */
final class EnvironmentClashes {

	/** Options of the JVM are compared one by one, and the rest belongs to the image. */
	private static final Set<String> IGNORED = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS",
			"_JAVA_OPTIONS", "PATH", "JAVA_HOME", "JAVA_VERSION");

	/**
	 * Variables that Spring Boot takes for properties of whatever application sees them.
	 */
	private static final Pattern PROPERTY_OF_BOOT = Pattern.compile("(SERVER|SPRING|MANAGEMENT|LOGGING)_\\w+");

	private static final Pattern DEFINITION = Pattern.compile("-D([^=]+)(?:=(.*))?");

	private static final Pattern OF_THE_JDK = Pattern
		.compile("(com\\.sun|java|javax|jdk|sun|user|file|native|stdout|stderr|networkaddress|os|line|path)\\..*");

	private EnvironmentClashes() {
	}

	static void find(Inventory one, Inventory other, List<Finding> findings) {
		Container first = one.container();
		Container second = other.container();
		if (first == null && second == null) {
			return;
		}
		variables(one, (first != null) ? first.environment() : Map.of(), other,
				(second != null) ? second.environment() : Map.of(), findings);
		properties(one, definitions(first), other, definitions(second), findings);
	}

	private static void variables(Inventory one, Map<String, String> ours, Inventory other, Map<String, String> theirs,
			List<Finding> findings) {
		Set<String> names = new TreeSet<>(ours.keySet());
		names.addAll(theirs.keySet());
		names.removeAll(IGNORED);
		List<String> clashes = new ArrayList<>();
		for (String name : names) {
			String our = ours.get(name);
			String their = theirs.get(name);
			if (our != null && their != null && !our.equals(their)) {
				clashes
					.add("%s is '%s' in '%s' and '%s' in '%s'".formatted(name, our, one.name(), their, other.name()));
			}
			else if ((our == null || their == null) && PROPERTY_OF_BOOT.matcher(name).matches()) {
				clashes.add("%s, which only '%s' has, would hold for '%s', too".formatted(name,
						(our != null) ? one.name() : other.name(), (our != null) ? other.name() : one.name()));
			}
		}
		if (!clashes.isEmpty()) {
			findings.add(new Finding(Rule.ENVIRONMENT, Verdict.SAME_CONTAINER,
					"a JVM has one environment: " + String.join("; ", clashes),
					"give it as an argument instead, such as --argument %s=--spring.profiles.active=…"
						.formatted(one.name())));
		}
	}

	private static void properties(Inventory one, Map<String, String> ours, Inventory other, Map<String, String> theirs,
			List<Finding> findings) {
		Set<String> names = new TreeSet<>(ours.keySet());
		names.addAll(theirs.keySet());
		for (String name : names) {
			String our = ours.getOrDefault(name, "none");
			String their = theirs.getOrDefault(name, "none");
			if (our.equals(their)) {
				continue;
			}
			boolean ofTheJdk = OF_THE_JDK.matcher(name).matches();
			findings.add(new Finding(Rule.SYSTEM_PROPERTY, ofTheJdk ? Verdict.SAME_CONTAINER : Verdict.HOISTED,
					"the system property %s is '%s' in '%s' and '%s' in '%s'%s".formatted(name, our, one.name(), their,
							other.name(), ofTheJdk ? ", and the JDK reads it once for all" : ""),
					ofTheJdk ? "give both the same value, or accept it with --accept system-property"
							: "nothing need be done: the layout gives each its own"));
		}
	}

	/**
	 * Returns the variables of all Dockerfiles that one environment can have. Those that
	 * differ are in none, and the image decides where its Java is.
	 */
	static Map<String, String> common(List<Inventory> inventories) {
		Map<String, String> common = new TreeMap<>();
		Set<String> differing = new TreeSet<>(IGNORED);
		for (Inventory each : inventories) {
			Container container = each.container();
			((container != null) ? container.environment() : Map.<String, String>of()).forEach((name, value) -> {
				String known = common.putIfAbsent(name, value);
				if (known != null && !known.equals(value)) {
					differing.add(name);
				}
			});
		}
		common.keySet().removeAll(differing);
		return common;
	}

	/** Returns system properties that the options of the JVM define. */
	static Map<String, String> definitions(@Nullable Container container) {
		Map<String, String> definitions = new TreeMap<>();
		for (String option : (container != null) ? container.jvmOptions() : List.<String>of()) {
			Matcher matcher = DEFINITION.matcher(option);
			if (matcher.matches()) {
				definitions.put(matcher.group(1), (matcher.group(2) != null) ? matcher.group(2) : "");
			}
		}
		return definitions;
	}

	/** Returns those of them that can differ by application. */
	static Map<String, String> ownDefinitions(Inventory inventory) {
		Map<String, String> own = definitions(inventory.container());
		own.keySet().removeIf((name) -> OF_THE_JDK.matcher(name).matches());
		return own;
	}

}
