package io.github.vicinal.topic;

import java.util.Objects;

/**
 * Thrown by a handler of batches to say which message of a batch could not be handled.
 * The messages before it are handled. It is attempted again, or given to the error
 * handler, as a message that comes alone. Those behind it are given to the handler again,
 * which costs them no attempt. A handler that throws anything else has handled none.
 * <p>
 * The cause is what the error handler gets. If it is a {@link MessageReturnedException}
 * and the subscription is closing, the message and those behind it are returned.
 *
 * @since 0.1.0
 */
public final class BatchFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int index;

	/**
	 * Creates an exception.
	 * @param index of the message in the list that the handler was given, from 0. The
	 * whole batch counts as failed if there is no such message
	 * @param cause why it could not be handled; after an {@link Error} it is not
	 * attempted again
	 */
	public BatchFailedException(int index, Throwable cause) {
		super("Message %d of the batch could not be handled: %s".formatted(index, cause),
				Objects.requireNonNull(cause, "The cause must not be null"));
		this.index = index;
	}

	/**
	 * Returns which message could not be handled.
	 * @return its index in the list that the handler was given
	 */
	public int index() {
		return this.index;
	}

}
