package io.github.vicinal.topic;

/**
 * Confirms that a message is handled, for listeners that are not done with it when their
 * method returns. Until then the thread that called the listener waits, so
 * {@code concurrency} limits the number of messages that are open. Thread-safe; only the
 * first call counts.
 *
 * @since 0.1.0
 */
public interface Acknowledgement {

	/** Confirms that the message is handled. */
	void acknowledge();

	/**
	 * Reports that the message could not be handled: it is attempted again, or given up,
	 * as if the listener had thrown the exception.
	 * @param cause what went wrong
	 */
	void reject(Exception cause);

}
