package io.github.vicinal.transport.wire;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that looks at everything with a deadline. A blocking read cannot time out,
 * but closing its channel ends it.
 * <p>
 * Setting a deadline costs two volatile accesses and allocates nothing: the thread sleeps
 * until the earliest deadline that it has seen, and is woken only for an earlier one.
 * With calls that all have the same timeout it wakes once per timeout, however many calls
 * there are.
 * <p>
 * Times are nanoseconds since this object was made, so that they compare as plain numbers
 * and never overflow.
 */
public final class Watchdog implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Watchdog.class);

	/** Time of the next look at what could not be done. */
	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Later than any other time. */
	public static final long NEVER = Long.MAX_VALUE;

	private final long origin = System.nanoTime();

	private final String name;

	private final Set<Watched> watched = ConcurrentHashMap.newKeySet();

	private volatile long nextLook = NEVER;

	/**
	 * Earliest deadline that was set. It is kept even if that call ends at once, because
	 * otherwise each of many short calls would wake the thread.
	 */
	private final AtomicLong requested = new AtomicLong(NEVER);

	private volatile boolean closed;

	private volatile @Nullable Thread thread;

	public Watchdog(String name) {
		this.name = name;
	}

	public long now() {
		return System.nanoTime() - this.origin;
	}

	/** Converts a point in time of {@link System#nanoTime()}. */
	public long at(long nanoTime) {
		return nanoTime - this.origin;
	}

	public void add(Watched object) {
		this.watched.add(object);
	}

	public void remove(Watched object) {
		this.watched.remove(object);
	}

	/**
	 * Makes sure that the thread looks at that time. The caller has published what the
	 * thread will see before.
	 */
	public void lookAt(long time) {
		if (time < this.nextLook) {
			this.requested.accumulateAndGet(time, Math::min);
			wake();
		}
	}

	private void wake() {
		Thread running = this.thread;
		if (running == null) {
			running = start();
		}
		LockSupport.unpark(running);
	}

	private synchronized @Nullable Thread start() {
		Thread running = this.thread;
		if (running == null && !this.closed) {
			running = DaemonThread.create(this.name, this::run);
			// Only a running thread can be woken. None may be available now; the next
			// deadline tries again.
			running.start();
			this.thread = running;
		}
		return running;
	}

	private void run() {
		while (!this.closed) {
			forgetPast();
			long next = look();
			this.nextLook = next;
			// A deadline set before nextLook was read is seen now; a thread that sets
			// one later sees nextLook and wakes this thread.
			if (look() < next) {
				continue;
			}
			if (next == NEVER) {
				LockSupport.park(this);
			}
			else {
				LockSupport.parkNanos(this, next - now());
			}
		}
	}

	private void forgetPast() {
		long earliest = this.requested.get();
		if (earliest <= now()) {
			this.requested.compareAndSet(earliest, NEVER);
		}
	}

	private long look() {
		long now = now();
		long next = this.requested.get();
		for (Watched object : this.watched) {
			next = Math.min(next, look(object, now));
		}
		return next;
	}

	private static long look(Watched object, long now) {
		try {
			return object.look(now);
		}
		catch (RuntimeException | Error ex) {
			// All other deadlines of the process need this thread.
			logger.warn("A due action failed and is tried again", ex);
			return now + RETRY_NANOS;
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		Thread running = this.thread;
		if (running != null) {
			LockSupport.unpark(running);
		}
	}

	/** Something with a deadline. */
	@FunctionalInterface
	public interface Watched {

		/**
		 * Runs due actions. Never blocks, never throws.
		 * @return time of the next check
		 */
		long look(long now);

	}

}
