package io.github.vicinal.boot.topic;

import org.jspecify.annotations.Nullable;

/**
 * Names of the streams that belong to a topic: one for each consumer group that gets all
 * messages of the topic and shares them among its members. A stream has the properties of
 * its topic unless it has some of its own.
 *
 * @since 0.1.0
 */
public final class GroupTopics {

	private static final String SEPARATOR = "_.";

	private GroupTopics() {
	}

	/**
	 * Returns the name of the stream of a group.
	 * @param topic name of the topic
	 * @param group name of the group
	 * @return the name of the stream
	 */
	public static String name(String topic, String group) {
		return topic + SEPARATOR + group;
	}

	/**
	 * Returns the topic that a stream belongs to.
	 * @param stream name of a topic
	 * @return name of its topic, {@code null} if it is not the stream of a group
	 */
	public static @Nullable String topic(String stream) {
		int end = stream.indexOf(SEPARATOR);
		return (end > 0) ? stream.substring(0, end) : null;
	}

	/**
	 * Returns the group that a stream is for.
	 * @param stream name of a topic
	 * @return name of the group, {@code null} if it is not the stream of a group
	 */
	public static @Nullable String group(String stream) {
		int end = stream.indexOf(SEPARATOR);
		return (end > 0) ? stream.substring(end + SEPARATOR.length()) : null;
	}

}
