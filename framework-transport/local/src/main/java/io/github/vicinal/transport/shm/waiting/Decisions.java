package io.github.vicinal.transport.shm.waiting;

import java.util.Locale;

/**
 * Counts what one side decided about its waiting, and remembers the last one with its
 * numbers. Allocates nothing until it is asked. Thread-safe.
 */
final class Decisions {

	private static final double NANOS_PER_MILLI = 1e6;

	private static final double NANOS_PER_SECOND = 1e9;

	private long count;

	private Kind kind = Kind.NONE;

	private long nanos;

	private long forNanos;

	private long lateNanos;

	synchronized void add(Kind what, long now, long howLong, long lateness) {
		this.count++;
		this.kind = what;
		this.nanos = now;
		this.forNanos = howLong;
		this.lateNanos = lateness;
	}

	synchronized long count() {
		return this.count;
	}

	/** Describes the last decision, for people. */
	synchronized String last(long now) {
		if (this.kind == Kind.NONE) {
			return this.kind.text;
		}
		return String.format(Locale.ROOT, "%.1f s ago: ", (now - this.nanos) / NANOS_PER_SECOND) + String
			.format(Locale.ROOT, this.kind.text, this.forNanos / NANOS_PER_MILLI, this.lateNanos / NANOS_PER_MILLI);
	}

	/** Kinds of decisions; their texts take two times in milliseconds. */
	enum Kind {

		NONE("nothing has been decided yet"),

		BAN("spin instead of yield for %.0f ms: a yield came back %.1f ms late"),

		HEAVY_BAN("sleep at once for %.0f ms: a yield came back %.1f ms late, so many threads want the processors"),

		LIFTED("spin, then yield: some yields came back in time"),

		REST("sleep at once for %.0f ms: staying awake did not pay"),

		AWAKE("stay awake: it paid in a trial"),

		SPARSE("sleep at once: calls are rare"),

		STEADY("stay awake: calls are not rare any more"),

		NAP("a nap, to wake up on another processor than the other side's");

		private final String text;

		Kind(String text) {
			this.text = text;
		}

	}

}
