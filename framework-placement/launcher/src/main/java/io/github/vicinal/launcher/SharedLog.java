package io.github.vicinal.launcher;

import java.lang.reflect.Method;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The part of {@code vicinal-launcher-logback} that the launcher needs, where
 * applications share the classes of their log. Its classes are not the launcher's: all
 * this is reflection.
 */
final class SharedLog {

	private static final String CONTEXTS = "io.github.vicinal.launcher.logback.ApplicationLogs";

	private final Method end;

	private SharedLog(Method end) {
		this.end = end;
	}

	/**
	 * Lets shared loggers write to the log of the application that their thread belongs
	 * to.
	 * @return the shared log, or {@code null} if each application has a log of its own
	 */
	static @Nullable SharedLog connect(ClassLoader shared) {
		try {
			Class<?> contexts = Class.forName(CONTEXTS, true, shared);
			Function<Thread, @Nullable ClassLoader> owner = ApplicationThreads::owner;
			contexts.getMethod("routeBy", Function.class).invoke(null, owner);
			return new SharedLog(contexts.getMethod("end", ClassLoader.class));
		}
		catch (ClassNotFoundException ex) {
			return null;
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			throw new InvalidLayoutException(
					"The shared log cannot be used (%s); build the layout again".formatted(ex));
		}
	}

	void end(ApplicationLoader loader) {
		try {
			this.end.invoke(null, loader);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
