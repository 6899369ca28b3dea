package io.github.vicinal.stream;

import java.util.Map;

import io.github.vicinal.topic.Topic;
import org.jspecify.annotations.Nullable;

/**
 * Publishes to a destination: to the topic for consumers without a group, and to a stream
 * for each group. Thread-safe.
 */
final class DestinationPublisher {

	private final Topic<byte[]> topic;

	private final @Nullable GroupStreams groups;

	/**
	 * Creates a publisher.
	 * @param topic of the destination
	 * @param groups its groups, {@code null} if all consumers take the topic
	 */
	DestinationPublisher(Topic<byte[]> topic, @Nullable GroupStreams groups) {
		this.topic = topic;
		this.groups = groups;
	}

	@Nullable GroupStreams groups() {
		return this.groups;
	}

	/**
	 * Publishes a message. A group whose stream fails does not keep it from the others.
	 * @param payload of the message
	 * @param headers of the message
	 * @param partition of the message; of groups with partitions, the first one gets
	 * messages without
	 */
	void publish(byte[] payload, Map<String, String> headers, int partition) {
		RuntimeException failure = null;
		if (this.groups != null) {
			for (Topic<byte[]> stream : this.groups.all()) {
				int taken = TopicNames.partition(stream.settings().name());
				if (taken != TopicNames.NO_PARTITION && taken != Math.max(0, partition)) {
					continue;
				}
				failure = first(failure, publish(this.groups, stream, payload, headers));
			}
		}
		failure = first(failure, attempt(this.topic, payload, headers));
		if (failure != null) {
			throw failure;
		}
	}

	private static @Nullable RuntimeException publish(GroupStreams groups, Topic<byte[]> stream, byte[] payload,
			Map<String, String> headers) {
		RuntimeException failure = attempt(stream, payload, headers);
		return (failure != null && groups.leaveIfAbandoned(stream, failure)) ? null : failure;
	}

	private static @Nullable RuntimeException attempt(Topic<byte[]> topic, byte[] payload,
			Map<String, String> headers) {
		try {
			topic.publish(payload, headers);
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	private static @Nullable RuntimeException first(@Nullable RuntimeException known, @Nullable RuntimeException next) {
		if (known != null && next != null) {
			known.addSuppressed(next);
		}
		return (known != null) ? known : next;
	}

	void close() {
		if (this.groups != null) {
			this.groups.close();
		}
		this.topic.close();
	}

}
