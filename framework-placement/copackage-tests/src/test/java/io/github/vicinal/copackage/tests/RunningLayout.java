package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.LayoutBuilder;

/** A launcher in a process of its own, as users run it. */
class RunningLayout implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

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

	static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
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
		Path log = jar.resolveSibling("alone.log");
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar.toString()));
		line.addAll(List.of(arguments));
		Process process = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		return new RunningLayout(jar, log, process) {

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
				.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
					.timeout(Duration.ofSeconds(30))
					.build(), HttpResponse.BodyHandlers.ofString())
				.body();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	/** Gives the launcher a command, as its owner does. */
	String command(String command) throws IOException {
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-jar", this.directory.resolve("launcher/vicinal-launcher.jar").toString()));
		line.addAll(List.of(command.split(" ")));
		return output(line);
	}

	/** Counts objects of a class, after a garbage collection. */
	int count(String className) throws IOException {
		String histogram = output(List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
				String.valueOf(this.process.pid()), "GC.class_histogram"));
		return histogram.lines()
			.filter((line) -> line.strip().matches(".*\\s" + className.replace("$", "\\$") + "(\\s.*)?"))
			.mapToInt((line) -> Integer.parseInt(line.strip().split("\\s+")[1]))
			.sum();
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
			if (!this.process.waitFor(60, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
