package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.params.provider.ValueSource;

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
		assertThat(container.arguments()).containsExactly("--server.port=1");
	}

	/** A stage that begins where another one ended has what that one said. */
	@Test
	void stageHasWhatTheStageBelowSays() {
		Container container = DockerfileReader.read("Dockerfile", """
				FROM eclipse-temurin:21-jre AS base
				USER app
				ENV SERVER_PORT=9000
				EXPOSE 9000
				VOLUME /data
				ENTRYPOINT ["java", "-Xmx1g", "-jar", "/app.jar"]
				FROM maven:3 AS build
				USER root
				ENV X=1
				FROM base
				COPY --from=build app.jar /app.jar
				""");
		assertThat(container).isEqualTo(new Container("eclipse-temurin:21-jre", "app", Set.of("/data"), Set.of(9000),
				List.of("-Xmx1g"), Map.of("SERVER_PORT", "9000"), List.of(), "java", List.of()));
	}

	/**
	 * An entry point takes away the command of the stage below, and not that of its own.
	 */
	@Test
	void commandBeforeItsEntryPointStays() {
		String end = "\nENTRYPOINT [\"java\", \"-jar\", \"a.jar\"]";
		String command = "\nCMD [\"--server.port=9090\"]";
		assertThat(DockerfileReader.read("Dockerfile", "FROM a" + command + end).arguments())
			.containsExactly("--server.port=9090");
		assertThat(DockerfileReader.read("Dockerfile", "FROM a AS base" + command + "\nFROM base" + end).arguments())
			.isEmpty();
	}

	@Test
	void shellBehindAnInitSystemGetsItsText() {
		Container container = DockerfileReader.read("Dockerfile",
				"FROM a\nENTRYPOINT [\"tini\", \"--\", \"sh\", \"-c\", \"java -Xmx1g -jar a.jar --server.port=9000\"]");
		assertThat(container.jvmOptions()).containsExactly("-Xmx1g");
		assertThat(container.arguments()).containsExactly("--server.port=9000");
	}

	/** Variables may have several words, and words may have quotes in them. */
	@Test
	void linesAreReadAsAShellReadsThem() {
		String line = "java $JAVA_OPTS -Dtitle=\"My shop\" -Dspring.profiles.active='prod' -jar a.jar --note=it\\'s\\ fine \"--quote=a\\\"b\"";
		for (String form : List.of("ENTRYPOINT " + line,
				"ENTRYPOINT [\"sh\", \"-c\", \"" + line.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]")) {
			Container container = DockerfileReader.read("Dockerfile",
					"FROM a\nENV JAVA_OPTS=\"-Xmx1g -Dmode=full\"\n" + form);
			assertThat(container.jvmOptions()).containsExactly("-Xmx1g", "-Dmode=full", "-Dtitle=My shop",
					"-Dspring.profiles.active=prod");
			assertThat(container.arguments()).containsExactly("--note=it's fine", "--quote=a\"b");
		}
	}

	/** What follows the end of a command is no argument of its program. */
	@ParameterizedTest
	@ValueSource(strings = { "java -Xmx1g -jar a.jar --a=1; echo done", "java -Xmx1g -jar a.jar --a=1&& echo done",
			"cd /app; java -Xmx1g -jar a.jar --a=1 || exit 1", "java -Xmx1g -jar a.jar --a=1 > /log 2>&1",
			"java -Xmx1g -jar a.jar --a=1|tee /log", "java -Xmx1g $(cat /opt/options) -jar a.jar --a=1",
			"java @/opt/options -Xmx1g -jar a.jar --a=1", "java -Xmx1g `cat /opt/options` -jar a.jar --a=1",
			"[ -e /x ] || exit 1; exec java -Xmx1g -jar a.jar --a=1" })
	void commandsOfAShellEndWhereItEndsThem(String line) {
		for (String form : List.of("ENTRYPOINT " + line, "CMD [\"sh\", \"-c\", \"" + line + "\"]")) {
			Container container = DockerfileReader.read("Dockerfile", "FROM a\n" + form);
			assertThat(container.jvmOptions()).containsExactly("-Xmx1g");
			assertThat(container.arguments()).containsExactly("--a=1");
		}
	}

	@Test
	void signsOfAShellWithinQuotesAreText() {
		Container container = DockerfileReader.read("Dockerfile",
				"FROM a\nENTRYPOINT java -Dx='a;b' -jar a.jar \"--a=b && c\" --b='d>e'");
		assertThat(container.jvmOptions()).containsExactly("-Dx=a;b");
		assertThat(container.arguments()).containsExactly("--a=b && c", "--b=d>e");
		Container withoutShell = DockerfileReader.read("Dockerfile",
				"FROM a\nENTRYPOINT [\"java\", \"-Durl=a;b\", \"-jar\", \"a.jar\", \"--a=b;c\", \"&\", \"--d\"]");
		assertThat(withoutShell.jvmOptions()).containsExactly("-Durl=a;b");
		assertThat(withoutShell.arguments()).containsExactly("--a=b;c", "&", "--d");
	}

	/** Editors write it, and Docker ignores it. */
	@Test
	void byteOrderMarkBeforeADockerfile() {
		assertThat(image("\uFEFFFROM temurin:21")).isEqualTo("temurin:21");
	}

	@Test
	void argumentsOfADockerfileReferToEachOther() {
		assertThat(image("ARG V=17\nARG IMAGE=temurin:${V}\nFROM $IMAGE")).isEqualTo("temurin:17");
		assertThat(image("ARG NAME=temurin V=17\nFROM $NAME:$V")).isEqualTo("temurin:17");
		assertThat(image("ARG V=17\nARG V=21\nFROM temurin:$V")).isEqualTo("temurin:21");
	}

	private static String image(String dockerfile) {
		return DockerfileReader.read("Dockerfile", dockerfile).baseImage();
	}

	/** Spaces or tabs, texts within instructions, ranges of ports, names with dots. */
	@Test
	void dockerfileOfAnotherHand() {
		Container container = DockerfileReader.read("Dockerfile", """
				from\ttemurin:21
				RUN <<EOF cat > /query.sql
				select user
				FROM users
				USER postgres
				EOF
				COPY <<-"END" /run.sh
					ENV A=1
					END
				ENV server.port=9000
				EXPOSE 7000-7002/tcp
				VOLUME /data/ /
				USER app
				""");
		assertThat(container.baseImage()).isEqualTo("temurin:21");
		assertThat(container.user()).isEqualTo("app");
		assertThat(container.environment()).containsOnly(Map.entry("server.port", "9000"));
		assertThat(container.ports()).containsExactlyInAnyOrder(7000, 7001, 7002);
		assertThat(container.volumes()).containsExactlyInAnyOrder("/data", "/");
	}

	@Test
	void damagedDockerfilesEndInAnErrorThatNamesThem() {
		String good = """
				ARG JAVA=21
				FROM --platform=linux/amd64 temurin:${JAVA:-17} AS base
				FROM base
				ENV PORT=8080 MODE="a b" X='y'
				ENV OLD style
				VOLUME ["/data", "/x"]
				EXPOSE ${PORT} 9090-9092/tcp
				RUN <<EOF
				x
				EOF
				ENTRYPOINT exec java -Dx="a b" \\
				    -jar /app.jar --server.port=1
				""";
		Random random = new Random(11);
		int read = 0;
		for (int i = 0; i < 5000; i++) {
			StringBuilder damaged = new StringBuilder(good);
			for (int k = 0; k <= i % 5; k++) {
				int at = random.nextInt(damaged.length());
				if (random.nextBoolean()) {
					damaged.setCharAt(at, (char) (9 + random.nextInt(118)));
				}
				else {
					damaged.delete(at, Math.min(damaged.length(), at + random.nextInt(30)));
				}
			}
			try {
				assertThat(DockerfileReader.read("Dockerfile", damaged.toString()).baseImage()).isNotEmpty();
				read++;
			}
			catch (InvalidInputException ex) {
				assertThat(ex.getMessage()).contains("Dockerfile");
			}
		}
		assertThat(read).isPositive();
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> DockerfileReader.read("Dockerfile", "FROM --platform=linux/amd64"))
			.withMessageContaining("no FROM");
	}

	/** The jar is what runs, whatever else was said before. */
	@Test
	void jarSaysMoreThanAPomOrABillOfMaterials() throws IOException {
		Path jar = TestJar.boot().library("guava", "1.0").write(this.directory, "shop");
		Path bill = Files.writeString(this.directory.resolve("shop.json"), """
				{"bomFormat": "CycloneDX", "components": [{"name": "guava", "version": "9.9"}]}
				""");
		Path pom = Files.writeString(this.directory.resolve("pom.xml"), """
				<project><dependencies><dependency><groupId>g</groupId><artifactId>guava</artifactId>
				<version>9.9</version></dependency></dependencies></project>
				""");
		Path dockerfile = Files.writeString(this.directory.resolve("Dockerfile"), "FROM temurin:21");
		Inventory alone = Inventories.read(List.of("shop=" + jar)).get(0);
		for (Path other : List.of(bill, pom)) {
			Inventory first = Inventories.read(List.of("shop=" + other, "shop=" + dockerfile, "shop=" + jar)).get(0);
			assertThat(first.libraries()).isEqualTo(alone.libraries());
			assertThat(first.jar()).isEqualTo(jar);
			assertThat(first.container()).isNotNull();
			assertThat(Inventories.read(List.of("shop=" + jar, "shop=" + other)).get(0).libraries())
				.isEqualTo(alone.libraries());
		}
	}

	@Test
	void anApplicationHasOneJarAndOneDockerfile() throws IOException {
		Path jar = TestJar.boot().write(this.directory, "shop");
		Path other = TestJar.boot().library("guava", "1.0").write(this.directory, "other");
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of("shop=" + jar, "shop=" + other)))
			.withMessageContaining("'shop' has two jars, '%s' and '%s'".formatted(jar, other));
		Path dockerfile = Files.writeString(this.directory.resolve("Dockerfile"), "FROM temurin:21");
		Path second = Files.writeString(this.directory.resolve("b.dockerfile"), "FROM temurin:17");
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of("shop=" + dockerfile, "shop=" + second)))
			.withMessageContaining("'shop' has two Dockerfiles");
	}

	/** The launcher takes no others. */
	@Test
	void namesThatTheLauncherDoesNotTakeAreRefused() throws IOException {
		Path jar = TestJar.boot().write(this.directory, "my shop");
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of(jar.toString())))
			.withMessageContaining("write NAME=");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("..=" + jar)))
			.withMessageContaining("'..' is no name");
		assertThat(Inventories.read(List.of("shop=" + jar))).hasSize(1);
	}

	/** A few kilobytes that are gigabytes when they are read. */
	@Test
	void bombsWithinLibrariesAreRefused() throws IOException {
		byte[] inner = zipOfZeros("META-INF/maven/g/a/pom.properties", 400L << 20);
		Path jar = TestJar.boot().entry("BOOT-INF/lib/bomb-1.jar", inner).write(this.directory, "bomb");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("b=" + jar)))
			.withMessageContaining("bomb-1.jar");
		Path other = TestJar.boot()
			.entry("BOOT-INF/lib/bomb-1.jar", zipOfZeros("a/B.class", 400L << 20))
			.write(this.directory, "other");
		List<Inventory> both = Inventories.read(List.of("a=" + other, "b=" + other));
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Hoisting.plan(both, Hoist.STATELESS))
			.withMessageContaining("bomb-1.jar");
	}

	@Test
	void damagedLibrariesEndInAnErrorThatNamesThem() throws IOException {
		byte[] good = TestJar
			.zip(Map.of("a/B.class", TestJar.type("a/B", "text".repeat(50)), "META-INF/maven/g/a/pom.properties",
					"groupId=g\nartifactId=a\nversion=1".getBytes(StandardCharsets.UTF_8)));
		for (byte[] library : List.of(new byte[0], "no jar".getBytes(StandardCharsets.UTF_8),
				java.util.Arrays.copyOf(good, good.length / 2))) {
			Path jar = TestJar.boot().entry("BOOT-INF/lib/a-1.jar", library).write(this.directory, "app");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> Inventories.read(List.of("a=" + jar)))
				.withMessageContaining("app.jar")
				.withMessageContaining("a-1.jar")
				.withMessageContaining("build it again");
		}
		Random random = new Random(11);
		int refused = 0;
		for (int i = 0; i < 1000; i++) {
			byte[] damaged = good.clone();
			for (int k = 0; k <= i % 4; k++) {
				damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
			}
			Path jar = TestJar.boot().entry("BOOT-INF/lib/a-1.jar", damaged).write(this.directory, "app");
			try {
				List<Inventory> both = Inventories.read(List.of("a=" + jar, "b=" + jar));
				assertThat(Hoisting.plan(both, Hoist.STATELESS)).isNotNull();
				assertThat(new NestedJar(damaged, "a-1.jar").files()).hasSize(2);
			}
			catch (InvalidInputException | java.io.UncheckedIOException ex) {
				refused++;
				assertThat(ex.getMessage()).contains("a-1.jar");
			}
		}
		assertThat(refused).isGreaterThan(100);
	}

	/** Jars of so many entries have another record at their end. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 65_534, 65_535, 70_000 })
	void librariesOfManyEntriesAreRead(int entries) throws IOException {
		java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
		bytes.write("#!/bin/sh\n".getBytes(StandardCharsets.UTF_8));
		byte[] type = TestJar.type("a/B", "text");
		try (java.util.zip.ZipOutputStream out = new java.util.zip.ZipOutputStream(bytes)) {
			for (int i = 1; i < entries; i++) {
				out.putNextEntry(new java.util.zip.ZipEntry("f" + i));
			}
			out.putNextEntry(new java.util.zip.ZipEntry("a/B.class"));
			out.write(type);
		}
		NestedJar jar = new NestedJar(bytes.toByteArray(), "many.jar");
		assertThat(jar.files()).hasSize(entries);
		assertThat(jar.classes()).hasSize(1);
		assertThat(jar.bytes(jar.classes().get(0))).isEqualTo(type);
	}

	private static byte[] zipOfZeros(String name, long size) throws IOException {
		java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
		byte[] zeros = new byte[1 << 20];
		try (java.util.zip.ZipOutputStream out = new java.util.zip.ZipOutputStream(bytes)) {
			out.putNextEntry(new java.util.zip.ZipEntry(name));
			for (long written = 0; written < size; written += zeros.length) {
				out.write(zeros);
			}
			out.closeEntry();
		}
		return bytes.toByteArray();
	}

	@Test
	void hugeManifestsAndClassesAreRefused() throws IOException {
		byte[] manifest = ("Manifest-Version: 1.0\n" + ("X: " + "x".repeat(60) + "\n\nName: y\n").repeat(80_000))
			.getBytes(StandardCharsets.UTF_8);
		Path jar = TestJar.boot().entry("META-INF/MANIFEST.MF", manifest).write(this.directory, "app");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("a=" + jar)))
			.withMessageContaining("app.jar' has an entry 'META-INF/MANIFEST.MF' of");
		Path other = TestJar.boot().ownClass("a/B", new byte[40 << 20]).write(this.directory, "other");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("a=" + other)))
			.withMessageContaining("other.jar' has an entry 'BOOT-INF/classes/a/B.class' of");
	}

	/** Which of the two is used depends on who reads. */
	@Test
	void entriesThatAreThereTwiceAreRefused() throws IOException {
		Path jar = TestJar.boot().resource("a1.txt", "one").resource("a2.txt", "two").write(this.directory, "twice");
		byte[] bytes = Files.readAllBytes(jar);
		String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).replace("a2.txt", "a1.txt");
		Files.write(jar, text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("t=" + jar)))
			.withMessageContaining("has the entry 'BOOT-INF/classes/a1.txt' twice");
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
	void theValueThatSpringBootReadsLastWins() {
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

	/** Few aliases may stand for as much as there is no room for. */
	@Test
	void settingsWithoutEndAreRefused() throws IOException {
		StringBuilder large = new StringBuilder("l0: &l0 {x: 1, y: 2}\n");
		for (int i = 1; i < 20; i++) {
			large.append("l%d: &l%d {a: *l%d, b: *l%d}\n".formatted(i, i, i - 1, i - 1));
		}
		for (String text : List.of("a: &a\n  b: *a\n", "a: &a\n  - *a\nb: &b {c: *b}\n", large.toString())) {
			Path jar = TestJar.boot().resource("application.yml", text).write(this.directory, "app");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> Inventories.read(List.of("a=" + jar)))
				.withMessageContaining("application.yml' cannot be read: its aliases make it deeper than");
		}
	}

	@Test
	void propertiesOfAPomThatReferToThemselvesStayShort() throws IOException {
		Path pom = Files.writeString(this.directory.resolve("pom.xml"), """
				<project><properties><v>%s</v></properties><dependencies><dependency><groupId>g</groupId>
				<artifactId>a</artifactId><version>${v}</version></dependency></dependencies></project>
				""".formatted("${v}".repeat(7)));
		assertThat(Inventories.read(List.of("a=" + pom)).get(0).libraries()).singleElement()
			.satisfies((library) -> assertThat(library.version()).hasSizeLessThan(100_000));
	}

	@Test
	void versionsThatAreNoNumbersAreRead() throws IOException {
		Path odd = TestJar.boot().bootVersion("99999999999.1").write(this.directory, "odd");
		Path none = TestJar.boot().bootVersion("x").write(this.directory, "none");
		List<Inventory> both = Inventories.read(List.of("odd=" + odd, "none=" + none));
		assertThat(new ConflictChecker(Set.of()).check(both.get(0), both.get(1)).verdict())
			.isEqualTo(Verdict.SAME_CONTAINER);
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
				new Library("org.springframework.boot:spring-boot", "4.1.1", "ab", "", 0),
				new Library("plain", "2", "", "", 0));
	}

	@Test
	void filesThatAreNoneAreNamed() throws IOException {
		refused("none.jar", null, "is no file", "none.jar");
		refused("text.jar", "hello", "no jar, or is damaged", "text.jar");
		refused("a.json", "{\n\"a\": [",
				"a.json' is no JSON: Unexpected end-of-input: expected close marker for Array, line 2");
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

	/** An entity that names a file of the host would reveal what is in it. */
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

	/**
	 * Nothing in it says which libraries it has, so nothing is known of their clashes.
	 */
	@Test
	void extractedJarsAreNamed() throws IOException {
		Path jar = new TestJar().attribute("Class-Path", "lib/spring-core-7.jar")
			.entry("app/Main.class", TestJar.type("app/Main", ""))
			.write(this.directory, "extracted");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("e=" + jar)))
			.withMessageContaining("extracted.jar' has its libraries beside it");
	}

	@Test
	void jarsThatNameNoApplicationAreRefused() throws IOException {
		Path jar = TestJar.boot().start("").write(this.directory, "nameless");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("n=" + jar)))
			.withMessageContaining("nameless.jar' cannot be started, because its manifest names no Start-Class");
	}

	@Test
	void warsAndPlainJarsAreNotLaidOut() throws IOException {
		Path war = TestJar.boot().entry("WEB-INF/web.xml", new byte[1]).write(this.directory, "war");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Inventories.read(List.of("w=" + war)))
			.withMessageContaining("is a WAR");
		Path byName = Files.copy(war, this.directory.resolve("shop.war"));
		Path listed = TestJar.boot().entry("WEB-INF/lib/a.jar", new byte[1]).write(this.directory, "listed");
		for (Path each : List.of(byName, listed)) {
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> Inventories.read(List.of("w=" + each)))
				.withMessageContaining("is a WAR");
		}
		Path plain = new TestJar().bootVersion("")
			.entry("app/Main.class", TestJar.type("app/Main", ""))
			.write(this.directory, "plain");
		Path boot = TestJar.boot().write(this.directory, "boot");
		assertThat(run("build", "-o", this.directory.resolve("x").toString(), plain.toString(), boot.toString(),
				"--accept", "jvm-wide-call"))
			.startsWith("1 ");
	}

	/**
	 * The rest ends with a part of a library, whose directory is not that of the jar.
	 */
	@Test
	void jarsThatAreCutOffAreDamaged() throws IOException {
		Path file = TestJar.boot().library("guava", "1").library("last", "1").write(this.directory, "cut");
		byte[] bytes = Files.readAllBytes(file);
		String text = new String(bytes, StandardCharsets.ISO_8859_1);
		int end = text.indexOf("BOOT-INF/lib/last-1.jar");
		assertThat(text.lastIndexOf("PK\5\6", end)).isPositive();
		Files.write(file, java.util.Arrays.copyOf(bytes, end));
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of("one=" + file)))
			.withMessageContaining("cut.jar' is no jar, or is damaged");
	}

	@Test
	void jarsWithAComment() throws IOException {
		Path file = TestJar.boot().write(this.directory, "one");
		byte[] bytes = Files.readAllBytes(file);
		byte[] comment = "PK\5\6, and more".repeat(2000).getBytes(StandardCharsets.ISO_8859_1);
		byte[] all = java.util.Arrays.copyOf(bytes, bytes.length + comment.length);
		System.arraycopy(comment, 0, all, bytes.length, comment.length);
		all[bytes.length - 2] = (byte) comment.length;
		all[bytes.length - 1] = (byte) (comment.length >> 8);
		Files.write(file, all);
		assertThat(Inventories.read(List.of("one=" + file)).get(0).mainClass()).isEqualTo("app.Main");
	}

	/** Several applications have a file of that name. */
	@Test
	void damagedFilesOfAJarAreNamedWithIt() throws IOException {
		for (String path : List.of("app/Main.class", "application.yml")) {
			Path file = TestJar.boot().resource(path, "a: b: c").write(this.directory, "one");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> Inventories.read(List.of("one=" + file)))
				.withMessageContaining("one.jar': '" + path + "' ");
		}
	}

	/** Their directory and the first bytes of classes are all that is read at first. */
	@Test
	void damagedClassesOfLibrariesAreNamedWithTheJar() throws IOException {
		byte[] type = TestJar.zip(Map.of("lib/A.class", TestJar.type("lib/A", "")));
		int content = 30 + "lib/A.class".length();
		for (int from : List.of(content, content + 40)) {
			byte[] library = type.clone();
			for (int i = from; i < from + 20; i++) {
				library[i] ^= 0x55;
			}
			Path one = TestJar.boot().entry("BOOT-INF/lib/a-1.jar", library).write(this.directory, "one");
			Path other = TestJar.boot().write(this.directory, "other");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> new ConflictChecker(Set.of())
					.pairs(Inventories.read(List.of("one=" + one, "other=" + other))))
				.withMessageContaining("one.jar' is damaged (its library a-1.jar: lib/A.class ")
				.withMessageContaining("build it again");
		}
	}

	@Test
	void namesThatAreNoPathsAreRefused() {
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> Inventories.read(List.of("one=a\0.jar")))
			.withMessageContaining("is no path");
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
		for (String rule : List.of("port", "not-spring-boot-3", "unknown")) {
			assertThat(run("check", jar.toString(), other.toString(), "--accept", "java," + rule))
				.startsWith("2 Findings of '%s' cannot be accepted".formatted(rule));
		}
		assertThat(run("check", "--help")).containsPattern("java,\\s+file").doesNotContainPattern("unknown\\b");
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

	/** An argument holds before what the image says. */
	@Test
	void givenPortHoldsBeforeThatOfTheDockerfile() throws IOException {
		List<String> line = new java.util.ArrayList<>(
				List.of("build", "-o", this.directory.resolve("layout").toString()));
		for (String name : List.of("one", "two")) {
			Path jar = TestJar.boot().library("tomcat-embed-core", "1").write(this.directory, name);
			Path dockerfile = Files.writeString(this.directory.resolve(name + ".dockerfile"),
					"FROM temurin:21\nENV SERVER_PORT=8080\nENTRYPOINT java -jar a.jar --title=" + name
							+ " --server.port=8081\n");
			line.addAll(List.of(name + "=" + jar, name + "=" + dockerfile));
		}
		assertThat(run(line.toArray(String[]::new))).startsWith("1 ").contains("listen on port 8081");
		line.addAll(List.of("--port", "two=9000"));
		assertThat(run(line.toArray(String[]::new))).startsWith("0 ");
		assertThat(this.directory.resolve("layout/copackage.json")).content()
			.contains("[ \"--title=one\", \"--server.port=8081\" ]", "[ \"--title=two\", \"--server.port=9000\" ]");
		line.set(2, this.directory.resolve("merged").toString());
		line.add("--processes");
		assertThat(run(line.toArray(String[]::new))).startsWith("0 ");
		assertThat(this.directory.resolve("merged/run-all.sh")).content()
			.contains("two.jar\" '--title=two' '--server.port=9000' &");
	}

	/** Arguments of {@code main} hold for the check, too. */
	@Test
	void argumentsLiftAClashOfPorts() throws IOException {
		TestJar web = TestJar.boot()
			.library("tomcat-embed-core", "1")
			.resource("application.properties", "management.server.port=9100");
		String one = web.write(this.directory, "one").toString();
		String other = web.write(this.directory, "other").toString();
		assertThat(run("check", one, other, "--port", "other=9001")).startsWith("1 ")
			.contains("listen on port 9100", "--argument other=--management.server.port=PORT")
			.doesNotContain("port 8080");
		assertThat(run("check", one, other, "--argument", "other=--server.port=9001", "--argument",
				"other=--management.server.port=9101"))
			.startsWith("0 ");
		assertThat(run("check", one, other, "--argument", "nobody=--server.port=1")).startsWith("2 ")
			.contains("--argument names 'nobody', which is none of [one, other]");
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

	/** The layout may run elsewhere, so a newer Java than this one is no error. */
	@Test
	void buildSaysWhichJavaALayoutNeeds() throws IOException {
		int newer = Runtime.version().feature() + 1;
		Path one = TestJar.boot()
			.ownClass("app/Main", TestJar.javaVersion("app/Main", newer))
			.write(this.directory, "one");
		Path other = TestJar.boot().write(this.directory, "other");
		String layout = this.directory.resolve("layout").toString();
		assertThat(run("build", "-o", layout, one.toString(), other.toString())).startsWith("0 ")
			.contains("Run them with Java %d or newer (the classes of 'one' need Java %1$d): java -jar "
				.formatted(newer));
		assertThat(run("build", "-o", layout, other.toString(), "third=" + other)).contains("Run them: java -jar ");
	}

	/** Nothing is fetched: a base says in its variables which Java it has, or nowhere. */
	@Test
	void imagesAreBuiltOnABaseWithTheJavaThatIsNeeded() throws IOException {
		String older = TestJar.boot().write(this.directory, "older").toString();
		String newer = TestJar.boot()
			.ownClass("app/Main", TestJar.javaVersion("app/Main", 21))
			.write(this.directory, "newer")
			.toString();
		String image = this.directory.resolve("image").toString();
		assertThat(run("build", "--oci", "-o", image + "1", older, newer)).startsWith("0 ")
			.contains("without Java: it needs 21 or newer");
		for (String variable : List.of("JAVA_VERSION=jdk-17.0.13+11", "JAVA_VERSION=17.0.2",
				"JAVA_HOME=/usr/lib/jvm/java-17-amazon-corretto")) {
			String base = base(variable);
			assertThat(run("build", "--oci", "--base", base, "-o", image + "2", older, newer)).startsWith("2 ")
				.contains("'%s' has Java 17, and the classes of 'newer' need Java 21".formatted(base), "--accept java");
		}
		assertThat(Path.of(image + "2")).doesNotExist();
		assertThat(run("build", "--oci", "--base", base("JAVA_VERSION=1.8.0_412"), "-o", image + "2", older, newer))
			.contains("has Java 8, and");
		assertThat(run("build", "--oci", "--base", base("JAVA_VERSION=8u412"), "-o", image + "2", older, newer,
				"--accept", "java"))
			.startsWith("0 ");
		assertThat(run("build", "--oci", "--base", base("JAVA_VERSION=jdk-21.0.5+11"), "-o", image + "3", older, newer))
			.startsWith("0 ")
			.doesNotContain("Java");
		String unknown = base("JAVA_HOME=/opt/java/openjdk");
		assertThat(run("build", "--oci", "--base", unknown, "-o", image + "4", older, newer)).startsWith("0 ")
			.contains("'%s' does not say which Java it has".formatted(unknown), "the image needs 21 or newer");
	}

	/** A layout of an image without files. */
	private String base(String variable) throws IOException {
		Path layout = Files.createTempDirectory(this.directory, "base");
		Files.createDirectories(layout.resolve("blobs/sha256"));
		Files.writeString(layout.resolve("oci-layout"), "{}");
		String config = blob(layout,
				"{'config': {'Env': ['PATH=/bin', '%s']}, 'rootfs': {'diff_ids': []}}".formatted(variable));
		String manifest = blob(layout, "{'config': {'digest': '%s'}, 'layers': []}".formatted(config));
		Files.writeString(layout.resolve("index.json"),
				"{'manifests': [{'mediaType': 'application/vnd.oci.image.manifest.v1+json', 'digest': '%s'}]}"
					.formatted(manifest)
					.replace('\'', '"'));
		return layout.toString();
	}

	private static String blob(Path layout, String json) throws IOException {
		byte[] bytes = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
		String digest = BootJar.sha256(bytes);
		Files.write(layout.resolve("blobs/sha256").resolve(digest), bytes);
		return "sha256:" + digest;
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
