package io.github.vicinal.transport.shm.bell;

/**
 * Wakes one thread that sleeps on one word of a segment.
 * <p>
 * The sleeper sets the word to 1, looks once more whether there is something to do, and
 * only then awaits the bell. The other side does its work first, then exchanges the 1 for
 * a 0, and rings if it was the one to do so. The two accesses on each side are in one
 * total order, so at least one side sees the other: no wake-up is lost.
 */
public interface Bell {

	/** Waits for as long as it takes. */
	long FOREVER = Long.MAX_VALUE;

	/**
	 * Sleeps until the bell is rung, an interrupt or a time has passed. May return for no
	 * reason. At most one thread at a time; never a virtual one.
	 * @param nanos how long, or {@link #FOREVER}
	 */
	void await(long nanos);

	/** Wakes the sleeper. Never throws; called by any thread. */
	void ring();

}
