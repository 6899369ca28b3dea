package io.github.vicinal.topic;

import java.util.Map;

/**
 * Publishes messages. Thread-safe; messages of one thread keep their order, and so do all
 * messages of one {@code Topic} among themselves.
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public interface Topic<T> extends AutoCloseable {

	/**
	 * Returns what publishers and subscribers agree on.
	 * @return the settings
	 */
	TopicSettings<T> settings();

	/**
	 * Publishes a message without headers. When this returns the message is where its
	 * subscribers see it, even if this process ends.
	 * @param payload the payload; not kept
	 * @throws TopicFullException if there is no room, and the settings say so
	 * @throws TopicException if the message is too large or cannot be written
	 */
	default void publish(T payload) {
		publish(payload, Map.of());
	}

	/**
	 * Publishes a message.
	 * @param payload the payload; not kept
	 * @param headers names and values for the subscriber
	 * @throws TopicFullException if there is no room, and the settings say so
	 * @throws TopicException if the message is too large or cannot be written
	 */
	void publish(T payload, Map<String, String> headers);

	/**
	 * Publishes a payload that is written already, as it is: what a subscriber could not
	 * read, for others that take bytes.
	 * @param payload the bytes of the payload; not kept
	 * @param headers names and values for the subscriber
	 * @throws TopicFullException if there is no room, and the settings say so
	 * @throws TopicException if the message is too large
	 * @throws UnsupportedOperationException if the topic cannot do this
	 */
	default void publishWritten(byte[] payload, Map<String, String> headers) {
		throw new UnsupportedOperationException(
				"Topic '%s' publishes only what it writes itself".formatted(settings().name()));
	}

	/**
	 * Publishes several messages in their order, and wakes subscribers once for all of
	 * them, which costs less than one by one. Not atomic: if one of them fails, those
	 * before it are published.
	 * @param payloads the payloads; not kept
	 * @param headers names and values for the subscriber, the same with each
	 * @throws TopicFullException if there is no room, and the settings say so
	 * @throws TopicException if a message is too large or cannot be written
	 */
	default void publishAll(Iterable<? extends T> payloads, Map<String, String> headers) {
		payloads.forEach((payload) -> publish(payload, headers));
	}

	/**
	 * Returns what this publisher has done so far.
	 * @return numbers of this moment
	 */
	TopicReport report();

	/** Ends the topic at this publisher. Subscribers handle what was published. */
	@Override
	void close();

}
