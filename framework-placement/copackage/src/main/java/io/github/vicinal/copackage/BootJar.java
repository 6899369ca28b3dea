package io.github.vicinal.copackage;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

import org.jspecify.annotations.Nullable;

/** Reads an executable jar of Spring Boot, or a plain jar. */
final class BootJar {

	/** End of the names of files that are no jars. */
	static final String WAR = ".war";

	private static final String CONTENT = "BOOT-INF/";

	static final String CLASSES = CONTENT + "classes/";

	static final String LIBRARIES = CONTENT + "lib/";

	/** More than any library has; guards against bombs. */
	private static final int MAX_LIBRARY_BYTES = 256 << 20;

	/** More than any class or configuration file has. */
	private static final int MAX_ENTRY_BYTES = 32 << 20;

	/** The JDK logs each line of a manifest that is there twice. */
	private static final int MAX_MANIFEST_BYTES = 4 << 20;

	private static final int MAX_ENTRIES = 200_000;

	/** The record at the end of a jar, with the longest comment. */
	private static final int MAX_END_BYTES = 22 + 0xFFFF;

	/**
	 * An empty file that Spring Boot's plugin writes where libraries are signed, so that
	 * the JVM looks at their signatures. The jar itself has no signature by that.
	 */
	private static final String LIBRARIES_ARE_SIGNED = "META-INF/BOOT.SF";

	private static final Pattern SIGNATURE = Pattern.compile("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");

	/** Classes of Spring Boot's loader, which a layout does not have. */
	private static final String LOADER = "org/springframework/boot/loader/";

	/** Names a class of Spring Boot's loader. */
	private static final String LOADER_SERVICE = "META-INF/services/java.nio.file.spi.FileSystemProvider";

	private static final Pattern NOT_READ = Pattern
		.compile("META-INF/(?:MANIFEST\\.MF|maven/.*|(?:LICENSE|NOTICE|DEPENDENCIES)[^/]*)");

	private static final String PROPERTIES_LAUNCHER = "PropertiesLauncher";

	private static final String LOADER_PROPERTIES = "loader.properties";

	/** Begins what is said of an agent that the manifest starts. */
	static final String AGENT = "Launcher-Agent-Class in its manifest: ";

	private final Path file;

	private BootJar(Path file) {
		this.file = file;
	}

	/**
	 * Reads a jar.
	 * @param name of the application
	 * @param file the jar
	 * @param known what was read of libraries, also of other jars
	 */
	static Inventory read(String name, Path file, LibraryDescription.Known known) throws IOException {
		return new BootJar(file).read(name, known);
	}

	/**
	 * Returns whether a directory ends where a file ends. The JDK takes an earlier one,
	 * too, and in a jar that is cut off that is the directory of a library.
	 */
	private static boolean isComplete(Path file) throws IOException {
		try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
			byte[] tail = new byte[(int) Math.min(in.length(), MAX_END_BYTES)];
			in.seek(in.length() - tail.length);
			in.readFully(tail);
			return NestedJar.end(ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN)) >= 0;
		}
	}

	/** Opens a jar; says clearly what is wrong with one that is none. */
	static ZipFile open(Path file) throws IOException {
		if (!Files.isRegularFile(file)) {
			throw new InvalidInputException("'%s' is no file; name the jar of an application".formatted(file));
		}
		if (!isComplete(file)) {
			throw new InvalidInputException(
					"'%s' is no jar, or is damaged (it does not end with a directory); build it again".formatted(file));
		}
		try {
			ZipFile jar = new ZipFile(file.toFile());
			if (jar.size() > MAX_ENTRIES) {
				jar.close();
				throw new InvalidInputException("'%s' has more than %d entries".formatted(file, MAX_ENTRIES));
			}
			return jar;
		}
		catch (ZipException ex) {
			throw new InvalidInputException(
					"'%s' is no jar, or is damaged (%s); build it again".formatted(file, ex.getMessage()));
		}
	}

	private boolean isWar(ZipFile jar) {
		return this.file.toString().toLowerCase(Locale.ROOT).endsWith(WAR)
				|| jar.stream().anyMatch((entry) -> entry.getName().startsWith("WEB-INF/"));
	}

	private Inventory read(String name, LibraryDescription.Known known) throws IOException {
		try (ZipFile jar = open(this.file)) {
			Attributes manifest = manifest(jar);
			if (isWar(jar)) {
				throw new InvalidInputException(
						"'%s' is a WAR, and the launcher runs executable jars; build it with the packaging jar"
							.formatted(this.file));
			}
			boolean boot = jar.getEntry(LIBRARIES) != null || jar.getEntry(CLASSES) != null
					|| manifest.getValue("Spring-Boot-Version") != null;
			boolean hasContent = false;
			Own own = new Own();
			List<ZipEntry> libraryEntries = new ArrayList<>();
			List<Library> libraries = new ArrayList<>();
			Set<String> natives = new LinkedHashSet<>();
			boolean signed = false;
			Set<String> seen = new HashSet<>();
			for (ZipEntry entry : Collections.list(jar.entries())) {
				String path = entry.getName();
				requireInside(path);
				if (!seen.add(path)) {
					throw new InvalidInputException(
							"'%s' has the entry '%s' twice; build it again".formatted(this.file, path));
				}
				signed |= SIGNATURE.matcher(path).matches() && !path.equals(LIBRARIES_ARE_SIGNED);
				hasContent |= path.startsWith(CONTENT);
				if (entry.isDirectory()) {
					continue;
				}
				if (boot && path.startsWith(LIBRARIES) && path.endsWith(".jar")) {
					if (path.indexOf('/', LIBRARIES.length()) >= 0) {
						throw new InvalidInputException(
								"'%s' has '%s', where no library can be; build it with Spring Boot's plugin"
									.formatted(this.file, path));
					}
					libraryEntries.add(entry);
				}
				else if (!boot) {
					own.add(this.file, path, entry, () -> bytes(jar, entry, MAX_ENTRY_BYTES));
				}
			}
			if (boot) {
				for (Map.Entry<String, ZipEntry> each : classPath(jar).entrySet()) {
					ZipEntry entry = each.getValue();
					if (!entry.isDirectory()) {
						own.add(this.file, each.getKey(), entry, () -> bytes(jar, entry, MAX_ENTRY_BYTES));
					}
				}
			}
			if (!hasContent && !value(manifest, "Spring-Boot-Version").isEmpty()) {
				throw new InvalidInputException(
						"'%s' has its libraries beside it, as Spring Boot's tools extract them; give the executable jar that it was extracted from"
							.formatted(this.file));
			}
			if (boot) {
				if (value(manifest, "Start-Class").isEmpty()) {
					throw new InvalidInputException(
							"'%s' cannot be started, because its manifest names no Start-Class; build it with Spring Boot's plugin"
								.formatted(this.file));
				}
				requireAlone(jar, manifest);
				requireNoProperties(jar, manifest);
			}
			for (Read each : libraries(jar, libraryEntries, known)) {
				libraries.add(each.library());
				if (each.nativeCode()) {
					natives.add(each.library().file());
				}
			}
			String agent = value(manifest, "Launcher-Agent-Class");
			if (!agent.isEmpty()) {
				own.calls().add(AGENT + agent);
			}
			return new Inventory(name, this.file, mainClass(manifest), value(manifest, "Spring-Boot-Version"),
					own.java(), libraries, Map.of(), own.settings(), own.resources(), own.calls(), natives, signed,
					null);
		}
		catch (ZipException | EOFException | IllegalArgumentException ex) {
			// The last one: names of entries that are no text.
			throw new InvalidInputException(
					"'%s' is damaged (%s); build it again".formatted(this.file, ex.getMessage()));
		}
	}

	/** Returns whether anybody may look for a file, by its path in the class path. */
	static boolean isRead(String path) {
		return !NOT_READ.matcher(path).matches() && !SIGNATURE.matcher(path).matches();
	}

	/**
	 * Returns the application's own entries of an executable jar by their paths in the
	 * class path, directories included, since a scan of packages looks for them. The jar
	 * itself is in the class path of {@code java -jar}, whose loader comes before that of
	 * Spring Boot: it finds what Spring Boot's plugin leaves in {@code META-INF}, and
	 * what was put beside that later.
	 */
	static Map<String, ZipEntry> classPath(ZipFile jar) {
		Map<String, ZipEntry> own = new LinkedHashMap<>();
		Map<String, ZipEntry> classes = new LinkedHashMap<>();
		for (ZipEntry entry : Collections.list(jar.entries())) {
			String path = entry.getName();
			if (!path.startsWith(CONTENT)) {
				if (!isOfLoader(path)) {
					own.put(path, entry);
				}
			}
			else if (path.startsWith(CLASSES) && path.length() > CLASSES.length()) {
				classes.put(path.substring(CLASSES.length()), entry);
			}
		}
		classes.forEach(own::putIfAbsent);
		own.remove(JarFile.MANIFEST_NAME);
		return own;
	}

	/** Returns whether an entry is one of Spring Boot's loader, or a signature. */
	private static boolean isOfLoader(String path) {
		return path.startsWith(LOADER) || (path.endsWith("/") && LOADER.startsWith(path)) || path.equals(LOADER_SERVICE)
				|| SIGNATURE.matcher(path).matches();
	}

	/** Refuses entries that lead out of the directory that the jar is extracted to. */
	private void requireInside(String path) {
		if (path.startsWith("/") || path.contains("\\") || List.of(path.split("/")).contains("..")) {
			throw new InvalidInputException(
					"'%s' has an entry '%s', which leads out of it; it is not read".formatted(this.file, path));
		}
	}

	/**
	 * {@code java -jar} has them in its class path; many a manifest names what is not
	 * there.
	 */
	private void requireAlone(ZipFile jar, Attributes manifest) {
		Path directory = this.file.toAbsolutePath().getParent();
		for (String each : value(manifest, "Class-Path").split("\\s+")) {
			boolean within = !each.endsWith("/")
					&& jar.getEntry(LIBRARIES + each.substring(each.lastIndexOf('/') + 1)) != null;
			if (!each.isEmpty() && !within && directory != null && isThere(directory, each)) {
				throw new InvalidInputException(
						"'%s' needs '%s', which its manifest names beside it (Class-Path), and which is not in it; build it with Spring Boot's plugin, with all libraries in it"
							.formatted(this.file, each));
			}
		}
	}

	/**
	 * One launcher of Spring Boot takes a class path, a main class and arguments from
	 * properties.
	 */
	private void requireNoProperties(ZipFile jar, Attributes manifest) throws IOException {
		if (!value(manifest, "Main-Class").endsWith(PROPERTIES_LAUNCHER)) {
			return;
		}
		for (Object name : manifest.keySet()) {
			if (name.toString().startsWith("Loader-")) {
				throw startedWith("%s: %s".formatted(name, value(manifest, name.toString())));
			}
		}
		for (String path : List.of(CLASSES + LOADER_PROPERTIES, LOADER_PROPERTIES)) {
			ZipEntry entry = jar.getEntry(path);
			if (entry == null) {
				continue;
			}
			Properties properties = new Properties();
			properties.load(new ByteArrayInputStream(bytes(jar, entry, MAX_ENTRY_BYTES)));
			for (String name : new TreeSet<>(properties.stringPropertyNames())) {
				if (name.startsWith("loader.")) {
					throw startedWith("%s=%s in %s".formatted(name, properties.getProperty(name), path));
				}
			}
		}
	}

	private InvalidInputException startedWith(String property) {
		return new InvalidInputException(
				"'%s' is started by %s with '%s', which a layout does not have; build it with all libraries in it, and without its properties"
					.formatted(this.file, PROPERTIES_LAUNCHER, property));
	}

	private static boolean isThere(Path directory, String relative) {
		try {
			return Files.isRegularFile(Path.of(directory.toUri().resolve(relative)));
		}
		catch (IllegalArgumentException | FileSystemNotFoundException ex) {
			// Not a file.
			return false;
		}
	}

	private static String mainClass(Attributes manifest) {
		String start = value(manifest, "Start-Class");
		return start.isEmpty() ? value(manifest, "Main-Class") : start;
	}

	private static String value(Attributes manifest, String name) {
		String value = manifest.getValue(name);
		return (value != null) ? value.strip() : "";
	}

	/** Returns the main attributes of a jar. */
	static Attributes manifest(ZipFile jar) throws IOException {
		ZipEntry entry = jar.getEntry(JarFile.MANIFEST_NAME);
		if (entry == null) {
			return new Attributes();
		}
		byte[] bytes = bytes(Path.of(jar.getName()), jar, entry, MAX_MANIFEST_BYTES);
		return new Manifest(new ByteArrayInputStream(bytes)).getMainAttributes();
	}

	/** Says which jar has a library that cannot be read, once that is looked into. */
	static InvalidInputException damaged(ZipFile jar, ZipException ex) {
		return new InvalidInputException(
				"'%s' is damaged (%s); build it again".formatted(jar.getName(), ex.getMessage()));
	}

	private byte[] bytes(ZipFile jar, ZipEntry entry, int most) throws IOException {
		return bytes(this.file, jar, entry, most);
	}

	private static byte[] bytes(Path file, ZipFile jar, ZipEntry entry, int most) throws IOException {
		if (entry.getSize() > most) {
			throw new InvalidInputException("'%s' has an entry '%s' of %d bytes; at most %d are read".formatted(file,
					entry.getName(), entry.getSize(), most));
		}
		if (entry.getMethod() == ZipEntry.STORED && entry.getSize() <= Files.size(file)) {
			return stored(jar, entry);
		}
		try (InputStream in = jar.getInputStream(entry)) {
			byte[] bytes = in.readNBytes(most);
			if (in.read() >= 0) {
				throw new InvalidInputException(
						"'%s' has an entry '%s' of more than %d bytes".formatted(file, entry.getName(), most));
			}
			return bytes;
		}
	}

	/** Reads an entry that is not compressed, as libraries are, without copying it. */
	private static byte[] stored(ZipFile jar, ZipEntry entry) throws IOException {
		byte[] bytes = new byte[(int) entry.getSize()];
		try (InputStream in = jar.getInputStream(entry)) {
			if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
				throw new EOFException("'%s' ends early".formatted(entry.getName()));
			}
		}
		return bytes;
	}

	/**
	 * Reads libraries, on all processors.
	 * @param entries their entries
	 * @param known gets what was read
	 */
	private List<Read> libraries(ZipFile jar, List<ZipEntry> entries, LibraryDescription.Known known)
			throws IOException {
		try {
			return entries.parallelStream().map((entry) -> library(jar, entry, known)).toList();
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
	}

	private Read library(ZipFile jar, ZipEntry entry, LibraryDescription.Known known) {
		try {
			byte[] bytes = bytes(jar, entry, MAX_LIBRARY_BYTES);
			String file = entry.getName().substring(LIBRARIES.length());
			String sha256 = sha256(bytes);
			LibraryDescription description = known.of(sha256, bytes, file);
			return new Read(description.library(sha256, file), description.nativeCode());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String sha256(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A library that was read.
	 *
	 * @param library it
	 * @param nativeCode whether it has native libraries
	 */
	private record Read(Library library, boolean nativeCode) {
	}

	/** The application's own classes, resources and settings. */
	private static final class Own {

		private final Settings settings = new Settings();

		private final Map<String, String> resources = new LinkedHashMap<>();

		private final Set<String> calls = new LinkedHashSet<>();

		private int java;

		void add(Path jar, String path, ZipEntry entry, Content content) throws IOException {
			if (NOT_READ.matcher(path).matches()) {
				return;
			}
			this.resources.put(path, Long.toHexString(entry.getCrc()));
			boolean isClass = path.endsWith(".class") && !path.startsWith("META-INF/");
			if (!isClass && !Settings.isRead(path)) {
				return;
			}
			byte[] bytes = content.bytes();
			try {
				if (isClass) {
					ClassFacts facts = ClassFacts.read(bytes, path);
					this.java = Math.max(this.java, facts.java());
					this.calls.addAll(facts.jvmWideCalls());
				}
				else {
					this.settings.add(path, new String(bytes, StandardCharsets.UTF_8));
				}
			}
			catch (InvalidInputException ex) {
				throw new InvalidInputException("'%s': %s".formatted(jar, ex.getMessage()));
			}
		}

		int java() {
			return this.java;
		}

		Map<String, String> settings() {
			return this.settings.all();
		}

		Map<String, String> resources() {
			return this.resources;
		}

		Set<String> calls() {
			return this.calls;
		}

	}

	/** Read only if it matters. */
	@FunctionalInterface
	private interface Content {

		byte[] bytes() throws IOException;

	}

	/** Returns the bytes of a library of a jar, or {@code null}. */
	static byte @Nullable [] library(ZipFile jar, String file) throws IOException {
		return read(jar, LIBRARIES + file);
	}

	/** Returns the bytes of a file of the application's own, or {@code null}. */
	static byte @Nullable [] own(ZipFile jar, String path) throws IOException {
		byte[] first = read(jar, path);
		return (first != null) ? first : read(jar, CLASSES + path);
	}

	private static byte @Nullable [] read(ZipFile jar, String path) throws IOException {
		ZipEntry entry = jar.getEntry(path);
		if (entry == null) {
			return null;
		}
		try (InputStream in = jar.getInputStream(entry)) {
			return in.readAllBytes();
		}
	}

}
