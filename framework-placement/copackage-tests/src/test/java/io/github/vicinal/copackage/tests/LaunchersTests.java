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

import javax.tools.ToolProvider;

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

	/**
	 * As alone, runners of an application may never return, once all else has started. A
	 * stand-in for Spring Boot starts at once, so that the time limit can be short.
	 */
	@Test
	void runnersNeedNotReturn() throws IOException {
		Path layout = this.directory.resolve("layout");
		new LayoutBuilder(Map.of("legacy", List.of("--server.port=" + this.port)), Hoist.STATELESS)
			.build(Inventories.read(List.of("legacy=" + RunningLayout.jar("legacy"))), layout);
		compile(layout.resolve("standin"), Map.of("org/springframework/boot/SpringApplication.java", """
				package org.springframework.boot;
				public class SpringApplication {
					public static SpringApplicationHook hook;
					public static void withHook(SpringApplicationHook given, Runnable action) {
						hook = given;
						action.run();
					}
					public void setRegisterShutdownHook(boolean register) {
					}
				}
				""", "org/springframework/boot/SpringApplicationHook.java", """
				package org.springframework.boot;
				public interface SpringApplicationHook {
					SpringApplicationRunListener getRunListener(SpringApplication application);
				}
				""", "org/springframework/boot/SpringApplicationRunListener.java", """
				package org.springframework.boot;
				public interface SpringApplicationRunListener {
					void starting();
					void contextPrepared(java.io.Closeable context);
					void started();
					void failed();
				}
				""", "org/springframework/context/ApplicationListener.java", """
				package org.springframework.context;
				public interface ApplicationListener {
				}
				""", "org/springframework/context/event/SmartApplicationListener.java", """
				package org.springframework.context.event;
				public interface SmartApplicationListener extends org.springframework.context.ApplicationListener {
				}
				""", "org/springframework/context/ConfigurableApplicationContext.java", """
				package org.springframework.context;
				public interface ConfigurableApplicationContext extends java.io.Closeable {
					void addApplicationListener(ApplicationListener listener);
					boolean isActive();
				}
				""", "own/Context.java", """
				package own;
				public class Context implements org.springframework.context.ConfigurableApplicationContext {
					private volatile boolean closed;
					public void addApplicationListener(org.springframework.context.ApplicationListener listener) {
					}
					public boolean isActive() {
						return !this.closed;
					}
					public void close() {
						this.closed = true;
					}
				}
				""", "own/Main.java", """
				package own;
				import org.springframework.boot.*;
				public class Main {
					public static void main(String[] arguments) throws Exception {
						SpringApplicationRunListener listener = SpringApplication.hook
							.getRunListener(new SpringApplication());
						listener.starting();
						Context context = new Context();
						listener.contextPrepared(context);
						listener.started();
						while (!new java.io.File(arguments[0]).exists()) {
							Thread.sleep(20);
						}
						context.close();
						listener.failed();
						throw new IllegalStateException("the runner ends");
					}
				}
				"""));
		Path end = this.directory.resolve("end");
		Files.writeString(layout.resolve("copackage.json"), """
				{
				  "format": "vicinal-copackage", "version": 1, "shared": [ "shared/vicinal-jvm.jar" ],
				  "applications": [ { "name": "runs", "mainClass": "own.Main", "classPath": [ "standin" ],
				    "startTimeoutSeconds": 1, "arguments": [ "%s" ] } ]
				}
				""".formatted(end));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] runs runs after 1.").until("; its runners have not returned yet");
			assertThat(running.command("status")).containsPattern("runs +running.*its runners have not returned yet");
			assertThat(running.command("start runs")).containsPattern("runs +running");
			assertThat(running.log()).doesNotContain("does not run");
			Files.createFile(end);
			running.until("[launcher] runs has stopped: its main method has thrown").until("the runner ends");
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(1);
		}
	}

	private static void compile(Path target, Map<String, String> sources) throws IOException {
		List<String> line = new ArrayList<>(List.of("-d", target.toString(), "--release", "17"));
		for (Map.Entry<String, String> each : sources.entrySet()) {
			Path file = target.resolve(each.getKey());
			Files.createDirectories(file.getParent());
			line.add(Files.writeString(file, each.getValue()).toString());
		}
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, line.toArray(String[]::new))).isZero();
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
