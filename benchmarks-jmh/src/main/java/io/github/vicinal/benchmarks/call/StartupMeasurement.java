package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;

/**
 * Start-up of an application that annotates nothing: with the starter's jars on its class
 * path, without them, and with the module of rdma on a machine that may have no device.
 * The three alternate.
 */
public final class StartupMeasurement implements Measurement {

	private static final String TCP = "vicinal-transport-tcp";

	private static final String RDMA = "vicinal-transport-rdma";

	@Override
	public String name() {
		return "startup";
	}

	@Override
	public String description() {
		return "context start-up of an application that annotates nothing, with the starter and without it";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		int repeats = settings.quick() ? 5 : 21;
		Path jar = Path.of(System.getProperty("java.class.path"));
		Path directory = Files.createTempDirectory("vicinal-startup");
		try {
			String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
			run(List.of(java, "-Djarmode=tools", "-jar", jar.toString(), "extract", "--destination",
					directory.toString(), "--force"));
			List<Path> jars;
			try (Stream<Path> files = Files.walk(directory)) {
				jars = files.filter((file) -> file.toString().endsWith(".jar")).toList();
			}
			String without = classPath(jars, (name) -> !isOurs(name));
			String with = classPath(jars, (name) -> !isBetweenHosts(name));
			String rdma = classPath(jars, (name) -> !name.startsWith(TCP));
			Starts plain = new Starts(java, without);
			Starts starter = new Starts(java, with);
			Starts withRdma = new Starts(java, rdma);
			for (int i = 0; i < repeats; i++) {
				settings.say("Repeat %d of %d ...", i + 1, repeats);
				plain.add();
				starter.add();
				withRdma.add();
			}
			Report report = new Report("application", "start-up ms", "resident MiB", "starts")
				.chart("Context start-up in ms", "start-up ms", "application");
			report.row("without the starter", plain.millis(), plain.mib(), repeats);
			report.row("with the starter", starter.millis(), starter.mib(), repeats);
			report.row("with the starter and vicinal-transport-rdma", withRdma.millis(), withRdma.mib(), repeats);
			report.bar("start-up with the starter / without it", starter.millis() / plain.millis(), 1.05);
			report.bar("start-up: ms that vicinal-transport-rdma adds without a device",
					withRdma.millis() - starter.millis(), 5);
			report.bar("resident memory that the starter adds, MiB", starter.mib() - plain.mib(), 10);
			return report;
		}
		finally {
			delete(directory);
		}
	}

	private static double median(List<Double> values) {
		return Sample.median(values.stream().mapToDouble(Double::doubleValue).toArray());
	}

	private static String classPath(List<Path> jars, Predicate<String> kept) {
		return jars.stream()
			.filter((jar) -> kept.test(jar.getFileName().toString()))
			.map(Path::toString)
			.collect(Collectors.joining(java.io.File.pathSeparator));
	}

	/** Those of the benchmarks hold the application. */
	private static boolean isOurs(String name) {
		return name.startsWith("vicinal-") && !name.startsWith("vicinal-benchmarks");
	}

	/** Returns whether the starter does not bring a jar. */
	private static boolean isBetweenHosts(String name) {
		return name.startsWith(TCP) || name.startsWith(RDMA);
	}

	/**
	 * Time that an application took to start, and its memory after a collection then. The
	 * latter in a heap that is nearly full: a larger one would be grown by chance.
	 */
	private static final class Starts {

		private static final List<String> SMALL_HEAP = List.of("-Xmx48m", "-XX:+UseSerialGC");

		private final String java;

		private final List<String> application;

		private final List<Double> millis = new ArrayList<>();

		private final List<Double> mib = new ArrayList<>();

		Starts(String java, String classPath) {
			this.java = java;
			this.application = List.of("-cp", classPath, PlainApplication.class.getName());
		}

		void add() throws IOException, InterruptedException {
			this.millis.add(value(start(List.of()), PlainApplication.STARTED));
			this.mib.add(value(start(SMALL_HEAP), PlainApplication.RESIDENT) / 1024);
		}

		private String start(List<String> options) throws IOException, InterruptedException {
			List<String> command = new ArrayList<>(List.of(this.java));
			command.addAll(options);
			command.addAll(this.application);
			return run(command);
		}

		private static double value(String output, String name) throws IOException {
			return output.lines()
				.filter((line) -> line.startsWith(name))
				.mapToDouble((line) -> Double.parseDouble(line.substring(name.length())))
				.findFirst()
				.orElseThrow(() -> new IOException("The application did not start: " + output));
		}

		double millis() {
			return median(this.millis);
		}

		double mib() {
			return median(this.mib);
		}

	}

	private static String run(List<String> command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IOException("%s failed: %s".formatted(command, output));
		}
		return output;
	}

	private static void delete(Path directory) throws IOException {
		Files.walkFileTree(directory, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.delete(file);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path visited, java.io.IOException failure) throws IOException {
				Files.delete(visited);
				return FileVisitResult.CONTINUE;
			}

		});
	}

}
