package io.github.vicinal.boot.topic;

import io.github.vicinal.topic.Message;

/**
 * Handles messages that a listener could not handle, after the last attempt. A bean of
 * this type is named by {@code @AffinityListener(errorHandler = "…")}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TopicErrorHandler {

	/**
	 * Handles a message. When this returns the message is done.
	 * @param message the message
	 * @param cause what the listener has thrown at the last attempt
	 * @throws Exception if the message is not done: it goes to the dead-letter topic, or
	 * is logged
	 */
	void handle(Message<?> message, Exception cause) throws Exception;

}
