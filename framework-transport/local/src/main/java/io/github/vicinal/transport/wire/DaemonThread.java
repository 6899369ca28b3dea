package io.github.vicinal.transport.wire;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * Creates daemon threads that retain nothing of the thread that creates them: neither its
 * context class loader, which may be that of one of several applications, nor its
 * inheritable thread-locals.
 *
 * @since 0.1.0
 */
public final class DaemonThread {

	private DaemonThread() {
	}

	/**
	 * Creates a thread, which is not started yet.
	 * @param name its name
	 * @param task what it runs
	 * @return the thread
	 */
	public static Thread create(String name, Runnable task) {
		Thread thread = new Thread(null, task, name, 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(null);
		return thread;
	}

	/**
	 * Creates a timer with one thread, which starts with the first task. Tasks that are
	 * cancelled leave it at once, and none runs after its shutdown.
	 * @param name name of the thread
	 * @return the timer
	 */
	public static ScheduledThreadPoolExecutor timer(String name) {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, (task) -> create(name, task));
		timer.setRemoveOnCancelPolicy(true);
		timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		return timer;
	}

}
