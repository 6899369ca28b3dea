package io.github.vicinal.transport.multiplex;

import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.wire.Refusal;
import org.jspecify.annotations.Nullable;

/** A path exception that knows whether connecting again may help. */
@SuppressWarnings("serial")
public final class ConnectionException extends PathException {

	private final boolean retryable;

	private ConnectionException(Reason reason, boolean maybeExecuted, String message, @Nullable Throwable cause,
			boolean retryable) {
		super(reason, maybeExecuted, message, cause);
		this.retryable = retryable;
	}

	/**
	 * Creates the exception for a failure of this side or the connection.
	 * @param reason the kind of failure
	 * @param maybeExecuted whether the call may have been executed
	 * @param message what happened
	 * @param cause the cause, or {@code null}
	 * @return an exception after which connecting again may help
	 */
	public static ConnectionException of(Reason reason, boolean maybeExecuted, String message,
			@Nullable Throwable cause) {
		return new ConnectionException(reason, maybeExecuted, message, cause, true);
	}

	/**
	 * Creates the exception for what one side has refused.
	 * @param refusal why
	 * @param maybeExecuted whether the call may have been executed
	 * @param message what was refused
	 * @return the exception
	 */
	public static ConnectionException refused(Refusal refusal, boolean maybeExecuted, String message) {
		return new ConnectionException(refusal.reason(), maybeExecuted, message, null, refusal.retryable());
	}

	/**
	 * Returns whether connecting to the same peer may succeed later.
	 * @return {@code true} if it may
	 */
	public boolean retryable() {
		return this.retryable;
	}

}
