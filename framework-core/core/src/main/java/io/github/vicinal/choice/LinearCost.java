package io.github.vicinal.choice;

/**
 * What a call costs by its size: {@code fixed + perByte * bytes}, learned from the means
 * of a few classes of sizes, each of which counts by how well it is known.
 * <p>
 * The line is fitted to relative errors: a class of large bodies, whose costs are large,
 * must not drown what is known of small ones. Neither coefficient is negative. As long as
 * all calls have about the same size, the cost per byte cannot be told and is 0.
 * <p>
 * Not thread-safe. Recording allocates nothing.
 *
 * @since 0.1.0
 */
public final class LinearCost {

	/** Classes of sizes: up to 1 KiB, 4 KiB, 16 KiB and so on, and one for the rest. */
	public static final int SIZE_CLASSES = 8;

	private static final int SMALLEST_LOG2 = 10;

	/** A class follows with this weight once it has enough samples. */
	private static final double WEIGHT = 1.0 / 128;

	private static final double MAX_OUTLIER = 8;

	/** Samples before an outlier can be told. */
	private static final int KNOWN_SAMPLES = 8;

	/** The largest mean size must be so many times the smallest. */
	private static final double MIN_SPREAD = 1.5;

	private final long[] samples = new long[SIZE_CLASSES];

	private final double[] bytes = new double[SIZE_CLASSES];

	private final double[] cost = new double[SIZE_CLASSES];

	private double fixed = Double.NaN;

	private double perByte;

	private boolean stale;

	/**
	 * Returns the class of a size.
	 * @param bytes a size, at least 0
	 * @return a number below {@link #SIZE_CLASSES}
	 */
	public static int sizeClass(long bytes) {
		if (bytes <= 1 << SMALLEST_LOG2) {
			return 0;
		}
		int log2 = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
		return Math.min((log2 - SMALLEST_LOG2 + 1) >> 1, SIZE_CLASSES - 1);
	}

	/**
	 * Returns the largest size of a class.
	 * @param sizeClass its number
	 * @return bytes, {@link Long#MAX_VALUE} for the last class
	 */
	public static long largest(int sizeClass) {
		return (sizeClass == SIZE_CLASSES - 1) ? Long.MAX_VALUE : 1L << (SMALLEST_LOG2 + 2 * sizeClass);
	}

	/**
	 * Records what a call cost.
	 * @param size how many bytes it carried, request and reply
	 * @param value its cost, finite and at least 0
	 */
	public void record(long size, double value) {
		int i = sizeClass(size);
		long count = ++this.samples[i];
		double weight = Math.max(WEIGHT, 1.0 / count);
		double bounded = (count > KNOWN_SAMPLES) ? Math.min(value, this.cost[i] * MAX_OUTLIER) : value;
		this.bytes[i] += weight * (size - this.bytes[i]);
		this.cost[i] += weight * (bounded - this.cost[i]);
		this.stale = true;
	}

	private void fit() {
		this.stale = false;
		double sum = 0;
		double sumX = 0;
		double sumY = 0;
		double smallest = Double.MAX_VALUE;
		double largest = 0;
		for (int i = 0; i < SIZE_CLASSES; i++) {
			if (this.samples[i] > 0) {
				double weight = weight(i);
				sum += weight;
				sumX += weight * this.bytes[i];
				sumY += weight * this.cost[i];
				smallest = Math.min(smallest, this.bytes[i]);
				largest = Math.max(largest, this.bytes[i]);
			}
		}
		if (sum == 0) {
			return;
		}
		double meanX = sumX / sum;
		double meanY = sumY / sum;
		double sumXx = 0;
		double sumXy = 0;
		for (int i = 0; i < SIZE_CLASSES; i++) {
			if (this.samples[i] > 0) {
				double x = this.bytes[i] - meanX;
				sumXx += weight(i) * x * x;
				sumXy += weight(i) * x * (this.cost[i] - meanY);
			}
		}
		boolean spread = largest > MIN_SPREAD * Math.max(smallest, 1) && sumXx > 0;
		this.perByte = spread ? Math.max(0, sumXy / sumXx) : 0;
		this.fixed = meanY - this.perByte * meanX;
		if (this.fixed < 0) {
			this.fixed = 0;
			this.perByte = meanY / meanX;
		}
	}

	/** The noise of a mean is proportional to it, and falls with the samples in it. */
	private double weight(int i) {
		double known = Math.min(this.samples[i], 1 / WEIGHT);
		return known / Math.max(this.cost[i] * this.cost[i], Double.MIN_NORMAL);
	}

	private void refresh() {
		if (this.stale) {
			fit();
		}
	}

	/**
	 * Returns what a call costs apart from its bytes.
	 * @return in the unit of the samples, {@code NaN} before the first one
	 */
	public double fixed() {
		refresh();
		return this.fixed;
	}

	/**
	 * Returns what each byte costs.
	 * @return in the unit of the samples, 0 while it cannot be told
	 */
	public double perByte() {
		refresh();
		return this.perByte;
	}

	/**
	 * Returns what a call is expected to cost.
	 * @param size its size in bytes
	 * @return in the unit of the samples, {@code NaN} before the first one
	 */
	public double at(double size) {
		return fixed() + perByte() * size;
	}

	/**
	 * Returns whether calls of different sizes have shown what a byte costs.
	 * @return whether {@link #perByte()} is known
	 */
	public boolean knowsSlope() {
		refresh();
		return this.perByte > 0;
	}

	/**
	 * Returns the mean size of a class.
	 * @param sizeClass its number
	 * @return bytes, {@code NaN} if no call had such a size
	 */
	public double meanBytes(int sizeClass) {
		return (this.samples[sizeClass] == 0) ? Double.NaN : this.bytes[sizeClass];
	}

	/** Forgets all samples. */
	public void forget() {
		java.util.Arrays.fill(this.samples, 0);
		this.fixed = Double.NaN;
		this.perByte = 0;
		this.stale = false;
	}

}
