package io.github.vicinal.choice;

/**
 * Measures what a switch costs beyond the calls themselves: by how much the first calls
 * by the new candidate exceed what calls by it were known to cost, for instance because
 * its connections and caches are cold. Tells the rule, which weighs the next gain against
 * it.
 * <p>
 * Not thread-safe: to be used under the same lock as the rule.
 *
 * @since 0.1.0
 */
public final class SwitchLoss {

	/** Number of calls after a switch that are compared with the known cost. */
	static final int FIRST_CALLS = 8;

	private final SwitchingRule rule;

	private long switchesSeen;

	private int candidate = SwitchingRule.NONE;

	private int missing;

	private double known;

	private double sum;

	/**
	 * Creates a measurement for a rule that has not switched yet.
	 * @param rule the rule
	 */
	public SwitchLoss(SwitchingRule rule) {
		this.rule = rule;
	}

	/**
	 * Records a call like {@link SwitchingRule#record}, and the loss once the first calls
	 * after a switch have been seen.
	 * @param number the candidate that the call went by
	 * @param cost a finite number, at least 0
	 * @param nanos the time
	 */
	public void record(int number, double cost, long nanos) {
		record(number, cost, nanos, nanos, 1);
	}

	/**
	 * Records one of several calls like
	 * {@link SwitchingRule#record(int, double, long, long, int)}.
	 * @param number the candidate that the calls went by
	 * @param cost a finite number, at least 0
	 * @param begun when the call began
	 * @param nanos the time
	 * @param made how many calls the sample stands for
	 */
	public void record(int number, double cost, long begun, long nanos, int made) {
		if (this.missing > 0 && number == this.candidate) {
			this.sum += Math.max(0, cost - this.known);
			if (--this.missing == 0) {
				this.rule.recordLoss(this.sum);
			}
		}
		this.rule.record(number, cost, begun, nanos, made);
		notice();
	}

	/**
	 * Returns whether the first calls after a switch are being measured.
	 * @return whether the loss of the last switch is not known yet
	 */
	public boolean isMeasuring() {
		return this.missing > 0;
	}

	/**
	 * Says that a candidate cannot be used any more, like {@link SwitchingRule#failed}.
	 * @param number its number
	 * @param nanos the time
	 */
	public void failed(int number, long nanos) {
		this.rule.failed(number, nanos);
		notice();
	}

	/** Notices a switch that the rule made on its own. */
	public void notice() {
		if (this.rule.switches() == this.switchesSeen) {
			return;
		}
		this.switchesSeen = this.rule.switches();
		this.candidate = this.rule.current();
		this.known = this.rule.cost(this.candidate);
		this.sum = 0;
		// A candidate that nothing is known of has nothing to be compared with.
		this.missing = Double.isNaN(this.known) ? 0 : FIRST_CALLS;
	}

}
