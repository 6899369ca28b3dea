package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Finds classes that would hide each other in one class loader, whatever jars they come
 * from: shaded copies, split packages, two artifacts with one content.
 */
final class ClassClashes {

	private ClassClashes() {
	}

	/** Returns the names of classes that differ between two executable jars. */
	static List<String> find(Inventory one, Inventory other) throws IOException {
		Map<String, Map<String, Long>> libraries = new ConcurrentHashMap<>();
		Map<String, Long> known = classes(one, libraries);
		List<String> clashes = new ArrayList<>();
		classes(other, libraries).forEach((name, checksum) -> {
			Long there = known.get(name);
			if (there != null && !there.equals(checksum)) {
				clashes.add(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
			}
		});
		return clashes;
	}

	/**
	 * Returns checksums of classes, by their paths.
	 * @param inventory an application
	 * @param libraries checksums of classes of libraries, by the SHA-256 of the library;
	 * gets those that are new
	 */
	private static Map<String, Long> classes(Inventory inventory, Map<String, Map<String, Long>> libraries)
			throws IOException {
		Map<String, Long> classes = new HashMap<>();
		if (inventory.jar() == null) {
			return classes;
		}
		inventory.resources().forEach((path, checksum) -> {
			if (path.endsWith(".class")) {
				classes.put(path, Long.parseLong(checksum, 16));
			}
		});
		try (ZipFile jar = BootJar.open(inventory.jar())) {
			inventory.libraries()
				.parallelStream()
				.filter((library) -> !libraries.containsKey(library.sha256()))
				.forEach((library) -> libraries.put(library.sha256(), classes(jar, library)));
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
		for (Library library : inventory.libraries()) {
			libraries.getOrDefault(library.sha256(), Map.of())
				.forEach((path, checksum) -> add(path, checksum, classes));
		}
		return classes;
	}

	private static void add(String path, long checksum, Map<String, Long> classes) {
		Long known = classes.putIfAbsent(path, checksum);
		if (known != null && known != checksum) {
			// It differs within one application already: which one wins is chance.
			classes.put(path, (long) Arrays.hashCode(new long[] { known, checksum }));
		}
	}

	private static Map<String, Long> classes(ZipFile jar, Library library) {
		Map<String, Long> classes = new HashMap<>();
		try {
			byte[] bytes = BootJar.library(jar, library.file());
			if (bytes != null) {
				new NestedJar(bytes, library.file()).classes()
					.forEach((entry) -> add(entry.path(), entry.checksum(), classes));
			}
			return classes;
		}
		catch (ZipException ex) {
			throw BootJar.damaged(jar, ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
