package io.github.vicinal.testing;

/** Whether tests try all that they can, as with the profile {@code deep}, or a part. */
public final class DeepTests {

	private static final String PROPERTY = "vicinal.test.deep";

	private DeepTests() {
	}

	/**
	 * Returns whether tests try all that they can.
	 * @return {@code true} with {@code -Dvicinal.test.deep=true}
	 */
	public static boolean areRun() {
		return Boolean.getBoolean(PROPERTY);
	}

}
