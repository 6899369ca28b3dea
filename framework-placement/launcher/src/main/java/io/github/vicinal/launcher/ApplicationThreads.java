package io.github.vicinal.launcher;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Maps threads to the applications that they belong to. */
final class ApplicationThreads {

	/** Some versions of the JDK say the process after it. */
	private static final String PROCESS_REAPER = "process reaper";

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
	 * alone says nothing: an application may name it for a thread of its own.
	 */
	static boolean isOfTheJvm(Thread thread) {
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
