package io.github.vicinal.topic;

/**
 * There was no room for a message, which was not published: subscribers are slower than
 * publishers.
 *
 * @since 0.1.0
 */
public final class TopicFullException extends TopicException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message names the topic and its slow subscribers
	 */
	public TopicFullException(String message) {
		super(message);
	}

}
