package io.github.vicinal.requestserver;

import java.time.Duration;

import io.github.vicinal.requestserver.Rejection.Reason;

/**
 * Rejection without the name of its server: the decision of a queue, and the numbers that
 * the text names.
 */
final class PendingRejection {

	private final Reason reason;

	private final Duration retryAfter;

	private final String format;

	private final Object[] numbers;

	/**
	 * Creates a rejection without its text.
	 * @param reason the rule
	 * @param retryAfter when to try again
	 * @param format the text behind the server's name
	 * @param numbers what the text says
	 */
	PendingRejection(Reason reason, Duration retryAfter, String format, Object... numbers) {
		this.reason = reason;
		this.retryAfter = retryAfter;
		this.format = format;
		this.numbers = numbers;
	}

	Reason reason() {
		return this.reason;
	}

	Rejection rejection(String server) {
		return new Rejection(this.reason,
				() -> "The request server '%s' %s".formatted(server, this.format.formatted(this.numbers)),
				this.retryAfter);
	}

}
