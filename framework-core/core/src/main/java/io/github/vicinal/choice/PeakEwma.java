package io.github.vicinal.choice;

/**
 * A mean that rises at once to a sample above it and decays slowly: what a cautious
 * caller expects of the next call. One writer at a time, any number of readers.
 *
 * @since 0.1.0
 */
public final class PeakEwma {

	/** Up to here {@code exp(-x)} and {@code 1 - x} are the same within 0.005 %. */
	private static final double LINEAR = 0.01;

	private final double decayNanos;

	private volatile double value = Double.NaN;

	private long last;

	/**
	 * Creates a mean without samples.
	 * @param decayNanos the time in which the past comes to count 1/e
	 */
	public PeakEwma(long decayNanos) {
		this.decayNanos = decayNanos;
	}

	/**
	 * Records a sample.
	 * @param sample a finite number
	 * @param nanos the time; one that goes back counts as none passed
	 */
	public void record(double sample, long nanos) {
		double known = this.value;
		if (Double.isNaN(known) || sample >= known) {
			this.value = sample;
		}
		else {
			double passed = Math.max(0, nanos - this.last) / this.decayNanos;
			// The exponential function takes longer than all else here.
			double past = (passed < LINEAR) ? 1 - passed : Math.exp(-passed);
			this.value = known * past + sample * (1 - past);
		}
		this.last = nanos;
	}

	/**
	 * Returns the mean.
	 * @return in the unit of the samples, {@code NaN} before the first one
	 */
	public double value() {
		return this.value;
	}

}
