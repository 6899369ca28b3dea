package io.github.vicinal.launcher;

import java.security.AccessControlContext;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.ProtectionDomain;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ForkJoinWorkerThreadFactory;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * Makes the threads of pools that the JDK has once for all: that of
 * {@link ForkJoinPool#commonPool()} and that of asynchronous channels. They belong to no
 * application, whichever needs the first one: they have the class loader of the launcher,
 * and no trace of the caller. The JDK creates this class by name.
 */
public final class JdkThreads implements ForkJoinWorkerThreadFactory, ThreadFactory {

	private static final String COMMON_POOL = "java.util.concurrent.ForkJoinPool.common.threadFactory";

	private static final String CHANNELS = "java.nio.channels.DefaultThreadPool.threadFactory";

	/** Creates a factory; the JDK calls it. */
	public JdkThreads() {
	}

	/** Makes the JDK use this class, unless the command line names another one. */
	static void install() {
		for (String property : new String[] { COMMON_POOL, CHANNELS }) {
			if (System.getProperty(property) == null) {
				System.setProperty(property, JdkThreads.class.getName());
			}
		}
	}

	@Override
	public ForkJoinWorkerThread newThread(ForkJoinPool pool) {
		return withoutCaller(() -> new Worker(pool));
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = withoutCaller(() -> new Thread(group(), task, "channels", 0, false));
		thread.setContextClassLoader(JdkThreads.class.getClassLoader());
		thread.setDaemon(true);
		return thread;
	}

	/** Before JDK 24, a thread keeps the classes of all callers of its constructor. */
	@SuppressWarnings("removal")
	private static <T extends Thread> T withoutCaller(Supplier<T> creation) {
		PrivilegedAction<T> action = creation::get;
		return AccessController.doPrivileged(action, new AccessControlContext(new ProtectionDomain[0]));
	}

	private static ThreadGroup group() {
		ThreadGroup group = Thread.currentThread().getThreadGroup();
		while (group.getParent() != null) {
			group = group.getParent();
		}
		return group;
	}

	/** Before JDK 19, such a thread is in the group of the thread that needed it. */
	static final class Worker extends ForkJoinWorkerThread {

		Worker(ForkJoinPool pool) {
			super(pool);
			setContextClassLoader(JdkThreads.class.getClassLoader());
		}

		@Override
		protected void onStart() {
			super.onStart();
			ThreadLocals.forgetInherited();
		}

	}

}
