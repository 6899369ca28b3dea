package io.github.vicinal.boot.topic;

import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.Topics;

/**
 * Decides whether a topic is in memory or durable.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TopicPlaces {

	/**
	 * Returns where a topic is.
	 * @param topic its name
	 * @return the application's topics in memory, or the durable ones
	 * @throws TopicException if there are no such topics
	 */
	Topics of(String topic);

}
