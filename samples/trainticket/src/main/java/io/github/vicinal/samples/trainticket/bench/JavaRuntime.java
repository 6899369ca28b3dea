package io.github.vicinal.samples.trainticket.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.samples.trainticket.launch.Launcher;
import io.github.vicinal.samples.trainticket.launch.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The Java that runs the children.
 *
 * @param executable the file to start
 * @param version the first line of its version, as it prints it
 */
record JavaRuntime(Path executable, String version) {

	/**
	 * Finds a Java.
	 * @param location an executable, the home of a JDK, or null for the Java that runs
	 * this
	 * @return the Java
	 */
	static JavaRuntime find(@Nullable Path location) {
		Path home = (location != null) ? location : Path.of(System.getProperty("java.home"));
		Path executable = Files.isDirectory(home) ? home.resolve("bin").resolve("java") : home;
		if (!Files.isExecutable(executable)) {
			throw unusable(executable, "cannot be executed");
		}
		return new JavaRuntime(executable, version(executable));
	}

	/**
	 * The command that starts the launcher from the same class path as this process.
	 * @param options options for the JVM
	 * @return the beginning of the command
	 */
	List<String> launcherCommand(List<String> options) {
		List<String> command = new ArrayList<>();
		command.add(this.executable.toString());
		command.addAll(options);
		String classPath = System.getProperty("java.class.path");
		if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
			command.addAll(List.of("-jar", classPath));
		}
		else {
			command.addAll(List.of("-cp", classPath, Launcher.class.getName()));
		}
		return command;
	}

	private static String version(Path executable) {
		try {
			Process process = new ProcessBuilder(executable.toString(), "-version").redirectErrorStream(true).start();
			process.getOutputStream().close();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw unusable(executable, "says: " + output);
			}
			return output.lines().findFirst().orElse("unknown");
		}
		catch (IOException ex) {
			throw unusable(executable, "cannot be started: " + ex.getMessage());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw unusable(executable, "was interrupted");
		}
	}

	private static UsageException unusable(Path executable, String why) {
		return new UsageException("Java '" + executable + "' " + why,
				"the children need a Java 17 or newer, as an executable or the home of a JDK", "correct --java");
	}

}
