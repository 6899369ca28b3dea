package io.github.vicinal.copackage;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

import io.github.vicinal.jvm.Neighbours;
import io.github.vicinal.launcher.Launcher;
import io.github.vicinal.launcher.Layout;
import io.github.vicinal.launcher.logback.ApplicationLogs;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lays out applications for the launcher:
 *
 * <pre>
 * copackage.json                  what belongs to which application
 * launcher/vicinal-launcher.jar   java -jar runs all of them
 * shared/                         loaded once for all
 * lib/                            libraries, each once, even if several applications use it
 * apps/NAME/NAME.jar              what is the application's own
 * </pre>
 *
 * The applications' own jars are not changed; to go back is to start those.
 *
 * @since 0.1.0
 */
public final class LayoutBuilder {

	private static final String LAUNCHER = "launcher/vicinal-launcher.jar";

	/** Packages of the JDK that the launcher opens to remove what applications leave. */
	private static final String OPENED = "java.base/java.lang java.base/java.net java.base/java.util java.base/java.util.concurrent"
			+ " java.rmi/sun.rmi.transport jdk.httpserver/sun.net.httpserver"
			+ " jdk.jfr/jdk.jfr.internal jdk.jfr/jdk.jfr.internal.consumer jdk.jfr/jdk.jfr.internal.periodic";

	private static final String LOG = "shared/vicinal-launcher-logback.jar";

	private static final String NEIGHBOURS = "shared/vicinal-jvm.jar";

	private static final Set<String> OURS = Set.of(LOG, NEIGHBOURS);

	/** Properties of a launcher of Spring Boot. */
	private static final List<String> LAUNCHER_PROPERTIES = List.of("loader.path", "loader.main", "loader.home",
			"loader.args", "loader.config.name", "loader.config.location", "loader.system");

	/** Before Java 22, class loaders look for other jars by it. */
	private static final String INDEX = "META-INF/INDEX.LIST";

	private final Map<String, List<String>> arguments;

	private final Hoist hoist;

	/**
	 * Creates a builder.
	 * @param arguments for {@code main}, by name of the application
	 * @param hoist which libraries are loaded once for all
	 */
	public LayoutBuilder(Map<String, List<String>> arguments, Hoist hoist) {
		this.arguments = Map.copyOf(arguments);
		this.hoist = hoist;
	}

	/**
	 * Builds a layout. It appears as a whole or not at all.
	 * @param inventories applications, in the order of their start
	 * @param directory a directory that does not exist, or holds a layout, which is
	 * replaced
	 * @return libraries of the first application that are not loaded once, and why
	 * @throws IOException if it cannot be written
	 * @throws InvalidInputException if the directory holds something else, or an
	 * application has no executable jar
	 */
	public Map<String, String> build(List<Inventory> inventories, Path directory) throws IOException {
		return build(inventories, directory, directory);
	}

	/**
	 * Builds a layout that is part of something else.
	 * @param whole what the user has asked for, by which it is called if it cannot be
	 * written
	 */
	Map<String, String> build(List<Inventory> inventories, Path directory, Path whole) throws IOException {
		Path target = directory.toAbsolutePath().normalize();
		if (Files.exists(target) && !Files.exists(target.resolve(Layout.FILE))) {
			throw new InvalidInputException(
					"'%s' is there, but is no layout; name a directory that does not exist".formatted(directory));
		}
		if (Layout.isRun(target)) {
			throw new InvalidInputException(
					"'%s' is being run, and would lose its jars; stop it, or name another directory"
						.formatted(directory));
		}
		for (Inventory inventory : inventories) {
			if (inventory.jar() == null || inventory.mainClass().isEmpty() || inventory.libraries().isEmpty()) {
				throw new InvalidInputException(
						"'%s' has no executable jar; give the one that Spring Boot's plugin makes"
							.formatted(inventory.name()));
			}
			requireNoLauncher(inventory);
		}
		Hoisting.Plan plan = Hoisting.plan(inventories, this.hoist);
		try (WorkDirectory work = WorkDirectory.beside(target)) {
			write(inventories, plan, work.path());
			replace(target, work.path(), work.old());
			return plan.kept();
		}
		catch (IOException ex) {
			throw WorkDirectory.unwritten(whole, ex);
		}
	}

	/** Refuses properties of a launcher that a layout does not have. */
	private static void requireNoLauncher(Inventory inventory) {
		Container container = inventory.container();
		if (container == null) {
			return;
		}
		Map<String, String> definitions = EnvironmentClashes.definitions(container);
		for (String property : LAUNCHER_PROPERTIES) {
			if (definitions.containsKey(property) || container.environment().containsKey(Settings.variable(property))) {
				throw new InvalidInputException(
						"'%s' gets %s from its Dockerfile, which a layout does not have; build it with all libraries in it"
							.formatted(inventory.name(), property));
			}
		}
	}

	private List<String> arguments(Inventory inventory) {
		return ProgramArguments.replaced(inventory.container(),
				this.arguments.getOrDefault(inventory.name(), List.of()));
	}

	/** Another build may do the same at the same time: one of them wins. */
	private static void replace(Path target, Path work, Path old) throws IOException {
		try {
			if (Files.exists(target)) {
				Files.move(target, old);
			}
			Files.move(work, target);
		}
		catch (FileSystemException ex) {
			if (!isTaken(ex)) {
				throw ex;
			}
			throw new InvalidInputException(
					"'%s' was written by another build at the same time; build again".formatted(target));
		}
		finally {
			if (Files.exists(old) && !Files.exists(target)) {
				Files.move(old, target);
			}
			FileTree.delete(old);
		}
	}

	/** The JDK has no exception of its own for a directory that is moved onto another. */
	private static boolean isTaken(FileSystemException ex) {
		return ex instanceof NoSuchFileException || ex instanceof FileAlreadyExistsException
				|| ex instanceof DirectoryNotEmptyException || "Directory not empty".equals(ex.getReason());
	}

	private void write(List<Inventory> inventories, Hoisting.Plan plan, Path work) throws IOException {
		Files.createDirectories(work.resolve("launcher"));
		Files.createDirectories(work.resolve("shared"));
		Files.createDirectories(work.resolve("lib"));
		Map<String, String> manifest = new HashMap<>(ModuleAccess.of(inventories, OPENED));
		manifest.putAll(Map.of("Main-Class", Launcher.class.getName(), "Class-Path", "jackson-core.jar",
				"Enable-Final-Field-Mutation", "ALL-UNNAMED"));
		OwnJars.copy(Launcher.class, work.resolve(LAUNCHER), manifest);
		OwnJars.copy(JsonFactory.class, work.resolve("launcher/jackson-core.jar"), Map.of());
		OwnJars.copy(Neighbours.class, work.resolve(NEIGHBOURS), Map.of());
		Map<String, String> bySha = new LinkedHashMap<>();
		JsonMapper mapper = JsonMapper.builder().build();
		ObjectNode root = mapper.createObjectNode();
		root.put("format", Layout.FORMAT);
		root.put("version", Layout.VERSION);
		ArrayNode shared = root.putArray("shared");
		shared.add(NEIGHBOURS);
		Map<String, String> hoistedShas = new HashMap<>();
		for (Library library : inventories.get(0).libraries()) {
			if (plan.files().contains(library.file())) {
				// Ours are there already.
				String path = OURS.contains("shared/" + library.file())
						? "shared/%s-%s".formatted(library.sha256().substring(0, 8), library.file())
						: "shared/" + library.file();
				shared.add(path);
				hoistedShas.put(library.sha256(), path);
			}
		}
		if (plan.sharesLog()) {
			OwnJars.copy(ApplicationLogs.class, work.resolve(LOG), Map.of());
			shared.add(LOG);
		}
		ArrayNode applications = root.putArray("applications");
		for (Inventory inventory : inventories) {
			ObjectNode application = applications.addObject();
			application.put("name", inventory.name());
			application.put("mainClass", inventory.mainClass());
			Map<String, String> own = EnvironmentClashes.ownDefinitions(inventory);
			own.putAll(plan.systemProperties());
			if (!own.isEmpty()) {
				ObjectNode properties = application.putObject("systemProperties");
				own.forEach(properties::put);
			}
			ArrayNode classPath = application.putArray("classPath");
			classPath.add(own(inventory, work));
			for (String entry : libraries(inventory, work, bySha, hoistedShas)) {
				classPath.add(entry);
			}
			ArrayNode given = application.putArray("arguments");
			arguments(inventory).forEach(given::add);
		}
		Files.writeString(work.resolve(Layout.FILE),
				mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
	}

	/** The application's own files, with its manifest, as a jar. */
	private static String own(Inventory inventory, Path work) throws IOException {
		String path = "apps/%s/%s.jar".formatted(inventory.name(), inventory.name());
		Path target = work.resolve(path);
		Files.createDirectories(target.getParent());
		try (ZipFile jar = BootJar.open(jar(inventory));
				ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(target)))) {
			ZipEntry manifest = jar.getEntry(JarFile.MANIFEST_NAME);
			if (manifest != null) {
				manifest(jar, manifest, out);
			}
			for (Map.Entry<String, ZipEntry> each : BootJar.classPath(jar).entrySet()) {
				copy(jar, each.getValue(), each.getKey(), out);
			}
		}
		return path;
	}

	private static Path jar(Inventory inventory) {
		Path jar = inventory.jar();
		if (jar == null) {
			throw new IllegalStateException(inventory.name());
		}
		return jar;
	}

	/**
	 * Spring Boot's loader knows no versions of an application's own classes, and what
	 * would be beside its jar is not here.
	 */
	private static void manifest(ZipFile jar, ZipEntry entry, ZipOutputStream out) throws IOException {
		Manifest manifest;
		try (InputStream in = jar.getInputStream(entry)) {
			manifest = new Manifest(in);
		}
		manifest.getMainAttributes().remove(Attributes.Name.MULTI_RELEASE);
		manifest.getMainAttributes().remove(Attributes.Name.CLASS_PATH);
		ZipEntry copy = new ZipEntry(JarFile.MANIFEST_NAME);
		copy.setTime(entry.getTime());
		out.putNextEntry(copy);
		manifest.write(out);
		out.closeEntry();
	}

	private static void copy(ZipFile jar, ZipEntry entry, String name, ZipOutputStream out) throws IOException {
		ZipEntry copy = new ZipEntry(name);
		copy.setTime(entry.getTime());
		out.putNextEntry(copy);
		try (InputStream in = jar.getInputStream(entry)) {
			in.transferTo(out);
		}
		out.closeEntry();
	}

	private static List<String> libraries(Inventory inventory, Path work, Map<String, String> bySha,
			Map<String, String> hoisted) throws IOException {
		List<String> paths = new ArrayList<>();
		try (ZipFile jar = BootJar.open(jar(inventory))) {
			for (Library library : inventory.libraries()) {
				String path = hoisted.getOrDefault(library.sha256(), bySha.get(library.sha256()));
				if (path == null || !Files.exists(work.resolve(path))) {
					byte[] bytes = BootJar.library(jar, library.file());
					if (bytes == null) {
						throw new InvalidInputException(
								"'%s' changed while it was read; build again".formatted(inventory.jar()));
					}
					if (path == null) {
						path = path(library, bytes, bySha);
						bySha.put(library.sha256(), path);
					}
					Path target = work.resolve(path);
					Path parent = target.getParent();
					if (parent != null) {
						Files.createDirectories(parent);
					}
					Files.write(target, bytes);
				}
				if (!path.startsWith("shared/")) {
					paths.add(path);
				}
			}
		}
		return paths;
	}

	/**
	 * A library that names jars beside it has a directory of its own: Spring Boot's
	 * loader does not look for them, and that of the launcher would find those of other
	 * applications.
	 */
	private static String path(Library library, byte[] bytes, Map<String, String> bySha) throws IOException {
		String begin = library.sha256().substring(0, 8);
		if (namesOthers(bytes, library.file())) {
			return "lib/%s/%s".formatted(begin, library.file());
		}
		String path = "lib/" + library.file();
		return bySha.containsValue(path) ? "lib/%s-%s".formatted(begin, library.file()) : path;
	}

	private static boolean namesOthers(byte[] bytes, String file) throws IOException {
		NestedJar jar = new NestedJar(bytes, file);
		for (NestedJar.Entry entry : jar.files()) {
			if (entry.path().equals(INDEX)
					|| (entry.path().equals(JarFile.MANIFEST_NAME) && hasClassPath(jar.bytes(entry)))) {
				return true;
			}
		}
		return false;
	}

	private static boolean hasClassPath(byte[] manifest) {
		try {
			Attributes attributes = new Manifest(new ByteArrayInputStream(manifest)).getMainAttributes();
			return attributes.getValue(Attributes.Name.CLASS_PATH) != null;
		}
		catch (IOException ex) {
			// What class loaders make of it is not known.
			return true;
		}
	}

}
