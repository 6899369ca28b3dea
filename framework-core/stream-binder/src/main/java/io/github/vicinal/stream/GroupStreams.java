package io.github.vicinal.stream;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.topic.GroupTopics;
import io.github.vicinal.boot.topic.TopicPlaces;
import io.github.vicinal.boot.topic.TopicRooms;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.Topics;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Streams of the consumer groups of one destination at this producer. A group is known if
 * the producer requires it, or from when one of its consumers has asked for its stream.
 * Thread-safe.
 */
final class GroupStreams {

	private static final Log logger = LogFactory.getLog(GroupStreams.class);

	/** Maximum number of groups that are not required, since each takes memory. */
	static final int MAX_LEARNED = 64;

	private final String topic;

	private final TopicRooms rooms;

	private final Topics topics;

	/** Names of the streams that are required. Guarded by this. */
	private final Map<String, Integer> required = new HashMap<>();

	/** Streams by their names. Replaced, never changed. */
	private volatile Map<String, Topic<byte[]>> streams = Map.of();

	/** Last set of streams that were asked for. */
	private volatile Set<String> seen = Set.of();

	/** Whether the end of places for learned groups was logged. Guarded by this. */
	private boolean full;

	/** Guarded by this. */
	private boolean closed;

	GroupStreams(String topic, TopicPlaces places, TopicRooms rooms) {
		this.topic = topic;
		this.rooms = rooms;
		this.topics = places.of(topic);
	}

	/**
	 * Requires groups, whose messages wait for their first consumer.
	 * @param groups names of the groups
	 * @param partitions number of partitions of each, 0 if they have none
	 */
	synchronized void require(Collection<String> groups, int partitions) {
		for (String group : groups) {
			if (partitions == 0) {
				require(TopicNames.stream(this.topic, group));
			}
			for (int i = 0; i < partitions; i++) {
				require(TopicNames.stream(this.topic, group, i));
			}
		}
	}

	private void require(String stream) {
		this.required.merge(stream, 1, Integer::sum);
		open(stream);
	}

	/** Returns all streams that are known. Costs a read of a field if none is new. */
	Collection<Topic<byte[]>> all() {
		Set<String> awaited = this.topics.awaitedStreams();
		if (awaited != this.seen) {
			learn(awaited);
		}
		return this.streams.values();
	}

	private synchronized void learn(Set<String> awaited) {
		for (String stream : awaited) {
			if (this.topic.equals(GroupTopics.topic(stream)) && !this.streams.containsKey(stream)) {
				if (this.closed) {
					return;
				}
				if (this.streams.size() - this.required.size() < MAX_LEARNED) {
					attempt(stream);
				}
				else if (!this.full) {
					this.full = true;
					logger.warn("Destination '%s' has %d groups; further ones such as '%s' get no messages from here"
						.formatted(this.topic, this.streams.size(), GroupTopics.group(stream)));
				}
			}
		}
		this.seen = awaited;
	}

	/** A group whose stream cannot be opened does not keep the others from messages. */
	private void attempt(String stream) {
		try {
			open(stream);
		}
		catch (RuntimeException ex) {
			logger.warn("The group '%s' of destination '%s' gets no messages from here: %s"
				.formatted(GroupTopics.group(stream), this.topic, ex.getMessage()));
		}
	}

	private void open(String stream) {
		if (this.streams.containsKey(stream)) {
			return;
		}
		Map<String, Topic<byte[]>> more = new HashMap<>(this.streams);
		more.put(stream, this.topics.topic(this.rooms.settings(stream, TopicModel.STREAM, byte[].class)));
		this.streams = Map.copyOf(more);
	}

	/**
	 * Leaves a group that was learned, whose consumers are all gone and whose stream is
	 * full, so that it does not hold up the others.
	 * @param stream its stream
	 * @param failure why a message could not be published to it
	 * @return whether the group was left, by this thread or another one
	 */
	synchronized boolean leaveIfAbandoned(Topic<byte[]> stream, RuntimeException failure) {
		String name = stream.settings().name();
		if (this.streams.get(name) != stream) {
			return true;
		}
		if (!(failure instanceof TopicFullException) || this.required.containsKey(name)
				|| !stream.report().subscribers().isEmpty()) {
			return false;
		}
		long lost = stream.report().backlogMessages();
		close(name);
		logger.warn(
				"The group '%s' of destination '%s' has no consumers and its stream is full: %d messages for it are lost. It gets messages again when it is back; name it in producer.required-groups to keep its messages"
					.formatted(GroupTopics.group(name), this.topic, lost));
		return true;
	}

	private void close(String stream) {
		Map<String, Topic<byte[]>> fewer = new HashMap<>(this.streams);
		Topic<byte[]> left = fewer.remove(stream);
		this.streams = Map.copyOf(fewer);
		if (left != null) {
			left.close();
		}
	}

	/** Ends all streams. */
	synchronized void close() {
		this.closed = true;
		this.streams.keySet().forEach(this::close);
	}

}
