package io.github.vicinal.launcher;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Content of {@value #FILE}.
 *
 * @param directory where the layout is
 * @param shared jars that all applications share, relative to the directory
 * @param applications what is run, in the order of the file
 * @since 0.1.0
 */
public record Layout(Path directory, List<String> shared, List<Application> applications) {

	/** The name of the file in the directory of a layout. */
	public static final String FILE = "copackage.json";

	/** Pattern of names of applications, which become parts of paths. */
	public static final String NAME = "(?!\\.{1,2}$)[\\w.-]+";

	/** The name of the socket in the directory of a layout that is run. */
	public static final String SOCKET = "launcher.sock";

	/** The name of the file that the launcher of a layout locks. */
	static final String LOCK = "launcher.lock";

	/** Value of its member {@code format}. */
	public static final String FORMAT = "vicinal-copackage";

	/** Value of its member {@code version}. */
	public static final int VERSION = 1;

	public Layout {
		shared = List.copyOf(shared);
		applications = List.copyOf(applications);
		Set<String> names = new HashSet<>();
		for (Application application : applications) {
			if (!names.add(application.name())) {
				throw new InvalidLayoutException(
						"Two applications are called '%s'; each needs a name of its own".formatted(application.name()));
			}
		}
		for (Application application : applications) {
			for (String before : application.startAfter()) {
				if (!names.contains(before)) {
					throw new InvalidLayoutException("'%s' starts after '%s', which is none of %s; correct startAfter"
						.formatted(application.name(), before, names));
				}
			}
		}
	}

	/**
	 * Returns whether a launcher runs a layout.
	 * @param directory where the layout is
	 * @return {@code false} if none answers there
	 */
	public static boolean isRun(Path directory) {
		return ControlSocket.answers(directory.resolve(SOCKET));
	}

	/**
	 * Returns the applications so that each comes after those that it starts after.
	 * @return applications in the order of their start
	 */
	public List<Application> inOrder() {
		List<Application> ordered = new ArrayList<>();
		Set<String> placed = new LinkedHashSet<>();
		while (ordered.size() < this.applications.size()) {
			int before = ordered.size();
			for (Application application : this.applications) {
				if (!placed.contains(application.name()) && placed.containsAll(application.startAfter())) {
					placed.add(application.name());
					ordered.add(application);
				}
			}
			if (ordered.size() == before) {
				List<String> rest = this.applications.stream()
					.map(Application::name)
					.filter((name) -> !placed.contains(name))
					.toList();
				throw new InvalidLayoutException(
						"The applications %s wait for each other; remove a name from their startAfter".formatted(rest));
			}
		}
		return ordered;
	}

	/**
	 * One application.
	 *
	 * @param name how people call it, and the prefix of its output
	 * @param mainClass its class with {@code main}
	 * @param classPath jars and directories, relative to the directory of the layout
	 * @param arguments given to {@code main}
	 * @param systemProperties system properties that only it sees
	 * @param startAfter names of applications that are started first
	 * @param startTimeout how long its start may take
	 * @param stopTimeout how long its stop may take
	 * @param essential whether all others stop when it fails
	 * @since 0.1.0
	 */
	public record Application(String name, String mainClass, List<String> classPath, List<String> arguments,
			Map<String, String> systemProperties, List<String> startAfter, Duration startTimeout, Duration stopTimeout,
			boolean essential) {

		public Application {
			if (!name.matches(NAME)) {
				throw new InvalidLayoutException(
						"'%s' is no name of an application; use letters, digits, '.', '-' and '_'".formatted(name));
			}
			classPath = List.copyOf(classPath);
			arguments = List.copyOf(arguments);
			systemProperties = Map.copyOf(systemProperties);
			startAfter = List.copyOf(startAfter);
		}

	}

}
