package io.github.vicinal.copackage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.github.vicinal.copackage.Finding.Rule;

/**
 * Finds beans that an application would get from another one, if both were on one class
 * path: by its scan of packages, by auto-configuration, and by conditions on what is
 * there. Behind class loaders of their own, nobody sees those of another.
 */
final class BeanClashes {

	private static final String FACTORIES = "META-INF/spring.factories";

	private static final String IMPORTS = "META-INF/spring/";

	private BeanClashes() {
	}

	static void find(Inventory one, Inventory other, List<Finding> findings) {
		scan(one, other, findings);
		scan(other, one, findings);
		configuration(one, other, findings);
		configuration(other, one, findings);
		presence(one, other, findings);
	}

	/** Spring Boot scans the package of the main class, and those below. */
	private static void scan(Inventory scanning, Inventory scanned, List<Finding> findings) {
		String main = scanning.mainClass().replace('.', '/');
		String root = LibraryFacts.packageOf(main) + "/";
		if (root.equals("/")) {
			return;
		}
		Set<String> found = new TreeSet<>(scanned.resources().keySet());
		found.removeIf(
				(path) -> !path.startsWith(root) || !path.endsWith(".class") || scanning.resources().containsKey(path));
		if (!found.isEmpty()) {
			findings.add(new Finding(Rule.BEAN, Verdict.HOISTED,
					"the scan of '%s' from %s would find classes of '%s' (%d), such as %s".formatted(scanning.name(),
							LibraryFacts.packageOf(main).replace('/', '.'), scanned.name(), found.size(),
							found.iterator().next().replace('/', '.').replaceFirst("\\.class$", "")),
					"let each have a package of its own"));
		}
	}

	private static void configuration(Inventory one, Inventory other, List<Finding> findings) {
		List<String> files = new ArrayList<>();
		for (String path : new TreeSet<>(one.resources().keySet())) {
			if (isConfiguration(path) && !other.resources().containsKey(path)) {
				files.add(path);
			}
		}
		if (!files.isEmpty()) {
			findings.add(new Finding(Rule.BEAN, Verdict.HOISTED, "'%s' configures whatever shares its class path, by %s"
				.formatted(one.name(), String.join(", ", files)), "let the application import it instead"));
		}
	}

	/** Returns whether Spring Boot reads a file wherever it is in a class path. */
	static boolean isConfiguration(String path) {
		return path.equals(FACTORIES) || (path.startsWith(IMPORTS) && path.endsWith(".imports"));
	}

	/** Auto-configuration is switched on by classes that are there. */
	private static void presence(Inventory one, Inventory other, List<Finding> findings) {
		Set<String> ours = artifacts(one);
		Set<String> theirs = artifacts(other);
		if (ours.isEmpty() || theirs.isEmpty()) {
			return;
		}
		Set<String> differ = new TreeSet<>(ours);
		differ.removeAll(theirs);
		Set<String> also = new TreeSet<>(theirs);
		also.removeAll(ours);
		differ.addAll(also);
		if (!differ.isEmpty()) {
			findings.add(new Finding(Rule.BEAN, Verdict.HOISTED,
					"libraries that only one of them has may switch on beans in the other (%d): %s"
						.formatted(differ.size(), ConflictChecker.some(differ)),
					"give both the same libraries"));
		}
	}

	private static Set<String> artifacts(Inventory inventory) {
		Set<String> artifacts = new HashSet<>();
		inventory.libraries().forEach((library) -> artifacts.add(library.artifact()));
		return artifacts;
	}

}
