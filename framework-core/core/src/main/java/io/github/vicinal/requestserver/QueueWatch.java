package io.github.vicinal.requestserver;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Watches a queue while requests wait in it. Requests that arrive and end do so, too, but
 * neither may happen for long. Its thread starts when requests wait, and ends when none
 * has for a while. Thread-safe.
 */
final class QueueWatch implements AutoCloseable {

	private static final long IDLE_SECONDS = 10;

	private final PermitQueue queue;

	private final ScheduledThreadPoolExecutor timer;

	private final AtomicBoolean watching = new AtomicBoolean();

	QueueWatch(PermitQueue queue, String name) {
		this.queue = queue;
		this.timer = new ScheduledThreadPoolExecutor(1, WorkerThreads.platform(name + "-watch"));
		this.timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.timer.allowCoreThreadTimeOut(true);
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/** Begins to look if requests wait and nobody looks. */
	void begin() {
		if (!this.watching.get() && this.watching.compareAndSet(false, true)) {
			look();
		}
	}

	private void look() {
		boolean failed = true;
		try {
			lookAndGoOn();
			failed = false;
		}
		finally {
			if (failed) {
				this.watching.set(false);
			}
		}
	}

	private void lookAndGoOn() {
		long next = this.queue.look();
		while (next < 0) {
			this.watching.set(false);
			// A request may have begun to wait meanwhile, and have relied on this watch.
			if (this.queue.waiting() == 0 || !this.watching.compareAndSet(false, true)) {
				return;
			}
			next = this.queue.look();
		}
		try {
			ScheduledFuture<?> unused = this.timer.schedule(this::look, next, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// Closed, or no thread can be started: arrivals and ends still look.
			this.watching.set(false);
		}
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
