package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipFile;

/**
 * Finds the libraries that may be loaded once for several applications: those that have
 * the same bytes in all of them, keep no state, and name no class outside the JDK but
 * those of libraries that are loaded once as well.
 */
final class Hoisting {

	private Hoisting() {
	}

	/** Returns the files of these libraries, as the first application calls them. */
	static List<String> plan(List<Inventory> inventories) {
		Inventory first = inventories.get(0);
		if (first.jar() == null || inventories.size() < 2) {
			return List.of();
		}
		Map<String, LibraryFacts> candidates = new LinkedHashMap<>();
		try (ZipFile jar = BootJar.open(first.jar())) {
			for (Library library : first.libraries()) {
				if (!library.sha256().isEmpty() && !first.natives().contains(library.file())
						&& inventories.stream().allMatch((each) -> has(each, library))) {
					byte[] bytes = BootJar.library(jar, library.file());
					if (bytes != null) {
						candidates.put(library.file(), LibraryFacts.read(bytes));
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return closed(candidates, packages(first.libraries(), candidates));
	}

	private static boolean has(Inventory inventory, Library library) {
		return inventory.libraries().stream().anyMatch((each) -> each.sha256().equals(library.sha256()));
	}

	/** Packages of which it is known which candidate has them. */
	private static Map<String, String> packages(List<Library> libraries, Map<String, LibraryFacts> candidates) {
		Map<String, String> owners = new HashMap<>();
		for (Library library : libraries) {
			LibraryFacts facts = candidates.get(library.file());
			if (facts != null) {
				facts.packages().forEach((name) -> owners.put(name, library.file()));
			}
		}
		return owners;
	}

	private static List<String> closed(Map<String, LibraryFacts> candidates, Map<String, String> owners) {
		Map<String, LibraryFacts> stateless = new LinkedHashMap<>(candidates);
		stateless.values().removeIf((facts) -> facts.state() != null || facts.packages().isEmpty());
		boolean changed = true;
		while (changed) {
			Set<String> left = new HashSet<>(stateless.keySet());
			changed = stateless.values()
				.removeIf((facts) -> !facts.named()
					.stream()
					.allMatch((name) -> isOfTheJdk(name) || left.contains(owners.getOrDefault(name, ""))));
		}
		return List.copyOf(stateless.keySet());
	}

	private static boolean isOfTheJdk(String name) {
		String packageName = name.replace('/', '.');
		return ModuleLayer.boot()
			.modules()
			.stream()
			.anyMatch((module) -> module.getPackages().contains(packageName) && isPlatform(module));
	}

	private static boolean isPlatform(Module module) {
		return module.getName().startsWith("java.") || module.getName().startsWith("jdk.");
	}

}
