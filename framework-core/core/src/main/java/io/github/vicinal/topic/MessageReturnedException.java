package io.github.vicinal.topic;

/**
 * Thrown by a handler that does not handle its message because the subscription is
 * closing. In a stream another subscriber gets the message, marked as redelivered; in
 * publish/subscribe it is as if the subscription had ended before the message. While the
 * subscription is not closing this is a failure as any other.
 *
 * @since 0.1.0
 */
public final class MessageReturnedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** Creates an exception. */
	public MessageReturnedException() {
		super("The subscription is closing and has not handled the message", null, false, false);
	}

}
