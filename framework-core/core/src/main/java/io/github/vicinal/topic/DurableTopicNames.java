package io.github.vicinal.topic;

/**
 * Says which topics are durable by their properties. Topics in memory refuse these, since
 * the publishers of one and the subscribers of the other would never meet. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DurableTopicNames {

	/**
	 * Returns whether a topic is durable.
	 * @param topic its name
	 * @return {@code true} if its place is {@link DurableTopics}
	 */
	boolean isDurable(String topic);

}
