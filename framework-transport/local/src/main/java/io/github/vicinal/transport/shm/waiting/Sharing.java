package io.github.vicinal.transport.shm.waiting;

/**
 * Notices that the two sides have one processor between them although another may be
 * idle.
 * <p>
 * Each then waits in vain until it yields, and finds the answer when the yield returns,
 * after the other side has waited in vain. The kernel leaves them together, because both
 * have run a moment ago. A thread that sleeps by the clock is put on an idle processor
 * when it wakes, so the remedy is a <em>nap</em>. Each nap in vain makes the next one
 * rarer. Thread-safe in the sense that concurrent updates may get lost.
 */
final class Sharing {

	/** Number of consecutive waits ended by a yield that rules out coincidence. */
	static final int FIRST_LIMIT = 32;

	/** At this rate naps in vain cost nothing that can be measured. */
	static final int LAST_LIMIT = 1 << 14;

	private final Decisions decisions;

	private int inARow;

	private int limit = FIRST_LIMIT;

	Sharing(Decisions decisions) {
		this.decisions = decisions;
	}

	/** Notes a wait that the first yield ended, which took as long as a wait in vain. */
	void yielded() {
		this.inARow++;
	}

	/** Notes a wait that ended while spinning: the other side has another processor. */
	void spun() {
		if (this.inARow != 0) {
			this.inARow = 0;
			this.limit = FIRST_LIMIT;
		}
	}

	/** Returns whether the waiter should take a nap now. */
	boolean wantsNap(long now) {
		if (this.inARow < this.limit) {
			return false;
		}
		this.inARow = 0;
		this.limit = Math.min(2 * this.limit, LAST_LIMIT);
		this.decisions.add(Decisions.Kind.NAP, now, 0, 0);
		return true;
	}

}
