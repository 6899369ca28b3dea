package io.github.vicinal.copackage;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rule of the paper on container merging: two containers may be merged if they have
 * one base image and no library in two versions. The version that a parent or an import
 * gives to libraries without one is that of the parent or import itself.
 */
final class PaperRule {

	private PaperRule() {
	}

	/** Returns why the paper would not merge two applications; empty if it would. */
	static Optional<String> refusal(Inventory one, Inventory other) {
		if (!one.known() || !other.known()) {
			return Optional
				.of("the dependencies of '%s' are not known".formatted(one.known() ? other.name() : one.name()));
		}
		Container first = one.container();
		Container second = other.container();
		if (first != null && second != null && !first.baseImage().equals(second.baseImage())) {
			return Optional.of("the base images differ: %s and %s".formatted(first.baseImage(), second.baseImage()));
		}
		Map<String, Set<String>> left = versions(one);
		Map<String, Set<String>> right = versions(other);
		for (String coordinates : new TreeSet<>(left.keySet())) {
			Set<String> ours = left.getOrDefault(coordinates, Set.of());
			Set<String> theirs = right.getOrDefault(coordinates, ours);
			if (!theirs.equals(ours)) {
				return Optional.of("%s has version %s in '%s' and %s in '%s'".formatted(coordinates,
						String.join("/", ours), one.name(), String.join("/", theirs), other.name()));
			}
		}
		return Optional.empty();
	}

	private static Map<String, Set<String>> versions(Inventory inventory) {
		Map<String, Set<String>> versions = new LinkedHashMap<>();
		inventory.managed().forEach((coordinates, version) -> versions.put(coordinates, Set.of(version)));
		Map<String, Set<String>> libraries = new LinkedHashMap<>();
		inventory.libraries().forEach((library) -> {
			if (!library.version().isEmpty()) {
				libraries.computeIfAbsent(library.coordinates(), (key) -> new TreeSet<>()).add(library.version());
			}
		});
		versions.putAll(libraries);
		return versions;
	}

}
