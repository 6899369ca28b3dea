package io.github.vicinal.launcher.logback;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.util.StatusPrinter2;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.MDCAdapter;

/**
 * The logger contexts of the applications of this JVM. Thread-safe.
 * <p>
 * It is static because SLF4J creates its provider itself, and because the launcher, whose
 * classes these do not see, must reach the same contexts.
 *
 * @since 0.1.0
 */
public final class ApplicationLogs {

	/** Value of the system property {@code slf4j.provider}, for each application. */
	public static final String PROVIDER = "io.github.vicinal.launcher.logback.ApplicationLogProvider";

	/** Stands for threads that belong to no application. */
	private static final ClassLoader NONE = ApplicationLogs.class.getClassLoader();

	/** Frames that do not count as the place where something was logged. */
	private static final String ROUTING = ApplicationLogs.class.getPackageName();

	private static final Map<ClassLoader, LoggerContext> CONTEXTS = new ConcurrentHashMap<>();

	/** Threads of theirs that run on must not bring their logs back. */
	private static final Set<ClassLoader> ENDED = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	/** Marks are kept per thread, and threads belong to applications. */
	private static final MDCAdapter MDC = new LogbackMDCAdapter();

	private static volatile Function<Thread, @Nullable ClassLoader> owner = Thread::getContextClassLoader;

	private ApplicationLogs() {
	}

	/**
	 * Sets how the application of a thread is found.
	 * @param function returns the loader of the application that a thread belongs to, or
	 * {@code null}
	 */
	public static void routeBy(Function<Thread, @Nullable ClassLoader> function) {
		owner = function;
	}

	/**
	 * Forgets the log of an application that has ended.
	 * @param application its loader
	 */
	public static void end(ClassLoader application) {
		ENDED.add(application);
		LoggerContext context = CONTEXTS.remove(application);
		if (context != null) {
			context.stop();
		}
	}

	/** Returns the context of the application that the calling thread belongs to. */
	static LoggerContext current() {
		ClassLoader loader = owner.apply(Thread.currentThread());
		return of((loader != null) ? loader : NONE);
	}

	/**
	 * Returns the context of the application that has a class, or {@code null} if the
	 * class is shared, or is none of an application.
	 */
	static @Nullable LoggerContext of(Class<?> type) {
		ClassLoader loader = type.getClassLoader();
		while (loader != null && loader.getParent() != NONE) {
			loader = loader.getParent();
		}
		return (loader != null) ? of(loader) : null;
	}

	private static LoggerContext of(ClassLoader application) {
		LoggerContext known = CONTEXTS.get(application);
		if (known != null) {
			return known;
		}
		LoggerContext created = CONTEXTS.computeIfAbsent(application, ApplicationLogs::create);
		return (created != null) ? created : of(NONE);
	}

	static MDCAdapter mdc() {
		return MDC;
	}

	/**
	 * Does what Logback's own provider does for its only context. Returns {@code null}
	 * for an application that has ended.
	 */
	private static @Nullable LoggerContext create(ClassLoader application) {
		if (ENDED.contains(application)) {
			return null;
		}
		LoggerContext context = new LoggerContext();
		context.setName("default");
		context.setMDCAdapter(MDC);
		context.getFrameworkPackages().add(ROUTING);
		context.getFrameworkPackages().add("org.slf4j.helpers.SubstituteLogger");
		try {
			new ContextInitializer(context).autoConfig(application);
			new StatusPrinter2().printInCaseOfErrorsOrWarnings(context);
		}
		catch (JoranException ex) {
			context.getStatusManager()
				.add(new ch.qos.logback.core.status.ErrorStatus(
						"The log of %s cannot be configured".formatted(application.getName()), context, ex));
			new StatusPrinter2().print(context);
		}
		context.start();
		return context;
	}

}
