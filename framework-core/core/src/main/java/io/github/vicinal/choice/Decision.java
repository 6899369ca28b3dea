package io.github.vicinal.choice;

import java.util.Locale;

/**
 * One decision of a {@link SwitchingRule}, with the numbers behind it. Costs and loss are
 * in the unit of the samples.
 *
 * @param nanos when, in the caller's time
 * @param from the candidate before
 * @param to the candidate after
 * @param kind what led to it
 * @param costFrom the mean cost of a call by {@code from}, {@code NaN} if unknown
 * @param costTo the mean cost of a call by {@code to}, {@code NaN} if unknown
 * @param callsExpected the calls over which the switch was to pay
 * @param loss what a switch was taken to cost
 * @since 0.1.0
 */
public record Decision(long nanos, String from, String to, Kind kind, double costFrom, double costTo,
		double callsExpected, double loss) {

	/**
	 * What leads to a decision.
	 *
	 * @since 0.1.0
	 */
	public enum Kind {

		/** The expected gain exceeded the loss. */
		GAIN,

		/** The current candidate failed or became unavailable. */
		FAILURE,

		/** A preferred candidate became available, or has stayed so for its trial. */
		OPENED,

		/** The current candidate suddenly costs a multiple of what it did. */
		DEGRADED,

		/** Calls by the current candidate do not come back. */
		LATE,

		/** The last switch was measured to lose, and is taken back. */
		LOSS

	}

	@Override
	public String toString() {
		switch (this.kind) {
			case FAILURE -> {
				return String.format(Locale.ROOT, "%s -> %s: %s failed", this.from, this.to, this.from);
			}
			case OPENED -> {
				return String.format(Locale.ROOT, "%s -> %s: %s is available, and preferred until it is measured",
						this.from, this.to, this.to);
			}
			case LATE -> {
				return String.format(Locale.ROOT, "%s -> %s: calls by %s do not come back", this.from, this.to,
						this.from);
			}
			case DEGRADED -> {
				return String.format(Locale.ROOT, "%s -> %s: %s degraded to %.4g, other %.4g, loss %.4g", this.from,
						this.to, this.from, this.costFrom, this.costTo, this.loss);
			}
			default -> {
				// With the numbers below.
			}
		}
		if (this.kind == Kind.LOSS) {
			return String.format(Locale.ROOT, "%s -> %s: taken back, lost %.4g per call in %.4g calls", this.from,
					this.to, this.costFrom - this.costTo, this.callsExpected);
		}
		return String.format(Locale.ROOT, "%s -> %s: (%.4g - %.4g) x %.4g calls > loss %.4g", this.from, this.to,
				this.costFrom, this.costTo, this.callsExpected, this.loss);
	}

}
