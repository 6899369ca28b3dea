package io.github.vicinal.topic;

/**
 * Names the applications that may publish to a topic and subscribe to it. Both sides ask:
 * an application that has no grant is refused by itself and by those it talks to, each by
 * its own configuration. The kernel vouches for the user of a process; the names of
 * applications of one user are what they say. Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface TopicGrants {

	/**
	 * Returns grants by which all may do everything.
	 * @return the grants
	 */
	static TopicGrants all() {
		return new TopicGrants() {

			@Override
			public boolean mayPublish(String topic, String application) {
				return true;
			}

			@Override
			public boolean maySubscribe(String topic, String application) {
				return true;
			}

		};
	}

	/**
	 * Returns whether an application may publish to a topic.
	 * @param topic name of the topic
	 * @param application name of the application
	 * @return whether it may
	 */
	boolean mayPublish(String topic, String application);

	/**
	 * Returns whether an application may subscribe to a topic.
	 * @param topic name of the topic
	 * @param application name of the application
	 * @return whether it may
	 */
	boolean maySubscribe(String topic, String application);

	/**
	 * Fails unless an application may publish.
	 * @param topic name of the topic
	 * @param application name of the application
	 * @throws TopicException if it may not
	 */
	default void requirePublisher(String topic, String application) {
		if (!mayPublish(topic, application)) {
			throw new TopicException(
					"The application '%s' may not publish to topic '%s': name it in vicinal.topics.named.%s.publishers"
						.formatted(application, topic, topic));
		}
	}

	/**
	 * Fails unless an application may subscribe.
	 * @param topic name of the topic
	 * @param application name of the application
	 * @throws TopicException if it may not
	 */
	default void requireSubscriber(String topic, String application) {
		if (!maySubscribe(topic, application)) {
			throw new TopicException(
					"The application '%s' may not subscribe to topic '%s': name it in vicinal.topics.named.%s.subscribers"
						.formatted(application, topic, topic));
		}
	}

}
