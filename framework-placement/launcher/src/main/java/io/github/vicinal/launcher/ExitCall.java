package io.github.vicinal.launcher;

import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The call that ends the JVM, while its shutdown hooks run: the thread that has called
 * {@code System.exit} waits for them.
 */
final class ExitCall {

	private static final String HOOKS = "java.lang.ApplicationShutdownHooks";

	private ExitCall() {
	}

	/**
	 * Returns which application has called it, and where.
	 * @param applications the names of all
	 * @return a sentence, or {@code null} if none has called it
	 */
	static @Nullable String find(Set<String> applications) {
		for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
			StackTraceElement caller = caller(each.getValue());
			if (caller == null) {
				continue;
			}
			ApplicationLoader owner = ApplicationThreads.owner(each.getKey());
			StackTraceElement code = ApplicationThreads.codeOn(each.getValue(), applications);
			String name = (owner != null) ? owner.application() : (code != null) ? code.getClassLoaderName() : null;
			if (name != null) {
				return "%s has ended the JVM, and all others with it: its thread '%s' has called System.exit at %s.%s (%s:%d)"
					.formatted(name, each.getKey().getName(), caller.getClassName(), caller.getMethodName(),
							caller.getFileName(), caller.getLineNumber());
			}
		}
		return null;
	}

	/** Returns whether a thread waits for the end of the JVM, and so does not end. */
	static boolean isMadeBy(Thread thread) {
		return caller(thread.getStackTrace()) != null;
	}

	/** Returns the first frame below those of the JDK, if the thread waits for hooks. */
	private static @Nullable StackTraceElement caller(StackTraceElement[] frames) {
		boolean waits = false;
		for (StackTraceElement frame : frames) {
			waits |= frame.getClassName().equals(HOOKS);
			if (waits && !frame.getClassName().startsWith("java.")) {
				return frame;
			}
		}
		return null;
	}

}
