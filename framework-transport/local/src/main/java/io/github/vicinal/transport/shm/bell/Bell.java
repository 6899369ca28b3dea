package io.github.vicinal.transport.shm.bell;

/**
 * Wakes one of the threads that sleep on one word of a segment.
 * <p>
 * The sleeper sets the word to 1, looks once more whether there is something to do, and
 * only then awaits the bell. The other side does its work first, then exchanges the 1 for
 * a 0, and rings if it was the one to do so. The two accesses on each side are in one
 * total order, so at least one side sees the other: no wake-up is lost.
 * <p>
 * A lane's caller and the poller sleep alone. At the server's bell several threads may
 * sleep, for as long as it takes; a ring wakes one of them.
 */
public interface Bell {

	/** Waits for as long as it takes. */
	long FOREVER = Long.MAX_VALUE;

	/**
	 * Sleeps until the bell is rung, an interrupt or a time has passed. May return for no
	 * reason. Never called by a virtual thread.
	 * @param nanos how long, or {@link #FOREVER}; a limit only if no other thread sleeps
	 * here
	 */
	void await(long nanos);

	/**
	 * Wakes the sleeper. Never throws; called by any thread of the pair. A peer that
	 * floods the bell can block the ring until the bells are closed, so a thread that
	 * other pairs depend on must not ring.
	 */
	void ring();

}
