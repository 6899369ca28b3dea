package io.github.vicinal.benchmarks.topic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
		Path root = DebianPackages.unpack(directory, List.of("mosquitto"));
		try (var files = Files.walk(root)) {
			String libraries = files.filter((file) -> String.valueOf(file.getFileName()).contains(".so."))
				.map((file) -> String.valueOf(file.getParent()))
				.distinct()
				.collect(Collectors.joining(":"));
			return new Mosquitto(root.resolve("usr/sbin/mosquitto"), libraries);
		}
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
