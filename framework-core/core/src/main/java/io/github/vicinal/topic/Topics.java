package io.github.vicinal.topic;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Flow;

/**
 * The topics of one application. Thread-safe.
 *
 * <pre class="code">
 * TopicSettings&lt;Order&gt; orders = TopicSettings.of("orders", TopicModel.STREAM, Order.class);
 * topics.subscribe(orders, SubscriberSettings.of("billing"), (message) -&gt; bill(message.payload()));
 * topics.topic(orders).publish(new Order(1));
 * </pre>
 *
 * @since 0.1.0
 */
public interface Topics extends AutoCloseable {

	/**
	 * Becomes a publisher of a topic.
	 * @param settings what publishers and subscribers agree on
	 * @param <T> the type of the payload
	 * @return the topic; the one that is there if it has these settings
	 * @throws TopicException if this application publishes the topic with other settings
	 * @throws TopicsUnavailableException if topics cannot be used here, with the reason
	 */
	<T> Topic<T> topic(TopicSettings<T> settings);

	/**
	 * Subscribes to a topic, whose publishers may come and go.
	 * @param settings what publishers and subscribers agree on
	 * @param subscriber how messages are handled
	 * @param handler handles them, on threads of its own
	 * @param <T> the type of the payload
	 * @return the subscription
	 * @throws TopicsUnavailableException if topics cannot be used here, with the reason
	 */
	<T> Subscription subscribe(TopicSettings<T> settings, SubscriberSettings subscriber, MessageHandler<T> handler);

	/**
	 * Subscribes to a topic with a reader that is asked for one message after the other.
	 * @param settings what publishers and subscribers agree on
	 * @param name of the subscriber, for people
	 * @param <T> the type of the payload
	 * @return the reader, which the caller closes
	 * @throws TopicsUnavailableException if topics cannot be used here, with the reason
	 */
	default <T> TopicReader<T> reader(TopicSettings<T> settings, String name) {
		return reader(settings, name, 1);
	}

	/**
	 * Subscribes to a topic with a reader that fetches messages in batches, for
	 * {@link TopicReader#takeAll}.
	 * @param settings what publishers and subscribers agree on
	 * @param name of the subscriber, for people
	 * @param maxBatch maximum number of messages that are fetched together, 1 to 1024
	 * @param <T> the type of the payload
	 * @return the reader, which the caller closes
	 * @throws TopicsUnavailableException if topics cannot be used here, with the reason
	 */
	default <T> TopicReader<T> reader(TopicSettings<T> settings, String name, int maxBatch) {
		return new HandOverReader<>(
				(handler) -> subscribe(settings, SubscriberSettings.of(name).withMaxBatch(maxBatch), handler));
	}

	/**
	 * Returns a publisher each of whose subscribers subscribes to a topic, with
	 * back-pressure: while a subscriber asks for nothing, messages keep their room, and
	 * the topic's own rule says what happens when that is full. A message is handled when
	 * {@code onNext} has returned. The flow completes when the topics are closed, and
	 * fails with a {@link TopicsUnavailableException} if topics cannot be used here.
	 * Reactor takes it by {@code JdkFlowAdapter.flowPublisherToFlux}.
	 * @param settings what publishers and subscribers agree on
	 * @param name of the subscribers, for people
	 * @param <T> the type of the payload
	 * @return the publisher; nothing happens before somebody subscribes
	 */
	default <T> Flow.Publisher<Message<T>> flow(TopicSettings<T> settings, String name) {
		return (subscriber) -> SubscriberFlow.subscribe(subscriber,
				(MessageHandler<T> handler) -> subscribe(settings, SubscriberSettings.of(name), handler));
	}

	/**
	 * Returns what the publishers of this application have done.
	 * @return one report for each topic
	 */
	List<TopicReport> topics();

	/**
	 * Returns what the subscribers of this application have got.
	 * @return one report for each subscription
	 */
	List<SubscriptionReport> subscriptions();

	/**
	 * Returns the streams that subscribers ask this application for and that it does not
	 * publish. Those whose subscribers have no grant are not among them. Costs a read of
	 * one field; as long as nothing changes it is the same set.
	 * @return names of topics; unmodifiable
	 */
	default Set<String> awaitedStreams() {
		return Set.of();
	}

	/** Ends all subscriptions and topics of this application. */
	@Override
	void close();

}
