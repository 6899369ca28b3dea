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
 * @param maxBatch maximum number of messages that are given to the handler together, 1 to
 * 1024; with 1 they are given to it one by one
 * @since 0.1.0
 */
public record SubscriberSettings(String name, int concurrency, int maxAttempts, Duration backOff, int maxBatch) {

	/** Maximum number of threads per publisher. */
	public static final int MAX_CONCURRENCY = 64;

	/** Maximum number of messages of a batch. */
	public static final int MAX_BATCH = 1024;

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
		if (maxBatch < 1 || maxBatch > MAX_BATCH) {
			throw new IllegalArgumentException("The maximum batch of subscriber '%s' must be from 1 to %d, not %d"
				.formatted(name, MAX_BATCH, maxBatch));
		}
	}

	/**
	 * Creates the settings of a subscriber that is given messages one by one.
	 * @param name of the subscriber, for people
	 * @param concurrency in a stream, number of threads per publisher that handle
	 * messages at the same time, 1 to 64
	 * @param maxAttempts number of times that a message is given to the handler if that
	 * throws, at least 1
	 * @param backOff time between two attempts, doubled after each
	 */
	public SubscriberSettings(String name, int concurrency, int maxAttempts, Duration backOff) {
		this(name, concurrency, maxAttempts, backOff, 1);
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

	/**
	 * Returns these settings with another maximum of messages in a batch. A batch has
	 * what is there when the handler is ready for it: nobody waits for it to fill.
	 * @param messages maximum number of messages, 1 to 1024
	 * @return the settings
	 */
	public SubscriberSettings withMaxBatch(int messages) {
		return new SubscriberSettings(this.name, this.concurrency, this.maxAttempts, this.backOff, messages);
	}

}
