package io.github.vicinal.transport.shm.waiting;

/**
 * Counters of one waiter: the owner of a lane, or the server's receiver. Used by one
 * thread at a time.
 */
public final class WaitHistory {

	/** Waits that ended without sleep. */
	long awake;

	/** Waits that ended in sleep. */
	long asleep;

	/** End of the last wait, to some microseconds. */
	private long ended;

	/** Long gaps between the last waits, less the short ones. */
	private int longGaps;

	/**
	 * Notes that a wait has ended that took long.
	 * @param nanos the time
	 */
	public void ended(long nanos) {
		this.ended = nanos;
	}

	/** Notes that a wait begins, and returns whether most of the last came after gaps. */
	boolean isSparse(long now) {
		this.longGaps = Waiter.gaps(this.longGaps, now - this.ended);
		// The end of a wait that takes no longer than a look at the clock would.
		this.ended = now;
		return isSparse();
	}

	/** Returns whether most of the last waits came after gaps. */
	boolean isSparse() {
		return this.longGaps >= Waiter.SPARSE;
	}

	/** Returns the number of waits that ended without sleep. */
	public long awake() {
		return this.awake;
	}

	/** Returns the number of waits that ended in sleep. */
	public long asleep() {
		return this.asleep;
	}

}
