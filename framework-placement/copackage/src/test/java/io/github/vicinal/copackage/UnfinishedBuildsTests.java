package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Builds that cannot end: nothing half-written stays, and the reason is said. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class UnfinishedBuildsTests {

	private static final int KILLS = 2;

	@TempDir
	private Path directory;

	private Path target;

	private Path one;

	private Path two;

	@BeforeEach
	void applications() throws IOException {
		this.target = Files.createDirectories(this.directory.resolve("parent")).resolve("layout");
		this.one = large().write(this.directory, "one");
		this.two = large().write(this.directory, "two");
	}

	/** Its libraries are written after one another. */
	private static TestJar large() {
		TestJar jar = TestJar.boot();
		for (int i = 0; i < 8; i++) {
			byte[] bytes = new byte[4 << 20];
			new Random(i).nextBytes(bytes);
			jar.library("large-" + i, "1", Map.of("large/" + i, bytes));
		}
		return jar;
	}

	private ProcessBuilder build(String limits, String... options) {
		List<String> line = new ArrayList<>(List.of("sh", "-c", limits + " exec \"$@\"", "sh",
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
				System.getProperty("java.class.path"), CopackageCli.class.getName(), "build"));
		line.addAll(List.of(options));
		line.addAll(List.of("one=" + this.one, "two=" + this.two));
		return new ProcessBuilder(line).redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("build.log").toFile());
	}

	private List<String> beside() throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("parent"))) {
			return files.map((file) -> file.getFileName().toString()).toList();
		}
	}

	/** Waits until it writes. */
	private Process underWay(ProcessBuilder builder) throws IOException {
		Process process = builder.start();
		while (process.isAlive() && !writes()) {
			Thread.onSpinWait();
		}
		return process;
	}

	private boolean writes() throws IOException {
		for (String name : beside()) {
			String[] files = this.target.resolveSibling(name).toFile().list();
			if (files != null && files.length > 0) {
				return true;
			}
		}
		return false;
	}

	@Test
	void whatAKilledBuildLeavesIsDeletedByTheNext() throws Exception {
		for (int i = 0; i < KILLS; i++) {
			Process process = underWay(build("", "-o", this.target.toString()));
			process.destroyForcibly().waitFor();
			assertThat(this.target).doesNotExist();
		}
		assertThat(beside()).isNotEmpty();
		new LayoutBuilder(Map.of(), Hoist.STATELESS)
			.build(Inventories.read(List.of("one=" + this.one, "two=" + this.two)), this.target);
		assertThat(beside()).containsExactly("layout");
	}

	@Test
	void aBuildThatIsAskedToEndLeavesNothing() throws Exception {
		for (String[] options : List.of(new String[] { "-o", this.target.toString() },
				new String[] { "--oci", "-o", this.target.toString() })) {
			Process process = underWay(build("", options));
			process.destroy();
			process.waitFor();
			// Unless it has just ended.
			assertThat(beside()).isSubsetOf("layout");
			FileTree.delete(this.target);
		}
	}

	/** A layout that was to be replaced is there again. */
	@Test
	void whatIsReplacedComesBackIfTheBuildIsKilled() throws IOException {
		Path old = Files.createDirectories(this.target.resolveSibling(".copackage-1-old"));
		Files.writeString(old.resolve("copackage.json"), "{}");
		Files.createDirectories(this.target.resolveSibling(".copackage-1"));
		Files.writeString(this.target.resolveSibling(".copackage-1.lock"), "layout");
		Files.writeString(this.target.resolveSibling(".copackage-2.lock"), "../../layout");
		Files.createDirectories(this.target.resolveSibling(".copackage-2-old"));
		Files.writeString(this.target.resolveSibling(".copackage-3.lock"), "no\0path");
		try (WorkDirectory work = WorkDirectory.beside(this.target.resolveSibling("other"))) {
			assertThat(work.path()).isEmptyDirectory();
		}
		assertThat(this.target.resolve("copackage.json")).hasContent("{}");
		assertThat(beside()).containsExactlyInAnyOrder("layout", ".copackage-3.lock");
	}

	@Test
	void aFullDiskIsNamedAndNothingStays() throws Exception {
		for (String[] options : List.of(new String[] { "-o", this.target.toString() },
				new String[] { "--oci", "-o", this.target.toString() })) {
			// 2 MiB in blocks of 512 bytes.
			Process process = build("ulimit -f 4096;", options).start();
			assertThat(process.waitFor()).isEqualTo(2);
			assertThat(this.directory.resolve("build.log")).content()
				.contains("cannot be written: ", "too large")
				.doesNotContain("\tat ");
			assertThat(beside()).isEmpty();
		}
	}

	@Test
	void aDirectoryThatCannotBeWrittenIsNamed() throws Exception {
		Process process = build("", "-o", "/sys/vicinal/layout").start();
		assertThat(process.waitFor()).isEqualTo(2);
		assertThat(this.directory.resolve("build.log")).content()
			.contains("'/sys/vicinal/layout' cannot be written: ")
			.doesNotContain("\tat ", ".copackage-");
	}

}
