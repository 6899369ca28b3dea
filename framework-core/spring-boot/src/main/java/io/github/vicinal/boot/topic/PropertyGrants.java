package io.github.vicinal.boot.topic;

import java.util.Set;
import java.util.function.Function;

import io.github.vicinal.topic.TopicGrants;

/**
 * Grants by the properties of topics. The bell of a durable topic has those of the topic.
 */
final class PropertyGrants implements TopicGrants {

	private static final String BELL = ".bell";

	private final NamedTopics topics;

	PropertyGrants(NamedTopics topics) {
		this.topics = topics;
	}

	@Override
	public boolean mayPublish(String topic, String application) {
		return may(topic, application, TopicProperties.Room::publishers);
	}

	@Override
	public boolean maySubscribe(String topic, String application) {
		return may(topic, application, TopicProperties.Room::subscribers);
	}

	private boolean may(String topic, String application, Function<TopicProperties.Room, Set<String>> part) {
		boolean bell = topic.endsWith(BELL) && !this.topics.contains(topic);
		Set<String> names = part
			.apply(this.topics.room(bell ? topic.substring(0, topic.length() - BELL.length()) : topic));
		return names.isEmpty() || names.contains(application);
	}

}
