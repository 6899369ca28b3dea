package io.github.vicinal.transport.shm.lane;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that looks, some hundred times a second while there are calls and not at all
 * otherwise, whether a handler keeps a receiver. Thread-safe.
 */
public final class ReceiverGuard implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ReceiverGuard.class);

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	/** After so many looks without any handler on a receiver's thread, it sleeps. */
	private static final int LOOKS_WITHOUT_CALLS = 64;

	private final Set<Guarded> guarded = ConcurrentHashMap.newKeySet();

	private final String name;

	private volatile boolean asleep = true;

	private volatile boolean calls;

	private volatile boolean closed;

	private volatile @Nullable Thread thread;

	/**
	 * Creates a guard; its thread starts when it is first needed.
	 * @param name of the thread
	 */
	public ReceiverGuard(String name) {
		this.name = name;
	}

	void add(Guarded object) {
		this.guarded.add(object);
	}

	void remove(Guarded object) {
		this.guarded.remove(object);
	}

	/** Makes sure that the guard looks soon. Costs two volatile reads in most cases. */
	void look() {
		if (!this.calls) {
			this.calls = true;
		}
		if (this.asleep) {
			wake();
		}
	}

	private void wake() {
		this.asleep = false;
		Thread running = this.thread;
		if (running == null) {
			try {
				running = start();
			}
			catch (OutOfMemoryError ex) {
				// There may be a thread for it at the next call.
				this.asleep = true;
				return;
			}
		}
		LockSupport.unpark(running);
	}

	private synchronized @Nullable Thread start() {
		Thread running = this.thread;
		if (running == null && !this.closed) {
			running = new Thread(null, this::run, this.name, 0, false);
			running.setDaemon(true);
			running.setContextClassLoader(null);
			running.start();
			this.thread = running;
		}
		return running;
	}

	private void run() {
		int quiet = 0;
		while (!this.closed) {
			if (quiet >= LOOKS_WITHOUT_CALLS) {
				this.asleep = true;
				if (!this.calls) {
					LockSupport.park(this);
				}
				quiet = 0;
			}
			LockSupport.parkNanos(this, LOOK_NANOS);
			quiet = this.calls ? 0 : quiet + 1;
			this.calls = false;
			long now = System.nanoTime();
			this.guarded.forEach((object) -> check(object, now));
		}
	}

	private static void check(Guarded object, long now) {
		try {
			object.check(now);
		}
		catch (RuntimeException | Error ex) {
			// All other pairs need this thread, and the next look may succeed.
			logger.warn("A receiver could not be replaced", ex);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

	/** Something with a receiver. */
	interface Guarded {

		/** Replaces a receiver that a handler has kept for too long. */
		void check(long now);

	}

}
