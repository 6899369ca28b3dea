package io.github.vicinal.chronicle.path;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.rollcycles.LegacyRollCycles;

/**
 * A clock that stands still until its owner begins a new file. Chronicle Queue rolls by
 * time only; with this clock it rolls when the writer says so. Used by one thread at a
 * time.
 */
final class CycleClock implements TimeProvider {

	/** Index of this cycle is small, which keeps files small. */
	static final RollCycle ROLL = LegacyRollCycles.MINUTELY;

	private int cycle = 1;

	/** Begins a new file with the next record. */
	void next() {
		this.cycle++;
	}

	int cycle() {
		return this.cycle;
	}

	@Override
	public long currentTimeMillis() {
		return (long) this.cycle * ROLL.lengthInMillis();
	}

}
