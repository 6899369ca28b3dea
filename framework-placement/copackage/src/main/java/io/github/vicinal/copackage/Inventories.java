package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipFile;

import io.github.vicinal.launcher.Layout;

/**
 * Reads the files of applications, whatever they are.
 *
 * @since 0.1.0
 */
public final class Inventories {

	private Inventories() {
	}

	/**
	 * Reads applications.
	 * @param files each a jar, a {@code pom.xml}, a bill of materials ({@code .json}), a
	 * Dockerfile, a directory with some of them, or the URL of a bill of materials, such
	 * as {@code http://shop/actuator/sbom}; {@code NAME=FILE} says what application it
	 * belongs to, and several files of one name describe one application
	 * @return applications in the order of their first file
	 * @throws IOException if a file cannot be read
	 * @throws InvalidInputException if one is none of these
	 */
	public static List<Inventory> read(List<String> files) throws IOException {
		Map<String, Inventory> inventories = new LinkedHashMap<>();
		LibraryDescription.Known known = new LibraryDescription.Known();
		for (String each : files) {
			int equals = each.indexOf('=');
			boolean named = equals > 0 && each.substring(0, equals).matches("[\\w.-]+");
			if (SbomUrl.isUrl(named ? each.substring(equals + 1) : each)) {
				if (!named) {
					throw new InvalidInputException(
							"'%s' does not say which application it belongs to; write NAME=%s".formatted(each, each));
				}
				String name = checked(each.substring(0, equals));
				inventories.merge(name, new SbomUrl().read(name, each.substring(equals + 1)), Inventory::and);
				continue;
			}
			Path file = path(named ? each.substring(equals + 1) : each);
			String name = checked(named ? each.substring(0, equals) : name(file));
			for (Inventory found : Files.isDirectory(file) ? directory(name, file) : List.of(file(name, file, known))) {
				inventories.merge(name, found, Inventory::and);
			}
		}
		return List.copyOf(inventories.values());
	}

	/**
	 * Returns whether a jar is one that Spring Boot's plugin has made.
	 * @param jar a jar
	 * @return whether it has libraries or classes where Spring Boot puts them
	 * @throws IOException if it cannot be read
	 * @throws InvalidInputException if it is no jar
	 */
	public static boolean isExecutable(Path jar) throws IOException {
		try (ZipFile file = BootJar.open(jar)) {
			return file.getEntry(BootJar.LIBRARIES) != null || file.getEntry(BootJar.CLASSES) != null;
		}
	}

	/** The locale may have no letters of a name. */
	private static Path path(String file) {
		try {
			return Path.of(file);
		}
		catch (InvalidPathException ex) {
			throw new InvalidInputException(
					"'%s' is no path (%s); rename the file, or set a locale that has its letters".formatted(file,
							ex.getReason()));
		}
	}

	/** A name becomes part of paths, and the launcher takes no others. */
	private static String checked(String name) {
		if (!name.matches(Layout.NAME)) {
			throw new InvalidInputException(
					"'%s' is no name of an application, which has letters, digits, '.', '-' and '_'; write NAME=FILE"
						.formatted(name));
		}
		return name;
	}

	/** The version at the end of a file's name is no part of the application's. */
	private static String name(Path file) {
		String name = file.toAbsolutePath().normalize().getFileName().toString();
		Path directory = file.toAbsolutePath().normalize().getParent();
		if ((name.equals("pom.xml") || name.startsWith("Dockerfile")) && directory != null
				&& directory.getFileName() != null) {
			return directory.getFileName().toString();
		}
		return name.replaceFirst("\\.(jar|json|xml)$", "").replaceFirst("-\\d[\\w.]*(-SNAPSHOT)?(-exec)?$", "");
	}

	private static List<Inventory> directory(String name, Path directory) throws IOException {
		List<Inventory> found = new ArrayList<>();
		for (String file : List.of("pom.xml", "Dockerfile", "src/main/docker/Dockerfile", "application.cdx.json")) {
			boolean second = file.endsWith("/Dockerfile") && Files.isRegularFile(directory.resolve("Dockerfile"));
			if (Files.isRegularFile(directory.resolve(file)) && !second) {
				found.add(file(name, directory.resolve(file), new LibraryDescription.Known()));
			}
		}
		Settings settings = new Settings();
		Path resources = directory.resolve("src/main/resources");
		for (String file : Settings.FILES) {
			if (Files.isRegularFile(resources.resolve(file))) {
				settings.add(file, Files.readString(resources.resolve(file)));
			}
		}
		if (!settings.all().isEmpty()) {
			found.add(Inventory.empty(name).with(settings.all()));
		}
		if (found.isEmpty()) {
			throw new InvalidInputException(
					"The directory '%s' has no pom.xml, no Dockerfile and no application.cdx.json; name a jar, or one of these"
						.formatted(directory));
		}
		return found;
	}

	private static Inventory file(String name, Path file, LibraryDescription.Known known) throws IOException {
		if (!Files.isRegularFile(file)) {
			throw new InvalidInputException(
					"There is no file '%s'; name a jar, a pom.xml, a bill of materials or a Dockerfile"
						.formatted(file));
		}
		String fileName = file.getFileName().toString().toLowerCase(Locale.ROOT);
		if (fileName.endsWith(".jar") || fileName.endsWith(BootJar.WAR)) {
			return BootJar.read(name, file, known);
		}
		if (fileName.endsWith(".xml")) {
			return PomReader.read(name, file);
		}
		if (fileName.endsWith(".json")) {
			return SbomReader.read(name, file.toString(), Files.readString(file));
		}
		if (fileName.startsWith("dockerfile") || fileName.endsWith(".dockerfile")) {
			Inventory empty = Inventory.empty(name);
			return new Inventory(name, null, "", "", 0, List.of(), Map.of(), Map.of(), Map.of(), empty.jvmWideCalls(),
					empty.natives(), false, DockerfileReader.read(file.toString(), Files.readString(file)));
		}
		throw new InvalidInputException(
				"'%s' is neither a jar nor a pom (.xml), a bill of materials (.json) or a Dockerfile".formatted(file));
	}

}
