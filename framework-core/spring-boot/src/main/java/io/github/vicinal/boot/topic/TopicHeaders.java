package io.github.vicinal.boot.topic;

/**
 * Names of the headers that listeners get besides those that were published with a
 * message.
 *
 * @since 0.1.0
 */
public final class TopicHeaders {

	/** Name of the topic, a {@link String}. */
	public static final String TOPIC = "vicinal_topic";

	/** Instance id of the publishing process, a {@link String}. */
	public static final String PUBLISHER = "vicinal_publisher";

	/** Number of the message among those of its publisher, a {@link Long}. */
	public static final String SEQUENCE = "vicinal_sequence";

	/** Whether another subscriber may have handled it before, a {@link Boolean}. */
	public static final String REDELIVERED = "vicinal_redelivered";

	/**
	 * Headers of each message of a batch, a {@link java.util.List} of
	 * {@link java.util.Map}s in the order of the messages. Batches have this and
	 * {@link #TOPIC}.
	 */
	public static final String BATCH_HEADERS = "vicinal_batchHeaders";

	private TopicHeaders() {
	}

}
