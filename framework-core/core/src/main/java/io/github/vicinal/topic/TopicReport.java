package io.github.vicinal.topic;

import java.util.List;

/**
 * Counts and state of one publisher of a topic.
 *
 * @param topic name of the topic
 * @param model distribution of the messages
 * @param published number of messages
 * @param dropped number of messages that made room before all had handled them; of a
 * stream also those that no subscriber had taken when the topic was closed
 * @param refused number of messages for which there was no room
 * @param usedBytes room in use
 * @param capacityBytes all room
 * @param backlogMessages number of messages that wait: in publish/subscribe those that
 * the slowest subscriber has yet to handle, in a stream those that no subscriber has
 * begun
 * @param backlogBytes room that these messages take
 * @param subscribers subscribers that are attached
 * @since 0.1.0
 */
public record TopicReport(String topic, TopicModel model, long published, long dropped, long refused, long usedBytes,
		long capacityBytes, long backlogMessages, long backlogBytes, List<Subscriber> subscribers) {

	/**
	 * A subscriber of a publisher.
	 *
	 * @param name its name
	 * @param application its application
	 * @param lagBytes bytes that it has yet to handle; in a stream those that nobody has
	 * begun to
	 */
	public record Subscriber(String name, String application, long lagBytes) {
	}

}
