package io.github.vicinal.stream;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.boot.topic.TopicPlaces;
import io.github.vicinal.boot.topic.TopicRooms;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;

import org.springframework.cloud.stream.provisioning.ProvisioningException;

/**
 * Destinations to which this application publishes. Bindings of the same destination
 * share its topic, which ends with the last of them. Thread-safe.
 */
final class Destinations {

	private final TopicPlaces places;

	private final TopicRooms rooms;

	/** Guarded by this. */
	private final Map<String, Shared> open = new HashMap<>();

	Destinations(TopicPlaces places, TopicRooms rooms) {
		this.places = places;
		this.rooms = rooms;
	}

	/**
	 * Opens a destination for a binding.
	 * @param topic its topic
	 * @param single whether it is one stream for all consumers
	 * @param requiredGroups groups whose messages wait for their first consumer
	 * @param partitions number of partitions, 0 if there are none
	 */
	synchronized DestinationPublisher open(String topic, boolean single, List<String> requiredGroups, int partitions) {
		Shared known = this.open.get(topic);
		if (known != null && known.single != single) {
			throw new ProvisioningException(
					"Some bindings of destination '%s' have producer.single-stream=true and others do not: set the same for all"
						.formatted(topic));
		}
		Shared shared = (known != null) ? known : new Shared(publisher(topic, single), single);
		GroupStreams groups = shared.publisher.groups();
		try {
			if (groups != null) {
				groups.require(requiredGroups, partitions);
			}
			else if (!single && this.places.of(topic) instanceof DurableTopics lasting) {
				keepFor(requiredGroups, partitions, topic, lasting);
			}
		}
		catch (RuntimeException ex) {
			if (known == null) {
				shared.publisher.close();
			}
			throw ex;
		}
		shared.users++;
		this.open.put(topic, shared);
		return shared.publisher;
	}

	/**
	 * A durable topic keeps messages for consumers with a position, also before they run.
	 */
	private void keepFor(List<String> requiredGroups, int partitions, String topic, DurableTopics lasting) {
		TopicSettings<byte[]> settings = this.rooms.settings(topic, TopicModel.PUB_SUB, byte[].class);
		for (String group : requiredGroups) {
			if (partitions == 0) {
				lasting.keepFor(settings, group);
			}
			for (int i = 0; i < partitions; i++) {
				lasting.keepFor(settings, TopicNames.consumer(group, i));
			}
		}
	}

	private DestinationPublisher publisher(String topic, boolean single) {
		Topics place = this.places.of(topic);
		TopicModel model = single ? TopicModel.STREAM : TopicModel.PUB_SUB;
		boolean grouped = !single && !(place instanceof DurableTopics);
		return new DestinationPublisher(place.topic(this.rooms.settings(topic, model, byte[].class)),
				grouped ? new GroupStreams(topic, this.places, this.rooms) : null);
	}

	/** Ends the use of a destination by a binding. */
	synchronized void close(String topic) {
		Shared shared = this.open.get(topic);
		if (shared != null && --shared.users == 0) {
			this.open.remove(topic);
			shared.publisher.close();
		}
	}

	private static final class Shared {

		private final DestinationPublisher publisher;

		private final boolean single;

		private int users;

		Shared(DestinationPublisher publisher, boolean single) {
			this.publisher = publisher;
			this.single = single;
		}

	}

}
