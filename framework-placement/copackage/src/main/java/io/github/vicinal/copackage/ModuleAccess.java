package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

import io.github.vicinal.copackage.Finding.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Packages of the JDK that applications open: by attributes in the manifest of their jar,
 * which hold if {@code java} runs it, and by options in their Dockerfiles. {@code java}
 * runs the launcher, so its manifest needs those of all applications.
 */
final class ModuleAccess {

	private static final String ALL_UNNAMED = "ALL-UNNAMED";

	/** Values that the JDK takes; it does not start with others. */
	private static final Map<String, Pattern> ATTRIBUTES = Map.of("Add-Opens", Pattern.compile("[\\w.]+/[\\w.]+"),
			"Add-Exports", Pattern.compile("[\\w.]+/[\\w.]+"), "Enable-Native-Access", Pattern.compile(ALL_UNNAMED));

	/** The same as options: {@code --add-opens=module/package=ALL-UNNAMED}. */
	private static final Pattern OPTION = Pattern
		.compile("--(add-opens|add-exports|enable-native-access)=(?:([\\w.]+/[\\w.]+)=)?([^=]+)");

	private static final Map<String, String> ATTRIBUTES_OF_OPTIONS = Map.of("add-opens", "Add-Opens", "add-exports",
			"Add-Exports", "enable-native-access", "Enable-Native-Access");

	private ModuleAccess() {
	}

	/**
	 * Returns the attributes of all applications together.
	 * @param opened packages that are opened anyway
	 */
	static Map<String, String> of(List<Inventory> inventories, String opened) {
		Map<String, Set<String>> all = new TreeMap<>();
		all.put("Add-Opens", new LinkedHashSet<>(List.of(opened.split(" "))));
		for (Inventory inventory : inventories) {
			of(inventory)
				.forEach((name, values) -> all.computeIfAbsent(name, (key) -> new LinkedHashSet<>()).addAll(values));
		}
		Map<String, String> attributes = new TreeMap<>();
		all.forEach((name, values) -> attributes.put(name, String.join(" ", values)));
		return attributes;
	}

	/**
	 * Finds what only one of two applications opens. A JVM opens it to all of its class
	 * path.
	 */
	static @Nullable Finding difference(Inventory one, Inventory other) {
		Map<String, Set<String>> ours = of(one);
		Map<String, Set<String>> theirs = of(other);
		List<String> differences = new ArrayList<>();
		addMissing(one, ours, theirs, differences);
		addMissing(other, theirs, ours, differences);
		return differences.isEmpty() ? null : new Finding(Rule.MODULE_ACCESS, Verdict.HOISTED,
				"a JVM opens its modules to all: " + String.join("; ", differences),
				"nothing need be done: the launcher of a layout opens what any of them opens; on a class path of your own, give it to java as options");
	}

	private static void addMissing(Inventory owner, Map<String, Set<String>> its, Map<String, Set<String>> others,
			List<String> differences) {
		its.forEach((name, values) -> {
			Set<String> only = new TreeSet<>(values);
			only.removeAll(others.getOrDefault(name, Set.of()));
			if (!only.isEmpty()) {
				differences.add("only '%s' has %s %s".formatted(owner.name(), name, String.join(" ", only)));
			}
		});
	}

	/** Returns what an application opens, by attribute. */
	private static Map<String, Set<String>> of(Inventory inventory) {
		Map<String, Set<String>> access = new TreeMap<>();
		if (inventory.jar() != null) {
			try (ZipFile jar = BootJar.open(inventory.jar())) {
				Attributes manifest = BootJar.manifest(jar);
				ATTRIBUTES.forEach((name, pattern) -> add(access, name, manifest.getValue(name), pattern));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		Container container = inventory.container();
		for (String option : (container != null) ? container.jvmOptions() : List.<String>of()) {
			Matcher matcher = OPTION.matcher(option);
			if (matcher.matches() && List.of(matcher.group(3).split(",")).contains(ALL_UNNAMED)) {
				String name = ATTRIBUTES_OF_OPTIONS.getOrDefault(matcher.group(1), "");
				String value = (matcher.group(2) != null) ? matcher.group(2) : ALL_UNNAMED;
				add(access, name, value, ATTRIBUTES.getOrDefault(name, OPTION));
			}
		}
		return access;
	}

	private static void add(Map<String, Set<String>> access, String name, @Nullable String value, Pattern pattern) {
		if (value != null) {
			for (String each : value.strip().split("\\s+")) {
				if (pattern.matcher(each).matches()) {
					access.computeIfAbsent(name, (key) -> new LinkedHashSet<>()).add(each);
				}
			}
		}
	}

}
