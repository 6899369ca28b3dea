package io.github.vicinal.transport.testing.topic;

import java.time.Duration;

import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;

/** A way in which an application subscribes. */
public interface SubscriberForm {

	/**
	 * Subscribes.
	 * @param topics of the application
	 * @param settings the topic
	 * @param name of the subscriber
	 * @param shape how messages are handled; one that {@link #supports supported}
	 * @param handler handles them
	 * @return closes the subscription
	 */
	AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
			MessageHandler<byte[]> handler);

	/**
	 * Returns whether this form has a way to handle messages.
	 * @param shape the way
	 * @return whether it has
	 */
	boolean supports(Shape shape);

	/**
	 * Returns whether handling a message is observed as such.
	 * @return whether it is
	 */
	boolean isObserved();

	/** How messages are handled. */
	enum Shape {

		/** One after the other, each attempted once. */
		SINGLE(1, 1),

		/** One after the other, each attempted three times. */
		RETRIED(3, 1),

		/** Batches of up to eight messages, attempted once. */
		BATCHED(1, 8),

		/** Batches of up to eight messages, each attempted three times. */
		BATCHED_RETRIED(3, 8),

		/** Attempted twice, and then published to {@link Shape#deadLetters}. */
		DEAD_LETTERED(2, 1);

		/** Time between two attempts, doubled after each, in milliseconds. */
		public static final int BACK_OFF_MILLIS = 20;

		private final int maxAttempts;

		private final int maxBatch;

		Shape(int maxAttempts, int maxBatch) {
			this.maxAttempts = maxAttempts;
			this.maxBatch = maxBatch;
		}

		/**
		 * Returns the number of attempts.
		 * @return at least 1
		 */
		public int maxAttempts() {
			return this.maxAttempts;
		}

		/**
		 * Returns the maximum number of messages of a batch.
		 * @return at least 1
		 */
		public int maxBatch() {
			return this.maxBatch;
		}

		/**
		 * Returns the time between the first two attempts.
		 * @return the back-off
		 */
		public static Duration backOff() {
			return Duration.ofMillis(BACK_OFF_MILLIS);
		}

		/**
		 * Returns the name of the dead-letter topic of a topic.
		 * @param topic name of the topic
		 * @return the name
		 */
		public static String deadLetters(String topic) {
			return topic + ".dead";
		}

	}

}
