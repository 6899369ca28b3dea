package io.github.vicinal.cache.aic;

import java.util.Locale;

/**
 * One switch of a {@link CounterfactualRule}, with the numbers behind it. Costs are rates
 * of failure, the loss is in successes.
 *
 * @param calls the number of calls that had been recorded
 * @param from the candidate before
 * @param to the candidate after
 * @param cause what led to the switch
 * @param costFrom the rate of failure of {@code from}, {@code NaN} if unknown
 * @param costTo the rate of failure of {@code to}, {@code NaN} if unknown
 * @param callsExpected the calls over which the switch was to pay
 * @param loss what a switch was taken to cost
 * @since 0.1.0
 */
public record PolicySwitch(long calls, String from, String to, Cause cause, double costFrom, double costTo,
		double callsExpected, double loss) {

	/**
	 * Reason of a switch.
	 *
	 * @since 0.1.0
	 */
	public enum Cause {

		/** The expected gain exceeded the loss. */
		GAIN,

		/** The last switch was measured to lose, and is taken back. */
		LOSS,

		/** The switch was asked for. */
		FORCED

	}

	@Override
	public String toString() {
		return switch (this.cause) {
			case GAIN -> String.format(Locale.ROOT, "%s -> %s: (%.4g - %.4g) x %.4g calls > loss %.4g", this.from,
					this.to, this.costFrom, this.costTo, this.callsExpected, this.loss);
			case LOSS -> String.format(Locale.ROOT, "%s -> %s: reverted, lost %.4g per call in %.4g calls", this.from,
					this.to, this.costFrom - this.costTo, this.callsExpected);
			case FORCED -> String.format(Locale.ROOT, "%s -> %s: forced", this.from, this.to);
		};
	}

}
