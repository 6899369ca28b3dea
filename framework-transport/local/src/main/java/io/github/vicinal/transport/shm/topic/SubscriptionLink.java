package io.github.vicinal.transport.shm.topic;

/** Link of one subscription to one publisher. Thread-safe. */
interface SubscriptionLink {

	/**
	 * Returns the instance id of the publisher, or its address while that is not known.
	 */
	String publisher();

	/** Returns how the link is, for people. */
	String state();

	/** Returns whether messages of the publisher are taken. */
	boolean isAttached();

	/**
	 * Returns whether the calling thread is one that handles messages of the publisher.
	 */
	boolean isOwnThread();

	/** Ends the link when the messages that were taken are handled. */
	void close();

	/** Waits for that. */
	void awaitEnd();

}
