package io.github.vicinal.choice;

import java.util.Arrays;

/**
 * Tells a candidate that suddenly costs a multiple of what it did from noise, within some
 * ten samples.
 * <p>
 * The logarithm of how many times a sample exceeds what the candidate cost in calm times,
 * less an allowance, is summed up, never below zero (CUSUM, Page 1954): noise lets the
 * sum return to zero again and again, a level several times as high lets it rise without
 * end. One sample counts for so little that heavy tails do not reach the threshold. A new
 * level that lasts becomes the calm one.
 * <p>
 * Calls that overlap may all be late by one cause, such as a pause of this process. They
 * make one generation, which counts once, and ends with a call that began in it. Not
 * thread-safe.
 */
final class Degradation {

	/** Number of recent samples that are kept to estimate the new level. */
	private static final int WINDOW = 8;

	/** Samples above 2.7 times the calm cost speak for a degradation. */
	private static final double ALLOWANCE = 1;

	/** What one sample can say at most; a tenfold cost says 1.3. */
	private static final double MAX_EVIDENCE = 1.5;

	private static final double THRESHOLD = 6.5;

	/** Samples before anything is known to be calm. */
	private static final int CALM_SAMPLES = 32;

	/** Number of blocks above the calm cost that establish a new one. */
	private static final int LASTING_BLOCKS = 4;

	/** Weight of a block in the calm cost. */
	private static final double CALM_WEIGHT = 1.0 / 16;

	private final double[] last = new double[WINDOW];

	private final double[] sorted = new double[WINDOW];

	private int next;

	private double sum;

	private long generationStart = Long.MIN_VALUE / 2;

	private int total;

	/** Evidence of the current generation. */
	private double evidence;

	private double calm;

	private long samples;

	private int blocksAbove;

	/**
	 * Records a sample; returns whether the last ones show a degradation.
	 * @param cost what the call cost
	 * @param begun when it began
	 * @param now when it ended
	 */
	boolean record(double cost, long begun, long now) {
		this.samples++;
		this.last[this.next] = cost;
		this.next = (this.next + 1) % WINDOW;
		if (this.calm == 0) {
			return false;
		}
		this.total++;
		this.evidence += Math.min(Math.log(cost / this.calm) - ALLOWANCE, MAX_EVIDENCE);
		boolean clockWentBack = now - this.generationStart < 0;
		if (begun - this.generationStart >= 0 || clockWentBack) {
			this.sum = Math.min(Math.max(0, this.sum + this.evidence / this.total), 2 * THRESHOLD);
			this.generationStart = now;
			this.total = 0;
			this.evidence = 0;
		}
		return this.sum >= THRESHOLD;
	}

	/** The mean is a candidate for the calm cost, unless it is a symptom itself. */
	void endBlock(double mean) {
		if (this.samples < CALM_SAMPLES) {
			return;
		}
		boolean above = this.calm > 0 && mean > 2 * this.calm;
		if (above && ++this.blocksAbove < LASTING_BLOCKS) {
			return;
		}
		this.calm = (this.calm == 0 || above) ? mean : this.calm + CALM_WEIGHT * (mean - this.calm);
		this.blocksAbove = 0;
	}

	/** Returns the middle of the last samples. */
	double recent() {
		System.arraycopy(this.last, 0, this.sorted, 0, WINDOW);
		Arrays.sort(this.sorted);
		return this.sorted[WINDOW / 2];
	}

	/** What was calm, and what came last, now costs so many times as much. */
	void restate(double factor) {
		restateCalm(factor);
		for (int i = 0; i < WINDOW; i++) {
			this.last[i] *= factor;
		}
	}

	/** What was calm now costs so many times as much, as what came last shows. */
	void restateCalm(double factor) {
		this.calm *= factor;
	}

	void forget() {
		this.samples = 0;
		this.calm = 0;
		this.sum = 0;
		this.total = 0;
		this.evidence = 0;
		this.blocksAbove = 0;
	}

}
