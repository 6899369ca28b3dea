package io.github.vicinal.boot.topic;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.UnreadableMessageException;

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
	 * @param message the message; with the bytes that were published, if these cannot be
	 * read as the payload that the listener takes
	 * @param cause what the listener has thrown at the last attempt, or an
	 * {@link UnreadableMessageException}
	 * @throws Exception if the message is not done: it goes to the dead-letter topic, or
	 * is logged
	 */
	void handle(Message<?> message, Exception cause) throws Exception;

}
