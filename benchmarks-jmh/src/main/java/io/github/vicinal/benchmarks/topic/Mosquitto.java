package io.github.vicinal.benchmarks.topic;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.vicinal.benchmarks.Measurement.UsageException;

/**
 * The broker that topics are measured with: the installed one, or that of the Debian
 * package, which is fetched and unpacked without being installed.
 *
 * @param program the broker
 * @param libraries where the loader looks for libraries first, empty for the usual places
 */
record Mosquitto(Path program, String libraries) {

	private static final Pattern LIBRARY = Pattern.compile("(lib[a-z0-9.+-]+)");

	private static final long PATIENCE_SECONDS = 120;

	/**
	 * Finds the broker.
	 * @param directory where packages are unpacked; the caller's
	 */
	static Mosquitto find(Path directory) throws IOException, InterruptedException, UsageException {
		for (String candidate : List.of("/usr/sbin/mosquitto", "/usr/bin/mosquitto")) {
			if (Files.isExecutable(Path.of(candidate))) {
				return new Mosquitto(Path.of(candidate), "");
			}
		}
		try {
			return unpack(directory);
		}
		catch (IOException ex) {
			throw new UsageException(
					"Mosquitto is needed to compare with. It is not installed, and its Debian package could not be fetched (%s): install the package 'mosquitto'"
						.formatted(ex.getMessage()));
		}
	}

	private static Mosquitto unpack(Path directory) throws IOException, InterruptedException {
		Path root = directory.resolve("root");
		run(directory, "apt-get", "download", "mosquitto");
		Matcher needed = LIBRARY
			.matcher(run(directory, "dpkg-deb", "-f", packages(directory).get(0).toString(), "Depends"));
		while (needed.find()) {
			if (!isInstalled(directory, needed.group(1))) {
				run(directory, "apt-get", "download", needed.group(1));
			}
		}
		for (Path each : packages(directory)) {
			run(directory, "dpkg-deb", "-x", each.toString(), root.toString());
		}
		try (var files = Files.walk(root)) {
			String libraries = files.filter((file) -> String.valueOf(file.getFileName()).contains(".so."))
				.map((file) -> String.valueOf(file.getParent()))
				.distinct()
				.collect(Collectors.joining(":"));
			return new Mosquitto(root.resolve("usr/sbin/mosquitto"), libraries);
		}
	}

	private static List<Path> packages(Path directory) throws IOException {
		try (var files = Files.newDirectoryStream(directory, "*.deb")) {
			List<Path> all = new ArrayList<>();
			files.forEach(all::add);
			return all;
		}
	}

	private static boolean isInstalled(Path directory, String name) throws InterruptedException {
		try {
			return run(directory, "dpkg-query", "-W", "-f", "${Status}", name).contains("install ok installed");
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static String run(Path directory, String... command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
		process.getOutputStream().close();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
			throw new IOException("%s: %s".formatted(String.join(" ", command), said.strip()));
		}
		return said;
	}

	/** Starts the broker; what it says is left. */
	Process start(Path configuration) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(this.program.toString(), "-c", configuration.toString())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		if (!this.libraries.isEmpty()) {
			builder.environment().put("LD_LIBRARY_PATH", this.libraries);
		}
		return builder.start();
	}

}
