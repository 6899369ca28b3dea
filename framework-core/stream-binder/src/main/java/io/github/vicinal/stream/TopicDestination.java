package io.github.vicinal.stream;

import org.springframework.cloud.stream.provisioning.ConsumerDestination;
import org.springframework.cloud.stream.provisioning.ProducerDestination;

/**
 * A destination, which needs no broker that would have to make it.
 *
 * @param topic name of its topic
 */
record TopicDestination(String topic) implements ConsumerDestination, ProducerDestination {

	@Override
	public String getName() {
		return this.topic;
	}

	@Override
	public String getNameForPartition(int partition) {
		return this.topic;
	}

}
