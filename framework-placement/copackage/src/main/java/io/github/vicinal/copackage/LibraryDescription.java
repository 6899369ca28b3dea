package io.github.vicinal.copackage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Coordinates and version that a library names in its own files.
 *
 * @param coordinates group and artifact; empty if it describes none, or several
 * @param version its version; empty as the coordinates
 * @param nativeCode whether it has native libraries
 * @param java the Java version that it needs; 0 if it has no classes
 */
record LibraryDescription(String coordinates, String version, boolean nativeCode, int java) {

	private static final Pattern POM_PROPERTIES = Pattern.compile("META-INF/maven/[^/]+/[^/]+/pom\\.properties");

	private static final Pattern NATIVE = Pattern.compile(".*\\.(so|dylib|jnilib|dll)(\\.[\\d.]+)?");

	/** Classes of a library whose version is looked at, evenly spread. */
	private static final int MAX_CLASSES = 200;

	private static final Pattern NAME = Pattern.compile("(.+?)-(\\d[\\w.+-]*?)\\.jar");

	/**
	 * Reads a library.
	 * @param bytes the library
	 * @param file its name, for people
	 */
	static LibraryDescription read(byte[] bytes, String file) throws IOException {
		Properties described = new Properties();
		int descriptions = 0;
		boolean nativeCode = false;
		NestedJar jar = new NestedJar(bytes, file);
		for (NestedJar.Entry entry : jar.files()) {
			nativeCode |= NATIVE.matcher(entry.path()).matches();
			if (POM_PROPERTIES.matcher(entry.path()).matches()) {
				descriptions++;
				described.load(new ByteArrayInputStream(jar.bytes(entry)));
			}
		}
		int java = java(jar);
		// A jar that holds others describes each of them.
		return (descriptions != 1) ? new LibraryDescription("", "", nativeCode, java)
				: new LibraryDescription(
						described.getProperty("groupId", "") + ":" + described.getProperty("artifactId", ""),
						described.getProperty("version", ""), nativeCode, java);
	}

	/**
	 * Returns the newest version of Java that a tenth of the classes need. Fewer are
	 * those that a library loads only where Java is new enough.
	 */
	private static int java(NestedJar jar) throws IOException {
		List<NestedJar.Entry> classes = jar.classes();
		TreeMap<Integer, Integer> counts = new TreeMap<>();
		int looked = 0;
		int step = 1 + (classes.size() - 1) / MAX_CLASSES;
		for (int i = 0; i < classes.size(); i += step) {
			byte[] head = jar.head(classes.get(i), ClassFiles.HEAD_BYTES);
			if (ClassFiles.isClass(head)) {
				counts.merge(ClassFiles.java(head), 1, Integer::sum);
				looked++;
			}
		}
		int seen = 0;
		for (Map.Entry<Integer, Integer> each : counts.descendingMap().entrySet()) {
			seen += each.getValue();
			if (seen * 10 >= looked) {
				return each.getKey();
			}
		}
		return 0;
	}

	/** Returns the library; the name of its file holds before what it says of itself. */
	Library library(String sha256, String file) {
		Matcher name = NAME.matcher(file);
		boolean named = name.matches();
		if (!this.coordinates.isEmpty() && (!named || this.version.equals(name.group(2)))) {
			return new Library(this.coordinates, this.version, sha256, file, this.java);
		}
		return named ? new Library(name.group(1), name.group(2), sha256, file, this.java)
				: new Library(file, "", sha256, file, this.java);
	}

	/**
	 * Descriptions of libraries that were read, by the SHA-256 of their bytes:
	 * applications that are compared have most libraries in common. Thread-safe.
	 */
	static final class Known {

		private final Map<String, LibraryDescription> descriptions = new ConcurrentHashMap<>();

		/**
		 * Returns the description of a library, which is read if it is new.
		 * @param sha256 of the bytes
		 * @param bytes the library
		 * @param file its name, for people
		 */
		LibraryDescription of(String sha256, byte[] bytes, String file) throws IOException {
			LibraryDescription known = this.descriptions.get(sha256);
			if (known == null) {
				known = read(bytes, file);
				this.descriptions.put(sha256, known);
			}
			return known;
		}

	}

}
