package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.LayoutBuilder;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications that differ in how they log, start, use threads and load native code. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class MixedApplicationsTests {

	private static final String RUN = """
			public static void main(String[] arguments) {
				SpringApplication.run(Main.class, arguments);
			}
			""";

	@TempDir
	private Path directory;

	private final int one = RunningLayout.freePort();

	private final int other = RunningLayout.freePort();

	private Path build(Hoist hoist, Path oneJar, Path otherJar) throws IOException {
		Path layout = this.directory.resolve("layout");
		new LayoutBuilder(
				Map.of("one", List.of("--server.port=" + this.one), "other", List.of("--server.port=" + this.other)),
				hoist)
			.build(Inventories.read(List.of("one=" + oneJar, "other=" + otherJar)), layout);
		return layout;
	}

	/** Netty finds its native code only beside the classes that load it. */
	@ParameterizedTest
	@InTurn({ "KNOWN", "STATELESS" })
	void nativeCodeOfNettyIsThereAsItIsAlone(Hoist hoist) throws IOException {
		Path jar = OwnApplication.withLibrariesOf("stock").library("netty-transport-native-epoll").main(RUN + """
				@GetMapping("/epoll")
				String epoll() {
					return String.valueOf(io.netty.channel.epoll.Epoll.isAvailable());
				}
				""").write(this.directory, "epoll");
		String alone;
		try (RunningLayout running = RunningLayout.alone(jar, "--server.port=" + this.one)) {
			running.until("Tomcat started on port");
			alone = running.get(this.one, "/epoll");
		}
		if (System.getProperty("os.name").equals("Linux") && System.getProperty("os.arch").equals("amd64")) {
			assertThat(alone).isEqualTo("true");
		}
		try (RunningLayout running = RunningLayout.start(build(hoist, jar, jar))) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < 2; i++) {
				assertThat(running.get(this.one, "/epoll")).isEqualTo(alone);
				assertThat(running.get(this.other, "/epoll")).isEqualTo(alone);
				assertThat(running.command("restart one")).contains("running");
			}
		}
	}

	/** Each writes to its own log, whichever library it is built with. */
	@ParameterizedTest
	@InTurn({ "KNOWN", "STATELESS" })
	void log4jAndLogbackStandSideBySide(Hoist hoist) throws IOException {
		String says = RUN + """
				@GetMapping("/say")
				void say() {
					org.slf4j.LoggerFactory.getLogger("own.Said").info("said by SLF4J");
					java.util.logging.Logger.getLogger("own.Said").info("said by the JDK");
				}

				@GetMapping("/factory")
				String factory() {
					return org.slf4j.LoggerFactory.getILoggerFactory().getClass().getName();
				}
				""";
		Path logback = OwnApplication.withLibrariesOf("stock").main(says).write(this.directory, "logback");
		Path log4j = OwnApplication.withLibrariesOf("stock")
			.without("logback-", "log4j-to-slf4j-", "jul-to-slf4j-")
			.library("log4j-core")
			.library("log4j-slf4j2-impl")
			.main(says)
			.write(this.directory, "log4j");
		try (RunningLayout running = RunningLayout.start(build(hoist, log4j, logback))) {
			running.until("[launcher] other runs after");
			assertThat(running.get(this.one, "/factory")).contains("org.apache.logging.slf4j");
			assertThat(running.get(this.other, "/factory")).contains("logback");
			assertThat(running.command("restart one")).contains("running");
			running.get(this.one, "/say");
			running.get(this.other, "/say");
			for (String said : List.of("said by SLF4J", "said by the JDK")) {
				running.until(said);
				assertThat(running.log().lines().filter((line) -> line.contains(said))).satisfiesExactlyInAnyOrder(
						(line) -> assertThat(line).startsWith("[one] "),
						(line) -> assertThat(line).startsWith("[other] "));
			}
			running.awaitLoaders(2 + 1);
		}
	}

	/**
	 * Spring Boot takes the initializer that was generated before, where a system
	 * property says so.
	 */
	@Test
	void oneThatWasProcessedAheadOfTimeStartsSo() throws IOException {
		Path processed = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", "spring.main.web-application-type=none")
			.main("""
					public static void main(String[] arguments) {
						SpringApplication.run(Main.class, arguments);
					}

					@Bean
					CommandLineRunner found() {
						return (arguments) -> System.out.println("found by reflection");
					}
					""")
			.source("Main__ApplicationContextInitializer", """
					package own;

					import org.springframework.boot.CommandLineRunner;
					import org.springframework.context.ApplicationContextInitializer;
					import org.springframework.context.support.GenericApplicationContext;

					public class Main__ApplicationContextInitializer
							implements ApplicationContextInitializer<GenericApplicationContext> {

						@Override
						public void initialize(GenericApplicationContext context) {
							context.registerBean("generated", CommandLineRunner.class,
								() -> (arguments) -> System.out.println("generated before"));
						}

					}
					""")
			.write(this.directory, "processed");
		Path layout = build(Hoist.KNOWN, processed, RunningLayout.jar("legacy"));
		Path file = layout.resolve("copackage.json");
		String member = "\"name\" : \"one\",";
		String json = Files.readString(file);
		assertThat(json).contains(member);
		String properties = "\"systemProperties\" : {";
		// The layout may give it others, too.
		int at = json.indexOf(member);
		int end = json.indexOf("\"other\"");
		String own = json.substring(at, end);
		own = own.contains(properties) ? own.replace(properties, properties + "\"spring.aot.enabled\" : \"true\", ")
				: own.replace(member, member + properties + "\"spring.aot.enabled\" : \"true\"},");
		Files.writeString(file, json.substring(0, at) + own + json.substring(end));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] one runs after").until("[launcher] other runs after");
			assertThat(running.log()).contains("[one] generated before").doesNotContain("found by reflection");
			assertThat(running.get(this.other, "/version")).isEqualTo("3.5.7");
		}
	}

	/** It restarts only what an IDE has started. */
	@Test
	void devtoolsOfOneRestartNothing() throws IOException {
		Path tools = OwnApplication.withLibrariesOf("stock").library("spring-boot-devtools").main(RUN + """
				@GetMapping("/loader")
				String loader() {
					return Main.class.getClassLoader().getName();
				}
				""").write(this.directory, "tools");
		try (RunningLayout running = RunningLayout.start(build(Hoist.KNOWN, tools, RunningLayout.jar("stock")))) {
			running.until("[launcher] one runs after").until("[launcher] other runs after");
			assertThat(running.get(this.one, "/loader")).isEqualTo("one");
			assertThat(running.log()).doesNotContain("restartedMain");
			assertThat(running.command("restart one")).contains("running");
			assertThat(running.get(this.one, "/loader")).isEqualTo("one");
			assertThat(running.get(this.other, "/stock/fig")).contains("\"pieces\":3");
			running.awaitLoaders(2 + 1);
		}
	}

	/** Before Java 21 the setting has no effect. */
	@Test
	@Tag("every-jdk")
	void virtualThreadsBelongToTheirApplication() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("stock")
			.main(RUN + """
						@GetMapping("/thread")
						String thread() {
							System.setProperty("own.mark", System.getProperty("own.mark", "") + "x");
							System.out.println("printed by a request");
							return Thread.currentThread() + " " + System.getProperty("spring.jmx.default-domain") + " "
					+ System.getProperty("own.mark");
						}
						""")
			.resource("application.properties", "spring.application.name=threads")
			.write(this.directory, "threads");
		Path layout = this.directory.resolve("layout");
		new LayoutBuilder(Map.of("one", List.of("--server.port=" + this.one, "--spring.threads.virtual.enabled=true"),
				"other", List.of("--server.port=" + this.other)), Hoist.KNOWN)
			.build(Inventories.read(List.of("one=" + jar, "other=" + jar)), layout);
		boolean virtual = Runtime.version().feature() >= 21;
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] other runs after");
			for (int i = 1; i <= 3; i++) {
				assertThat(running.get(this.one, "/thread")).startsWith(virtual ? "VirtualThread" : "Thread[")
					.endsWith(" one x");
				assertThat(running.get(this.other, "/thread")).startsWith("Thread[")
					.endsWith(" other " + "x".repeat(i));
				assertThat(running.command("restart one")).contains("running");
			}
			assertThat(running.log().lines().filter("[one] printed by a request"::equals)).hasSize(3);
			assertThat(running.log().lines().filter("[other] printed by a request"::equals)).hasSize(3);
			running.awaitLoaders(2 + 1);
		}
	}

	@Test
	void aPortThatAnotherProcessHasIsSaid() throws IOException {
		try (ServerSocket socket = new ServerSocket(this.other)) {
			try (RunningLayout running = RunningLayout
				.start(build(Hoist.STATELESS, RunningLayout.jar("stock"), RunningLayout.jar("legacy")))) {
				String why = "it failed to start: Port %d is already in use".formatted(this.other);
				running.until("[launcher] one runs after").until("[launcher] other does not run: " + why);
				assertThat(running.command("status")).containsPattern("other +failed .*" + why);
				socket.close();
				assertThat(running.command("start other")).containsPattern("other +running");
				assertThat(running.get(this.other, "/version")).isEqualTo("3.5.7");
				assertThat(running.get(this.one, "/stock/fig")).contains("\"pieces\":3");
			}
		}
	}

}
