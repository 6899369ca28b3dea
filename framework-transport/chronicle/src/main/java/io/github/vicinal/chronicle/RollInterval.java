package io.github.vicinal.chronicle;

import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;

/**
 * Interval after which a topic begins a new file. Retention deletes whole files. The
 * interval of a topic that exists does not change.
 *
 * @since 0.1.0
 */
public enum RollInterval {

	/** A file per second, for tests. */
	SECOND,

	/** A file per five minutes. */
	FIVE_MINUTES,

	/** A file per hour. */
	HOUR,

	/** A file per day. */
	DAY;

	RollCycle cycle() {
		return switch (this) {
			case SECOND -> TestRollCycles.TEST_SECONDLY;
			case FIVE_MINUTES -> RollCycles.FIVE_MINUTELY;
			case HOUR -> RollCycles.FAST_HOURLY;
			case DAY -> RollCycles.FAST_DAILY;
		};
	}

}
