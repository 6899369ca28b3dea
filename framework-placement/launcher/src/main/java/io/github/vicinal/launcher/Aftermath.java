package io.github.vicinal.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.security.Provider;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Takes away what an application has left in the JVM when it stopped: without that its
 * classes stay in memory. Each thing that had to be taken away by force is named.
 */
final class Aftermath {

	private static final int SHOWN_FRAMES = 3;

	private static final Pattern NUMBER = Pattern.compile("[0-9]+'$");

	/** Stops the log, which every application has. */
	private static final String SPRING_BOOT_HOOK = "SpringApplicationShutdownHook";

	private static final Duration HOOK_PATIENCE = Duration.ofSeconds(5);

	/** Interval between looks at a thread of the JVM. */
	private static final long BORROWED_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private final ApplicationLoader loader;

	private final List<String> findings = new ArrayList<>();

	private Aftermath(ApplicationLoader loader) {
		this.loader = loader;
	}

	/**
	 * Cleans up.
	 * @param loader of an application that has stopped
	 * @param beans those of all applications
	 * @param defaults what the JVM had before there were applications
	 * @param patience how long its threads may take to end after they were interrupted
	 * @return what was found, for people
	 */
	static List<String> clean(ApplicationLoader loader, OwnedBeans beans, JvmDefaults defaults, Duration patience) {
		Aftermath aftermath = new Aftermath(loader);
		aftermath.removeShutdownHooks();
		aftermath.removeDrivers();
		aftermath.removeBeans(beans);
		aftermath.removeProviders();
		RemoteObjects.unexport(loader, aftermath.findings);
		aftermath.findings.addAll(defaults.restore(loader));
		aftermath.endThreads(patience);
		ThreadLocals.remove(loader, aftermath.findings);
		ResourceBundle.clearCache(loader);
		RecordMethods.forget();
		return aftermath.findings;
	}

	/** It works for all, and remembers the application that needed it first. */
	private void release(Thread thread) {
		if (ApplicationThreads.owner(thread) == this.loader) {
			thread.setContextClassLoader(Aftermath.class.getClassLoader());
			ThreadLocals.forgetCallers(thread);
		}
	}

	/** Threads that are daemons end by an interrupt, as others do, or not at all. */
	private void endThreads(Duration patience) {
		long deadline = System.nanoTime() + patience.toNanos();
		List<Thread> left = new ArrayList<>();
		for (Thread thread : ApplicationThreads.of(this.loader)) {
			if (ApplicationThreads.isOfTheJvm(thread)) {
				release(thread);
			}
			else if (!ExitCall.isMadeBy(thread)) {
				left.add(thread);
			}
		}
		Map<String, List<String>> worksFor = new LinkedHashMap<>();
		List<LeftThreads.Work> unfinished = new ArrayList<>();
		for (Thread thread : left) {
			LeftThreads.Work work = LeftThreads.workOf(thread);
			if (work != null) {
				unfinished.add(work);
				worksFor.computeIfAbsent(withoutNumber(work.finding(), thread), (kind) -> new ArrayList<>())
					.add(work.finding());
			}
		}
		unfinished.forEach(LeftThreads.Work::end);
		left.forEach(Thread::interrupt);
		worksFor.forEach((kind, alike) -> this.findings
			.add((alike.size() == 1) ? alike.get(0) : "%s (%d threads)".formatted(kind, alike.size())));
		for (Thread thread : left) {
			try {
				TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
			if (thread.isAlive()) {
				LeftThreads.clearInterrupt(thread);
				this.findings.add("the thread '%s' runs on: %s".formatted(thread.getName(), stack(thread)));
			}
		}
		awaitThreadsOfTheJvm(deadline);
	}

	/** Threads of a pool have names that differ in a number at the end. */
	private static String withoutNumber(String finding, Thread thread) {
		String name = "'" + thread.getName() + "'";
		return finding.replace(name, NUMBER.matcher(name).replaceFirst("*'"));
	}

	/**
	 * They are not interrupted: when the interrupt comes, they may work for another
	 * application already.
	 */
	private void awaitThreadsOfTheJvm(long deadline) {
		for (Thread thread : ApplicationThreads.borrowedBy(this.loader)) {
			StackTraceElement frame = ExitCall.isMadeBy(thread) ? null
					: ApplicationThreads.frameOf(thread, this.loader);
			while (frame != null && System.nanoTime() - deadline < 0) {
				LockSupport.parkNanos(BORROWED_CHECK_NANOS);
				frame = ApplicationThreads.frameOf(thread, this.loader);
			}
			if (frame != null) {
				this.findings.add("the thread '%s', which belongs to the JVM, still works for it: %s"
					.formatted(thread.getName(), frame));
			}
		}
	}

	private static String stack(Thread thread) {
		StringBuilder text = new StringBuilder();
		StackTraceElement[] frames = thread.getStackTrace();
		for (int i = 0; i < Math.min(SHOWN_FRAMES, frames.length); i++) {
			text.append((i > 0) ? " < " : "").append(frames[i]);
		}
		return text.toString();
	}

	/**
	 * The JVM keeps a hook, and with it the application's classes, until it ends. It
	 * offers no list of its hooks; the manifest of the launcher opens the package.
	 */
	private void removeShutdownHooks() {
		try {
			Field field = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
			field.setAccessible(true);
			if (!(field.get(null) instanceof Map<?, ?> hooks)) {
				return;
			}
			for (Object each : new ArrayList<>(hooks.keySet())) {
				if (each instanceof Thread hook && ApplicationThreads.isOfTheJvm(hook)) {
					release(hook);
				}
				else if (each instanceof Thread hook && isOurs(hook) && Runtime.getRuntime().removeShutdownHook(hook)) {
					if (!hook.getName().equals(SPRING_BOOT_HOOK)) {
						this.findings.add("the shutdown hook '%s' was run now".formatted(hook.getName()));
					}
					hook.start();
					hook.join(HOOK_PATIENCE.toMillis());
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			this.findings.add("shutdown hooks cannot be looked for (%s); start the launcher with java -jar"
				.formatted(ex.getClass().getSimpleName()));
		}
	}

	/** Hooks of the JDK are threads of a class of its own. */
	private boolean isOurs(Thread hook) {
		return owns(hook.getClass().getClassLoader())
				|| (hook.getClass() == Thread.class && ApplicationThreads.owner(hook) == this.loader);
	}

	/**
	 * Only a class of the application may remove its drivers. They are no finding:
	 * drivers register themselves, and hardly any application removes them.
	 */
	private void removeDrivers() {
		String name = DriverRemoval.class.getName();
		try (InputStream in = Aftermath.class.getResourceAsStream(DriverRemoval.class.getSimpleName() + ".class")) {
			if (in == null) {
				return;
			}
			this.loader.define(name, in.readAllBytes()).getMethod("run").invoke(null);
		}
		catch (IOException | ReflectiveOperationException | LinkageError ex) {
			this.findings.add("JDBC drivers cannot be looked for: " + ex);
		}
	}

	private void removeBeans(OwnedBeans beans) {
		beans.remove(this.loader)
			.forEach((name) -> this.findings.add("the MBean '%s' was still registered".formatted(name)));
	}

	private void removeProviders() {
		for (Provider provider : Security.getProviders()) {
			if (owns(provider.getClass().getClassLoader())) {
				Security.removeProvider(provider.getName());
				this.findings.add("the security provider '%s' was still there".formatted(provider.getName()));
			}
		}
	}

	private boolean owns(ClassLoader other) {
		return this.loader.owns(other);
	}

}
