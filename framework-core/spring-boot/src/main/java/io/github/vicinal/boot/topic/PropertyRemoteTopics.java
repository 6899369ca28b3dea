package io.github.vicinal.boot.topic;

import java.util.List;

import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;

/** Topics that other hosts take part in, by the properties of topics. */
final class PropertyRemoteTopics implements RemoteTopics {

	private final NamedTopics topics;

	private final List<TopicCarrier> carriers;

	PropertyRemoteTopics(NamedTopics topics, List<TopicCarrier> carriers) {
		this.topics = topics;
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
		return this.topics.room(topic);
	}

}
