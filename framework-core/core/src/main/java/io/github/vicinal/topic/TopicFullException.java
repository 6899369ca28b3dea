package io.github.vicinal.topic;

/**
 * There was no room for a message, which was not published: subscribers are slower than
 * publishers, or hang, or the link to them is cut. The message says which of these is the
 * case.
 *
 * @since 0.1.0
 */
public final class TopicFullException extends TopicException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message names the topic, the subscriber that has the oldest message, and
	 * what to do
	 */
	public TopicFullException(String message) {
		super(message);
	}

}
