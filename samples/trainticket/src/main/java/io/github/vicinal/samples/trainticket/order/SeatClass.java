package io.github.vicinal.samples.trainticket.order;

/**
 * Where a passenger sits.
 */
public enum SeatClass {

	/** First class. */
	FIRST,

	/** Second class. */
	SECOND

}
