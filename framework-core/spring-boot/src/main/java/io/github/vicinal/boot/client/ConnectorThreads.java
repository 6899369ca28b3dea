package io.github.vicinal.boot.client;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that connect paths in the background. */
public final class ConnectorThreads {

	/** A few peers may hang in their handshakes, or names take long to be looked up. */
	private static final int MOST = 16;

	private static final int IDLE_SECONDS = 10;

	private ConnectorThreads() {
	}

	/**
	 * Creates an executor without threads, which ends its threads when they are idle. The
	 * context class loader of the calling thread is taken to be the application's.
	 * @return the executor
	 */
	public static ExecutorService create() {
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		ThreadPoolExecutor connector = new ThreadPoolExecutor(MOST, MOST, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (task) -> {
					// Inherits nothing of the caller that needs a path first.
					Thread thread = new Thread(null, task, "vicinal-connector", 0, false);
					thread.setDaemon(true);
					thread.setContextClassLoader(classLoader);
					return thread;
				});
		connector.allowCoreThreadTimeOut(true);
		return connector;
	}

}
