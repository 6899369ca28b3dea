package io.github.vicinal.copackage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/**
 * Finds classes that would hide each other in one class loader, whatever jars they come
 * from: shaded copies, split packages, two artifacts with one content.
 */
final class ClassClashes {

	private ClassClashes() {
	}

	/** Returns the names of classes that differ between two executable jars. */
	static List<String> find(Inventory one, Inventory other) throws IOException {
		Map<String, Long> known = classes(one);
		List<String> clashes = new ArrayList<>();
		classes(other).forEach((name, checksum) -> {
			Long there = known.get(name);
			if (there != null && !there.equals(checksum)) {
				clashes.add(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
			}
		});
		return clashes;
	}

	private static Map<String, Long> classes(Inventory inventory) throws IOException {
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
			for (Library library : inventory.libraries()) {
				byte[] bytes = BootJar.library(jar, library.file());
				if (bytes != null) {
					add(bytes, classes);
				}
			}
		}
		return classes;
	}

	private static void add(byte[] jar, Map<String, Long> classes) throws IOException {
		byte[] buffer = new byte[16 * 1024];
		try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar))) {
			for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
				String path = entry.getName();
				if (!path.endsWith(".class") || path.startsWith("META-INF/") || path.endsWith("module-info.class")) {
					continue;
				}
				CRC32 checksum = new CRC32();
				for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
					checksum.update(buffer, 0, read);
				}
				Long known = classes.putIfAbsent(path, checksum.getValue());
				if (known != null && known != checksum.getValue()) {
					// It differs within one application already: which one wins is
					// chance.
					classes.put(path, (long) Arrays.hashCode(new long[] { known, checksum.getValue() }));
				}
			}
		}
	}

}
