package io.github.vicinal.cache.policy;

/**
 * The policies of this package.
 *
 * @since 0.1.0
 */
public final class Policies {

	/** Evicts the least recently used. */
	public static final PolicyFactory LRU = (slots, capacity) -> new RecencyPolicy(slots, true, false);

	/** Evicts the most recently used. */
	public static final PolicyFactory MRU = (slots, capacity) -> new RecencyPolicy(slots, true, true);

	/** Evicts the oldest. */
	public static final PolicyFactory FIFO = (slots, capacity) -> new RecencyPolicy(slots, false, false);

	/** Evicts the least frequently used, counted while it is in the cache. */
	public static final PolicyFactory LFU = (slots, capacity) -> new LfuPolicy(slots, null);

	/**
	 * Evicts the least frequently used; counts are remembered for some times as many keys
	 * as there are entries.
	 */
	public static final PolicyFactory LFU_HISTORY = (slots, capacity) -> new LfuPolicy(slots,
			new CountHistory(historyLength(capacity)));

	/** Segmented LRU. */
	public static final PolicyFactory SLRU = SegmentedLruPolicy::new;

	/** S3-FIFO. */
	public static final PolicyFactory S3_FIFO = S3FifoPolicy::new;

	/** Evictions of {@link #S3_FIFO_BOUNDED} look at no more entries than that. */
	static final int MAX_STEPS = 1024;

	/**
	 * S3-FIFO without pauses: if none of the 1,024 oldest entries is unused, the next one
	 * goes. The textbook's goes round until it finds one, thrice round a cache whose
	 * entries were all used.
	 */
	public static final PolicyFactory S3_FIFO_BOUNDED = (slots, capacity) -> new S3FifoPolicy(slots, capacity,
			MAX_STEPS);

	/** LIRS. */
	public static final PolicyFactory LIRS = LirsPolicy::new;

	private static final double SAMPLE_FACTOR = 10;

	/** Keys whose count is remembered in small caches. */
	private static final int MIN_HISTORY = 8192;

	private static final int HISTORY_FACTOR = 4;

	private static final int SMALL_HISTORY_FACTOR = 16;

	private Policies() {
	}

	/**
	 * W-TinyLFU with a window of fixed size.
	 * @param windowPart the window's part of the cache, between 0 and 1
	 * @return the policy
	 */
	public static PolicyFactory windowTinyLfu(double windowPart) {
		return windowTinyLfu(windowPart, SAMPLE_FACTOR);
	}

	/**
	 * W-TinyLFU with a window of fixed size, and a longer or shorter memory.
	 * @param windowPart the window's part of the cache, between 0 and 1
	 * @param sampleFactor after how many uses per entry all counts are halved
	 * @return the policy
	 */
	public static PolicyFactory windowTinyLfu(double windowPart, double sampleFactor) {
		return (slots, capacity) -> new WindowTinyLfuPolicy(slots, capacity, windowPart,
				new FrequencySketch(capacity, sampleFactor), true);
	}

	/**
	 * W-TinyLFU with a window of fixed size, for a simulation at another scale.
	 * @param windowPart the window's part of the cache, between 0 and 1
	 * @param wordsPerEntry the width of its sketch
	 * @return the policy
	 */
	public static PolicyFactory windowTinyLfuAtScale(double windowPart, int wordsPerEntry) {
		return (slots, capacity) -> new WindowTinyLfuPolicy(slots, capacity, windowPart,
				new FrequencySketch(capacity, SAMPLE_FACTOR, wordsPerEntry), true);
	}

	/**
	 * W-TinyLFU with a window of fixed size and a sketch that somebody else feeds.
	 * @param windowPart the window's part of the cache, between 0 and 1
	 * @param sketch counts all uses
	 * @return the policy
	 */
	public static PolicyFactory windowTinyLfu(double windowPart, FrequencySketch sketch) {
		return (slots, capacity) -> new WindowTinyLfuPolicy(slots, capacity, windowPart, sketch, false);
	}

	static int historyLength(int capacity) {
		long small = Math.min((long) SMALL_HISTORY_FACTOR * capacity, MIN_HISTORY);
		return (int) Math.min(Integer.MAX_VALUE / 8, Math.max(small, (long) HISTORY_FACTOR * capacity));
	}

}
