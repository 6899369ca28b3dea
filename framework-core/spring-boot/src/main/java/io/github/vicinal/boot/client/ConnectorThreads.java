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
	 * Creates an executor without threads, which ends its threads when they are idle.
	 * @return the executor
	 */
	public static ExecutorService create() {
		ThreadPoolExecutor connector = new ThreadPoolExecutor(MOST, MOST, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (task) -> {
					Thread thread = new Thread(task, "vicinal-connector");
					thread.setDaemon(true);
					return thread;
				});
		connector.allowCoreThreadTimeOut(true);
		return connector;
	}

}
