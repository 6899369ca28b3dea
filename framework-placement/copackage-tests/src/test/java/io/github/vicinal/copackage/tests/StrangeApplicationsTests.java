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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications that do what a JVM has room for once, beside others. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class StrangeApplicationsTests {

	private static final String PROPERTIES = """
			spring.application.name=strange
			management.endpoints.web.exposure.include=*
			""";

	private static final String RUN = """
			public static void main(String[] arguments) {
				SpringApplication.run(Main.class, arguments);
			}
			""";

	@TempDir
	private Path directory;

	private final int one = RunningLayout.freePort();

	private final int other = RunningLayout.freePort();

	private RunningLayout start(Hoist hoist, Path oneJar, Path otherJar) throws IOException {
		return RunningLayout.start(this.directory,
				Map.of("one", List.of("--server.port=" + this.one), "other", List.of("--server.port=" + this.other)),
				hoist, List.of("one=" + oneJar, "other=" + otherJar));
	}

	/** Otherwise the accessor of the one that was last would be that of both. */
	@Test
	void registriesOfLibrariesAreThoseOfEachApplication() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("stock").resource("application.properties", PROPERTIES).main("""
				static final ThreadLocal<Object> TENANT = new ThreadLocal<>();

				public static void main(String[] arguments) {
					io.micrometer.context.ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT);
					SpringApplication.run(Main.class, arguments);
				}

				@GetMapping("/tenant")
				String tenant() {
					TENANT.set("mine");
					return io.micrometer.context.ContextRegistry.getInstance().getThreadLocalAccessors().stream()
						.filter((each) -> each.key().equals("tenant"))
						.map((each) -> String.valueOf(each.getValue())).toList().toString();
				}
				""").write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.KNOWN, jar, jar)) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < 3; i++) {
				assertThat(running.get(this.one, "/tenant")).isEqualTo("[mine]");
				assertThat(running.get(this.other, "/tenant")).isEqualTo("[mine]");
				assertThat(running.command("restart one")).contains("running");
			}
			running.awaitLoaders(2);
		}
	}

	/** As they would without the other. */
	@Test
	void metersOfTheStaticRegistryAreThoseOfEachApplication() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("stock").resource("application.properties", PROPERTIES).main(RUN + """
				@GetMapping("/order")
				void order() {
					io.micrometer.core.instrument.Metrics.counter("orders").increment();
					io.micrometer.core.instrument.Metrics.gauge("own.gauge", this, (main) -> 7);
				}
				""").write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.KNOWN, jar, jar)) {
			running.until("[launcher] other runs after");
			assertThat(this.directory.resolve("layout/shared"))
				.isDirectoryNotContaining("glob:**/micrometer-core-*.jar")
				.isDirectoryContaining("glob:**/netty-common-*.jar")
				.isDirectoryContaining("glob:**/spring-core-*.jar");
			for (int i = 0; i < 3; i++) {
				running.get(this.one, "/order");
				running.get(this.other, "/order");
				assertThat(running.get(this.one, "/actuator/metrics/orders")).contains("\"value\":1.0");
				assertThat(running.get(this.other, "/actuator/metrics/orders"))
					.contains("\"value\":%d.0".formatted(i + 1));
				assertThat(running.get(this.one, "/actuator/metrics/own.gauge")).contains("\"value\":7.0");
				assertThat(running.command("restart one")).contains("running");
			}
			running.awaitLoaders(2);
		}
	}

	/** A JVM takes one. */
	@Test
	void aFactoryOfUrlHandlersGoesWithItsApplication() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy").resource("application.properties", PROPERTIES).main("""
				public static void main(String[] arguments) {
					URL.setURLStreamHandlerFactory((protocol) -> protocol.equals("own") ? new Own() : null);
					Authenticator.setDefault(new Authenticator() { });
					Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> { });
					SpringApplication.run(Main.class, arguments);
				}

				static final class Own extends URLStreamHandler {

					@Override
					protected URLConnection openConnection(URL url) throws IOException {
						throw new IOException();
					}

				}

				@GetMapping("/url")
				boolean url() throws IOException {
					return new URL("own:it").toString().equals("own:it");
				}
				""").write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.STATELESS, jar, jar)) {
			running.until("[launcher] one runs after")
				.until("other does not run: it failed to start: it sets a factory of URL handlers, and a JVM takes one only: 'one' has set it");
			assertThat(running.get(this.one, "/url")).isEqualTo("true");
			assertThat(running.command("stop one")).contains("stopped");
			running.until("one: its factory of URL handlers was still that of the JVM")
				.until("one: its authenticator was still that of the JVM")
				.until("one: its handler of uncaught exceptions was still that of the JVM");
			assertThat(running.command("start other")).contains("running");
			assertThat(running.get(this.other, "/url")).isEqualTo("true");
			assertThat(running.command("stop other")).contains("stopped");
			assertThat(running.command("start one")).contains("running");
			assertThat(running.get(this.one, "/url")).isEqualTo("true");
			running.awaitLoaders(1);
		}
	}

	/** It cannot be kept from that, but the others are told, and stop as they should. */
	@Test
	void theOneThatEndsTheJvmIsNamed() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.main(RUN + """
					@GetMapping("/quit")
					void quit() {
						new Thread(() -> System.exit(3), "quitter").start();
					}
					""")
			.write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.STATELESS, RunningLayout.jar("stock"), jar)) {
			running.until("[launcher] other runs after");
			running.end(this.other, "/quit");
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(3);
			assertThat(running.log()).contains(
					"[launcher] other has ended the JVM, and all others with it: its thread 'quitter' has called System.exit at own.Main.lambda$quit$0 (Main.java:")
				.containsPattern("\\[one].*Graceful shutdown complete")
				.containsSubsequence("[launcher] other has stopped", "[launcher] one has stopped");
			assertThat(this.directory.resolve("layout/launcher.sock")).doesNotExist();
		}
	}

	@Test
	void classesOfANewerJavaAreNamed() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.main(RUN)
			.classFileVersion(100)
			.write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.STATELESS, jar, RunningLayout.jar("stock"))) {
			running.until(
					"one does not run: it failed to start: it needs Java 56, and this is Java %d; run the launcher with a newer one"
						.formatted(Runtime.version().feature()))
				.until("[launcher] other runs after");
			assertThat(running.get(this.other, "/stock/fig")).contains("\"pieces\":3");
			running.awaitLoaders(1);
		}
	}

	/** Spring Boot's own launcher takes them. */
	@Test
	void mainMethodsNeedNotBePublic() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy").resource("application.properties", PROPERTIES).main("""
				static void main(String[] arguments) {
					SpringApplication.run(Main.class, arguments);
				}
				""").write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.STATELESS, jar, RunningLayout.jar("stock"))) {
			running.until("[launcher] one runs after").until("[launcher] other runs after");
			assertThat(running.command("status")).containsPattern("one +running +" + this.one);
		}
	}

	/** Each application is beside others that differ from it as it is alone. */
	@Test
	void applicationsAreWhatTheyAreAlone() throws IOException {
		String facts = RUN
				+ """
						@Autowired
						org.springframework.core.env.Environment environment;

						@GetMapping("/facts")
						Map<String, Object> facts() throws IOException {
							Map<String, Object> facts = new TreeMap<>();
							facts.put("profiles", environment.getActiveProfiles());
							for (String name : List.of("color", "imported", "spring.application.name", "logging.level.own")) {
								facts.put(name, environment.getProperty(name, "none"));
							}
							try (InputStream in = Main.class.getResourceAsStream("/text.txt")) {
								facts.put("text", (in != null) ? new String(in.readAllBytes()) : "none");
							}
							facts.put("initialized", environment.getProperty("initialized", "none"));
							facts.put("page", Main.class.getResource("/META-INF/resources/page.txt") != null);
							facts.put("handled", handled("own:it"));
							facts.put("loader", Main.class.getClassLoader() == Thread.currentThread().getContextClassLoader());
							facts.put("debug", org.slf4j.LoggerFactory.getLogger(Main.class).isDebugEnabled());
							facts.put("open", Object.class.getModule().isOpen("java.time.zone", Main.class.getModule()));
							facts.put("package", String.valueOf(Main.class.getPackage().getImplementationTitle()));
							return facts;
						}

						static boolean handled(String url) {
							try {
								return new URL(url) != null;
							}
							catch (MalformedURLException ex) {
								return false;
							}
						}

						public static class Handlers extends java.net.spi.URLStreamHandlerProvider {

							@Override
							public URLStreamHandler createURLStreamHandler(String protocol) {
								return protocol.equals("own") ? new URLStreamHandler() {

									@Override
									protected URLConnection openConnection(URL url) throws IOException {
										throw new IOException();
									}

								} : null;
							}

						}

						public static class Initializer implements
								org.springframework.context.ApplicationContextInitializer<org.springframework.context.ConfigurableApplicationContext> {

							@Override
							public void initialize(org.springframework.context.ConfigurableApplicationContext context) {
								context.getEnvironment().getPropertySources().addLast(
									new org.springframework.core.env.MapPropertySource("own", Map.of("initialized", "yes")));
							}

						}
						""";
		// Opened to all, as the JVM is one.
		Path plain = OwnApplication.withLibrariesOf("stock")
			.main(facts)
			.resource("application.properties", PROPERTIES + """
					server.servlet.context-path=/api
					spring.main.banner-mode=off
					spring.config.import=classpath:more.properties
					spring.jmx.enabled=true
					spring.jmx.default-domain=one-for-all
					""")
			.attribute("Add-Opens", "java.base/java.time.zone")
			.resource("more.properties", "imported=yes")
			.resource("META-INF/services/java.net.spi.URLStreamHandlerProvider", "own.Main$Handlers")
			.beside("META-INF/spring.factories",
					"org.springframework.context.ApplicationContextInitializer=own.Main$Initializer")
			.beside("META-INF/resources/page.txt", "a page")
			.write(this.directory, "plain");
		Path nightly = OwnApplication.withLibrariesOf("legacy")
			.main(facts)
			.resource("application.properties", """
					spring.application.name=strange
					server.servlet.context-path=/api
					spring.profiles.active=night
					color=white
					spring.jmx.enabled=true
					spring.jmx.default-domain=one-for-all
					""")
			.resource("application-night.yaml", "color: black\nlogging.level.own: debug\n")
			.resource("text.txt", "old")
			.resource("META-INF/versions/17/text.txt", "new")
			.attribute("Multi-Release", "true")
			.attribute("Implementation-Title", "Nightly")
			.attribute("Add-Opens", "java.base/java.time.zone")
			.write(this.directory, "nightly");
		String alone;
		String aloneNightly;
		try (RunningLayout running = RunningLayout.alone(plain, "--server.port=" + this.one)) {
			running.until("Tomcat started on port");
			alone = running.get(this.one, "/api/facts");
		}
		try (RunningLayout running = RunningLayout.alone(nightly, "--server.port=" + this.one)) {
			running.until("Tomcat started on port");
			aloneNightly = running.get(this.one, "/api/facts");
		}
		assertThat(alone).contains("\"imported\":\"yes\"", "\"initialized\":\"yes\"", "\"page\":true");
		assertThat(aloneNightly).contains("\"color\":\"black\"", "\"debug\":true", "\"open\":true", "\"text\":\"old\"");
		try (RunningLayout running = start(Hoist.KNOWN, plain, nightly)) {
			running.until("[launcher] one runs after").until("[launcher] other runs after");
			for (String restarted : List.of("one", "other")) {
				assertThat(running.get(this.one, "/api/facts")).isEqualTo(alone);
				assertThat(running.get(this.other, "/api/facts")).isEqualTo(aloneNightly);
				assertThat(running.command("restart " + restarted)).contains("running");
			}
			assertThat(running.get(this.one, "/api/facts")).isEqualTo(alone);
			assertThat(running.get(this.other, "/api/facts")).isEqualTo(aloneNightly);
			running.awaitLoaders(2 + 1);
		}
	}

	/**
	 * The threads that wait for processes are the JDK's, whoever has started the first.
	 */
	@Test
	void processesAreStartedAfterOneThatDidSoHasStopped() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.main(RUN + """
					@GetMapping("/version")
					int version() throws Exception {
						String java = new File(System.getProperty("java.home"), "bin/java").getPath();
						return new ProcessBuilder(java, "-version").redirectErrorStream(true)
							.redirectOutput(ProcessBuilder.Redirect.DISCARD)
							.start()
							.waitFor();
					}
					""")
			.write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.STATELESS, jar, jar)) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < 2; i++) {
				assertThat(running.get(this.one, "/version")).isEqualTo("0");
				assertThat(running.command("restart one")).contains("running");
				assertThat(running.get(this.other, "/version")).isEqualTo("0");
			}
			assertThat(running.get(this.one, "/version")).isEqualTo("0");
			assertThat(running.command("stop one")).contains("stopped");
			assertThat(running.log()).doesNotContain("process reaper");
			running.awaitLoaders(1 + 1);
		}
	}

	/** Interrupts do not end their threads, or keep them busy. */
	@ParameterizedTest
	@EnumSource(names = { "STATELESS", "KNOWN" })
	void serversAndLoopsThatNobodyHasStoppedEndWithTheirApplication(Hoist hoist) throws IOException {
		int server = RunningLayout.freePort();
		Path jar = OwnApplication.withLibrariesOf("shop").resource("application.properties", PROPERTIES).main("""
				public static void main(String[] arguments) throws Exception {
					if (arguments.length > 1 && arguments[1].startsWith("--own.port=")) {
						int own = Integer.parseInt(arguments[1].substring("--own.port=".length()));
						com.sun.net.httpserver.HttpServer server =
							com.sun.net.httpserver.HttpServer.create(new InetSocketAddress(own), 0);
						server.createContext("/", (exchange) -> {
							exchange.sendResponseHeaders(200, -1);
							exchange.close();
						});
						server.start();
						new io.netty.util.concurrent.DefaultEventExecutor().submit(() -> { }).get();
						io.netty.channel.EventLoopGroup loops = new io.netty.channel.nio.NioEventLoopGroup(1);
						loops.submit(() -> { }).get();
						java.rmi.registry.LocateRegistry.createRegistry(0)
							.rebind("own", java.rmi.server.UnicastRemoteObject.exportObject(COUNTER, 0));
					}
					SpringApplication.run(Main.class, arguments);
				}

				private static final Counter COUNTER = new Counter();


				public interface Count extends java.rmi.Remote {

					int count() throws java.rmi.RemoteException;

				}

				static class Counter implements Count {

					@Override
					public int count() {
						return 1;
					}

				}

				@GetMapping("/here")
				String here() {
					return "here";
				}
				""").write(this.directory, "strange");
		Map<String, List<String>> arguments = Map.of("one",
				List.of("--server.port=" + this.one, "--own.port=" + server), "other",
				List.of("--server.port=" + this.other));
		try (RunningLayout running = RunningLayout.start(this.directory, arguments, hoist,
				List.of("one=" + jar, "other=" + jar))) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < 3; i++) {
				assertThat(running.get(server, "/")).isEmpty();
				assertThat(running.command("restart one")).contains("running");
			}
			assertThat(running.command("stop one")).contains("stopped");
			assertThat(running.log()).contains("one: the HTTP server of the thread 'HTTP-Dispatcher' was not stopped")
				.containsPattern("one: the event loop of the thread 'defaultEventExecutor-.*' was not shut down")
				.containsPattern("one: the event loop of the thread 'nioEventLoopGroup-.*' was not shut down")
				.contains("one: the remote object 'own.Main$Counter' was still exported")
				.doesNotContain("runs on", "cannot be looked for");
			new ServerSocket(server).close();
			// The JDK itself may remember the classes of one that has gone.
			running.awaitLoaders(1 + 1);
			assertThat(running.get(this.other, "/here")).isEqualTo("here");
		}
	}

	/**
	 * Spring Boot takes Jetty's client for RestClient where it finds it, and nobody stops
	 * it: its selectors go on after an interrupt.
	 */
	@Test
	void clientsOfJettyThatNobodyHasStoppedEndWithTheirApplication() throws IOException {
		OwnApplication application = OwnApplication.withLibrariesOf("shop")
			.resource("application.properties", PROPERTIES)
			.main(RUN + """
					@GetMapping("/here")
					String here() {
						return "here";
					}

					@GetMapping("/call")
					String call(int port) {
						return org.springframework.web.client.RestClient.builder()
							.requestFactory(new org.springframework.http.client.JettyClientHttpRequestFactory())
							.build().get().uri("http://localhost:" + port + "/here").retrieve().body(String.class);
					}
					""");
		for (String library : List.of("jetty-alpn-client", "jetty-client", "jetty-compression-common",
				"jetty-compression-gzip", "jetty-http", "jetty-io", "jetty-util")) {
			application.library(library);
		}
		Path jar = application.write(this.directory, "jetty");
		try (RunningLayout running = RunningLayout.start(this.directory,
				Map.of("one", List.of("--server.port=" + this.one), "other", List.of("--server.port=" + this.other)),
				Hoist.STATELESS, List.of("one=" + jar, "other=" + jar))) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < 3; i++) {
				assertThat(running.get(this.one, "/call?port=" + this.other)).isEqualTo("here");
				assertThat(running.command("restart one")).contains("running");
			}
			assertThat(running.get(this.one, "/call?port=" + this.other)).isEqualTo("here");
			assertThat(running.command("stop one")).contains("stopped");
			assertThat(running.log())
				.containsPattern("one: the thread pool of Jetty of the thread 'HttpClient@.*' was not stopped")
				.doesNotContain("runs on", "cannot be looked for");
			running.awaitLoaders(1 + 1);
			assertThat(running.get(this.other, "/here")).isEqualTo("here");
		}
	}

	/** OkHttp has such a thread, which goes on after an interrupt. */
	@Test
	void timeLimitsOfOkioEndWithTheirApplication() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.library("okio-jvm")
			.library("kotlin-stdlib")
			.main(RUN + """
					@GetMapping("/limit")
					void limit(boolean left) {
						okio.AsyncTimeout limit = new okio.AsyncTimeout();
						limit.timeout(1, TimeUnit.HOURS);
						limit.enter();
						if (!left) {
							limit.exit();
						}
					}
					""")
			.write(this.directory, "okio");
		try (RunningLayout running = start(Hoist.STATELESS, jar, jar)) {
			running.until("[launcher] other runs after");
			for (boolean left : List.of(true, false)) {
				running.get(this.one, "/limit?left=" + left);
				assertThat(running.command("restart one")).contains("running");
			}
			running.get(this.one, "/limit?left=true");
			assertThat(running.command("stop one")).contains("stopped");
			assertThat(running.log()).contains("one: the thread 'Okio Watchdog' still waited for time limits")
				.doesNotContain("runs on", "NullPointerException");
			running.awaitLoaders(1);
		}
	}

	/** Alone, the second one would not have what the first one opens. */
	@Test
	@Tag("every-jdk")
	void whatOneManifestOpensIsOpenToAll() throws IOException {
		OwnApplication application = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.main(RUN + """
					@GetMapping("/open")
					String open() throws Exception {
						Module module = Main.class.getModule();
						boolean natives = Runtime.version().feature() < 22
							|| (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(module);
						return Object.class.getModule().isOpen("java.time.zone", module) + " " + natives;
					}
					""");
		Path plain = application.write(this.directory, "plain");
		Path opens = application.attribute("Add-Opens", "java.base/java.time.zone")
			.attribute("Enable-Native-Access", "ALL-UNNAMED")
			.write(this.directory, "opens");
		try (RunningLayout running = RunningLayout.alone(plain, "--server.port=" + this.one)) {
			running.until("Tomcat started on port");
			assertThat(running.get(this.one, "/open")).startsWith("false");
		}
		try (RunningLayout running = start(Hoist.STATELESS, plain, opens)) {
			running.until("[launcher] other runs after");
			assertThat(running.get(this.one, "/open")).isEqualTo("true true");
			assertThat(running.get(this.other, "/open")).isEqualTo("true true");
		}
	}

	/** The recorder is the JVM's, whichever application has needed it first. */
	@Test
	void flightRecordingsThatNobodyHasStoppedEndWithTheirApplication() throws IOException {
		Path dump = this.directory.resolve("at-exit.jfr");
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.main(RUN + """
					static final CountDownLatch EVENTS = new CountDownLatch(2);

					static class Own extends jdk.jfr.Event {
					}

					@GetMapping("/leave")
					void leave(String dump) throws Exception {
						jdk.jfr.Recording recording = new jdk.jfr.Recording();
						recording.setName("left");
						recording.setDestination(java.nio.file.Path.of(dump));
						recording.setDumpOnExit(true);
						recording.start();
						jdk.jfr.FlightRecorder.addPeriodicEvent(Own.class, () -> new Own().commit());
						jdk.jfr.FlightRecorder.addListener(new jdk.jfr.FlightRecorderListener() { });
						var stream = new jdk.jfr.consumer.RecordingStream();
						stream.enable(Own.class).with("period", "20 ms");
						stream.onEvent(Own.class.getName(), (event) -> EVENTS.countDown());
						stream.startAsync();
						var repository = jdk.jfr.consumer.EventStream.openRepository();
						repository.onEvent((event) -> EVENTS.countDown());
						repository.startAsync();
						EVENTS.await();
					}

					@GetMapping("/record")
					void record() {
						jdk.jfr.Recording recording = new jdk.jfr.Recording();
						recording.setName("mine");
						recording.setDuration(java.time.Duration.ofHours(2));
						recording.start();
					}

					@GetMapping("/recordings")
					String recordings() {
						return jdk.jfr.FlightRecorder.getFlightRecorder().getRecordings().stream()
							.map((each) -> each.getName() + " " + each.getState()).toList().toString();
					}
					""")
			.write(this.directory, "strange");
		try (RunningLayout running = start(Hoist.STATELESS, jar, jar)) {
			running.until("[launcher] other runs after");
			for (int i = 0; i < 3; i++) {
				running.get(this.one, "/leave?dump=" + dump);
				if (i == 0) {
					running.get(this.other, "/record");
				}
				assertThat(running.command("restart one")).contains("running");
				assertThat(dump).isNotEmptyFile();
				Files.delete(dump);
				assertThat(running.get(this.other, "/recordings")).isEqualTo("[mine RUNNING]");
			}
			assertThat(running.command("stop one")).contains("stopped");
			assertThat(running.log())
				.contains("one: the flight recording 'left' was still running",
						"one: a periodic event of the flight recorder was still there",
						"one: a listener of the flight recorder was still there")
				.containsPattern("one: the event stream of the thread 'JFR Event Stream (\\d+|\\*)' was not closed")
				.doesNotContain("runs on", "cannot be looked for", "JFR Shutdown Hook", "JFR Recording Scheduler");
			// The JDK itself may remember the classes of one that has gone.
			running.awaitLoaders(1 + 1);
			assertThat(running.get(this.other, "/recordings")).isEqualTo("[mine RUNNING]");
		}
	}

	/** That of a batch job may be long over when the last one has started. */
	@Test
	void oneThatEndsWhileAnotherStartsIsNoticed() throws IOException {
		Path job = job().write(this.directory, "job");
		Path slow = OwnApplication.withLibrariesOf("legacy").resource("application.properties", PROPERTIES).main("""
				public static void main(String[] arguments) throws Exception {
					try (Socket gate = new Socket("localhost", Integer.parseInt(arguments[1]))) {
						gate.getInputStream().read();
					}
					SpringApplication.run(Main.class, arguments);
				}
				""").write(this.directory, "slow");
		try (ServerSocket gate = new ServerSocket(0);
				RunningLayout running = RunningLayout.start(this.directory,
						Map.of("other", List.of("--server.port=" + this.other, Integer.toString(gate.getLocalPort()))),
						Hoist.STATELESS, List.of("one=" + job, "other=" + slow))) {
			running.until("[launcher] one has stopped: its main method has returned, and no thread was left");
			assertThat(running.log()).doesNotContain("other runs");
			assertThat(running.command("status")).containsPattern("one +stopped").containsPattern("other +starting");
			gate.accept().close();
			running.until("[launcher] other runs after");
		}
	}

	/**
	 * Threads of its servers would keep the ports, and a processor busy. That of the
	 * actuator is in a context of its own.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "legacy", "stock" })
	void oneThatHangsBeforeItsServersStopGivesItsPortsBack(String libraries) throws IOException {
		int management = RunningLayout.freePort();
		Path jar = OwnApplication.withLibrariesOf(libraries)
			.resource("application.properties", PROPERTIES + "management.server.port=" + management + "\n")
			.main(RUN + """
					@Bean
					org.springframework.context.SmartLifecycle hanging() {
						return new org.springframework.context.SmartLifecycle() {

							private volatile boolean running;

							@Override
							public void start() {
								this.running = true;
							}

							@Override
							public void stop() {
								while (this.running) {
									try {
										new CountDownLatch(1).await();
									}
									catch (InterruptedException ex) {
										// Never.
									}
								}
							}

							@Override
							public boolean isRunning() {
								return this.running;
							}

						};
					}

					@GetMapping("/here")
					String here() {
						return "here";
					}
					""")
			.write(this.directory, "strange");
		Path layout = this.directory.resolve("layout");
		new LayoutBuilder(
				Map.of("one", List.of("--server.port=" + this.one), "other", List.of("--server.port=" + this.other)),
				Hoist.STATELESS)
			.build(Inventories.read(List.of("one=" + jar, "other=" + RunningLayout.jar("stock"))), layout);
		Path file = layout.resolve("copackage.json");
		String member = "\"name\" : \"one\",";
		assertThat(file).content().contains(member);
		Files.writeString(file, Files.readString(file).replace(member, member + " \"stopTimeoutSeconds\" : 2,"));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] other runs after");
			assertThat(running.get(this.one, "/here")).isEqualTo("here");
			running.command("stop one");
			running.until("one: it did not stop within 2 s; it is at ").until("one: the thread 'one-stop' runs on: ");
			assertThat(running.log().lines().filter((line) -> line.contains(" runs on: "))).hasSize(1);
			assertThat(running.command("start one")).containsPattern("one +running +" + this.one);
			assertThat(running.get(this.one, "/here")).isEqualTo("here");
			if (libraries.equals("stock")) {
				assertThat(running.get(management, "/actuator/health")).contains("UP");
			}
			assertThat(running.get(this.other, "/stock/fig")).contains("\"pieces\":3");
		}
	}

	private static final String JOB = """
			public static void main(String[] arguments) {
				SpringApplication.run(Main.class, arguments);
			}

			@Bean
			CommandLineRunner job() {
				return (arguments) -> System.out.println("job done");
			}

			@Bean
			AutoCloseable pool() {
				return () -> System.out.println("pool closed");
			}
			""";

	private static OwnApplication job() {
		return OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES + "spring.main.web-application-type=none\n")
			.main(JOB);
	}

	/** A JVM of its own would end, which closes its context. */
	@Test
	void oneThatHasNothingLeftToDoIsStopped() throws IOException {
		Path jar = job().write(this.directory, "job");
		try (RunningLayout running = start(Hoist.STATELESS, jar, RunningLayout.jar("stock"))) {
			running.until("[launcher] other runs after")
				.until("[launcher] one has stopped: its main method has returned, and no thread was left");
			assertThat(running.log()).containsSubsequence("[one] job done", "[one] pool closed");
			running.command("start one");
			running.await(() -> running.log().lines().filter("[one] pool closed"::equals).count() == 2, "second run");
			assertThat(running.get(this.other, "/stock/fig")).contains("\"pieces\":3");
			assertThat(running.command("status")).containsPattern("other +running").containsPattern("one +stopped");
			// The JDK itself may remember the classes of one that has gone.
			running.awaitLoaders(1 + 1);
		}
	}

	/**
	 * The threads of a shared server belong to nobody, but keep their application
	 * running.
	 */
	@Test
	void theLauncherEndsWithTheLastThatEndsByItself() throws IOException {
		Path jar = job().write(this.directory, "job");
		Path web = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", PROPERTIES)
			.main(RUN + """
					@Autowired
					ConfigurableApplicationContext context;

					@GetMapping("/end")
					void end() {
						new Thread(context::close).start();
					}
					""".replace("ConfigurableApp", "org.springframework.context.ConfigurableApp"))
			.write(this.directory, "web");
		try (RunningLayout running = start(Hoist.KNOWN, jar, web)) {
			running.until("[launcher] other runs after").until("[launcher] one has stopped: its main method");
			assertThat(this.directory.resolve("layout/shared"))
				.isDirectoryContaining("glob:**/tomcat-embed-core-*.jar");
			// Looked at once a second.
			for (int i = 0; i < 3; i++) {
				running.command("start one");
				int runs = i + 2;
				running.await(() -> running.log().lines().filter("[one] pool closed"::equals).count() == runs, "run");
			}
			assertThat(running.command("status")).containsPattern("other +running");
			running.end(this.other, "/end");
			assertThat(running.process().onExit().join().exitValue()).isZero();
			assertThat(running.log()).contains("[launcher] other has stopped: it has closed its context itself",
					"[launcher] All applications have ended");
		}
	}

	/** A container with a job that has failed must not end as if it had not. */
	@Test
	void aMainMethodThatThrowsOnceItsApplicationRunsIsAFailure() throws IOException {
		Path closing = OwnApplication.withLibrariesOf("legacy").resource("application.properties", PROPERTIES).main("""
				static final CountDownLatch GO = new CountDownLatch(1);

				public static void main(String[] arguments) throws Exception {
					try (Closeable context = SpringApplication.run(Main.class, arguments)) {
						GO.await();
						throw new IllegalStateException("job failed");
					}
				}

				@GetMapping("/go")
				void go() {
					GO.countDown();
				}
				""").write(this.directory, "closing");
		String run = "SpringApplication.run(Main.class, arguments);";
		Path plain = job().main(JOB.replace(run, run + "throw new IllegalStateException(\"no more work\");"))
			.write(this.directory, "plain");
		try (RunningLayout running = start(Hoist.STATELESS, closing, plain)) {
			running.until("[launcher] other runs after")
				.until("[launcher] other has stopped: its main method has thrown java.lang.IllegalStateException: no more work");
			assertThat(running.command("status")).containsPattern("other +failed").containsPattern("one +running");
			running.end(this.one, "/go");
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(1);
			assertThat(running.log()).contains(
					"[launcher] one has stopped: its main method has thrown java.lang.IllegalStateException: job failed")
				.contains("[other] Exception in thread \"other-main\" java.lang.IllegalStateException: no more work")
				.contains("[one] Exception in thread \"one-main\" java.lang.IllegalStateException: job failed");
		}
	}

	/** Only a failure of it concerns the others. */
	@Test
	void anEssentialOneThatEndsWithoutAFailureLeavesTheOthersAlone() throws IOException {
		Path jar = job().write(this.directory, "job");
		Path layout = this.directory.resolve("layout");
		new LayoutBuilder(Map.of("other", List.of("--server.port=" + this.other)), Hoist.STATELESS)
			.build(Inventories.read(List.of("one=" + jar, "other=" + RunningLayout.jar("stock"))), layout);
		Path file = layout.resolve("copackage.json");
		String member = "\"name\" : \"one\",";
		assertThat(file).content().contains(member);
		Files.writeString(file, Files.readString(file).replace(member, member + " \"essential\" : true,"));
		try (RunningLayout running = RunningLayout.start(layout)) {
			running.until("[launcher] other runs after").until("[launcher] one has stopped: its main method");
			running.command("start one");
			running.await(() -> running.log().lines().filter("[one] pool closed"::equals).count() == 2, "second run");
			assertThat(running.get(this.other, "/stock/fig")).contains("\"pieces\":3");
		}
	}

	/** Nothing would run any more, and nothing could end. */
	@Test
	void theLauncherEndsWhenTheLastThatCouldRunDoesNotStart() throws IOException {
		Path jar = job().write(this.directory, "job");
		try (RunningLayout running = start(Hoist.STATELESS, jar, RunningLayout.jar("legacy"))) {
			running.until("[launcher] other runs after").until("[launcher] one has stopped: its main method");
			assertThat(running.command("stop other")).contains("stopped");
			try (ServerSocket taken = new ServerSocket(this.other)) {
				running.command("start other");
				running.until("other does not run: it failed to start").until("[launcher] All applications have ended");
			}
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(1);
		}
	}

}
