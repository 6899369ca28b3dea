package io.github.vicinal.boot.transport;

import io.github.vicinal.topic.DurableTopicNames;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;

/**
 * Grants of topics in memory. A topic that is durable by its properties is refused there,
 * since the two sides would wait for each other at different places.
 */
final class MemoryTopicGrants implements TopicGrants {

	private final TopicGrants grants;

	private final DurableTopicNames durable;

	MemoryTopicGrants(TopicGrants grants, DurableTopicNames durable) {
		this.grants = grants;
		this.durable = durable;
	}

	@Override
	public boolean mayPublish(String topic, String application) {
		return this.grants.mayPublish(topic, application);
	}

	@Override
	public boolean maySubscribe(String topic, String application) {
		return this.grants.maySubscribe(topic, application);
	}

	@Override
	public void requirePublisher(String topic, String application) {
		requireInMemory(topic);
		this.grants.requirePublisher(topic, application);
	}

	@Override
	public void requireSubscriber(String topic, String application) {
		requireInMemory(topic);
		this.grants.requireSubscriber(topic, application);
	}

	private void requireInMemory(String topic) {
		if (this.durable.isDurable(topic)) {
			throw new TopicException(
					"Topic '%s' is durable by vicinal.topics.named.%s.durable, but was asked of the topics in memory: use TopicFactory, @AffinityListener or the bean of type DurableTopics"
						.formatted(topic, topic));
		}
	}

}
