package io.github.vicinal.testing;

import java.util.List;

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

	/**
	 * Returns the rows of a parameterised test that the build takes, as {@link InTurn}
	 * chooses them, for rows that no annotation can hold.
	 * @param <T> type of a row
	 * @param all all rows, which are returned where tests try all that they can
	 * @param count number of rows to take, fewer than there are
	 * @param test name of the test, from which it follows which rows are taken
	 * @return the rows
	 */
	public static <T> List<T> inTurn(List<T> all, int count, String test) {
		return areRun() ? all : InTurnProvider.rows(all, count, test);
	}

}
