package io.github.vicinal.requestserver;

import java.time.Duration;

/**
 * Why a request was not served. It was not executed, so it may be sent again.
 *
 * @param reason the rule
 * @param message the rule with its numbers, for people
 * @param retryAfter when to try again; what HTTP calls {@code Retry-After}
 * @since 0.1.0
 */
public record Rejection(Reason reason, String message, Duration retryAfter) {

	/**
	 * The header of an answer that says, by its reason, that the request was not
	 * executed. Servers remove it from all other answers, unless
	 * {@code vicinal.server.enabled} is off.
	 */
	public static final String HEADER = "Vicinal-Refused";

	/**
	 * The rules by which requests are rejected.
	 *
	 * @since 0.1.0
	 */
	public enum Reason {

		/** The queue is full. */
		QUEUE_FULL,

		/** Under overload, it would have waited, or has waited, for too long. */
		OVERLOAD,

		/** Its channel has its share of requests already. */
		BULKHEAD,

		/** Its deadline passed while it waited. */
		DEADLINE,

		/** The thread that waited with it was interrupted. */
		INTERRUPTED,

		/** The server accepts nothing more. */
		SHUTTING_DOWN

	}

}
