package io.github.vicinal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;

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

	private static final VarHandle STATE;

	static {
		try {
			STATE = MethodHandles.lookup().findVarHandle(Flight.class, "state", int.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final K key;

	private final boolean computes;

	/** The thread that runs the loader, null if it is asynchronous. */
	private volatile @Nullable Thread owner;

	private volatile int state;

	Flight(K key, @Nullable Thread owner, boolean computes) {
		this.key = key;
		this.owner = owner;
		this.computes = computes;
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
		return this.owner;
	}

	void own(Thread thread) {
		this.owner = thread;
	}

	void release() {
		this.owner = null;
	}

	/**
	 * The result is about to be stored.
	 * @return whether it may be: false if the key was written to or invalidated
	 */
	boolean beginStoring() {
		return STATE.compareAndSet(this, UNDER_WAY, STORING);
	}

	void end() {
		STATE.setRelease(this, ENDED);
	}

	/**
	 * The key is written to or invalidated: the result must not be stored from now on. If
	 * it is just being stored, that comes first.
	 */
	void displace() {
		if (STATE.compareAndSet(this, UNDER_WAY, DISPLACED)) {
			return;
		}
		// Storing is short, and never waits for a thread that displaces.
		while (this.state == STORING && this.owner != Thread.currentThread()) {
			Thread.yield();
		}
	}

}
