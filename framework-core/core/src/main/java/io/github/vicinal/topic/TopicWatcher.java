package io.github.vicinal.topic;

/**
 * Receives the topics and subscriptions of an application, for instance to count what
 * they do. Implementations are thread-safe and return at once.
 *
 * @since 0.1.0
 */
public interface TopicWatcher {

	/**
	 * Called when the application becomes a publisher of a topic.
	 * @param topic the topic
	 */
	default void opened(Topic<?> topic) {
	}

	/**
	 * Called once after a topic was closed at this publisher.
	 * @param topic the topic, whose report does not change any more
	 */
	default void closed(Topic<?> topic) {
	}

	/**
	 * Called when the application subscribes, before the first message is handled.
	 * @param subscription the subscription
	 */
	default void opened(Subscription subscription) {
	}

	/**
	 * Called once after a subscription has ended.
	 * @param subscription the subscription, whose report does not change any more
	 */
	default void closed(Subscription subscription) {
	}

}
