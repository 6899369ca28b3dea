package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
				for last; do :; done
				name=$(basename "$last" .jar)
				printf '%s\\n' "$@" > "$WORK/$name.arguments"
				trap 'echo stopped > "$WORK/$name.stopped"; exit 0' TERM
				echo "$A,$B,$C" > "$WORK/$name.variables"
				touch "$WORK/$name.runs"
				while [ ! -e "$WORK/$name.end" ]; do sleep 0.05 & wait $!; done
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
		Process process = builder.start();
		for (String each : List.of("one.runs", "two.runs")) {
			while (!Files.exists(this.directory.resolve(each)) && process.isAlive()) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
			}
		}
		return process;
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

	@Test
	void endsWithTheFirstAndItsExitCode() throws IOException {
		Process process = run();
		Files.writeString(this.directory.resolve("one.end"), "7");
		assertThat(process.onExit().join().exitValue()).isEqualTo(7);
		assertThat(this.directory.resolve("two.stopped")).exists();
		assertThat(this.directory.resolve("one.arguments")).content().startsWith("-Xmx1g\n").endsWith("/one.jar\n");
	}

	/** As in containers of their own. */
	@Test
	void eachProcessHasItsOwnVariables() throws IOException {
		Process process = run();
		process.destroy();
		process.onExit().join();
		assertThat(this.directory.resolve("one.variables")).hasContent("1,,");
		assertThat(this.directory.resolve("two.variables")).hasContent("2,it's 3,");
	}

	@Test
	void handsSignalsOn() throws IOException {
		Process process = run();
		process.destroy();
		assertThat(process.onExit().join().exitValue()).isEqualTo(128 + 15);
		assertThat(this.directory.resolve("one.stopped")).exists();
		assertThat(this.directory.resolve("two.stopped")).exists();
	}

	/** What Docker reads is what the Dockerfiles said. */
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
