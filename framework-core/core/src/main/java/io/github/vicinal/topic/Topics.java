package io.github.vicinal.topic;

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
	 * @throws IllegalStateException if topics cannot be used here, with the reason
	 */
	<T> Topic<T> topic(TopicSettings<T> settings);

	/**
	 * Subscribes to a topic, whose publishers may come and go.
	 * @param settings what publishers and subscribers agree on
	 * @param subscriber how messages are handled
	 * @param handler handles them, on threads of its own
	 * @param <T> the type of the payload
	 * @return the subscription
	 * @throws IllegalStateException if topics cannot be used here, with the reason
	 */
	<T> Subscription subscribe(TopicSettings<T> settings, SubscriberSettings subscriber, MessageHandler<T> handler);

	/** Ends all subscriptions and topics of this application. */
	@Override
	void close();

}
