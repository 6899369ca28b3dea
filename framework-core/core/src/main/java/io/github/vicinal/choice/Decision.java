package io.github.vicinal.choice;

import java.util.Locale;

/**
 * One decision to use another alternative, with the numbers behind it.
 *
 * @param nanos when, in the caller's time
 * @param from the alternative before
 * @param to the alternative after
 * @param kind what led to it
 * @param costFrom what a call by {@code from} cost in nanoseconds, {@code NaN} if unknown
 * @param costTo what a call by {@code to} cost in nanoseconds, {@code NaN} if unknown
 * @param pairs the pairs of calls that were compared since the last decision
 * @since 0.1.0
 */
public record Decision(long nanos, String from, String to, Kind kind, double costFrom, double costTo, long pairs) {

	/**
	 * Reason of a decision.
	 *
	 * @since 0.1.0
	 */
	public enum Kind {

		/** Pairs of calls have shown that the other alternative is cheaper. */
		GAIN,

		/** The current alternative failed or became unavailable. */
		FAILURE,

		/** A preferred alternative became available, or its back-off is over. */
		OPENED,

		/** The current alternative suddenly costs a multiple of what it did. */
		DEGRADED,

		/** Calls by the current alternative do not come back. */
		LATE,

		/** The alternative was not cheaper in its trial, and is left again. */
		LOSS

	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%s -> %s: %s", this.from, this.to, switch (this.kind) {
			case FAILURE -> this.from + " failed";
			case OPENED -> this.to + " is available, and preferred until it is measured";
			case LATE -> "calls by " + this.from + " are not answered";
			case DEGRADED -> costs("%s degraded to %.4g ns, other %.4g ns");
			case LOSS -> costs("%s cost %.4g ns in its trial, other %.4g ns");
			case GAIN -> costs("%s costs %.4g ns, other %.4g ns") + " in " + this.pairs + " pairs";
		});
	}

	private String costs(String format) {
		return String.format(Locale.ROOT, format, this.from, this.costFrom, this.costTo);
	}

}
