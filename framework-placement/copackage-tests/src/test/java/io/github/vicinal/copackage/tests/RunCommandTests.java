package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications of two versions of Spring Boot together by one command, and apart again.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class RunCommandTests {

	@TempDir
	private Path directory;

	private final int stock = RunningLayout.freePort();

	private final int legacy = RunningLayout.freePort();

	private Path stockJar;

	private Path legacyJar;

	@BeforeEach
	void jars() throws IOException {
		this.stockJar = Files.copy(RunningLayout.jar("stock"),
				Files.createDirectory(this.directory.resolve("s")).resolve("stock.jar"));
		this.legacyJar = Files.copy(RunningLayout.jar("legacy"),
				Files.createDirectory(this.directory.resolve("l")).resolve("legacy.jar"));
	}

	private RunningLayout run() throws IOException {
		return RunningLayout.commandLine(this.directory,
				List.of("run", "--jvm-option=-Xmx400m", "--port", "stock=" + this.stock, "--port",
						"legacy=" + this.legacy, this.stockJar.toString(), this.legacyJar.toString()));
	}

	private List<String> answers(RunningLayout first, RunningLayout second) throws IOException {
		return List.of(first.get(this.stock, "/stock/fig").replaceFirst(",\"servedBy.*", ""),
				second.get(this.legacy, "/version"), second.get(this.legacy, "/coat"));
	}

	@Test
	void theSameJarsRunTogetherAndApart() throws IOException {
		List<String> together;
		try (RunningLayout running = run()) {
			running.until("[launcher] stock runs after").until("[launcher] legacy runs after");
			together = answers(running, running);
			List<ProcessHandle> launchers = running.process().toHandle().descendants().toList();
			assertThat(launchers).isNotEmpty();
			running.process().destroy();
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(128 + 15);
			launchers.forEach((each) -> each.onExit().join());
			assertThat(running.log()).contains("[launcher] legacy has stopped", "[launcher] stock has stopped");
			try (Stream<Path> left = Files.list(this.directory.resolve("temporary"))) {
				assertThat(left.filter((each) -> each.getFileName().toString().startsWith("copackage"))).isEmpty();
			}
		}
		try (RunningLayout first = RunningLayout.alone(this.stockJar, "--server.port=" + this.stock);
				RunningLayout second = RunningLayout.alone(this.legacyJar, "--server.port=" + this.legacy)) {
			first.until("Started StockApplication");
			second.until("Started LegacyApplication");
			assertThat(answers(first, second)).isEqualTo(together).contains("3.5.7");
		}
	}

	/** Otherwise they would keep their ports, and nobody would know of them. */
	@Test
	void applicationsEndWithACommandThatIsKilled() throws IOException {
		List<ProcessHandle> launchers = new ArrayList<>();
		try (RunningLayout running = run()) {
			running.until("[launcher] legacy runs after");
			running.process().toHandle().descendants().forEach(launchers::add);
			assertThat(launchers).isNotEmpty();
			running.process().destroyForcibly().onExit().join();
			launchers.forEach((each) -> each.onExit().orTimeout(10, TimeUnit.MINUTES).join());
			assertThat(running.log()).contains("[launcher] legacy has stopped", "[launcher] stock has stopped");
		}
		finally {
			launchers.forEach(ProcessHandle::destroyForcibly);
		}
	}

}
