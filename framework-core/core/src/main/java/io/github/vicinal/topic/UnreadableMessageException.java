package io.github.vicinal.topic;

/**
 * The payload of a message cannot be read as the type that its subscriber takes.
 *
 * @since 0.1.0
 */
public class UnreadableMessageException extends TopicException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message says what is wrong with the payload
	 * @param cause what the codec has thrown
	 */
	public UnreadableMessageException(String message, Throwable cause) {
		super(message, cause);
	}

}
