package io.github.vicinal.transport.shm.waiting;

/**
 * What one waiter counts: the owner of a lane, or the server's receiver. Used by one
 * thread at a time.
 */
public final class Turn {

	/** Waits that ended without sleep. */
	long awake;

	/** Waits that ended in sleep. */
	long asleep;

	/** Returns how many waits ended without sleep. */
	public long awake() {
		return this.awake;
	}

	/** Returns how many waits ended in sleep. */
	public long asleep() {
		return this.asleep;
	}

}
