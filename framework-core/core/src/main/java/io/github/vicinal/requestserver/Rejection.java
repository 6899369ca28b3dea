package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Why a request was not served. It was not executed, so it may be sent again. Immutable
 * and thread-safe.
 *
 * @since 0.1.0
 */
public final class Rejection {

	/**
	 * The header of an answer that says, by its reason, that the request was not
	 * executed. Servers remove it from all other answers, unless
	 * {@code vicinal.server.enabled} is off.
	 */
	public static final String HEADER = "Vicinal-Refused";

	private final Reason reason;

	private final Supplier<String> message;

	private final Duration retryAfter;

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

	/**
	 * Creates a rejection.
	 * @param reason the rule
	 * @param message the rule with its numbers, for people; made when it is asked for, as
	 * rejections are many when they matter, and few of them are read
	 * @param retryAfter when to try again; what HTTP calls {@code Retry-After}
	 */
	public Rejection(Reason reason, Supplier<String> message, Duration retryAfter) {
		this.reason = reason;
		this.message = message;
		this.retryAfter = retryAfter;
	}

	/**
	 * Returns the rule by which the request was rejected.
	 * @return the rule
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Returns the rule with its numbers.
	 * @return a sentence for people
	 */
	public String message() {
		return this.message.get();
	}

	/**
	 * Returns when to try again.
	 * @return the time from the rejection on
	 */
	public Duration retryAfter() {
		return this.retryAfter;
	}

	@Override
	public String toString() {
		return this.reason + ": " + message();
	}

}
