package io.github.vicinal.transport.shm.lane;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that checks whether a handler holds a receiver: some hundred times a second
 * while there are calls, and not at all otherwise. Thread-safe.
 * <p>
 * It sleeps after one <em>quiet</em> look: no handler has begun since the look before,
 * and none is on a receiver's thread. That misses no handler, whatever the times between
 * looks are. A handler is noted with its receiver before {@link #look()} is called, and
 * each look forgets the calls before it goes through the receivers. So a handler that a
 * look does not find there has ended, or has yet to call {@link #look()}; as both sides
 * first write and then read, either the guard sees the call before it sleeps, or the call
 * sees that the guard sleeps, and wakes it. A handler that is found keeps the guard awake
 * until it ends or loses the receiver.
 * <p>
 * To sleep without a quiet look, as soon as no handler is found, would miss none either,
 * but most handlers end between two looks: of calls in a row, one in each look would have
 * to wake the guard.
 */
public final class ReceiverGuard implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ReceiverGuard.class);

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	private final Set<Guarded> guarded = ConcurrentHashMap.newKeySet();

	private final String name;

	private volatile boolean asleep = true;

	/** Whether a handler has begun since the last check. */
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
				// The next call may find a thread for it.
				this.asleep = true;
				return;
			}
		}
		LockSupport.unpark(running);
	}

	private synchronized @Nullable Thread start() {
		Thread running = this.thread;
		if (running == null && !this.closed) {
			running = DaemonThread.create(this.name, this::run);
			running.start();
			this.thread = running;
		}
		return running;
	}

	private void run() {
		while (!this.closed) {
			LockSupport.parkNanos(this, LOOK_NANOS);
			boolean quiet = !this.calls;
			this.calls = false;
			boolean kept = check(System.nanoTime());
			if (quiet && !kept) {
				this.asleep = true;
				if (!this.calls && !this.closed) {
					LockSupport.park(this);
				}
			}
		}
	}

	/** Looks at each receiver, and returns whether a handler has one of them. */
	private boolean check(long now) {
		boolean kept = false;
		for (Guarded object : this.guarded) {
			kept |= check(object, now);
		}
		return kept;
	}

	private static boolean check(Guarded object, long now) {
		try {
			return object.check(now);
		}
		catch (RuntimeException | Error ex) {
			// All other pairs need this thread, and the next look may succeed.
			logger.warn("A receiver could not be replaced", ex);
			return false;
		}
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

	/** Something with a receiver. */
	interface Guarded {

		/**
		 * Replaces a receiver that a handler has kept for too long.
		 * @return whether a handler has the receiver, and not yet for too long
		 */
		boolean check(long now);

	}

}
