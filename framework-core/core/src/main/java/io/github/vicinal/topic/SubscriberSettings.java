package io.github.vicinal.topic;

import java.time.Duration;

/**
 * Settings of one subscriber.
 *
 * @param name of the subscriber, for people
 * @param concurrency in a stream, number of threads per publisher that handle messages at
 * the same time, 1 to 64; in publish/subscribe always 1, so that the order of each
 * publisher is kept
 * @param maxAttempts number of times that a message is given to the handler if that
 * throws, at least 1
 * @param backOff time between two attempts, doubled after each
 * @since 0.1.0
 */
public record SubscriberSettings(String name, int concurrency, int maxAttempts, Duration backOff) {

	/** Maximum number of threads per publisher. */
	public static final int MAX_CONCURRENCY = 64;

	/** Checks the settings. */
	public SubscriberSettings {
		if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
			throw new IllegalArgumentException("The concurrency of subscriber '%s' must be from 1 to %d, not %d"
				.formatted(name, MAX_CONCURRENCY, concurrency));
		}
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("The subscriber '%s' must attempt a message at least once, not %d times"
				.formatted(name, maxAttempts));
		}
		if (backOff.isNegative()) {
			throw new IllegalArgumentException(
					"The back-off of subscriber '%s' must not be negative: %s".formatted(name, backOff));
		}
	}

	/**
	 * Returns the settings of a subscriber that handles one message at a time and
	 * attempts each once.
	 * @param name of the subscriber
	 * @return the settings
	 */
	public static SubscriberSettings of(String name) {
		return new SubscriberSettings(name, 1, 1, Duration.ZERO);
	}

}
