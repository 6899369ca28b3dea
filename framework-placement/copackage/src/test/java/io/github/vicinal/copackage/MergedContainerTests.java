package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The paper's form: one Dockerfile, and a script that runs a process for each. */
@Timeout(60)
class MergedContainerTests {

	@TempDir
	private Path directory;

	private Path merged;

	@BeforeEach
	void merge() throws IOException {
		this.merged = this.directory.resolve("merged");
		MergedContainer
			.write(List.of(application("one", "ENV A=1 C=4\nEXPOSE 1\nENTRYPOINT java -Xmx1g -Dx=\"it's\" -jar a.jar"),
					application("two", "ENV A=2 B=\"it's 3\" C=4\nEXPOSE 2\nVOLUME /data")), Map.of(), this.merged);
		// In the place of a JVM: prints its arguments, and does what its jar is named
		// after.
		Path java = Files.createDirectories(this.directory.resolve("bin")).resolve("java");
		Files.writeString(java, """
				#!/bin/sh
				for each; do case "$each" in */*.jar) name=$(basename "$each" .jar) ;; esac; done
				printf '%s\\n' "$@" > "$WORK/$name.arguments"
				term=
				trap 'term=1; echo >> "$WORK/$name.terms"' TERM
				echo "$A,$B,$C" > "$WORK/$name.variables"
				tr '\\0' '\\n' < /proc/$$/environ > "$WORK/$name.environment"
				touch "$WORK/$name.runs"
				while [ ! -e "$WORK/$name.end" ] && [ -e "$WORK/bin" ]; do
				  if [ -n "$term" ] && [ ! -e "$WORK/$name.hangs" ]; then
				    echo stopped > "$WORK/$name.stopped"
				    exit 0
				  fi
				  sleep 0.05 & wait $!
				done
				exit "$(cat "$WORK/$name.end")"
				""");
		Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
	}

	private Inventory application(String name, String dockerfile) throws IOException {
		Path jar = TestJar.boot().write(this.directory, name);
		Path file = Files.writeString(this.directory.resolve(name + ".dockerfile"),
				"FROM eclipse-temurin:21-jre\nUSER app\n" + dockerfile);
		return Inventories.read(List.of(name + "=" + jar, name + "=" + file)).get(0);
	}

	private Process run() throws IOException {
		ProcessBuilder builder = new ProcessBuilder(this.merged.resolve(MergedContainer.SCRIPT).toString())
			.redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("log").toFile());
		builder.environment().put("PATH", this.directory.resolve("bin") + ":" + System.getenv("PATH"));
		builder.environment().put("WORK", this.directory.toString());
		builder.environment().put("STOP_TIMEOUT_SECONDS", "1");
		builder.environment().put("PORT", "7009");
		Process process = builder.start();
		for (String each : List.of("one.runs", "two.runs")) {
			await(process, () -> Files.exists(this.directory.resolve(each)));
		}
		return process;
	}

	private static void await(Process process, BooleanSupplier condition) {
		while (!condition.getAsBoolean() && process.isAlive()) {
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
		}
	}

	@Test
	void dockerfileHasWhatBothHave() throws IOException {
		assertThat(this.merged.resolve("Dockerfile")).hasContent("""
				FROM eclipse-temurin:21-jre
				ENV C="4"
				VOLUME /data
				COPY one.jar /applications/one.jar
				COPY two.jar /applications/two.jar
				COPY --chmod=755 run-all.sh /applications/run-all.sh
				EXPOSE 1
				EXPOSE 2
				USER app
				ENTRYPOINT ["/applications/run-all.sh"]
				""");
	}

	/** A path may have spaces. */
	@Test
	void volumesAreTheSameInTheMergedDockerfile() throws IOException {
		Path target = this.directory.resolve("volumes");
		MergedContainer.write(List.of(application("v", "VOLUME [\"/my data\", \"/b\"]"), application("w", "VOLUME /c")),
				Map.of(), target);
		String merged = Files.readString(target.resolve("Dockerfile"));
		assertThat(merged).contains("VOLUME [\"/my data\"]\n", "VOLUME /b\n", "VOLUME /c\n");
		assertThat(DockerfileReader.read("Dockerfile", merged).volumes()).containsExactlyInAnyOrder("/my data", "/b",
				"/c");
	}

	/** A container has one user, who may be more than the second application may be. */
	@Test
	void differentUsersAreRefusedUnlessThatIsAccepted() throws IOException {
		assertThat(build("1", "FROM debian:12\nUSER root", "FROM debian:12\nUSER app")).startsWith("2 ")
			.contains("'one' runs as 'root' and 'two' as 'app'", "--accept user");
		assertThat(build("1", "FROM debian:12", "FROM debian:12\nUSER app"))
			.contains("'one' runs as the user of its image and 'two' as 'app'");
		assertThat(this.directory.resolve("built1")).doesNotExist();
		assertThat(build("1", "FROM debian:12\nUSER app", "FROM debian:12\nUSER root", "--accept", "user"))
			.startsWith("0 ");
		assertThat(this.directory.resolve("built1/Dockerfile")).content().contains("USER app\n").doesNotContain("root");
	}

	@Test
	void instructionsThatAreNotTakenAreListed() throws IOException {
		assertThat(build("1", "FROM debian:12\nWORKDIR /app\nCOPY app.jar .\nLABEL a=b\nHEALTHCHECK CMD true",
				"FROM debian:12"))
			.startsWith("0 ")
			.contains(
					"The Dockerfile of 'one' says more; add by hand what is needed:\n  WORKDIR /app\n  HEALTHCHECK CMD true\n")
			.doesNotContain("LABEL", "COPY", "of 'two' says");
	}

	/** The base of the first one is that of all. */
	@Test
	void baseWithAJavaThatIsTooOldIsRefused() throws IOException {
		String older = "FROM eclipse-temurin:11-jre";
		String newer = "FROM eclipse-temurin:17-jre";
		assertThat(build("1", older, newer, "--accept", "base-image")).startsWith("2 ")
			.contains(
					"The image of 'one', which is the first and the base of all, has Java 11 (eclipse-temurin:11-jre)",
					"need Java 17", "--accept java");
		assertThat(build("1", newer, older, "--accept", "base-image")).startsWith("0 ");
		assertThat(build("2", older, newer, "--accept", "base-image,java")).startsWith("0 ");
	}

	private String build(String target, String one, String two, String... options) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of("build", "--processes", "-o", this.directory.resolve("built" + target).toString()));
		for (Map.Entry<String, String> each : List.of(Map.entry("one", one), Map.entry("two", two))) {
			Path jar = TestJar.boot()
				.ownClass("app/Main", TestJar.javaVersion("app/Main", 17))
				.write(this.directory, each.getKey() + "-built");
			Path file = Files.writeString(this.directory.resolve(each.getKey() + "-built.dockerfile"), each.getValue());
			arguments.addAll(List.of(each.getKey() + "=" + jar, each.getKey() + "=" + file));
		}
		arguments.addAll(List.of(options));
		StringWriter out = new StringWriter();
		CommandLine commandLine = CopackageCli.commandLine();
		commandLine.setOut(new PrintWriter(out));
		commandLine.setErr(new PrintWriter(out));
		return commandLine.execute(arguments.toArray(String[]::new)) + " " + out;
	}

	@Test
	void endsWithTheFirstAndItsExitCode() throws Exception {
		Process process = run();
		Files.writeString(this.directory.resolve("one.end"), "7");
		assertThat(process.waitFor()).isEqualTo(7);
		assertThat(this.directory.resolve("two.stopped")).exists();
		assertThat(this.directory.resolve("one.arguments")).content().startsWith("-Xmx1g\n").endsWith("/one.jar\n");
	}

	/** As in containers of their own. */
	@Test
	void eachProcessHasItsOwnVariables() throws Exception {
		Process process = run();
		process.destroy();
		process.waitFor();
		assertThat(this.directory.resolve("one.variables")).hasContent("1,,");
		assertThat(this.directory.resolve("two.variables")).hasContent("2,it's 3,");
	}

	@Test
	void handsSignalsOn() throws Exception {
		Process process = run();
		process.destroy();
		assertThat(process.waitFor()).isEqualTo(128 + 15);
		assertThat(this.directory.resolve("one.stopped")).exists();
		assertThat(this.directory.resolve("two.stopped")).exists();
	}

	/** An impatient operator sends another one. */
	@Test
	void aSecondSignalDoesNotLeaveProcessesBehind() throws Exception {
		Path hangs = Files.createFile(this.directory.resolve("one.hangs"));
		Path terms = this.directory.resolve("one.terms");
		Process process = run();
		for (int signals = 1; signals <= 2; signals++) {
			int expected = signals;
			process.destroy();
			await(process, () -> Files.exists(terms) && terms.toFile().length() >= expected);
		}
		assertThat(process.waitFor(1, TimeUnit.SECONDS)).isFalse();
		Files.delete(hangs);
		assertThat(process.waitFor()).isEqualTo(128 + 15);
		assertThat(this.directory.resolve("one.stopped")).exists();
	}

	/** Otherwise nobody would start the container again. */
	@Test
	void oneThatHangsDoesNotKeepTheContainerOfOneThatHasEnded() throws Exception {
		Files.createFile(this.directory.resolve("two.hangs"));
		Process process = run();
		List<ProcessHandle> children = process.children().toList();
		Files.writeString(this.directory.resolve("one.end"), "7");
		assertThat(process.waitFor()).isEqualTo(7);
		assertThat(this.directory.resolve("two.terms")).exists();
		assertThat(children).noneMatch(ProcessHandle::isAlive);
	}

	/** Docker takes names of variables that no shell takes. */
	@Test
	void variablesMayHaveAnyName() throws Exception {
		this.merged = this.directory.resolve("named");
		MergedContainer.write(List.of(application("one", "ENV logging.level.root=WARN of.both=1"),
				application("two", "ENV logging.level.root=\"it's $PORT\" of.both=1")), Map.of(), this.merged);
		Process process = run();
		process.destroy();
		assertThat(process.waitFor()).isEqualTo(128 + 15);
		assertThat(this.directory.resolve("one.environment")).content()
			.contains("logging.level.root=WARN\n", "of.both=1\n");
		assertThat(this.directory.resolve("two.environment")).content().contains("logging.level.root=it's 7009\n");
	}

	/** The base image has some, and the container gets others when it starts. */
	@Test
	void variablesThatTheDockerfilesDoNotSetAreReadWhereItRuns() throws Exception {
		this.merged = this.directory.resolve("unknown");
		String path = "ENV PATH=/opt/tools:$PATH\n";
		MergedContainer.write(
				List.of(application("one", path + "ENTRYPOINT java -Dserver.port=$PORT -Dx='`5$' -jar a.jar"),
						application("two", path + "ENTRYPOINT [\"sh\", \"-c\", \"java -jar b.jar --port=${PORT}\"]")),
				Map.of(), this.merged);
		assertThat(this.merged.resolve("Dockerfile")).content().contains("ENV PATH=\"/opt/tools:${PATH}\"\n");
		Process process = run();
		process.destroy();
		process.waitFor();
		assertThat(this.directory.resolve("one.arguments")).content().startsWith("-Dserver.port=7009\n-Dx=`5$\n");
		assertThat(this.merged.resolve(MergedContainer.SCRIPT)).content().contains("\"--port=${PORT}\"");
	}

	/** It need not be in the path. */
	@Test
	void javaIsThatOfTheDockerfile() throws IOException {
		Path target = this.directory.resolve("java");
		MergedContainer.write(List.of(application("one", "ENTRYPOINT [\"/opt/jre/bin/java\", \"-jar\", \"a.jar\"]"),
				application("two", "")), Map.of(), target);
		assertThat(target.resolve(MergedContainer.SCRIPT)).content()
			.contains("\n'/opt/jre/bin/java' -jar \"$here/one.jar\" &", "\njava -jar \"$here/two.jar\" &");
	}

	/** Docker reads what the Dockerfiles said. */
	@Test
	void valuesAreQuoted() throws IOException {
		Path target = this.directory.resolve("quoted");
		String variable = "ENV A='say \"hi\" for 5$ or \\\\'\n";
		MergedContainer.write(List.of(application("one", variable), application("two", variable)), Map.of(), target);
		assertThat(target.resolve("Dockerfile")).content().contains("ENV A=\"say \\\"hi\\\" for 5\\$ or \\\\\\\\\"\n");
	}

	@Test
	void argumentsOfTheApplicationsAreKept() throws IOException {
		Path target = this.directory.resolve("arguments");
		MergedContainer.write(
				List.of(application("one", "ENTRYPOINT [\"java\", \"-jar\", \"a.jar\", \"--title=it's one\"]"),
						application("two", "ENTRYPOINT java -jar b.jar --mode=1 --other=2\nCMD ignored\n")),
				Map.of("two", List.of("--mode=3")), target);
		assertThat(target.resolve(MergedContainer.SCRIPT)).content()
			.contains("java -jar \"$here/one.jar\" '--title=it'\\''s one' &",
					"java -jar \"$here/two.jar\" '--other=2' '--mode=3' &");
	}

	/** The next attempt finds an empty place. */
	@Test
	void nothingStaysOfWhatFails() throws IOException {
		Path target = this.directory.resolve("failed");
		List<Inventory> both = List.of(application("one", ""), application("two", ""));
		Files.delete(this.directory.resolve("two.jar"));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> MergedContainer.write(both, Map.of(), target));
		assertThat(target).doesNotExist();
		Files.createDirectory(target);
		Files.writeString(target.resolve("one.jar"), "of somebody else");
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> MergedContainer.write(both, Map.of(), target))
			.withMessageContaining("name an empty directory");
		assertThat(target.resolve("one.jar")).hasContent("of somebody else");
	}

	@Test
	void nothingIsReplaced() throws IOException {
		List<Inventory> both = List.of(application("one", ""), application("two", ""));
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> MergedContainer.write(both, Map.of(), this.merged))
			.withMessageContaining("name an empty directory");
	}

}
