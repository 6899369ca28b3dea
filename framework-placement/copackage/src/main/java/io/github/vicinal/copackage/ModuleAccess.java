package io.github.vicinal.copackage;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

import org.jspecify.annotations.Nullable;

/**
 * Attributes by which the manifest of a jar opens modules of the JDK, if {@code java}
 * runs it. {@code java} runs the launcher, so its manifest needs those of all
 * applications.
 */
final class ModuleAccess {

	/** Values that the JDK takes; it does not start with others. */
	private static final Map<String, Pattern> ATTRIBUTES = Map.of("Add-Opens", Pattern.compile("[\\w.]+/[\\w.]+"),
			"Add-Exports", Pattern.compile("[\\w.]+/[\\w.]+"), "Enable-Native-Access", Pattern.compile("ALL-UNNAMED"));

	private ModuleAccess() {
	}

	/**
	 * Returns the attributes of all applications together.
	 * @param opened packages that are opened anyway
	 */
	static Map<String, String> of(List<Inventory> inventories, String opened) throws IOException {
		Map<String, Set<String>> all = new TreeMap<>();
		all.put("Add-Opens", new LinkedHashSet<>(List.of(opened.split(" "))));
		for (Inventory inventory : inventories) {
			try (ZipFile jar = BootJar.open(Objects.requireNonNull(inventory.jar()))) {
				Attributes manifest = BootJar.manifest(jar);
				ATTRIBUTES.forEach((name, pattern) -> add(manifest.getValue(name), pattern,
						all.computeIfAbsent(name, (key) -> new LinkedHashSet<>())));
			}
		}
		Map<String, String> attributes = new TreeMap<>();
		all.forEach((name, values) -> {
			if (!values.isEmpty()) {
				attributes.put(name, String.join(" ", values));
			}
		});
		return attributes;
	}

	private static void add(@Nullable String value, Pattern pattern, Set<String> values) {
		if (value != null) {
			for (String each : value.strip().split("\\s+")) {
				if (pattern.matcher(each).matches()) {
					values.add(each);
				}
			}
		}
	}

}
