package io.github.vicinal.launcher;

import java.net.URL;
import java.net.URLClassLoader;

import org.jspecify.annotations.Nullable;

/**
 * The class loader of one application. Its parent has the JDK and what all applications
 * share; everything else is the application's own.
 */
final class ApplicationLoader extends URLClassLoader {

	static {
		registerAsParallelCapable();
	}

	private final String application;

	ApplicationLoader(String application, URL[] classPath, ClassLoader shared) {
		super(application, classPath, shared);
		this.application = application;
	}

	String application() {
		return this.application;
	}

	/** Defines a class of the launcher as one of the application. */
	Class<?> define(String name, byte[] bytes) {
		synchronized (getClassLoadingLock(name)) {
			Class<?> known = findLoadedClass(name);
			return (known != null) ? known : defineClass(name, bytes, 0, bytes.length);
		}
	}

	/** Returns whether a loader is this one, or below it. */
	boolean owns(@Nullable ClassLoader loader) {
		return of(loader) == this;
	}

	/** Returns the application's loader that a loader is, or is below of. */
	static @Nullable ApplicationLoader of(@Nullable ClassLoader loader) {
		ClassLoader each = loader;
		while (each != null && !(each instanceof ApplicationLoader)) {
			each = each.getParent();
		}
		return (ApplicationLoader) each;
	}

}
