package io.github.vicinal.topic;

/**
 * Names of the headers that a message has in a dead-letter topic, besides those with
 * which it was published.
 *
 * @since 0.1.0
 */
public final class DeadLetterHeaders {

	/** Name of the topic that the message was published to. */
	public static final String TOPIC = "vicinal-dead-letter-topic";

	/** Instance id of the process that published it. */
	public static final String PUBLISHER = "vicinal-dead-letter-publisher";

	/** Number of the message among those of its publisher. */
	public static final String SEQUENCE = "vicinal-dead-letter-sequence";

	/** Name of the subscriber that could not handle it. */
	public static final String SUBSCRIBER = "vicinal-dead-letter-subscriber";

	/** Class of the exception of the last attempt. */
	public static final String EXCEPTION = "vicinal-dead-letter-exception";

	/** Message of that exception, at most 1,024 characters. */
	public static final String EXCEPTION_MESSAGE = "vicinal-dead-letter-exception-message";

	private DeadLetterHeaders() {
	}

}
