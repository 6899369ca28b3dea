package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A layout appears as a whole or not at all, even if several processes write. */
class LayoutBuilderTests {

	@TempDir
	private Path directory;

	private List<Inventory> applications(TestJar one) throws IOException {
		return Inventories.read(List.of("one=" + one.write(this.directory, "one"),
				"two=" + TestJar.boot().library("guava", "1.0").write(this.directory, "two")));
	}

	private List<String> beside(Path target) throws IOException {
		try (Stream<Path> files = Files.list(target.getParent())) {
			return files.map((file) -> file.getFileName().toString()).toList();
		}
	}

	@Test
	void buildsAtTheSameTimeLeaveOneLayoutAndNothingElse() throws Exception {
		List<Inventory> applications = applications(TestJar.boot());
		Path target = this.directory.resolve("target/layout");
		LayoutBuilder builder = new LayoutBuilder(Map.of(), Hoist.STATELESS);
		builder.build(applications, target);
		ExecutorService executor = Executors.newFixedThreadPool(4);
		try {
			for (int round = 0; round < 25; round++) {
				List<Callable<Object>> builds = new ArrayList<>();
				for (int i = 0; i < 4; i++) {
					builds.add(() -> builder.build(applications, target));
				}
				for (Future<Object> build : executor.invokeAll(builds)) {
					try {
						build.get();
					}
					catch (ExecutionException ex) {
						assertThat(ex.getCause()).isInstanceOf(InvalidInputException.class)
							.hasMessageContaining("was written by another build");
					}
				}
				assertThat(target.resolve("copackage.json")).exists();
				assertThat(target.resolve("lib/guava-1.0.jar")).exists();
				assertThat(beside(target)).containsExactly("layout");
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	/** {@code java} reads the launcher's manifest only. */
	@Test
	void modulesAreOpenedThatAnApplicationOpens() throws IOException {
		String text = "Manifest-Version: 1.0\nStart-Class: app.Main\nSpring-Boot-Version: 4.1.1\n";
		TestJar one = TestJar.boot()
			.entry("META-INF/MANIFEST.MF",
					(text + "Add-Opens: java.base/java.time  nonsense\nEnable-Native-Access: ALL-UNNAMED\n")
						.getBytes(StandardCharsets.UTF_8));
		TestJar two = TestJar.boot()
			.entry("META-INF/MANIFEST.MF",
					(text + "Add-Exports: java.base/sun.nio.ch\n").getBytes(StandardCharsets.UTF_8));
		Path target = this.directory.resolve("target/layout");
		Path dockerfile = Files.writeString(this.directory.resolve("Dockerfile"),
				"FROM a\nENTRYPOINT java --add-opens java.base/java.text=ALL-UNNAMED --add-opens=java.base/java.io=some -jar two.jar --a=b\n");
		List<Inventory> both = Inventories.read(List.of("one=" + one.write(this.directory, "one"),
				"two=" + two.write(this.directory, "two"), "two=" + dockerfile));
		new LayoutBuilder(Map.of(), Hoist.STATELESS).build(both, target);
		assertThat(Files.readString(target.resolve("copackage.json"))).contains("\"--a=b\"").doesNotContain("-jar");
		try (JarFile launcher = new JarFile(target.resolve("launcher/vicinal-launcher.jar").toFile())) {
			Attributes manifest = launcher.getManifest().getMainAttributes();
			assertThat(manifest.getValue("Add-Opens").split(" "))
				.contains("java.base/java.util", "java.base/java.time", "java.base/java.text")
				.doesNotContain("nonsense", "java.base/java.io");
			assertThat(manifest.getValue("Add-Exports")).isEqualTo("java.base/sun.nio.ch");
			assertThat(manifest.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
		}
	}

	@Test
	void librariesInDirectoriesAreNamed() throws IOException {
		Path target = this.directory.resolve("target/layout");
		TestJar nested = TestJar.boot()
			.entry("BOOT-INF/lib/sub/x-1.jar", TestJar.zip(Map.of("x/X.class", TestJar.type("x/X", ""))));
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> applications(nested))
			.withMessageContaining("BOOT-INF/lib/sub/x-1.jar");
		assertThat(target).doesNotExist();
	}

	/**
	 * Spring Boot's plugin leaves most of {@code META-INF} where it was, and other files
	 * may have been put into the jar later.
	 */
	@Test
	void filesOfTheClassPathAreThoseOfTheJar() throws IOException {
		TestJar jar = TestJar.boot()
			.entry("META-INF/", new byte[0])
			.entry("META-INF/spring.factories", new byte[] { 1 })
			.entry("META-INF/resources/index.html", new byte[] { 2 })
			.entry("META-INF/services/java.nio.file.spi.FileSystemProvider", new byte[] { 3 })
			.entry("META-INF/A.SF", new byte[] { 4 })
			.entry("org/springframework/boot/loader/Loader.class", new byte[] { 5 })
			.entry("BOOT-INF/classes/", new byte[0])
			.resource("META-INF/aop.xml", "a")
			.resource("META-INF/spring.factories", "second")
			.entry("BOOT-INF/classpath.idx", new byte[] { 6 })
			.entry("application.properties", "server.port=8701".getBytes(StandardCharsets.UTF_8))
			.resource("application.properties", "server.port=8702")
			.entry("config/users.txt", new byte[] { 7 });
		Path target = this.directory.resolve("target/layout");
		List<Inventory> both = Inventories
			.read(List.of("one=" + jar.write(this.directory, "one"), "two=" + jar.write(this.directory, "two")));
		new LayoutBuilder(Map.of(), Hoist.STATELESS).build(both, target);
		try (JarFile own = new JarFile(target.resolve("apps/one/one.jar").toFile())) {
			assertThat(own.stream().map(JarEntry::getName)).containsExactlyInAnyOrder("META-INF/MANIFEST.MF",
					"META-INF/", "META-INF/spring.factories", "META-INF/resources/index.html", "META-INF/aop.xml",
					"application.properties", "config/users.txt");
			assertThat(both.get(0).settings()).containsEntry("server.port", "8701");
			try (InputStream in = own.getInputStream(own.getEntry("META-INF/spring.factories"))) {
				assertThat(in.readAllBytes()).containsExactly(1);
			}
		}
	}

	/** A layout may be part of an image. */
	@Test
	void whatCannotBeWrittenIsCalledAsTheUserHasCalledIt() throws IOException {
		Path jar = TestJar.boot().write(this.directory, "jar");
		List<Inventory> both = Inventories.read(List.of("a".repeat(252) + "=" + jar, "two=" + jar));
		Path target = this.directory.resolve("work/layout");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(
					() -> new LayoutBuilder(Map.of(), Hoist.STATELESS).build(both, target, Path.of("images", "image")))
			.withMessage("'images/image' cannot be written: File name too long");
		assertThat(target).doesNotExist();
	}

	/** A library may be called as one of ours. */
	@Test
	void librariesDoNotTakeThePlaceOfOurs() throws IOException {
		Map<String, byte[]> content = Map.of("x/X.class", TestJar.type("x/X", "theirs"));
		TestJar jar = TestJar.boot().entry("BOOT-INF/lib/vicinal-jvm.jar", TestJar.zip(content));
		Path target = this.directory.resolve("target/layout");
		List<Inventory> both = Inventories
			.read(List.of("one=" + jar.write(this.directory, "one"), "two=" + jar.write(this.directory, "two")));
		new LayoutBuilder(Map.of(), Hoist.STATELESS).build(both, target);
		try (Stream<Path> files = Files.list(target.resolve("shared"))) {
			assertThat(files.filter((file) -> has(file, "x/X.class"))).hasSize(1);
		}
		assertThat(has(target.resolve("shared/vicinal-jvm.jar"), "x/X.class")).isFalse();
	}

	/** Spring Boot's loader does not look for what the manifest of a library names. */
	@Test
	void librariesDoNotFindThoseOfOtherApplicationsBesideThem() throws Exception {
		byte[] manifest = "Manifest-Version: 1.0\nClass-Path: b-1.jar\n".getBytes(StandardCharsets.UTF_8);
		TestJar one = TestJar.boot()
			.library("a", "1", Map.of("META-INF/MANIFEST.MF", manifest, "a/A.class", TestJar.type("a/A", "")));
		TestJar two = TestJar.boot().library("b", "1", Map.of("b/B.class", TestJar.type("b/B", "")));
		Path target = this.directory.resolve("target/layout");
		List<Inventory> both = Inventories
			.read(List.of("one=" + one.write(this.directory, "one"), "two=" + two.write(this.directory, "two")));
		new LayoutBuilder(Map.of(), Hoist.STATELESS).build(both, target);
		List<URL> classPath = new ArrayList<>();
		for (JsonNode entry : JsonMapper.builder()
			.build()
			.readTree(Files.readString(target.resolve("copackage.json")))
			.at("/applications/0/classPath")) {
			classPath.add(target.resolve(entry.asString()).toUri().toURL());
		}
		try (URLClassLoader loader = new URLClassLoader(classPath.toArray(URL[]::new), null)) {
			assertThat(loader.loadClass("a.A")).isNotNull();
			assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass("b.B"));
		}
	}

	/** {@code java -jar} would find them. */
	@Test
	void applicationsThatNeedWhatIsBesideTheirJarAreRefused() throws IOException {
		TestJar jar = TestJar.boot().attribute("Class-Path", "beside.jar more/");
		Path file = jar.write(this.directory, "one");
		Path target = this.directory.resolve("target/layout");
		new LayoutBuilder(Map.of(), Hoist.STATELESS).build(
				Inventories.read(List.of("one=" + file, "two=" + TestJar.boot().write(this.directory, "two"))), target);
		try (JarFile own = new JarFile(target.resolve("apps/one/one.jar").toFile())) {
			assertThat(own.getManifest().getMainAttributes().getValue("Class-Path")).isNull();
		}
		TestJar.boot().write(this.directory, "beside");
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of("one=" + file)))
			.withMessageContaining("one.jar' needs 'beside.jar', which its manifest names beside it");
	}

	/** Those that Spring Boot's launcher with properties takes from elsewhere. */
	@Test
	void applicationsWhoseLauncherHasPropertiesAreRefused() throws IOException {
		String launcher = "org.springframework.boot.loader.launch.PropertiesLauncher";
		String path = "loader.path=plugins";
		Map<String, TestJar> jars = Map.of("Loader-Path: plugins", TestJar.boot().attribute("Loader-Path", "plugins"),
				"loader.path=plugins in BOOT-INF/classes/loader.properties",
				TestJar.boot().resource("loader.properties", path), "loader.path=plugins in loader.properties",
				TestJar.boot().entry("loader.properties", path.getBytes(StandardCharsets.UTF_8)));
		for (Map.Entry<String, TestJar> each : jars.entrySet()) {
			Path other = each.getValue().write(this.directory, "one");
			assertThat(Inventories.read(List.of("one=" + other))).hasSize(1);
			Path file = each.getValue().launcher(launcher).write(this.directory, "one");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> Inventories.read(List.of("one=" + file)))
				.withMessageContaining("one.jar' is started by PropertiesLauncher with '" + each.getKey() + "'");
		}
		// Without them it does what others do.
		Path file = TestJar.boot().launcher(launcher).write(this.directory, "one");
		assertThat(Inventories.read(List.of("one=" + file)).get(0).mainClass()).isEqualTo("app.Main");
	}

	private List<Inventory> both(String line) throws IOException {
		List<String> files = new ArrayList<>();
		for (String name : List.of("one", "two")) {
			Path dockerfile = Files.writeString(this.directory.resolve(name + ".dockerfile"),
					"FROM eclipse-temurin:21-jre\n" + (name.equals("one") ? line : ""));
			files.add(name + "=" + TestJar.boot().write(this.directory, name));
			files.add(name + "=" + dockerfile);
		}
		return Inventories.read(files);
	}

	@Test
	void propertiesOfALauncherThatADockerfileSetsAreRefused() throws IOException {
		for (String line : List.of("ENV LOADER_PATH=/plugins", "ENTRYPOINT java -Dloader.path=/plugins -jar a.jar")) {
			List<Inventory> both = both(line);
			assertThatExceptionOfType(InvalidInputException.class).isThrownBy(
					() -> new LayoutBuilder(Map.of(), Hoist.NONE).build(both, this.directory.resolve("target/layout")))
				.withMessageContaining("'one' gets loader.path from its Dockerfile");
		}
	}

	/** A shell replaces them when the container starts, and Spring Boot does here. */
	@Test
	void variablesWhoseValuesAreNotKnownArePlaceholders() throws IOException {
		Path target = this.directory.resolve("target/layout");
		for (String line : List.of("java -Dserver.port=$PORT -jar a.jar --a.b=$NAME",
				"[\"sh\", \"-c\", \"java -Dserver.port=$PORT -jar a.jar --a.b=${NAME}\"]")) {
			new LayoutBuilder(Map.of(), Hoist.NONE).build(both("ENTRYPOINT " + line), target);
			assertThat(target.resolve("copackage.json")).content()
				.contains("\"server.port\" : \"${PORT}\"", "\"--a.b=${NAME}\"");
		}
		new LayoutBuilder(Map.of(), Hoist.NONE)
			.build(both("ENTRYPOINT [\"java\", \"-jar\", \"a.jar\", \"--word=a$ecret\"]"), target);
		assertThat(target.resolve("copackage.json")).content().contains("\"--word=a$ecret\"");
	}

	/** Spring Boot's loader refuses them; here they are what they are. */
	@Test
	void librariesThatAreCompressedAreUnpacked() throws IOException {
		byte[] library = TestJar.zip(Map.of("x/X.class", TestJar.type("x/X", "")));
		Path jar = TestJar.boot().entry("BOOT-INF/lib/x-1.jar", library).write(this.directory, "one");
		Path packed = this.directory.resolve("packed.jar");
		try (JarFile in = new JarFile(jar.toFile());
				ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(packed))) {
			for (JarEntry each : Collections.list(in.entries())) {
				out.putNextEntry(new ZipEntry(each.getName()));
				in.getInputStream(each).transferTo(out);
			}
		}
		Path target = this.directory.resolve("target/layout");
		new LayoutBuilder(Map.of(), Hoist.NONE).build(Inventories.read(List.of("one=" + packed, "two=" + jar)), target);
		assertThat(target.resolve("lib/x-1.jar")).hasBinaryContent(library);
	}

	private static boolean has(Path jar, String entry) {
		try (java.util.zip.ZipFile file = new java.util.zip.ZipFile(jar.toFile())) {
			return file.getEntry(entry) != null;
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

}
