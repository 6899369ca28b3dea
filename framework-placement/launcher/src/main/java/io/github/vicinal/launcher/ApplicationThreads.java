package io.github.vicinal.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Maps threads to the applications that they belong to. */
final class ApplicationThreads {

	/** Some versions of the JDK say the process after it. */
	private static final String PROCESS_REAPER = "process reaper";

	/** Threads of the flight recorder, and that of its shutdown hook. */
	private static final Set<String> FLIGHT_RECORDER = Set.of("JFR Periodic Tasks", "JFR Recording Scheduler",
			"JFR Shutdown Hook");

	private static final String LAUNCHER = ApplicationThreads.class.getPackageName() + ".";

	private ApplicationThreads() {
	}

	/**
	 * Returns the loader of the application that a thread belongs to. A shared library
	 * that makes its own loader the context of a thread means it for all.
	 * @return its loader, or {@code null} if it belongs to none
	 */
	static @Nullable ApplicationLoader owner(Thread thread) {
		ClassLoader context = thread.getContextClassLoader();
		ApplicationLoader loader = ApplicationLoader.of(context);
		if (loader != null || context instanceof SharedLoader || thread instanceof JdkThreads.Worker) {
			return loader;
		}
		ThreadGroup group = thread.getThreadGroup();
		while (group != null && !(group instanceof Group)) {
			group = group.getParent();
		}
		return (group != null) ? ((Group) group).loader : null;
	}

	/**
	 * Returns whether a thread works for all, though it has the context of the
	 * application that needed it first. The JDK puts its threads that wait for processes
	 * into the topmost group, which threads of an application do not inherit. The group
	 * alone says nothing: an application may name it for a thread of its own. Those of
	 * the flight recorder are in the group of the application that needed it first.
	 */
	static boolean isOfTheJvm(Thread thread) {
		if (FLIGHT_RECORDER.contains(thread.getName())) {
			return true;
		}
		ThreadGroup group = thread.getThreadGroup();
		return group != null && group.getParent() == null && thread.isDaemon()
				&& thread.getName().startsWith(PROCESS_REAPER);
	}

	/** Returns the platform threads that are alive. */
	static List<Thread> all() {
		ThreadGroup root = Thread.currentThread().getThreadGroup();
		while (root.getParent() != null) {
			root = root.getParent();
		}
		Thread[] threads = new Thread[root.activeCount() + 16];
		int count = root.enumerate(threads);
		while (count == threads.length) {
			threads = new Thread[2 * threads.length];
			count = root.enumerate(threads);
		}
		List<Thread> all = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			all.add(threads[i]);
		}
		return all;
	}

	static List<Thread> of(ApplicationLoader loader) {
		return all().stream().filter((thread) -> owner(thread) == loader).toList();
	}

	/**
	 * Returns the threads that belong to no application and run code of this one now,
	 * such as those of the JDK's common pool.
	 */
	static List<Thread> borrowedBy(ApplicationLoader loader) {
		return all().stream().filter((thread) -> owner(thread) == null && worksFor(thread, loader)).toList();
	}

	static boolean worksFor(Thread thread, ApplicationLoader loader) {
		return frameOf(thread, loader) != null;
	}

	/** Returns where in the code of an application a thread is, or {@code null}. */
	static @Nullable StackTraceElement frameOf(Thread thread, ApplicationLoader loader) {
		return codeOn(thread.getStackTrace(), Set.of(loader.application()));
	}

	/**
	 * Returns the frame of an application that is nearest to the top of a stack. Frames
	 * have the name of the class loader, which is that of the application. Those of the
	 * JDK, whose loaders have names that an application may have, are in modules.
	 * @param applications which names are those of applications
	 * @return the frame, or {@code null} if there is none
	 */
	static @Nullable StackTraceElement codeOn(StackTraceElement[] frames, Set<String> applications) {
		for (StackTraceElement frame : frames) {
			String loader = frame.getClassLoaderName();
			if (loader != null && applications.contains(loader) && frame.getModuleName() == null
					&& !isLaunchers(frame)) {
				return frame;
			}
		}
		return null;
	}

	/** The JDK's loader of the launcher has a name, too. */
	private static boolean isLaunchers(StackTraceElement frame) {
		return "app".equals(frame.getClassLoaderName()) && frame.getClassName().startsWith(LAUNCHER);
	}

	/** The threads that an application starts are in the group that started them. */
	static final class Group extends ThreadGroup {

		/** Gone when the application is: the JVM may keep the group for longer. */
		private volatile @Nullable ApplicationLoader loader;

		Group(ThreadGroup parent, ApplicationLoader loader) {
			super(parent, loader.application());
			this.loader = loader;
		}

		void end() {
			this.loader = null;
		}

	}

}
