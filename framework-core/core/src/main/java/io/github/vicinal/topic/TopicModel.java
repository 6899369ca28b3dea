package io.github.vicinal.topic;

/**
 * Distribution of the messages of a topic among its subscribers.
 *
 * @since 0.1.0
 */
public enum TopicModel {

	/**
	 * Each subscriber gets each message that is published while it is subscribed, once.
	 */
	PUB_SUB,

	/**
	 * Subscribers compete: each message goes to one of them, and to another one if the
	 * first ends before it has handled the message. Messages wait for a subscriber.
	 */
	STREAM

}
