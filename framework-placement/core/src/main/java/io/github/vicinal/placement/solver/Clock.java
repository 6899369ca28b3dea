package io.github.vicinal.placement.solver;

/** Says when a search has to end. */
interface Clock {

	/**
	 * Asks, after some steps.
	 * @param steps steps made since the last question
	 * @return whether to end
	 */
	boolean expired(long steps);

	/**
	 * Returns the used part of what there is.
	 * @return between 0 and 1, 0 if there is no end
	 */
	default double used() {
		return 0;
	}

}
