package io.github.vicinal.launcher;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says why an application did not start. */
final class StartFailure {

	/** Class files of Java 1 have version 45. */
	private static final int BEFORE_FIRST = 44;

	private static final Pattern CLASS_FILE = Pattern.compile("class file version (\\d+)");

	private static final String SETS_FACTORY = "setURLStreamHandlerFactory";

	/** Its cause does not name the port. */
	private static final String PORT_IN_USE = "org.springframework.boot.web.server.PortInUseException";

	private StartFailure() {
	}

	/** Returns the root cause, or the port that is taken, for people. */
	static String describe(Throwable thrown) {
		Throwable root = thrown;
		while (root.getCause() != null && root.getCause() != root) {
			if (root.getClass().getName().equals(PORT_IN_USE)) {
				return String.valueOf(root.getMessage());
			}
			root = root.getCause();
		}
		if (root instanceof UnsupportedClassVersionError) {
			return newerJava(root);
		}
		for (StackTraceElement frame : root.getStackTrace()) {
			if (root instanceof Error && frame.getMethodName().equals(SETS_FACTORY)) {
				String owner = JvmDefaults.ownerOfUrlHandlers();
				return "it sets a factory of URL handlers, and a JVM takes one only: %s"
					.formatted((owner != null) ? "'%s' has set it".formatted(owner) : root);
			}
		}
		return root.toString();
	}

	private static String newerJava(Throwable root) {
		Matcher version = CLASS_FILE.matcher(String.valueOf(root.getMessage()));
		return version.find()
				? "it needs Java %d, and this is Java %d; run the launcher with a newer one: %s"
					.formatted(Integer.parseInt(version.group(1)) - BEFORE_FIRST, Runtime.version().feature(), root)
				: root.toString();
	}

}
