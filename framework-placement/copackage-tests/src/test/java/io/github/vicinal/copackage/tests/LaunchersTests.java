package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.copackage.InvalidInputException;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.LayoutBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Launchers and their layouts, wherever these are and whoever else wants to run them. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class LaunchersTests {

	private static final int LAUNCHERS = 6;

	@TempDir
	private Path directory;

	private final int port = RunningLayout.freePort();

	private RunningLayout start(Path where) throws IOException {
		return RunningLayout.start(where, Map.of("stock", List.of("--server.port=" + this.port)), "stock");
	}

	/** The address of a socket has room for about 100 bytes. */
	@Test
	void aLayoutWithALongPathTakesCommands() throws IOException {
		Path where = Files.createDirectories(this.directory.resolve("d".repeat(80)).resolve("e".repeat(80)));
		try (RunningLayout running = start(where)) {
			running.until("[launcher] stock runs after");
			assertThat(running.log()).doesNotContain("No commands are taken");
			assertThat(running.command("status")).containsPattern("stock +running");
			assertThat(where.resolve("layout/launcher.sock")).exists();
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> new LayoutBuilder(Map.of(), Hoist.STATELESS)
					.build(Inventories.read(List.of("stock=" + RunningLayout.jar("stock"))), where.resolve("layout")))
				.withMessageContaining("is being run");
			assertThat(running.command("restart stock")).contains("running");
		}
		assertThat(where.resolve("layout/launcher.sock")).doesNotExist();
	}

	/** A class loader takes no notice of a file that is no jar. */
	@Test
	void damagedFilesOfALayoutAreNamed() throws IOException {
		int other = RunningLayout.freePort();
		Path layout = this.directory.resolve("layout");
		new LayoutBuilder(
				Map.of("stock", List.of("--server.port=" + this.port), "legacy", List.of("--server.port=" + other)),
				Hoist.STATELESS)
			.build(Inventories
				.read(List.of("stock=" + RunningLayout.jar("stock"), "legacy=" + RunningLayout.jar("legacy"))), layout);
		Path own = layout.resolve("apps/stock/stock.jar");
		byte[] whole = Files.readAllBytes(own);
		Files.write(own, Arrays.copyOf(whole, whole.length / 2));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running
				.until("stock does not run: its main class 'io.github.vicinal.testapplications.stock.StockApplication'")
				.until("build the layout again, because of these files: 'apps/stock/stock.jar' (")
				.until("[launcher] legacy runs after");
			assertThat(running.get(other, "/version")).isEqualTo("3.5.7");
			Files.write(own, whole);
			assertThat(running.command("start stock")).containsPattern("stock +running");
		}
	}

	/** One that was killed has left its socket. */
	@Test
	void ofLaunchersThatStartAtTheSameTimeOneRuns() throws Exception {
		try (RunningLayout running = start(this.directory)) {
			running.until("[launcher] stock runs after");
		}
		Path layout = this.directory.resolve("layout");
		ServerSocketChannel.open(StandardProtocolFamily.UNIX)
			.bind(UnixDomainSocketAddress.of(layout.resolve("launcher.sock")))
			.close();
		List<Process> launchers = new ArrayList<>();
		try {
			for (int i = 0; i < LAUNCHERS; i++) {
				launchers.add(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
						"-XX:TieredStopAtLevel=1", "-jar", layout.resolve("launcher/vicinal-launcher.jar").toString())
					.redirectErrorStream(true)
					.redirectOutput(this.directory.resolve(i + ".log").toFile())
					.start());
			}
			CountDownLatch ends = new CountDownLatch(LAUNCHERS - 1);
			launchers.forEach((each) -> each.onExit().thenRun(ends::countDown));
			assertThat(ends.await(5, TimeUnit.MINUTES)).as("all others have ended").isTrue();
			Process left = launchers.stream().filter(Process::isAlive).findFirst().orElseThrow();
			for (int i = 0; i < LAUNCHERS; i++) {
				Path log = this.directory.resolve(i + ".log");
				if (launchers.get(i) == left) {
					assertThat(log).content().doesNotContain("another launcher");
				}
				else {
					assertThat(launchers.get(i).exitValue()).isEqualTo(2);
					assertThat(log).content().contains("is run by another launcher already");
				}
			}
		}
		finally {
			launchers.forEach(Process::destroyForcibly);
		}
		// The lock goes with the process.
		launchers.forEach((each) -> each.onExit().join());
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] stock runs after");
			assertThat(running.command("status")).containsPattern("stock +running");
		}
	}

}
