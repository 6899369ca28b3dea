package io.github.vicinal.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.github.vicinal.topic.DurableTopics.StoredPosition;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Describes what the application publishes and what it is subscribed to. */
@Endpoint(id = "vicinaltopics")
class TopicsEndpoint {

	private final Supplier<List<TopicReport>> topics;

	private final Supplier<List<SubscriptionReport>> subscriptions;

	private final Supplier<Map<String, List<StoredPosition>>> positions;

	private final BiConsumer<String, String> forget;

	/**
	 * Creates the endpoint.
	 * @param topics what is published
	 * @param subscriptions what the application is subscribed to
	 * @param positions the stored positions of durable topics, by topic
	 * @param forget deletes the stored position of a consumer, by topic and consumer; a
	 * {@link TopicException} says why it cannot
	 */
	public TopicsEndpoint(Supplier<List<TopicReport>> topics, Supplier<List<SubscriptionReport>> subscriptions,
			Supplier<Map<String, List<StoredPosition>>> positions, BiConsumer<String, String> forget) {
		this.topics = topics;
		this.subscriptions = subscriptions;
		this.positions = positions;
		this.forget = forget;
	}

	/**
	 * Describes topics and subscriptions.
	 * @return a snapshot
	 */
	@ReadOperation
	public TopicsDescriptor topics() {
		Map<String, List<PositionDescriptor>> stored = new TreeMap<>();
		this.positions.get()
			.forEach((topic, all) -> stored.put(topic, all.stream().map(PositionDescriptor::of).toList()));
		return new TopicsDescriptor(this.topics.get(), this.subscriptions.get(), stored);
	}

	/**
	 * Deletes the stored position of a consumer of a durable topic. No messages are kept
	 * for it any more.
	 * @param topic name of the topic
	 * @param consumer name of the consumer, which must not be subscribed
	 * @return why it was not deleted, or {@code null} if it was
	 */
	@DeleteOperation
	public @Nullable String forget(@Selector String topic, @Selector String consumer) {
		try {
			this.forget.accept(topic, consumer);
			return null;
		}
		catch (TopicException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	/**
	 * Topics and subscriptions of an application.
	 *
	 * @param topics what it publishes
	 * @param subscriptions what it is subscribed to
	 * @param positions how far the consumers of durable topics have come, by topic
	 */
	public record TopicsDescriptor(List<TopicReport> topics, List<SubscriptionReport> subscriptions,
			Map<String, List<PositionDescriptor>> positions) implements OperationResponseBody {
	}

	/**
	 * Stored position of a consumer.
	 *
	 * @param consumer its name
	 * @param index the last message that it has handled, 0 for none; as text, since
	 * readers whose numbers are doubles would round it
	 * @param lag number of messages behind it, -1 if it is not known
	 */
	public record PositionDescriptor(String consumer, String index, long lag) {

		private static PositionDescriptor of(StoredPosition position) {
			return new PositionDescriptor(position.consumer(), Long.toString(position.index()), position.lag());
		}

	}

}
