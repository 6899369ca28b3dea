package io.github.vicinal.chronicle;

import java.util.function.LongSupplier;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.RollCycle;

/**
 * The clock by which a queue begins files. Readers read one file after the other, so a
 * message must not go into a file before the newest one, whatever the clock of the host
 * says. After that was set back, this clock is ahead of it and goes on. Thread-safe.
 */
final class FileClock implements TimeProvider {

	private final LongSupplier host;

	private final RollCycle roll;

	/** Milliseconds by which this clock is ahead of that of the host, when it is. */
	private volatile long ahead;

	/** Time at which the newest file began, as far as is known. */
	private volatile long newest = Long.MIN_VALUE;

	/**
	 * Creates a clock.
	 * @param host milliseconds since 1970
	 * @param roll how often files begin
	 */
	FileClock(LongSupplier host, RollCycle roll) {
		this.host = host;
		this.roll = roll;
	}

	/** Notes the newest file. To be called by one thread at a time. */
	void newest(int cycle) {
		long begin = cycle * (long) this.roll.lengthInMillis() + this.roll.defaultEpoch();
		if (cycle < 0 || begin == this.newest) {
			return;
		}
		long behind = begin - this.host.getAsLong();
		if (behind > this.ahead) {
			this.ahead = behind;
		}
		this.newest = begin;
	}

	@Override
	public long currentTimeMillis() {
		long now = this.host.getAsLong();
		return (now >= this.newest) ? now : Math.max(this.newest, now + this.ahead);
	}

}
