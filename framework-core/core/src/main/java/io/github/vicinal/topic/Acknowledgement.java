package io.github.vicinal.topic;

/**
 * Confirms that a message is handled, for listeners that are not done with it when their
 * method returns. Until then the thread that called the listener waits, so
 * {@code concurrency} limits the number of messages that are open. A listener that takes
 * batches acknowledges a batch as a whole. Thread-safe; only the first call counts.
 *
 * @since 0.1.0
 */
public interface Acknowledgement {

	/** Confirms that the message, or the whole batch, is handled. */
	void acknowledge();

	/**
	 * Reports that the message could not be handled: it is attempted again, or given up,
	 * as if the listener had thrown the exception. A {@link BatchFailedException} says
	 * which message of a batch could not be handled.
	 * @param cause what went wrong
	 */
	void reject(Exception cause);

}
