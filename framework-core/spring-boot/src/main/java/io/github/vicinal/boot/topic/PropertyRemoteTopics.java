package io.github.vicinal.boot.topic;

import java.util.List;

import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;

/** Topics that other hosts take part in, by the properties of topics. */
final class PropertyRemoteTopics implements RemoteTopics {

	private final TopicProperties properties;

	private final List<TopicCarrier> carriers;

	PropertyRemoteTopics(TopicProperties properties, List<TopicCarrier> carriers) {
		this.properties = properties;
		this.carriers = carriers;
	}

	@Override
	public List<TopicCarrier> carriers() {
		return this.carriers;
	}

	@Override
	public boolean isOffered(String topic) {
		return room(topic).otherHosts();
	}

	@Override
	public List<String> publishers(String topic) {
		return room(topic).remotePublishers();
	}

	private TopicProperties.Room room(String topic) {
		return this.properties.room(topic);
	}

}
