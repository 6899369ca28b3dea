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

/** Packages that are fetched and unpacked without being installed. */
final class DebianPackages {

	private static final Pattern NEEDED = Pattern.compile("(?<![a-z0-9.+-])(lib[a-z0-9.+-]+)");

	private static final long PATIENCE_SECONDS = 120;

	private DebianPackages() {
	}

	/**
	 * Fetches packages, with the libraries that they name and that are not installed.
	 * @param directory where packages are put; the caller's
	 * @param names of packages
	 * @return the directory that stands for the root of the file system
	 */
	static Path unpack(Path directory, List<String> names) throws IOException, InterruptedException {
		for (String name : names) {
			run(directory, "apt-get", "download", name);
		}
		for (Path each : packages(directory)) {
			Matcher needed = NEEDED.matcher(run(directory, "dpkg-deb", "-f", each.toString(), "Depends"));
			while (needed.find()) {
				if (!names.contains(needed.group(1)) && !isInstalled(directory, needed.group(1))) {
					run(directory, "apt-get", "download", needed.group(1));
				}
			}
		}
		Path root = directory.resolve("root");
		for (Path each : packages(directory)) {
			run(directory, "dpkg-deb", "-x", each.toString(), root.toString());
		}
		return root;
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

}
