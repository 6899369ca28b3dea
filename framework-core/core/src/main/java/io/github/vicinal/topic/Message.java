package io.github.vicinal.topic;

import java.util.Map;

/**
 * A message as its subscriber gets it. Immutable as far as the payload is.
 *
 * @param topic name of the topic
 * @param payload what was published; belongs to the subscriber
 * @param headers names and values that were published with it
 * @param publisher instance id of the publishing process
 * @param sequence number of the message among those of its publisher, from 1; a gap
 * stands for messages that were dropped or, in a stream, went to others
 * @param publishedNanos when it was published, by {@link System#nanoTime()}, which all
 * processes of a Linux host share
 * @param redelivered whether another subscriber may have handled it before
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public record Message<T>(String topic, T payload, Map<String, String> headers, String publisher, long sequence,
		long publishedNanos, boolean redelivered) {
}
