package io.github.vicinal.replica;

/**
 * Outcome of a call, as far as it concerns the replica.
 *
 * @since 0.1.0
 */
public enum Outcome {

	/** The replica answered, with a value or with an error that is the caller's. */
	ANSWERED,

	/**
	 * The replica answered with an error of its own: how fast it did that does not speak
	 * for it.
	 */
	FAILED,

	/** The replica refused the call because it has too much to do. */
	REFUSED,

	/**
	 * The caller's time was up. The replica may be slow, or gone: that shows in whether
	 * it answered other calls meanwhile.
	 */
	TIMED_OUT,

	/** There was no answer: the replica is gone or cannot be reached. */
	UNANSWERED,

	/** The caller did not wait for the answer, which says nothing of the replica. */
	ABANDONED

}
