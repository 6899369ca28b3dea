package io.github.vicinal.copackage.maven;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs Maven itself on a project. Its local repository is a new one with this plugin and
 * what it needs of this build; everything else comes from the local repository of the
 * build that runs the tests.
 */
final class MavenRun {

	private static final String GROUP = "io/github/vicinal";

	/** Modules that the plugin needs, by artifact. */
	private static final Map<String, String> MODULES = Map.of("vicinal-parent", ".", "vicinal-bom",
			"framework-core/bom", "vicinal-copackage", "framework-placement/copackage", "vicinal-launcher",
			"framework-placement/launcher", "vicinal-launcher-logback", "framework-placement/launcher-logback",
			"vicinal-jvm", "framework-transport/jvm", "vicinal-placement", "framework-placement/core",
			"copackage-maven-plugin", "framework-placement/copackage-maven-plugin");

	private final Path directory;

	private final Path repository;

	private final Path settings;

	private final String version = System.getProperty("copackage.version");

	MavenRun(Path directory) throws IOException {
		this.directory = directory;
		this.repository = Files.createDirectories(directory.resolve("repository"));
		this.settings = directory.resolve("settings.xml");
		Files.writeString(this.settings, """
				<settings>
				  <mirrors><mirror><id>build</id><mirrorOf>*</mirrorOf><url>%s</url></mirror></mirrors>
				</settings>
				""".formatted(Path.of(System.getProperty("localRepository")).toUri()));
		Path root = Path.of("").toAbsolutePath().getParent().getParent();
		for (Map.Entry<String, String> module : MODULES.entrySet()) {
			install(module.getKey(), root.resolve(module.getValue()).normalize());
		}
	}

	private void install(String artifact, Path module) throws IOException {
		Path target = Files.createDirectories(this.repository.resolve(GROUP).resolve(artifact).resolve(this.version));
		String name = artifact + "-" + this.version;
		Files.copy(module.resolve("pom.xml"), target.resolve(name + ".pom"));
		Path classes = classes(artifact, module);
		if (classes == null) {
			return;
		}
		if (Files.isDirectory(classes)) {
			pack(classes, target.resolve(name + ".jar"));
		}
		else {
			Files.copy(classes, target.resolve(name + ".jar"));
		}
	}

	/** The directory or the jar that the class path of the tests has. */
	private static Path classes(String artifact, Path module) {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of)
			.filter((path) -> path.equals(module.resolve("target/classes"))
					|| path.getFileName().toString().matches(artifact + "-\\d.*\\.jar"))
			.findFirst()
			.orElse(null);
	}

	private static void pack(Path directory, Path jar) throws IOException {
		try (OutputStream out = Files.newOutputStream(jar);
				ZipOutputStream zip = new ZipOutputStream(out);
				Stream<Path> files = Files.walk(directory)) {
			for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
				zip.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
				Files.copy(file, zip);
				zip.closeEntry();
			}
		}
	}

	/** Puts an artifact of somebody else into the repository. */
	Path artifact(String group, String artifact, String itsVersion, String file) throws IOException {
		Path target = Files
			.createDirectories(this.repository.resolve(group.replace('.', '/')).resolve(artifact).resolve(itsVersion));
		Files.writeString(target.resolve("%s-%s.pom".formatted(artifact, itsVersion)), """
				<project><modelVersion>4.0.0</modelVersion>
				<groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></project>
				""".formatted(group, artifact, itsVersion));
		return target.resolve(file);
	}

	/** Runs a goal on a project, and returns what Maven says. */
	String run(String goal, int exitCode, String configuration, String... options)
			throws IOException, InterruptedException {
		Path project = Files.createDirectories(this.directory.resolve("project"));
		Files.writeString(project.resolve("pom.xml"), """
				<project>
				  <modelVersion>4.0.0</modelVersion>
				  <groupId>com.example</groupId><artifactId>all</artifactId><version>1</version>
				  <packaging>pom</packaging>
				  <build><plugins><plugin>
				    <groupId>io.github.vicinal</groupId><artifactId>copackage-maven-plugin</artifactId>
				    <version>%s</version>
				    <configuration>%s</configuration>
				  </plugin></plugins></build>
				</project>
				""".formatted(this.version, configuration));
		List<String> line = new ArrayList<>(List.of(System.getProperty("maven.home") + "/bin/mvn", "-B", "-s",
				this.settings.toString(), "-Dmaven.repo.local=" + this.repository));
		line.addAll(List.of(options));
		line.add("io.github.vicinal:copackage-maven-plugin:%s:%s".formatted(this.version, goal));
		ProcessBuilder builder = new ProcessBuilder(line).directory(project.toFile()).redirectErrorStream(true);
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().remove("MAVEN_OPTS");
		Process process = builder.start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
		assertThat(process.exitValue()).as(said).isEqualTo(exitCode);
		return said;
	}

	Path target() {
		return this.directory.resolve("project/target");
	}

}
