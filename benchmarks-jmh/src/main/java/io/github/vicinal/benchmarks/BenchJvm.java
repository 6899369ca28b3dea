package io.github.vicinal.benchmarks;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Further JVMs of this program, which measurements start for servers and opponents. */
public final class BenchJvm {

	private static final String MAIN_CLASS = "io.github.vicinal.benchmarks.main.Bench";

	private BenchJvm() {
	}

	/**
	 * Returns the command that runs this program again, on the same JDK and class path.
	 * @param options options of the JVM
	 * @param arguments arguments of the program, the name of the role first
	 * @return a list that the caller may change
	 */
	public static List<String> command(List<String> options, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(options);
		String classPath = System.getProperty("java.class.path");
		if (!classPath.contains(File.pathSeparator) && classPath.endsWith(".jar")) {
			command.addAll(List.of("-jar", classPath));
		}
		else {
			command.addAll(List.of("-cp", classPath, MAIN_CLASS));
		}
		command.addAll(List.of(arguments));
		return command;
	}

}
