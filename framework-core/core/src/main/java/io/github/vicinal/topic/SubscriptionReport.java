package io.github.vicinal.topic;

import java.util.Map;

/**
 * Counts of one subscriber.
 *
 * @param topic name of the topic
 * @param subscriber its name
 * @param handled number of messages that its handler has handled
 * @param failed number of messages that its handler could not handle
 * @param redelivered number of messages that another subscriber had before
 * @param dropped number of messages that were gone before it came to them;
 * {@link #NOT_KNOWN} for durable topics, whose publishers count them
 * @param attached number of publishers that it is attached to
 * @param publishers state of each publisher that it knows, by instance id
 * @since 0.1.0
 */
public record SubscriptionReport(String topic, String subscriber, long handled, long failed, long redelivered,
		long dropped, int attached, Map<String, String> publishers) {

	/** Stands for a number that is not known. */
	public static final long NOT_KNOWN = -1;

}
