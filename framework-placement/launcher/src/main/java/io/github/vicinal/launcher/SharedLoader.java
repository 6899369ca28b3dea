package io.github.vicinal.launcher;

import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;

/** The class loader of what all applications share. */
final class SharedLoader extends URLClassLoader {

	private static final List<String> KEEPING_CALLERS = List.of("org.springframework.cglib.core.ClassNameReader");

	/**
	 * Static fields that are filled again when they are empty. What they hold keeps the
	 * context loader of the application that filled them.
	 */
	private static final Map<String, String> KEEPING_FIRST = Map
		.of("org.springframework.boot.context.properties.bind.BindConverter", "sharedInstance");

	/** No application can be called so: frames of stacks are told apart by it. */
	private static final String NAME = "(shared)";

	static {
		registerAsParallelCapable();
	}

	SharedLoader(URL[] classPath) {
		super(NAME, classPath, ClassLoader.getPlatformClassLoader());
	}

	/** Lets static fields of shared libraries go that may keep a stopped application. */
	void forgetFirst() {
		KEEPING_FIRST.forEach((type, name) -> {
			try {
				Field field = Class.forName(type, false, this).getDeclaredField(name);
				field.setAccessible(true);
				field.set(null, null);
			}
			catch (ReflectiveOperationException | LinkageError | RuntimeException ex) {
				// It is not shared, or this version has no such field.
			}
		});
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
