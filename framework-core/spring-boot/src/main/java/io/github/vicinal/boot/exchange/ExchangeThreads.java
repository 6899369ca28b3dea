package io.github.vicinal.boot.exchange;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of the exchanges of reactive clients. An exchange blocks, and so it never runs
 * on a thread of the client. Each exchange has a permit while it needs a thread, so that
 * none waits for the thread of another one; a request without a permit goes over HTTP.
 * Thread-safe.
 */
final class ExchangeThreads implements Executor {

	/** Maximum number of exchanges at the same time. */
	static final int MAX_EXCHANGES = 256;

	private static final int IDLE_SECONDS = 10;

	private final AtomicInteger taken = new AtomicInteger();

	private final ThreadPoolExecutor threads;

	/**
	 * The context class loader of the calling thread is taken to be the application's.
	 */
	ExchangeThreads() {
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		this.threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
				new SynchronousQueue<>(), (task) -> {
					// Inherits nothing of the first of its many callers.
					Thread thread = new Thread(null, task, "vicinal-exchange", 0, false);
					thread.setDaemon(true);
					thread.setContextClassLoader(classLoader);
					return thread;
				});
	}

	/** Takes a permit, if there is one. */
	boolean take() {
		if (this.taken.incrementAndGet() <= MAX_EXCHANGES) {
			return true;
		}
		this.taken.decrementAndGet();
		return false;
	}

	/** Gives a permit back. */
	void giveBack() {
		this.taken.decrementAndGet();
	}

	/** Returns the number of permits that are taken. */
	int taken() {
		return this.taken.get();
	}

	/** Runs a part of an exchange that has a permit. */
	@Override
	public void execute(Runnable part) {
		this.threads.execute(part);
	}

}
