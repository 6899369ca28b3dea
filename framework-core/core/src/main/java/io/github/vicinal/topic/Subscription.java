package io.github.vicinal.topic;

/**
 * One subscriber. Thread-safe.
 *
 * @since 0.1.0
 */
public interface Subscription extends AutoCloseable {

	/**
	 * Returns what this subscriber has got so far.
	 * @return numbers of this moment
	 */
	SubscriptionReport report();

	/**
	 * Ends the subscription: waits until the handler has come back from the messages that
	 * it has, and gives it no more. In a stream the others get the rest.
	 */
	@Override
	void close();

}
