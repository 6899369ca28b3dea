package io.github.vicinal.placement.solver;

/**
 * Method by which a lower bound of the objective was computed.
 *
 * @since 0.1.0
 */
public enum BoundMethod {

	/** All placements were tried, so the bound is the best objective. */
	ALL_PLACEMENTS("all placements were tried"),

	/** Bound of an exact solver. */
	EXACT_SOLVER("an exact solver"),

	/** Prices of replicas, and services fixed to hosts one by one. */
	FIXED_SERVICES("prices of replicas, with services fixed to hosts one by one"),

	/** Prices of replicas. */
	PRICES("prices of replicas"),

	/**
	 * The part of the objective that no plan avoids, whatever the traffic. Says little,
	 * unless the plan meets it.
	 */
	UNAVOIDABLE("the part of the objective that no plan avoids");

	private final String words;

	BoundMethod(String words) {
		this.words = words;
	}

	/**
	 * Returns the method for people.
	 * @return what the bound rests on
	 */
	public String words() {
		return this.words;
	}

}
