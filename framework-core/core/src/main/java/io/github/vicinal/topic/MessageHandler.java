package io.github.vicinal.topic;

import java.util.List;

/**
 * Handles the messages of a subscriber. One thread at a time calls it, unless the
 * subscriber has a concurrency of more than one.
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
@FunctionalInterface
public interface MessageHandler<T> {

	/**
	 * Handles a message. Room for further messages is freed when this method returns.
	 * @param message the message
	 * @throws Exception if the message could not be handled: it is attempted again, or
	 * given to the error handler
	 */
	void handle(Message<T> message) throws Exception;

	/**
	 * Handles the messages of a batch, in place of {@link #handle}, if the subscriber has
	 * a {@link SubscriberSettings#maxBatch() maximum} of more than one. Those of one
	 * publisher are in its order, but for messages of a stream that are redelivered. The
	 * room of all of them is freed when this method returns. Handles one after the other
	 * by default; a {@link BatchHandler} takes them together.
	 * @param messages the messages, at least one; unmodifiable
	 * @throws BatchFailedException if one message could not be handled: those before it
	 * are handled
	 * @throws Exception if none could be handled: all are attempted again, or given to
	 * the error handler one by one
	 */
	default void handleAll(List<Message<T>> messages) throws Exception {
		for (int i = 0; i < messages.size(); i++) {
			try {
				handle(messages.get(i));
			}
			catch (Exception | Error ex) {
				throw new BatchFailedException(i, ex);
			}
		}
	}

	/**
	 * Called with a message that could not be handled, after the last attempt. Logs by
	 * default.
	 * @param message the message
	 * @param cause what the handler has thrown
	 */
	default void failed(Message<T> message, Exception cause) {
		System.getLogger(MessageHandler.class.getName())
			.log(System.Logger.Level.ERROR,
					("Message %d of topic '%s' could not be handled and is left: an error handler or a "
							+ "dead-letter topic of the listener would be given it")
						.formatted(message.sequence(), message.topic()),
					cause);
	}

	/**
	 * Called with a message that could not be handled, after the last attempt, and the
	 * bytes of its payload. They may say more than the payload that was read from them,
	 * which the handler may have changed, too. Calls {@link #failed(Message, Exception)}
	 * by default.
	 * @param message the message as it was attempted last
	 * @param published the bytes that were published; if the payload is {@code byte[]},
	 * the same array, unless it may be attempted or given in a batch again, or the
	 * handler {@linkplain #needsPublished() needs} it
	 * @param cause what the handler has thrown
	 */
	default void failed(Message<T> message, byte[] published, Exception cause) {
		failed(message, cause);
	}

	/**
	 * Called with a message whose payload cannot be read. It is not attempted again. Logs
	 * by default.
	 * @param message the message with the bytes that were published
	 * @param cause why they cannot be read
	 */
	default void unreadable(Message<byte[]> message, UnreadableMessageException cause) {
		System.getLogger(MessageHandler.class.getName())
			.log(System.Logger.Level.ERROR, "Message %d of topic '%s' cannot be read and is left"
				.formatted(message.sequence(), message.topic()), cause);
	}

	/**
	 * Called once when the subscription begins to end, by the thread that closes it. A
	 * handler that waits for something returns soon after, or throws a
	 * {@link MessageReturnedException}: closing waits for it.
	 */
	default void closing() {
	}

	/**
	 * Returns whether {@link #failed(Message, byte[], Exception)} needs the bytes that
	 * were published although the handler may change a payload of {@code byte[]}. Each
	 * such payload is then a copy, as it is in batches and if there is more than one
	 * attempt.
	 * @return {@code false} by default
	 */
	default boolean needsPublished() {
		return false;
	}

	/**
	 * Returns whether a call of this handler is the processing of a message, which is
	 * observed as such. Handlers that only hand messages over return {@code false}.
	 * @return {@code true} by default
	 */
	default boolean isObserved() {
		return true;
	}

}
