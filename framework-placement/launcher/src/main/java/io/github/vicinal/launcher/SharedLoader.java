package io.github.vicinal.launcher;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/** The class loader of what all applications share. */
final class SharedLoader extends URLClassLoader {

	private static final List<String> KEEPING_CALLERS = List.of("org.springframework.cglib.core.ClassNameReader");

	static {
		registerAsParallelCapable();
	}

	SharedLoader(URL[] classPath) {
		super("shared", classPath, ClassLoader.getPlatformClassLoader());
	}

	/**
	 * Initialises classes before an application does. They keep an exception in a static
	 * field, and the exception the classes of all callers.
	 */
	void initializeEarly() {
		for (String name : KEEPING_CALLERS) {
			try {
				Class.forName(name, true, this);
			}
			catch (ClassNotFoundException | LinkageError ex) {
				// It is not shared.
			}
		}
	}

}
