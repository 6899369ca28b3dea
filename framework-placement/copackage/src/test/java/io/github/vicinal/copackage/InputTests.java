package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Files of every kind, and files that are none. */
class InputTests {

	@TempDir
	private Path directory;

	@Test
	void dockerfileOfTheLastStage() {
		Container container = DockerfileReader.read("Dockerfile", """
				# syntax=docker/dockerfile:1
				ARG JAVA=21
				FROM maven:3 AS build
				USER builder
				EXPOSE 1
				FROM eclipse-temurin:${JAVA}-jre AS base
				FROM base
				ENV PORT=8080 MODE="a b"
				ENV JAVA_OPTS -Xmx512m
				USER 1000:1000
				VOLUME ["/data"]
				EXPOSE ${PORT} 9090/tcp
				ENTRYPOINT exec java $JAVA_OPTS \\
				    -XX:+UseSerialGC -cp lib/* -Dx=y -jar /app.jar --server.port=1
				""");
		assertThat(container.baseImage()).isEqualTo("eclipse-temurin:21-jre");
		assertThat(container.user()).isEqualTo("1000:1000");
		assertThat(container.volumes()).containsExactly("/data");
		assertThat(container.ports()).containsExactlyInAnyOrder(8080, 9090);
		assertThat(container.environment()).containsEntry("MODE", "a b");
		assertThat(container.jvmOptions()).containsExactly("-Xmx512m", "-XX:+UseSerialGC", "-Dx=y");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			server.port=8081             | 8081
			server.port=${SERVER_PORT:9} | 9
			server.port=${PORT}          | -1
			server.port=                 | 8080
			other=1                      | 8080
			""")
	void portsOfSettings(String line, int expected) {
		Settings settings = new Settings();
		settings.add("application.properties", line.strip());
		assertThat(Settings.number(settings.all(), Map.of(), "server.port", 8080)).isEqualTo(expected);
		assertThat(Settings.number(settings.all(), Map.of("SERVER_PORT", "77"), "server.port", 8080)).isEqualTo(77);
	}

	@Test
	void variablesOfTheImageFillPlaceholders() {
		assertThat(Settings.number(Map.of("server.port", "${PORT:1}"), Map.of("PORT", "2"), "server.port", 8080))
			.isEqualTo(2);
	}

	/** The order of Spring Boot, whatever that of the files in the jar. */
	@Test
	void whatSpringBootReadsLastHolds() {
		Settings settings = new Settings();
		settings.add("config/application.yml", "a: config yaml");
		settings.add("application.properties", "a=properties\nb=properties\n#---\nb=second\n#---\n"
				+ "spring.config.activate.on-profile=prod\nb=of a profile");
		settings.add("application.yml", """
				a: yaml
				b: yaml
				server: {port: 1}
				---
				server.port: 2
				---
				spring.config.activate.on-profile: prod
				server: {port: 3}
				---
				spring: {profiles: prod}
				server: {port: 4}
				""");
		assertThat(settings.all()).containsOnly(Map.entry("a", "config yaml"), Map.entry("b", "second"),
				Map.entry("server.port", "2"));
	}

	@Test
	void billOfMaterials() throws IOException {
		Path file = Files.writeString(this.directory.resolve("a.json"), """
				{"bomFormat": "CycloneDX", "components": [
				  {"group": "org.springframework.boot", "name": "spring-boot", "version": "4.1.1",
				   "hashes": [{"alg": "SHA-256", "content": "ab"}]},
				  {"name": "plain", "version": "2"}]}
				""");
		Inventory inventory = Inventories.read(List.of("a=" + file)).get(0);
		assertThat(inventory.springBoot()).isEqualTo("4.1.1");
		assertThat(inventory.libraries()).containsExactly(
				new Library("org.springframework.boot:spring-boot", "4.1.1", "ab", ""),
				new Library("plain", "2", "", ""));
	}

	@Test
	void filesThatAreNoneAreNamed() throws IOException {
		refused("none.jar", null, "is no file", "none.jar");
		refused("text.jar", "hello", "no jar, or is damaged", "text.jar");
		refused("a.json", "{", "no JSON", "a.json");
		refused("b.json", "{}", "CycloneDX", "b.json");
		refused("pom.xml", "<html/>", "its root is <html>", "pom.xml");
		refused("bad.xml", "<project>", "is no pom", "bad.xml");
		refused("Dockerfile", "RUN x", "no FROM", "Dockerfile");
		refused("what.txt", "x", "neither a jar nor", "what.txt");
		Files.createDirectories(this.directory.resolve("empty"));
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of(this.directory.resolve("empty").toString())))
			.withMessageContaining("has no pom.xml");
	}

	private void refused(String name, String text, String... parts) throws IOException {
		Path file = this.directory.resolve(name);
		if (text != null) {
			Files.writeString(file, text);
		}
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("x=" + file)))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(parts));
	}

	/** An entity that names a file of the host would tell what is in it. */
	@Test
	void pomReadsNothingElse() throws IOException {
		refused("pom.xml", "<!DOCTYPE p [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><project>&x;</project>", "DOCTYPE");
	}

	@Test
	void entriesThatLeadOutOfTheJarAreRefused() throws IOException {
		for (String path : List.of("../evil", "/evil", "BOOT-INF/lib/../../evil.jar", "a\\b")) {
			Path jar = TestJar.boot().entry(path, new byte[1]).write(this.directory, "evil");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> Inventories.read(List.of("e=" + jar)))
				.withMessageContaining("leads out of it");
		}
	}

	@Test
	void warsAndPlainJarsAreNotLaidOut() throws IOException {
		Path war = TestJar.boot().entry("WEB-INF/web.xml", new byte[1]).write(this.directory, "war");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("w=" + war)))
			.withMessageContaining("is a WAR");
		Path plain = new TestJar().bootVersion("")
			.entry("app/Main.class", TestJar.type("app/Main", ""))
			.write(this.directory, "plain");
		Path boot = TestJar.boot().write(this.directory, "boot");
		assertThat(run("build", "-o", this.directory.resolve("x").toString(), plain.toString(), boot.toString(),
				"--accept", "not-spring-boot-3"))
			.startsWith("1 ");
	}

	@Test
	void damagedJarsEndInAnErrorThatNamesThem() throws IOException {
		Path good = TestJar.boot()
			.library("guava", "1")
			.ownClass("app/Main", TestJar.type("app/Main", ""))
			.resource("application.yml", "server: {port: 1}")
			.write(this.directory, "good");
		byte[] bytes = Files.readAllBytes(good);
		Random random = new Random(7);
		int refused = 0;
		for (int i = 0; i < 3000; i++) {
			byte[] damaged = (i % 3 == 0) ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length))
					: bytes.clone();
			for (int k = 0; k < 1 + i % 8 && damaged.length > 0; k++) {
				damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
			}
			Path file = Files.write(this.directory.resolve("damaged.jar"), damaged);
			try {
				Inventory inventory = Inventories.read(List.of("d=" + file)).get(0);
				assertThat(new ConflictChecker(Set.of()).check(inventory, inventory)).isNotNull();
			}
			catch (InvalidInputException | IOException | java.io.UncheckedIOException ex) {
				refused++;
				assertThat(ex.getMessage()).isNotBlank();
			}
		}
		assertThat(refused).isPositive();
	}

	@Test
	void commandLineSaysWhatIsWrong() throws IOException {
		assertThat(run("check")).startsWith("2 Missing required parameter");
		Path jar = TestJar.boot().write(this.directory, "one");
		assertThat(run("check", jar.toString())).startsWith("2 One application alone");
		Path other = TestJar.boot().write(this.directory, "other");
		assertThat(run("check", jar.toString(), other.toString(), "--accept", "nonsense"))
			.startsWith("2 There is no rule 'nonsense'; there are [version,");
		assertThat(run("check", jar.toString(), other.toString(), "--port", "x=1")).startsWith("2 --port names 'x'");
		assertThat(run("check", jar.toString(), other.toString(), "--port", "one=70000")).contains("from 0 to 65535");
		assertThat(run("check", jar.toString(), other.toString())).startsWith("0 applications");
		assertThat(run("check", "--json", jar.toString(), other.toString())).contains("\"verdict\" : \"shared\"");
		Path taken = Files.createDirectories(this.directory.resolve("taken"));
		Files.writeString(taken.resolve("letter.txt"), "dear");
		assertThat(run("build", "-o", taken.toString(), jar.toString(), other.toString())).startsWith("2 ")
			.contains("is no layout");
		assertThat(taken.resolve("letter.txt")).hasContent("dear");
	}

	@Test
	void nothingIsWrittenForThoseThatMayNotBeTogether() throws IOException {
		TestJar web = TestJar.boot().library("tomcat-embed-core", "1");
		Path one = web.write(this.directory, "one");
		Path other = web.write(this.directory, "other");
		Path layout = this.directory.resolve("layout");
		assertThat(run("build", "-o", layout.toString(), one.toString(), other.toString())).startsWith("1 ")
			.contains("listen on port 8080", "Nothing was written");
		assertThat(layout).doesNotExist();
		assertThat(run("build", "-o", layout.toString(), one.toString(), other.toString(), "--port", "other=0"))
			.startsWith("0 ");
		assertThat(layout.resolve("copackage.json")).content().contains("--server.port=0");
		// An image runs it as another user.
		assertThat(Files.getPosixFilePermissions(layout))
			.isEqualTo(Files.getPosixFilePermissions(Files.createDirectory(this.directory.resolve("usual"))));
	}

	private static String run(String... arguments) {
		java.io.StringWriter out = new java.io.StringWriter();
		picocli.CommandLine commandLine = CopackageCli.commandLine();
		commandLine.setOut(new java.io.PrintWriter(out));
		commandLine.setErr(new java.io.PrintWriter(out));
		int code = commandLine.execute(arguments);
		return code + " " + out;
	}

}
