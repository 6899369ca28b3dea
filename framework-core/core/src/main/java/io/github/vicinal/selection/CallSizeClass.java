package io.github.vicinal.selection;

/**
 * Classes of call sizes: up to 1 KiB, 4 KiB, 16 KiB and so on, and one for the rest. The
 * better path may depend on the size, and is the same for sizes that differ little.
 *
 * @since 0.1.0
 */
public final class CallSizeClass {

	/** Number of classes. */
	public static final int COUNT = 8;

	private static final int SMALLEST_LOG2 = 10;

	private CallSizeClass() {
	}

	/**
	 * Returns the class of a size.
	 * @param bytes a size, at least 0
	 * @return a number below {@link #COUNT}
	 */
	public static int of(long bytes) {
		if (bytes <= 1 << SMALLEST_LOG2) {
			return 0;
		}
		int log2 = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
		return Math.min((log2 - SMALLEST_LOG2 + 1) >> 1, COUNT - 1);
	}

	/**
	 * Returns the largest size of a class.
	 * @param sizeClass its number
	 * @return bytes, {@link Long#MAX_VALUE} for the last class
	 */
	public static long largest(int sizeClass) {
		return (sizeClass == COUNT - 1) ? Long.MAX_VALUE : 1L << (SMALLEST_LOG2 + 2 * sizeClass);
	}

	/** Returns the sizes of a class for people. */
	static String describe(int sizeClass) {
		if (sizeClass < 0) {
			return "all calls";
		}
		if (sizeClass == 0) {
			return "calls up to " + size(0);
		}
		return (sizeClass == COUNT - 1) ? "calls above " + size(sizeClass - 1)
				: "calls of %s to %s".formatted(size(sizeClass - 1), size(sizeClass));
	}

	private static String size(int sizeClass) {
		long kib = largest(sizeClass) >> 10;
		return (kib < 1024) ? kib + " KiB" : (kib >> 10) + " MiB";
	}

}
