package io.github.vicinal.placement.solver;

/** Says when a search has to end. */
interface Clock {

	/**
	 * Asks, after some steps.
	 * @param steps steps made since the last question
	 * @return whether to end
	 */
	boolean expired(long steps);

}
