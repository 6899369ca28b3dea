package io.github.vicinal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * One load (or computation) of one key that is under way. Those who ask for the key
 * meanwhile wait for it; it is complete when the store has the value.
 */
final class Flight<K, V> extends CompletableFuture<@Nullable V> {

	private static final int UNDER_WAY = 0;

	private static final int STORING = 1;

	private static final int DISPLACED = 2;

	private static final int ENDED = 3;

	/** A refresh that no thread has started yet. */
	private static final int QUEUED = 4;

	/** A refresh that was displaced while it was queued. */
	private static final int QUEUED_IN_VAIN = 5;

	/** Number of yields before a thread that waits for a store sleeps. */
	private static final int YIELDS = 64;

	private static final long PARK_NANOS = 50_000;

	private static final VarHandle STATE;

	private static final VarHandle OWNER;

	static {
		try {
			MethodHandles.Lookup lookup = MethodHandles.lookup();
			STATE = lookup.findVarHandle(Flight.class, "state", int.class);
			OWNER = lookup.findVarHandle(Flight.class, "owner", Thread.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final K key;

	private final boolean computes;

	/** The key is asked for its hash when the flight takes off, and never again. */
	private int hash;

	/**
	 * The thread that runs the loader, null if it is asynchronous. Like a volatile field
	 * once the flight has taken off, which publishes it; before that a fence for each
	 * load would be for nothing.
	 */
	private @Nullable Thread owner;

	private volatile int state;

	Flight(K key, @Nullable Thread owner, boolean computes) {
		this.key = key;
		this.owner = owner;
		this.computes = computes;
	}

	/** A refresh, which waits for a thread of an executor. */
	static <K, V> Flight<K, V> queued(K key) {
		Flight<K, V> flight = new Flight<>(key, null, false);
		flight.state = QUEUED;
		return flight;
	}

	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

	K key() {
		return this.key;
	}

	boolean computes() {
		return this.computes;
	}

	@Nullable Thread owner() {
		return (Thread) OWNER.getVolatile(this);
	}

	int hash() {
		return this.hash;
	}

	void hash(int hash) {
		this.hash = hash;
	}

	boolean isFor(Object other, int itsHash) {
		return this.hash == itsHash && this.key.equals(other);
	}

	/** Returns whether it waits for a thread, be it in vain. */
	boolean isQueued() {
		int now = this.state;
		return now == QUEUED || now == QUEUED_IN_VAIN;
	}

	/**
	 * Lets a thread load that needs the value before the executor has a thread for it.
	 * @return false if another thread was faster, or the key was written to or
	 * invalidated
	 */
	boolean takeOver(Thread thread) {
		if (!STATE.compareAndSet(this, QUEUED, UNDER_WAY)) {
			return false;
		}
		OWNER.setVolatile(this, thread);
		return true;
	}

	/**
	 * Lets the executor's thread load. If the key was written to or invalidated
	 * meanwhile, what it loads is for those who have the future, and will not be stored.
	 * @return false if another thread has taken over
	 */
	boolean begin(Thread thread) {
		if (takeOver(thread)) {
			return true;
		}
		if (!STATE.compareAndSet(this, QUEUED_IN_VAIN, DISPLACED)) {
			return false;
		}
		OWNER.setVolatile(this, thread);
		return true;
	}

	void release() {
		OWNER.setVolatile(this, null);
	}

	/**
	 * After all waiters have been notified, none of them waits for the thread any more,
	 * so it may wait for loads of theirs. That thread is the one that must see this, so
	 * no fence is needed.
	 */
	@Override
	public boolean complete(@Nullable V value) {
		boolean first = super.complete(value);
		OWNER.setRelease(this, null);
		return first;
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		boolean first = super.completeExceptionally(failure);
		OWNER.setRelease(this, null);
		return first;
	}

	/**
	 * Marks the result as about to be stored. From now on a thread that displaces the
	 * flight waits, so weigher and expiry have been asked before.
	 * @return whether it may be stored: false if the key was written to or invalidated
	 */
	boolean beginStoring() {
		Thread me = Thread.currentThread();
		if (this.owner != me) {
			this.owner = me;
		}
		return STATE.compareAndSet(this, UNDER_WAY, STORING) || this.state == STORING;
	}

	void end() {
		STATE.setRelease(this, ENDED);
	}

	/**
	 * The key is written to or invalidated: the result must not be stored from now on. If
	 * it is just being stored, that comes first.
	 */
	void displace() {
		for (int waits = 0;; waits++) {
			switch (this.state) {
				case UNDER_WAY -> {
					if (STATE.compareAndSet(this, UNDER_WAY, DISPLACED)) {
						return;
					}
				}
				case QUEUED -> {
					if (STATE.compareAndSet(this, QUEUED, QUEUED_IN_VAIN)) {
						return;
					}
				}
				case STORING -> {
					if (owner() == Thread.currentThread()) {
						return;
					}
					// Storing is short, and never waits for a thread that displaces.
					if (waits < YIELDS) {
						Thread.yield();
					}
					else {
						LockSupport.parkNanos(PARK_NANOS);
						// An interrupted thread does not park.
						Thread.yield();
					}
				}
				default -> {
					return;
				}
			}
		}
	}

}
