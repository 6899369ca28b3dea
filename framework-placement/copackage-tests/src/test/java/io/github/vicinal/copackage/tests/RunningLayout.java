package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.vicinal.copackage.CopackageCli;
import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.LayoutBuilder;

/** A launcher in a process of its own, as users run it. */
class RunningLayout implements AutoCloseable {

	/**
	 * Maximum time for anything: on a busy machine three applications may take minutes to
	 * start.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(10);

	/** Time limits of the launcher that no test is about, in the same measure. */
	private static final String TIMEOUTS = "\"startTimeoutSeconds\" : 900, \"stopTimeoutSeconds\" : 900,";

	/** Test JVMs lock a file here for each port that they have taken. */
	private static final Path PORTS = Path.of(System.getProperty("java.io.tmpdir"),
			"vicinal-test-ports-" + System.getProperty("user.name"));

	/**
	 * Ports that systems do not give to connections, which would take them while no
	 * application listens.
	 */
	private static final int FIRST_PORT = 10_000;

	private static final int LAST_PORT = 30_000;

	private static final String LOADER = "io.github.vicinal.launcher.ApplicationLoader";

	private final Path directory;

	private final Path log;

	private final Process process;

	private final HttpClient http = HttpClient.newHttpClient();

	private RunningLayout(Path directory, Path log, Process process) {
		this.directory = directory;
		this.log = log;
		this.process = process;
	}

	/** The executable jar of a test application. */
	static Path jar(String name) {
		return classPath("vicinal-test-%s-.*exec\\.jar".formatted(name));
	}

	/** A library, by its name up to the version. */
	static Path library(String name) {
		return classPath(name + "-\\d.*\\.jar");
	}

	private static Path classPath(String pattern) {
		return Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
			.map(Path::of)
			.filter((path) -> path.getFileName().toString().matches(pattern))
			.findFirst()
			.orElseThrow();
	}

	/** Returns a port that no other test takes as long as this JVM runs. */
	static int freePort() {
		try {
			Files.createDirectories(PORTS);
			while (true) {
				int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
				if (lock(PORTS.resolve(String.valueOf(port))) && isFree(port)) {
					return port;
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns whether nobody else has the lock, which goes with the process. */
	@SuppressWarnings("resource")
	private static boolean lock(Path file) throws IOException {
		FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		try {
			if (channel.tryLock() != null) {
				return true;
			}
		}
		catch (OverlappingFileLockException ex) {
			// This JVM has it.
			return false;
		}
		channel.close();
		return false;
	}

	private static boolean isFree(int port) throws IOException {
		try {
			new ServerSocket(port).close();
			return true;
		}
		catch (BindException ex) {
			return false;
		}
	}

	static RunningLayout start(Path directory, Map<String, List<String>> arguments, String... names)
			throws IOException {
		List<String> files = new ArrayList<>();
		for (String name : names) {
			files.add(name + "=" + jar(name));
		}
		return start(directory, arguments, Hoist.STATELESS, files);
	}

	/** Runs applications that are given as NAME=JAR. */
	static RunningLayout start(Path directory, Map<String, List<String>> arguments, Hoist hoist, List<String> files)
			throws IOException {
		Path layout = directory.resolve("layout");
		new LayoutBuilder(arguments, hoist).build(Inventories.read(files), layout);
		Path file = layout.resolve("copackage.json");
		Files.writeString(file, Files.readString(file).replace("\"mainClass\" :", TIMEOUTS + " \"mainClass\" :"));
		return start(layout);
	}

	static RunningLayout start(Path layout) throws IOException {
		Path log = layout.resolveSibling("launcher.log");
		// Without soft references, which caches of shared libraries have, in the heap.
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:SoftRefLRUPolicyMSPerMB=0", "-Xmx400m", "-jar",
				layout.resolve("launcher/vicinal-launcher.jar").toString(), "--stop-at-end-of-input"));
		Process process = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		return new RunningLayout(layout, log, process);
	}

	/** Runs an application without a launcher. */
	static RunningLayout alone(Path jar, String... arguments) throws IOException {
		List<String> line = new ArrayList<>(List.of("-jar", jar.toString()));
		line.addAll(List.of(arguments));
		return java(jar, jar.resolveSibling("alone.log"), line);
	}

	/** Runs the command line, with a directory for temporary files. */
	static RunningLayout commandLine(Path directory, List<String> arguments) throws IOException {
		List<String> line = new ArrayList<>(
				List.of("-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("temporary")), "-cp",
						System.getProperty("java.class.path"), CopackageCli.class.getName()));
		line.addAll(arguments);
		return java(directory, directory.resolve("command.log"), line);
	}

	private static RunningLayout java(Path directory, Path log, List<String> arguments) throws IOException {
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
		line.addAll(arguments);
		Process process = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		return new RunningLayout(directory, log, process) {

			@Override
			public void close() {
				process.destroy();
				process.onExit().join();
			}

		};
	}

	/** Waits until the launcher has said something about an application. */
	RunningLayout until(String line) {
		await(() -> log().contains(line), "'" + line + "'");
		return this;
	}

	void await(BooleanSupplier condition, String what) {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0 || (!this.process.isAlive() && !condition.getAsBoolean())) {
				throw new AssertionError("No %s; the launcher %s and said:%n%s".formatted(what,
						this.process.isAlive() ? "runs" : "has ended", log()));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
		}
	}

	String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String get(int port, String path) throws IOException {
		try {
			return this.http
				.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).timeout(PATIENCE).build(),
						HttpResponse.BodyHandlers.ofString())
				.body();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	/** Sends a request after which the application ends, maybe before it has answered. */
	void end(int port, String path) {
		try {
			get(port, path);
		}
		catch (IOException ex) {
			// It has ended.
		}
	}

	/** Gives the launcher a command, as its owner does. */
	String command(String command) throws IOException {
		return output(launcherLine(command));
	}

	/** Gives the launcher a command, and returns the exit code of that. */
	int exitCode(String command) throws IOException {
		Process given = new ProcessBuilder(launcherLine(command)).redirectErrorStream(true).start();
		given.getInputStream().readAllBytes();
		return given.onExit().join().exitValue();
	}

	private List<String> launcherLine(String command) {
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-jar", this.directory.resolve("launcher/vicinal-launcher.jar").toString()));
		line.addAll(List.of(command.split(" ")));
		return line;
	}

	/** Waits until there are at most so many class loaders of applications. */
	void awaitLoaders(int most) {
		await(() -> {
			try {
				return count(LOADER) <= most;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}, "heap with at most %d loaders of applications".formatted(most));
	}

	/** Counts objects of a class, after a garbage collection. */
	int count(String className) throws IOException {
		return histogram().lines()
			.filter((line) -> line.strip().matches(".*\\s" + className.replace("$", "\\$") + "(\\s.*)?"))
			.mapToInt((line) -> Integer.parseInt(line.strip().split("\\s+")[1]))
			.sum();
	}

	/** A JVM that does not answer jcmd in time has an empty one, which says nothing. */
	private String histogram() throws IOException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (true) {
			String histogram = output(List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
					String.valueOf(this.process.pid()), "GC.class_histogram"));
			if (histogram.lines().anyMatch((line) -> line.startsWith("Total "))) {
				return histogram;
			}
			if (System.nanoTime() - deadline > 0 || !this.process.isAlive()) {
				throw new AssertionError("No histogram of the heap: " + histogram);
			}
		}
	}

	private static String output(List<String> line) throws IOException {
		Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
		process.getOutputStream().close();
		return new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
	}

	Process process() {
		return this.process;
	}

	@Override
	public void close() throws IOException {
		this.process.getOutputStream().close();
		try {
			if (!this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
