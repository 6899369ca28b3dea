package io.github.vicinal.cache.aic;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Chooses among alternatives that can be simulated: the outcome of each call is known for
 * every candidate, a success or not. No probes are needed, and candidates are compared on
 * the same calls, which reveals much smaller differences than means of different calls.
 * <p>
 * It switches when the calls that the other candidate would have won, over one of three
 * horizons, exceed the measured loss of a switch, times one plus a hysteresis. The loss
 * is the gap between the real system and the simulation of the new candidate after a
 * switch. If in that time it falls short of the simulation of the old candidate by
 * several times the loss, the switch is taken back. If it stays far below the simulation
 * of its own candidate, what it really achieves is compared with the other simulations.
 * The demand of the inequality doubles with each return to the previous candidate, and
 * halves again while nothing happens. The loss of a switch is demanded again of the next
 * one between the same two, and half of it is forgotten once in a while.
 * <p>
 * Time is counted in calls, which are recorded {@value #BATCH} at once: outcomes are bits
 * of a word. Not thread-safe. A batch costs about as much as a call into the system does,
 * and allocates nothing apart from switches.
 *
 * @since 0.1.0
 */
public final class CounterfactualRule {

	/** The most candidates. */
	public static final int MAX_CANDIDATES = 16;

	/** Number of decisions that {@link #decisions()} remembers. */
	public static final int MAX_DECISIONS = 64;

	/** Calls that are recorded at once. */
	public static final int BATCH = Long.SIZE;

	/**
	 * Decay of the past after each batch, for horizons of 4,300, 13,000 and 64,000 calls.
	 */
	private static final double[] DISCOUNTS = { 0.985, 0.995, 0.999 };

	/** Minimum distance of two candidates, in standard deviations. */
	private static final double CONFIDENCE = 3;

	/** A difference of success rates below this is not worth a switch. */
	private static final double MARGIN = 0.0025;

	private static final double HYSTERESIS = 0.25;

	private static final double LOSS_WEIGHT = 0.25;

	/** Calls after a switch in which its loss is measured. */
	private static final int MEASURED_CALLS = 1024;

	/** Calls after a switch in which there is no other. */
	private static final int DWELL = 256;

	/** Multiple of the usual loss from which a switch is reverted. */
	private static final double REVERT_LOSSES = 4;

	/** A switch is taken back at this loss in any case: it can be seen in that time. */
	private static final double REVERT_LIMIT = 0.15 * MEASURED_CALLS;

	/**
	 * Measuring ends early at this loss: the candidate is not what its simulation
	 * promised.
	 */
	private static final int BROKEN_PROMISE = 154;

	/** Gap between the real rate and the simulation's that raises no doubt. */
	private static final double SHORTFALL = 0.05;

	private static final double MAX_BACK_OFF = 32;

	/** Multiple of {@code scale} calls within which a return counts as a flip-flop. */
	private static final int FLIP_FLOP = 16;

	private static final int FORGIVE = 32;

	/**
	 * Half-life of penalties in calls, a multiple of the batch. It is many times the
	 * longest horizon, because each renewed trial of a bad candidate costs some hundred
	 * calls.
	 */
	private static final int PENALTY_HALF_LIFE = 1 << 20;

	/** No candidate. */
	private static final int NONE = -1;

	private final List<String> names;

	private final int count;

	private final int scale;

	private final double leastLoss;

	/** Per horizon: calls, successes by candidate, calls on which two differ. */
	private final double[] calls = new double[DISCOUNTS.length];

	private final double[][] successes;

	/** Per horizon: real successes of the current candidate, simulated ones before it. */
	private final double[] reals = new double[DISCOUNTS.length];

	private final double[][][] differences;

	private final long[] allSuccesses;

	/** Known loss of a switch from one candidate to another, in successes. */
	private final double[][] penalty;

	private final Deque<PolicySwitch> decisions = new ArrayDeque<>();

	private int current;

	private int previous = NONE;

	private long total;

	private long real;

	private double loss;

	private double backOff = 1;

	private long switchedAt = Long.MIN_VALUE / 2;

	private long forgivenAt;

	private long waitUntil;

	private boolean measuring;

	private int measured;

	private long againstOld;

	private long differsFromOld;

	private long shortOfNew;

	private long switches;

	private long reverts;

	/**
	 * Creates a rule.
	 * @param names the candidates' names for the log, at most {@link #MAX_CANDIDATES}
	 * @param initial the candidate in use
	 * @param scale the calls in which what a switch costs is paid, at least 1: for a
	 * cache, its entries
	 */
	public CounterfactualRule(List<String> names, int initial, int scale) {
		if (names.isEmpty() || names.size() > MAX_CANDIDATES) {
			throw new IllegalArgumentException("There must be 1 to " + MAX_CANDIDATES + " candidates, not " + names);
		}
		if (scale < 1) {
			throw new IllegalArgumentException("The scale must be at least 1, but is " + scale);
		}
		this.names = List.copyOf(names);
		this.count = names.size();
		this.current = initial;
		this.scale = scale;
		this.loss = 0.03 * scale;
		this.leastLoss = 0.01 * scale;
		this.successes = new double[DISCOUNTS.length][this.count];
		this.differences = new double[DISCOUNTS.length][this.count][this.count];
		this.allSuccesses = new long[this.count];
		this.penalty = new double[this.count][this.count];
	}

	/**
	 * Records {@value #BATCH} calls.
	 * @param simulated for each candidate, a bit for each call: whether it would have
	 * been a success
	 * @param outcomes a bit for each call: whether it was one
	 * @return whether {@link #current()} has changed
	 */
	public boolean record(long[] simulated, long outcomes) {
		this.total += BATCH;
		this.real += Long.bitCount(outcomes);
		for (int horizon = 0; horizon < DISCOUNTS.length; horizon++) {
			this.calls[horizon] = this.calls[horizon] * DISCOUNTS[horizon] + BATCH;
			this.reals[horizon] = this.reals[horizon] * DISCOUNTS[horizon]
					+ Long.bitCount(this.measuring ? simulated[this.current] : outcomes);
		}
		for (int i = 0; i < this.count; i++) {
			int successful = Long.bitCount(simulated[i]);
			this.allSuccesses[i] += successful;
			for (int horizon = 0; horizon < DISCOUNTS.length; horizon++) {
				this.successes[horizon][i] = this.successes[horizon][i] * DISCOUNTS[horizon] + successful;
			}
			for (int j = 0; j < i; j++) {
				int differing = Long.bitCount(simulated[i] ^ simulated[j]);
				for (int horizon = 0; horizon < DISCOUNTS.length; horizon++) {
					this.differences[horizon][i][j] = this.differences[horizon][i][j] * DISCOUNTS[horizon] + differing;
				}
			}
		}
		if (this.total % PENALTY_HALF_LIFE == 0) {
			forgive();
		}
		if (this.measuring && measure(simulated[this.previous], simulated[this.current], outcomes)) {
			return true;
		}
		return this.total >= this.waitUntil && decide();
	}

	/** Candidates change: what one lost long ago says little about what it would now. */
	private void forgive() {
		for (double[] row : this.penalty) {
			for (int i = 0; i < row.length; i++) {
				row[i] /= 2;
			}
		}
	}

	private boolean measure(long old, long current, long outcomes) {
		this.againstOld += Long.bitCount(outcomes) - Long.bitCount(old);
		this.differsFromOld += Long.bitCount(outcomes ^ old);
		this.shortOfNew += Long.bitCount(current) - Long.bitCount(outcomes);
		this.measured += BATCH;
		return endMeasuring();
	}

	/** Returns whether the last switch is taken back. */
	private boolean endMeasuring() {
		boolean broken = this.shortOfNew >= BROKEN_PROMISE;
		double limit = Math.sqrt(this.differsFromOld + 1.0)
				+ (broken ? 0 : Math.min(REVERT_LOSSES * this.loss, REVERT_LIMIT));
		boolean lost = this.againstOld < -limit;
		if (!lost && !broken && this.measured < MEASURED_CALLS) {
			return false;
		}
		this.measuring = false;
		this.loss += LOSS_WEIGHT * (Math.max(this.leastLoss, this.shortOfNew) - this.loss);
		if (!lost) {
			return false;
		}
		this.penalty[this.previous][this.current] -= this.againstOld;
		this.reverts++;
		double waits = 2 * this.backOff;
		switchTo(this.previous, PolicySwitch.Cause.LOSS, (double) -this.againstOld / this.measured, this.measured);
		this.backOff = Math.min(MAX_BACK_OFF, waits);
		this.waitUntil = this.total + (long) (this.backOff * DWELL);
		return true;
	}

	/**
	 * Expected rate of the candidate in use: that of its simulation, unless the real
	 * system stays far below.
	 */
	private double achieved(int horizon) {
		return Math.min(this.successes[horizon][this.current], this.reals[horizon] + SHORTFALL * this.calls[horizon]);
	}

	private boolean decide() {
		int best = this.current;
		int bestHorizon = 0;
		double bestConfidence = CONFIDENCE;
		for (int i = 0; i < this.count; i++) {
			for (int horizon = 0; horizon < DISCOUNTS.length && i != this.current; horizon++) {
				double gain = this.successes[horizon][i] - achieved(horizon);
				double demanded = MARGIN * this.calls[horizon] + this.penalty[this.current][i]
						+ this.loss * (1 + HYSTERESIS) * this.backOff;
				double differ = this.differences[horizon][Math.max(i, this.current)][Math.min(i, this.current)]
						+ Math.max(0, this.successes[horizon][this.current] - this.reals[horizon]);
				double confidence = gain / Math.sqrt(differ + 1);
				if (gain > demanded && confidence > bestConfidence) {
					bestConfidence = confidence;
					best = i;
					bestHorizon = horizon;
				}
			}
		}
		if (best == this.current) {
			if (this.backOff > 1 && this.total - this.forgivenAt > (long) FORGIVE * this.scale) {
				this.backOff /= 2;
				this.forgivenAt = this.total;
			}
			return false;
		}
		if (best == this.previous && this.total - this.switchedAt < FLIP_FLOP * this.scale * this.backOff) {
			this.backOff = Math.min(MAX_BACK_OFF, 2 * this.backOff);
		}
		double gain = this.successes[bestHorizon][best] - achieved(bestHorizon);
		this.penalty[best][this.current] += this.successes[bestHorizon][this.current] - achieved(bestHorizon);
		switchTo(best, PolicySwitch.Cause.GAIN, gain / this.calls[bestHorizon], this.calls[bestHorizon]);
		this.measuring = true;
		this.measured = 0;
		this.againstOld = 0;
		this.differsFromOld = 0;
		this.shortOfNew = 0;
		return true;
	}

	private void switchTo(int to, PolicySwitch.Cause cause, double gain, double over) {
		if (this.decisions.size() == MAX_DECISIONS) {
			this.decisions.removeFirst();
		}
		double failures = 1 - recentRate(to);
		this.decisions.addLast(new PolicySwitch(this.total, this.names.get(this.current), this.names.get(to), cause,
				failures + gain, failures, over, this.loss));
		this.previous = this.current;
		this.current = to;
		for (int horizon = 0; horizon < DISCOUNTS.length; horizon++) {
			this.reals[horizon] = this.successes[horizon][to];
		}
		this.switchedAt = this.total;
		this.forgivenAt = this.total;
		this.waitUntil = this.total + DWELL;
		this.switches++;
	}

	/**
	 * Returns the candidate in use.
	 * @return its number
	 */
	public int current() {
		return this.current;
	}

	/** Makes a candidate the one in use, whatever it achieves. */
	void force(int candidate) {
		this.measuring = false;
		switchTo(candidate, PolicySwitch.Cause.FORCED, 0, 0);
	}

	/**
	 * Returns a candidate's rate of success in the recent past: some thousand calls.
	 * @param candidate its number
	 * @return between 0 and 1, {@code NaN} if nothing is known yet
	 */
	public double recentRate(int candidate) {
		return this.successes[0][candidate] / this.calls[0];
	}

	/**
	 * Returns a candidate's rate of success since the beginning.
	 * @param candidate its number
	 * @return between 0 and 1, {@code NaN} if nothing is known yet
	 */
	public double rate(int candidate) {
		return (double) this.allSuccesses[candidate] / this.total;
	}

	/**
	 * Returns the real rate of success since the beginning.
	 * @return between 0 and 1, {@code NaN} if nothing is known yet
	 */
	public double realRate() {
		return (double) this.real / this.total;
	}

	/**
	 * Returns the number of calls that were recorded.
	 * @return a count
	 */
	public long calls() {
		return this.total;
	}

	/**
	 * Returns what a switch is taken to cost.
	 * @return successes lost
	 */
	public double loss() {
		return this.loss;
	}

	/**
	 * Returns the number of switches, those that took one back among them.
	 * @return a count
	 */
	public long switches() {
		return this.switches;
	}

	/**
	 * Returns the number of switches that were taken back.
	 * @return a count
	 */
	public long reverts() {
		return this.reverts;
	}

	/**
	 * Returns the last decisions, oldest first. Costs are rates of failure, times are
	 * numbers of calls.
	 * @return a copy of at most {@value #MAX_DECISIONS}
	 */
	public List<PolicySwitch> decisions() {
		return List.copyOf(this.decisions);
	}

}
