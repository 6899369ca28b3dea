package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.copackage.InvalidInputException;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.LayoutBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Applications of two versions of Spring Boot in one JVM, from their own jars. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class HostedApplicationsTests {

	/** Number of times that one is started again; 100 in the profile deep. */
	private static final int RESTARTS = Integer.getInteger("vicinal.kit.contexts", 3);

	@TempDir
	private Path directory;

	private final int stock = RunningLayout.freePort();

	private final int shop = RunningLayout.freePort();

	private final int legacy = RunningLayout.freePort();

	private RunningLayout start(String... legacyArguments) throws IOException {
		return start(this.legacy, legacyArguments);
	}

	private RunningLayout start(int legacyPort, String... legacyArguments) throws IOException {
		List<String> given = new ArrayList<>(List.of("--server.port=" + legacyPort));
		given.addAll(List.of(legacyArguments));
		return RunningLayout.start(this.directory, Map.of("stock", List.of("--server.port=" + this.stock), "shop",
				List.of("--server.port=" + this.shop, "--stock.url=http://localhost:" + this.stock), "legacy", given),
				"stock", "shop", "legacy");
	}

	private void callUntilDirect(RunningLayout running) {
		running.await(() -> {
			try {
				assertThat(running.get(this.shop, "/offer/pear"))
					.isEqualTo("{\"item\":\"pear\",\"pieces\":4,\"servedBy\":\"stock\"}");
				return running.get(this.shop, "/actuator/vicinalchannels")
					.contains("\"path\":\"direct\",\"state\":\"in use\"");
			}
			catch (IOException ex) {
				throw new java.io.UncheckedIOException(ex);
			}
		}, "direct path");
	}

	@Test
	void twoVersionsOfSpringBootAnswerAndCallEachOther() throws IOException {
		try (RunningLayout running = start()) {
			running.until("[launcher] legacy runs after");
			callUntilDirect(running);
			assertThat(running.get(this.legacy, "/version")).isEqualTo("3.5.7");
			assertThat(running.get(this.legacy, "/ask?url=http://localhost:" + this.stock + "/stock/fig"))
				.contains("\"pieces\":3");
			// What one sets, the others do not see.
			assertThat(running.get(this.legacy, "/property/legacy.was.here")).isEqualTo("yes");
			assertThat(running.get(this.legacy, "/property/LOGGED_APPLICATION_NAME")).contains("legacy");
			assertThat(running.log()).contains("[stock] ", "[shop] ", "[legacy] ")
				.containsPattern("\\[legacy].*Starting Servlet engine: \\[Apache Tomcat/10")
				.containsPattern("\\[stock].*Starting Servlet engine: \\[Apache Tomcat/11");
			running.get(this.legacy, "/burn?millis=2000");
			// One that does not answer within seconds is silent.
			awaitStatus(running, "stock +running +" + this.stock + " up .*");
			awaitStatus(running, "legacy +running +" + this.legacy + " ready .*");
			assertThat(running.command("status")).contains("heap of all");
			// The first thread is the one that burnt.
			assertThat(running.command("threads legacy"))
				.containsPattern("(?s)^ +cpu s .*?\\n +[0-9.]+ +[0-9.]+ +\\w+ +http-nio")
				.contains("platform threads of 'legacy'")
				.doesNotContain("launcher-control");
			assertThat(running.command("threads nobody")).contains("There is no application 'nobody'");
		}
	}

	private static void awaitStatus(RunningLayout running, String line) {
		running.await(() -> {
			try {
				return running.command("status").lines().anyMatch((each) -> each.matches(line));
			}
			catch (IOException ex) {
				throw new java.io.UncheckedIOException(ex);
			}
		}, "status '" + line + "'");
	}

	@Test
	@Timeout(value = 90, unit = TimeUnit.MINUTES)
	void oneStartsAgainWhileTheOthersRun() throws IOException {
		try (RunningLayout running = start()) {
			running.until("[launcher] legacy runs after");
			callUntilDirect(running);
			assertThat(running.command("stop legacy")).contains("stopped");
			for (int i = 0; i < RESTARTS; i++) {
				assertThat(running.command("restart stock")).contains("running");
				callUntilDirect(running);
				assertThat(running.command("restart shop")).contains("running");
				callUntilDirect(running);
				assertThat(running.command("start legacy")).contains("running");
				assertThat(running.get(this.legacy, "/version")).isEqualTo("3.5.7");
				assertThat(running.command("stop legacy")).contains("stopped");
			}
			// Two run; the JDK itself may remember the classes of a few that have gone.
			running.awaitLoaders(2 + 3);
		}
	}

	/**
	 * Spring and Netty are there once; what the applications log, and what they are, is
	 * their own.
	 */
	@Test
	@Timeout(value = 90, unit = TimeUnit.MINUTES)
	void applicationsThatShareTheirLibrariesKeepTheirLogs() throws IOException {
		int other = RunningLayout.freePort();
		List<String> files = List.of("one=" + RunningLayout.jar("stock"), "other=" + RunningLayout.jar("stock"));
		try (RunningLayout running = RunningLayout.start(this.directory,
				Map.of("one", List.of("--server.port=" + this.stock, "--logging.pattern.console=MARKED %m%n"), "other",
						List.of("--server.port=" + other, "--logging.level.org.springframework.web=debug")),
				Hoist.KNOWN, files)) {
			running.until("[launcher] other runs after");
			assertThat(this.directory.resolve("layout/shared")).isDirectoryContaining("glob:**/spring-core-*.jar")
				.isDirectoryContaining("glob:**/vicinal-test-stock-api-*.jar")
				.isDirectoryContaining("glob:**/netty-common-*.jar");
			assertThat(running.count("org.springframework.boot.SpringApplicationShutdownHook")).isEqualTo(1);
			assertThat(running.get(this.stock, "/stock/fig")).contains("\"servedBy\":\"one\"");
			assertThat(running.get(other, "/stock/fig")).contains("\"servedBy\":\"other\"");
			running.until("Completed 200 OK");
			for (int i = 0; i < RESTARTS; i++) {
				assertThat(running.command("restart one")).contains("running");
				assertThat(running.get(this.stock, "/stock/fig")).contains("\"servedBy\":\"one\"");
				assertThat(running.get(other, "/stock/fig")).contains("\"servedBy\":\"other\"");
			}
			// A soft reference outlives the first collection after its last use.
			running.awaitLoaders(2 + 1);
			assertThat(running.log().lines().filter((line) -> line.contains("Tomcat started on port")))
				.hasSize(2 + RESTARTS)
				.allMatch((line) -> line.startsWith("[one] MARKED ") != line.contains("port " + other + " "));
			assertThat(running.log().lines().filter((line) -> line.contains("Completed 200 OK"))).isNotEmpty()
				.allMatch((line) -> line.startsWith("[other] "));
		}
	}

	private RunningLayout startTwins(int other, String... arguments) throws IOException {
		List<String> one = new ArrayList<>(List.of("--server.port=" + this.legacy, "--spring.application.name=one"));
		one.addAll(List.of(arguments));
		List<String> two = List.of("--server.port=" + other, "--spring.application.name=other");
		return RunningLayout.start(this.directory, Map.of("one", one, "other", two), Hoist.KNOWN,
				List.of("one=" + RunningLayout.jar("legacy"), "other=" + RunningLayout.jar("legacy")));
	}

	/** There is one MBean server, in which each application has a domain. */
	@Test
	void applicationsHaveADomainOfMBeans() throws IOException {
		int other = RunningLayout.freePort();
		List<String> jmx = List.of("--spring.jmx.enabled=true", "--management.endpoint.env.show-values=always");
		try (RunningLayout running = RunningLayout.start(this.directory,
				Map.of("one", with(jmx, "--server.port=" + this.stock), "other", with(jmx, "--server.port=" + other)),
				Hoist.KNOWN, List.of("one=" + RunningLayout.jar("stock"), "other=" + RunningLayout.jar("stock")))) {
			running.until("[launcher] other runs after");
			assertThat(running.command("restart one")).contains("running");
			String property = "/actuator/env/spring.jmx.default-domain";
			assertThat(running.get(this.stock, property)).contains("\"value\":\"one\"");
			assertThat(running.get(other, property)).contains("\"value\":\"other\"");
			assertThat(running.log()).doesNotContain("MBean '");
		}
	}

	private static List<String> with(List<String> arguments, String more) {
		List<String> all = new ArrayList<>(arguments);
		all.add(more);
		return all;
	}

	/** Spring Boot has one shutdown hook for all that share its classes. */
	@Test
	void shutdownHandlersRunWhenTheirApplicationStops() throws IOException {
		int other = RunningLayout.freePort();
		try (RunningLayout running = startTwins(other)) {
			running.until("[launcher] other runs after");
			for (int i = 1; i <= 2; i++) {
				assertThat(running.command("restart one")).contains("running");
				assertThat(running.log().lines().filter("[one] handler of one ran"::equals)).hasSize(i);
				assertThat(running.log()).doesNotContain("handler of other ran");
			}
			running.process().destroy();
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(128 + 15);
			assertThat(running.log()).containsOnlyOnce("[other] handler of other ran")
				.containsSubsequence("[launcher] one runs after", "[other] mood destroyed",
						"[other] handler of other ran", "[launcher] other has stopped", "[one] mood destroyed",
						"[one] handler of one ran", "[launcher] one has stopped");
		}
	}

	@Test
	@Timeout(value = 90, unit = TimeUnit.MINUTES)
	void cachesOfSharedLibrariesLetStoppedApplicationsGo() throws IOException {
		int other = RunningLayout.freePort();
		try (RunningLayout running = startTwins(other)) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < RESTARTS; i++) {
				assertThat(running.get(this.legacy, "/coat")).contains("\"color\":\"RED\"");
				assertThat(running.get(other, "/coat")).contains("\"color\":\"RED\"");
				assertThat(running.get(this.legacy, "/common")).startsWith("ForkJoinPool.commonPool-worker-");
				assertThat(running.command("restart one")).contains("running");
			}
			running.awaitLoaders(2);
			assertThat(running.log()).doesNotContain("commonPool-worker");
		}
	}

	/** As a JVM of its own would do. */
	@Test
	void applicationsThatStillStartAreClosed() throws IOException {
		try (RunningLayout running = start("--mood=starts-slowly")) {
			running.until("[legacy] starts slowly");
			assertThat(running.command("stop legacy")).containsPattern("legacy +stopped");
			assertThat(running.log()).contains("[legacy] mood destroyed", "[legacy] handler of legacy ran",
					"legacy does not run: it was stopped while it started");
			callUntilDirect(running);
			Thread starting = new Thread(() -> {
				try {
					running.command("start legacy");
				}
				catch (IOException ex) {
					throw new java.io.UncheckedIOException(ex);
				}
			});
			starting.start();
			running.await(() -> running.log().lines().filter("[legacy] starts slowly"::equals).count() == 2,
					"second start");
			running.process().destroy();
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(128 + 15);
			assertThat(running.log().lines().filter("[legacy] mood destroyed"::equals)).hasSize(2);
			assertThat(running.log()).containsSubsequence("shop has stopped", "stock has stopped");
		}
	}

	/** Both have the same libraries here, and so the same classes of Vicinal. */
	@Test
	void applicationsThatShareVicinalHandValuesOver() throws IOException {
		try (RunningLayout running = startShared(withLibrariesOf("stock", "shop"))) {
			running.until("[launcher] shop runs after");
			callUntilDirect(running);
			assertThat(this.directory.resolve("layout/shared"))
				.isDirectoryContaining("glob:**/vicinal-transport-local-*.jar");
			assertThat(running.get(this.shop, "/actuator/vicinalchannels")).contains("methods by reference")
				.doesNotContain("class loaders of their own");
			assertThat(running.command("restart stock")).contains("running");
			callUntilDirect(running);
		}
	}

	/** One library that only the shop has keeps most of the others from being shared. */
	@Test
	void applicationsThatShareLittleCallEachOtherAsBefore() throws IOException {
		try (RunningLayout running = startShared(RunningLayout.jar("stock"))) {
			running.until("[launcher] shop runs after");
			callUntilDirect(running);
			assertThat(running.get(this.shop, "/actuator/vicinalchannels")).contains("class loaders of their own");
		}
	}

	private RunningLayout startShared(Path stockJar) throws IOException {
		return RunningLayout.start(this.directory,
				Map.of("stock", List.of("--server.port=" + this.stock), "shop",
						List.of("--server.port=" + this.shop, "--stock.url=http://localhost:" + this.stock)),
				Hoist.KNOWN, List.of("stock=" + stockJar, "shop=" + RunningLayout.jar("shop")));
	}

	/** A copy of an application's jar that has all libraries of another, too. */
	private Path withLibrariesOf(String name, String other) throws IOException {
		Path copy = Files.copy(RunningLayout.jar(name), this.directory.resolve(name + "-more.jar"));
		try (FileSystem target = FileSystems.newFileSystem(copy, Map.of("compressionMethod", "STORED"));
				FileSystem source = FileSystems.newFileSystem(RunningLayout.jar(other));
				Stream<Path> libraries = Files.list(source.getPath("BOOT-INF/lib"))) {
			for (Path library : (Iterable<Path>) libraries::iterator) {
				Path there = target.getPath(library.toString());
				if (!Files.exists(there)) {
					Files.copy(library, there);
				}
			}
		}
		return copy;
	}

	@Test
	void failureOfOneLeavesTheOthersAlone() throws IOException {
		try (RunningLayout running = start("--mood=fails-on-start")) {
			running.until("legacy does not run: it failed to start").until("the mood is bad");
			callUntilDirect(running);
			assertThat(running.command("status")).containsPattern("legacy +failed");
			assertThat(running.command("start legacy")).containsPattern("legacy +failed");
			assertThat(running.command("stop nobody")).contains("There is no application 'nobody'",
					"[stock, shop, legacy]");
			// For scripts.
			assertThat(running.exitCode("start legacy")).isEqualTo(1);
			assertThat(running.exitCode("restart legacy")).isEqualTo(1);
			assertThat(running.exitCode("stop nobody")).isEqualTo(2);
			assertThat(running.exitCode("halt")).isEqualTo(2);
			assertThat(running.exitCode("start stock")).isZero();
			assertThat(running.exitCode("stop legacy")).isZero();
			assertThat(running.exitCode("status")).isZero();
		}
	}

	@Test
	void takenPortIsSaidAndNothingRemains() throws IOException {
		try (RunningLayout running = start(this.stock)) {
			running.until("legacy does not run: it failed to start").until("Port " + this.stock);
			callUntilDirect(running);
			running.awaitLoaders(2 + 1);
		}
	}

	@Test
	void leftoversAreNamedAndRemoved() throws IOException {
		try (RunningLayout running = start("--mood=leaves-things")) {
			running.until("[launcher] legacy runs after");
			assertThat(running.command("stop legacy")).contains("stopped");
			running.until("legacy: the shutdown hook 'legacy-hook' was run now")
				.until("legacy: the MBean 'legacy:type=Left' was still registered")
				.until("hook ran")
				.until("legacy: the timer 'legacy-timer' was not cancelled")
				.until("legacy: the executor of the thread 'legacy-executor' was not shut down")
				.until("legacy: the pool of the thread 'ForkJoinPool-1-worker-1' was not shut down");
			assertThat(running.log()).doesNotContain("runs on");
			callUntilDirect(running);
			running.awaitLoaders(2);
		}
	}

	@Test
	void theOneThatLoopsIsFoundAndStoppedAlone() throws IOException {
		try (RunningLayout running = start("--mood=loops")) {
			running.until("[launcher] legacy runs after");
			// The launcher looks at the counters once a second.
			running.await(() -> {
				try {
					return cpuSeconds(running, "legacy") > cpuSeconds(running, "stock") + 2;
				}
				catch (IOException ex) {
					throw new java.io.UncheckedIOException(ex);
				}
			}, "CPU time of the one that loops");
			assertThat(running.command("threads legacy"))
				.containsPattern("(?s)^ +cpu s .*?\\n +[0-9.]+ +[0-9.]+ +runnable +legacy-loop\\n.*LegacyApplication");
			assertThat(running.command("stop legacy")).contains("stopped");
			assertThat(running.log()).doesNotContain("runs on");
			callUntilDirect(running);
			double used = cpuSeconds(running, "legacy");
			assertThat(used).isZero();
		}
	}

	private static double cpuSeconds(RunningLayout running, String application) throws IOException {
		return status(running, application, 5);
	}

	private static double status(RunningLayout running, String application, int column) throws IOException {
		return running.command("status")
			.lines()
			.filter((line) -> line.startsWith(application + " "))
			.map((line) -> line.split(" +")[column])
			.mapToDouble(Double::parseDouble)
			.sum();
	}

	@Test
	void theOneThatAllocatesMostIsFound() throws IOException {
		try (RunningLayout running = start()) {
			running.until("[launcher] legacy runs after");
			double before = status(running, "legacy", 6);
			double others = status(running, "stock", 6) + status(running, "shop", 6);
			running.get(this.legacy, "/allocate?mib=2000");
			assertThat(status(running, "legacy", 6)).isGreaterThan(before + 2000);
			assertThat(status(running, "stock", 6) + status(running, "shop", 6)).isLessThan(others + 1000);
			assertThat(running.command("threads legacy"))
				.containsPattern("(?s)^ +cpu s .*?\\n +[0-9.]+ +2[0-9]{3}\\.[0-9] +\\w+ +http-nio");
		}
	}

	@Test
	void applicationsThatHangAreLeftBehindInTime() throws IOException {
		try (RunningLayout built = start()) {
			built.until("[launcher] legacy runs after");
		}
		Path layout = this.directory.resolve("layout");
		Path file = layout.resolve("copackage.json");
		String member = "\"name\" : \"legacy\",";
		String json = Files.readString(file)
			.replaceFirst("(%s\\s*)(\"st(art|op)TimeoutSeconds\" : \\d+, *){2}".formatted(member), "$1");
		Files.writeString(file, json.replace(member, member
				+ " \"startTimeoutSeconds\" : 4, \"systemProperties\" : {\"legacy.mood\" : \"hangs-on-start\"},"));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("legacy does not run: it did not start within 4 s").until("LegacyApplication.main");
			callUntilDirect(running);
		}
		Files.writeString(file,
				json.replace(member, member + " \"systemProperties\" : {\"legacy.mood\" : \"returns\"},"));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("its main method returned without starting a Spring application");
		}
		Files.writeString(file, json.replace(member, member + " \"stopTimeoutSeconds\" : 2,")
			.replace("--server.port=" + this.legacy, "--server.port=" + this.legacy + "\", \"--mood=hangs-on-stop"));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] legacy runs after");
			running.command("stop legacy");
			running.until("legacy: it did not stop within 2 s");
			callUntilDirect(running);
			running.awaitLoaders(2);
		}
		Files.writeString(file, json.replace(member, member + " \"essential\" : true,")
			.replace("--server.port=" + this.legacy, "--server.port=" + this.legacy + "\", \"--mood=fails-on-start"));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("legacy is essential: all others stop").until("stock has stopped");
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(1);
		}
	}

	/** The JVM's shutdown hooks run at once, and none of them ends what others need. */
	@Test
	void sigtermStopsAllWithTheirLogs() throws IOException {
		try (RunningLayout running = start()) {
			running.until("[launcher] legacy runs after");
			callUntilDirect(running);
			running.process().destroy();
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(128 + 15);
			assertThat(running.log()).containsPattern("\\[legacy].*Graceful shutdown complete")
				.containsPattern("\\[shop].*Graceful shutdown complete")
				.containsPattern("\\[stock].*Graceful shutdown complete")
				.doesNotContain("No appenders present")
				.containsSubsequence("legacy has stopped", "shop has stopped", "stock has stopped");
		}
	}

	@Test
	void oneLauncherRunsALayout() throws IOException {
		try (RunningLayout running = start()) {
			running.until("[launcher] stock runs after");
			Path layout = this.directory.resolve("layout");
			Path log = this.directory.resolve("second.log");
			Process second = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-jar", layout.resolve("launcher/vicinal-launcher.jar").toString())
				.redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			assertThat(second.onExit().join().exitValue()).isEqualTo(2);
			assertThat(log).content().contains("is run by another launcher already");
			assertThatExceptionOfType(InvalidInputException.class)
				.isThrownBy(() -> new LayoutBuilder(Map.of(), Hoist.STATELESS)
					.build(Inventories.read(List.of("stock=" + RunningLayout.jar("stock"))), layout))
				.withMessageContaining("is being run");
			running.until("[launcher] legacy runs after");
		}
		assertThat(this.directory.resolve("layout/launcher.sock")).doesNotExist();
	}

}
