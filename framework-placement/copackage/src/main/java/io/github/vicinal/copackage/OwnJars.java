package io.github.vicinal.copackage;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** Copies jars that this program runs from itself, wherever they are. */
final class OwnJars {

	/** Time of entries, so that the same input gives the same bytes. */
	private static final LocalDateTime TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

	private OwnJars() {
	}

	/**
	 * Copies the jar of a class.
	 * @param type a class of it
	 * @param target the file
	 * @param attributes added to its manifest
	 */
	static void copy(Class<?> type, Path target, Map<String, String> attributes) throws IOException {
		CodeSource source = type.getProtectionDomain().getCodeSource();
		if (source == null) {
			throw new IllegalStateException("It is not known where " + type + " comes from");
		}
		URL location = source.getLocation();
		Path path = location.getProtocol().equals("file") ? path(location) : null;
		if (path != null && Files.isDirectory(path)) {
			pack(path, target, attributes);
			return;
		}
		// A file, or a jar within an executable jar of Spring Boot.
		try (InputStream in = (path != null) ? Files.newInputStream(path) : inner(location)) {
			if (attributes.isEmpty()) {
				Files.copy(in, target);
			}
			else {
				repack(new JarInputStream(in), target, attributes);
			}
		}
	}

	private static void repack(JarInputStream in, Path target, Map<String, String> attributes) throws IOException {
		Manifest manifest = (in.getManifest() != null) ? in.getManifest() : new Manifest();
		try (JarOutputStream out = open(target, manifest, attributes)) {
			for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
				out.putNextEntry(entry(entry.getName()));
				in.transferTo(out);
				out.closeEntry();
			}
		}
	}

	private static JarOutputStream open(Path target, Manifest manifest, Map<String, String> attributes)
			throws IOException {
		manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
		new TreeMap<>(attributes).forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
		JarOutputStream out = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(target)));
		out.putNextEntry(entry(JarFile.MANIFEST_NAME));
		manifest.write(out);
		out.closeEntry();
		return out;
	}

	private static JarEntry entry(String name) {
		JarEntry entry = new JarEntry(name);
		entry.setTimeLocal(TIME);
		return entry;
	}

	private static InputStream inner(URL location) throws IOException {
		if (location.openConnection() instanceof JarURLConnection connection) {
			connection.setUseCaches(false);
			// Without the name of an entry this is the jar itself.
			return (connection.getEntryName() == null) ? connection.getJarFileURL().openStream()
					: connection.getInputStream();
		}
		return location.openStream();
	}

	private static Path path(URL location) {
		try {
			return Path.of(location.toURI());
		}
		catch (URISyntaxException ex) {
			return Path.of(URI.create(location.toString().replace(" ", "%20")));
		}
	}

	private static void pack(Path directory, Path target, Map<String, String> attributes) throws IOException {
		try (JarOutputStream out = open(target, new Manifest(), attributes);
				Stream<Path> files = Files.walk(directory)) {
			for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
				String name = directory.relativize(file).toString();
				if (!name.equals(JarFile.MANIFEST_NAME)) {
					out.putNextEntry(entry(name));
					Files.copy(file, out);
					out.closeEntry();
				}
			}
		}
	}

}
