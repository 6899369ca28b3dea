package io.github.vicinal.topic;

/**
 * Topics cannot be used in this application, such as without a rendezvous directory. The
 * message says why and what to do.
 *
 * @since 0.1.0
 */
public class TopicsUnavailableException extends TopicException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message why topics cannot be used
	 */
	public TopicsUnavailableException(String message) {
		super(message);
	}

	/**
	 * Creates an exception.
	 * @param message why topics cannot be used
	 * @param cause what failed
	 */
	public TopicsUnavailableException(String message, Throwable cause) {
		super(message, cause);
	}

}
