package io.github.vicinal.launcher;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The call that ends the JVM, while its shutdown hooks run: the thread that has called
 * {@code System.exit} waits for them.
 */
final class ExitCall {

	private static final String HOOKS = "java.lang.ApplicationShutdownHooks";

	private ExitCall() {
	}

	/** Returns which application has called it, and where; {@code null} if none has. */
	static @Nullable String find() {
		for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
			ApplicationLoader owner = ApplicationThreads.owner(each.getKey());
			StackTraceElement caller = (owner != null) ? caller(each.getValue()) : null;
			if (owner != null && caller != null) {
				return "%s has ended the JVM, and all others with it: its thread '%s' has called System.exit at %s.%s (%s:%d)"
					.formatted(owner.application(), each.getKey().getName(), caller.getClassName(),
							caller.getMethodName(), caller.getFileName(), caller.getLineNumber());
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
