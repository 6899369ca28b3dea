package io.github.vicinal.topic;

/**
 * A message could not be published, or a topic could not be used as asked.
 *
 * @since 0.1.0
 */
public class TopicException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message names the topic, the rule and the remedy
	 */
	public TopicException(String message) {
		super(message);
	}

	/**
	 * Creates an exception.
	 * @param message names the topic, the rule and the remedy
	 * @param cause what went wrong
	 */
	public TopicException(String message, Throwable cause) {
		super(message, cause);
	}

}
