package io.github.vicinal.samples.trainticket.order;

/**
 * Class of a seat.
 */
public enum SeatClass {

	/** First class. */
	FIRST,

	/** Second class. */
	SECOND

}
