package io.github.vicinal.copackage.maven;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The goals in a build, as users run them. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GoalsTests {

	private static final String APPLICATIONS = """
			<applications>
			  <application><name>one</name><file>%s</file><port>7001</port></application>
			  <application><name>two</name><artifact>com.example:two:jar:exec:1.0</artifact>%s
			    <arguments><argument>--mode=calm</argument></arguments></application>
			</applications>
			""";

	@TempDir
	private Path directory;

	private MavenRun maven;

	private Path one;

	@BeforeEach
	void applications() throws IOException {
		this.maven = new MavenRun(this.directory);
		this.one = jar(this.directory.resolve("one.jar"));
		jar(this.maven.artifact("com.example", "two", "1.0", "two-1.0-exec.jar"));
	}

	/** An archive as Spring Boot's plugin makes it, as far as it matters. */
	private static Path jar(Path file) throws IOException {
		try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
			put(out, "META-INF/MANIFEST.MF",
					"Manifest-Version: 1.0\nStart-Class: app.Main\nSpring-Boot-Version: 4.1.1\n"
						.getBytes(StandardCharsets.UTF_8));
			put(out, "BOOT-INF/classes/application.properties", "server.port=7000".getBytes(StandardCharsets.UTF_8));
			for (String library : List.of("spring-boot-4.1.1.jar", "jspecify-0.3.0.jar")) {
				put(out, "BOOT-INF/lib/" + library,
						new byte[] { 'P', 'K', 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 });
			}
		}
		return file;
	}

	private static void put(ZipOutputStream out, String name, byte[] bytes) throws IOException {
		ZipEntry entry = new ZipEntry(name);
		CRC32 checksum = new CRC32();
		checksum.update(bytes);
		entry.setMethod(ZipEntry.STORED);
		entry.setSize(bytes.length);
		entry.setCrc(checksum.getValue());
		out.putNextEntry(entry);
		out.write(bytes);
		out.closeEntry();
	}

	@Test
	void buildLaysOutJarsAndArtifacts() throws IOException, InterruptedException {
		String said = this.maven.run("build", 0, APPLICATIONS.formatted(this.one, ""));
		assertThat(said).contains("2 applications for one JVM in");
		Path layout = this.maven.target().resolve("copackaged");
		assertThat(layout.resolve("launcher/vicinal-launcher.jar")).exists();
		assertThat(layout.resolve("apps/two/two.jar")).exists();
		assertThat(layout.resolve("copackage.json")).content()
			.contains("\"--server.port=7001\"", "\"--mode=calm\"", "\"mainClass\" : \"app.Main\"");
		assertThat(this.maven.target().resolve("copackage-report.json")).content().contains("\"pairs\"");
	}

	@Test
	void buildFailsWithTheReasons() throws IOException, InterruptedException {
		String said = this.maven.run("build", 1, APPLICATIONS.formatted(this.one, "<port>7001</port>"));
		assertThat(said).contains("both 'one' and 'two' listen on port 7001");
		String argument = APPLICATIONS.formatted(this.one, "").replace("--mode=calm", "--server.port=7001");
		assertThat(this.maven.run("build", 1, argument)).contains("both 'one' and 'two' listen on port 7001");
		assertThat(this.maven.target().resolve("copackaged")).doesNotExist();
	}

	/**
	 * Versions come from a parent and from an import; dependencies of dependencies count.
	 */
	@Test
	void checkReadsTheEffectiveTreeOfAPom() throws IOException, InterruptedException {
		Path pom = Files.createDirectories(this.directory.resolve("three")).resolve("pom.xml");
		Files.writeString(pom, """
				<project>
				  <modelVersion>4.0.0</modelVersion>
				  <groupId>com.example</groupId><artifactId>three</artifactId><version>1</version>
				  <properties><maven.compiler.release>17</maven.compiler.release></properties>
				  <dependencyManagement><dependencies><dependency>
				    <groupId>org.springframework.boot</groupId><artifactId>spring-boot-dependencies</artifactId>
				    <version>%s</version><type>pom</type><scope>import</scope>
				  </dependency></dependencies></dependencyManagement>
				  <dependencies><dependency>
				    <groupId>tools.jackson.core</groupId><artifactId>jackson-databind</artifactId>
				  </dependency><dependency>
				    <groupId>org.jspecify</groupId><artifactId>jspecify</artifactId>
				  </dependency></dependencies>
				</project>
				""".formatted(System.getProperty("spring-boot.version")));
		String configuration = """
				<applications>
				  <application><name>one</name><file>%s</file></application>
				  <application><name>three</name><pom>%s</pom></application>
				</applications>
				<atMost>forbidden</atMost>
				""".formatted(this.one, pom);
		String said = this.maven.run("check", 0, configuration);
		assertThat(said).containsPattern("one \\+ three +same-container")
			.contains("jspecify is 0.3.0 and 1.")
			.contains("jackson-core");
		assertThat(this.maven.run("check", 1, configuration.replace("forbidden", "isolated")))
			.contains("These may not come as close as they should");
	}

	@Test
	void mistakesAreNamed() throws IOException, InterruptedException {
		assertThat(this.maven.run("check", 1, APPLICATIONS.formatted(this.one, "") + "<atMost>near</atMost>"))
			.contains("<atMost> is 'near'");
		assertThat(this.maven.run("check", 1, APPLICATIONS.formatted(this.one, "<module>com.example:x</module>")))
			.contains("The module 'com.example:x' of 'two' is not part of this build; there are [com.example:all]");
		assertThat(this.maven.run("build", 1, APPLICATIONS.formatted(this.one, "").replace("<name>two", "<name>one")))
			.contains("Two applications are called 'one'; each needs a <name> of its own");
		assertThat(
				this.maven.run("check", 1, APPLICATIONS.formatted(this.one, "").replace("<name>two", "<name>my two")))
			.contains("'my two' is no <name> of an application; use letters, digits, '.', '-' and '_'");
		assertThat(this.maven.run("check", 0, "<applications/>", "-Dcopackage.skip")).contains("copackage is skipped");
		assertThat(this.maven.run("check", 1, "<applications/>")).contains("one application alone has no conflicts");
	}

}
