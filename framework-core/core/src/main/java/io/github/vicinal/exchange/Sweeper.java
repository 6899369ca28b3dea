package io.github.vicinal.exchange;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at what is kept, once a second, on a thread that there is only as long as
 * something is kept. Thread-safe.
 */
final class Sweeper {

	private static final Logger logger = LoggerFactory.getLogger(Sweeper.class);

	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Looks at nothing after which the thread ends. */
	private static final int MAX_IDLE = 10;

	private final BooleanSupplier task;

	private @Nullable Thread thread;

	private boolean needed;

	private boolean closed;

	/**
	 * Creates a sweeper without a thread.
	 * @param task looks, and returns whether something is still kept
	 */
	Sweeper(BooleanSupplier task) {
		this.task = task;
	}

	/** Notes that something is kept. */
	synchronized void need() {
		this.needed = true;
		if (this.thread != null || this.closed) {
			return;
		}
		Thread started = new Thread(null, this::run, "vicinal-exchange-sweep", 0, false);
		started.setDaemon(true);
		started.setContextClassLoader(Sweeper.class.getClassLoader());
		try {
			started.start();
			this.thread = started;
		}
		catch (OutOfMemoryError ex) {
			// No thread is left; the next one that is needed may be.
		}
	}

	private void run() {
		int idle = 0;
		while (!ends(idle)) {
			LockSupport.parkNanos(this, INTERVAL_NANOS);
			idle = isKept() ? 0 : idle + 1;
		}
	}

	/** The task may call code of others, so its failure does not end the thread. */
	private boolean isKept() {
		try {
			return this.task.getAsBoolean();
		}
		catch (RuntimeException ex) {
			logger.warn("The exchanges in progress could not be checked; trying again", ex);
			return true;
		}
	}

	/** Something may be kept since the last look. */
	private synchronized boolean ends(int idle) {
		boolean over = this.closed || (idle >= MAX_IDLE && !this.needed);
		if (over) {
			this.thread = null;
		}
		this.needed = false;
		return over;
	}

	/** Ends the thread. */
	synchronized void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

}
