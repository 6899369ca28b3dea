package io.github.vicinal.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.topic.DurableTopics.StoredPosition;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.TopicReport;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Describes what the application publishes and what it is subscribed to. */
@Endpoint(id = "vicinaltopics")
class TopicsEndpoint {

	private final Supplier<List<TopicReport>> topics;

	private final Supplier<List<SubscriptionReport>> subscriptions;

	private final Supplier<Map<String, List<StoredPosition>>> positions;

	/**
	 * Creates the endpoint.
	 * @param topics what is published
	 * @param subscriptions what the application is subscribed to
	 * @param positions the stored positions of durable topics, by topic
	 */
	public TopicsEndpoint(Supplier<List<TopicReport>> topics, Supplier<List<SubscriptionReport>> subscriptions,
			Supplier<Map<String, List<StoredPosition>>> positions) {
		this.topics = topics;
		this.subscriptions = subscriptions;
		this.positions = positions;
	}

	/**
	 * Describes topics and subscriptions.
	 * @return a snapshot
	 */
	@ReadOperation
	public TopicsDescriptor topics() {
		return new TopicsDescriptor(this.topics.get(), this.subscriptions.get(), this.positions.get());
	}

	/**
	 * Topics and subscriptions of an application.
	 *
	 * @param topics what it publishes
	 * @param subscriptions what it is subscribed to
	 * @param positions how far the consumers of durable topics have come, by topic
	 */
	public record TopicsDescriptor(List<TopicReport> topics, List<SubscriptionReport> subscriptions,
			Map<String, List<StoredPosition>> positions) implements OperationResponseBody {
	}

}
