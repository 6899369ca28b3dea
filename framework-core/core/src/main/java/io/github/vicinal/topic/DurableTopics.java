package io.github.vicinal.topic;

import java.util.List;
import java.util.Map;

/**
 * Topics whose messages outlast processes and restarts of the host. The name of a
 * subscriber is the name under which its position is stored: in publish/subscribe a
 * subscriber that comes back goes on behind the last message that it has handled, and of
 * two subscribers of the same name the second one waits as a stand-by. The subscribers of
 * a stream share one position. {@link Message#sequence()} is the index of the message in
 * the topic. Thread-safe.
 *
 * @since 0.1.0
 */
public interface DurableTopics extends Topics {

	/**
	 * Subscribes without a stored position: gets all messages of a topic from a place on,
	 * and then those that are published. Takes nothing away from others, in a stream
	 * neither.
	 * @param settings what publishers and subscribers agree on
	 * @param subscriber how messages are handled; one at a time
	 * @param from where to begin
	 * @param handler handles them, on threads of its own
	 * @param <T> the type of the payload
	 * @return the subscription
	 */
	<T> Subscription replay(TopicSettings<T> settings, SubscriberSettings subscriber, ReplayFrom from,
			MessageHandler<T> handler);

	/**
	 * Moves the stored position of a consumer that is not subscribed now, or makes it.
	 * That of a stream can be moved at any time; messages that its subscribers have taken
	 * are handled by them.
	 * @param settings what publishers and subscribers agree on
	 * @param consumer name of the subscriber; of a stream any name
	 * @param from where it goes on
	 * @throws TopicException if the consumer is subscribed somewhere
	 */
	void seek(TopicSettings<?> settings, String consumer, ReplayFrom from);

	/**
	 * Makes a stored position for a consumer that has none, behind the last message: what
	 * is published from now on is kept for it. The position of a consumer that has one
	 * stays, also while it is subscribed. The subscribers of a stream have one.
	 * @param settings what publishers and subscribers agree on
	 * @param consumer name of the subscriber
	 */
	void keepFor(TopicSettings<?> settings, String consumer);

	/**
	 * Deletes the stored position of a consumer, so that no messages are kept for it.
	 * @param settings what publishers and subscribers agree on
	 * @param consumer name of the subscriber
	 * @throws TopicException if the consumer is subscribed somewhere
	 */
	void forget(TopicSettings<?> settings, String consumer);

	/**
	 * Deletes the stored position of a consumer of a topic that this application uses, so
	 * that no messages are kept for it.
	 * @param topic name of the topic
	 * @param consumer name of the subscriber
	 * @throws TopicException if this application does not use the topic, the topic has no
	 * such consumer, or the consumer is subscribed somewhere
	 */
	void forget(String topic, String consumer);

	/**
	 * Returns the stored positions of a topic.
	 * @param settings what publishers and subscribers agree on
	 * @return one for each consumer; of a stream one
	 */
	List<StoredPosition> positions(TopicSettings<?> settings);

	/**
	 * Returns the stored positions of all topics that this application uses.
	 * @return positions by topic
	 */
	Map<String, List<StoredPosition>> positions();

	/**
	 * Returns whether a topic in memory is not the application's own, but wakes the
	 * subscribers of a durable topic that the application uses.
	 * @param topic name of the topic in memory
	 * @return whether it is the bell of a durable topic
	 */
	default boolean isBell(String topic) {
		return false;
	}

	/**
	 * Stored position of a consumer.
	 *
	 * @param consumer its name
	 * @param index the last message that it has handled, 0 for none
	 * @param lag number of messages behind it, -1 if it is not known
	 * @since 0.1.0
	 */
	record StoredPosition(String consumer, long index, long lag) {
	}

}
