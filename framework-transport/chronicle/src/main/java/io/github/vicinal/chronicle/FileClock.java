package io.github.vicinal.chronicle;

import java.time.Instant;
import java.util.function.LongSupplier;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.RollCycle;

/**
 * The clock by which a queue begins files. Readers read one file after the other, so a
 * message must not go into a file before the newest one, whatever the clock of the host
 * says. After that was set back, or a file was full before its time, this clock is ahead
 * of it and goes on. Thread-safe.
 */
final class FileClock implements TimeProvider {

	/** Names of files have four digits for the year. */
	private static final long LATEST_MILLIS = Instant.parse("9000-01-01T00:00:00Z").toEpochMilli();

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

	/**
	 * Has the next message begin a new file, before its time has come. The clock is ahead
	 * of that of the host then. To be called by one thread at a time.
	 * @param cycle the newest file
	 */
	void next(int cycle) {
		if (cycle < Integer.MAX_VALUE && begin(cycle + 1) < LATEST_MILLIS) {
			newest(cycle + 1);
		}
	}

	private long begin(int cycle) {
		return cycle * (long) this.roll.lengthInMillis() + this.roll.defaultEpoch();
	}

	/** Notes the newest file. To be called by one thread at a time. */
	void newest(int cycle) {
		long begin = begin(cycle);
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
