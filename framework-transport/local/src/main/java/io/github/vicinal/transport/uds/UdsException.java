package io.github.vicinal.transport.uds;

import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.wire.Refusal;
import org.jspecify.annotations.Nullable;

/** A path exception, with what this package needs to know to go on. */
@SuppressWarnings("serial")
final class UdsException extends PathException {

	private final boolean staleConnection;

	private final boolean retryable;

	private UdsException(Reason reason, boolean maybeExecuted, String message, @Nullable Throwable cause,
			boolean staleConnection, boolean retryable) {
		super(reason, maybeExecuted, message, cause);
		this.staleConnection = staleConnection;
		this.retryable = retryable;
	}

	static UdsException of(Reason reason, boolean maybeExecuted, String message, @Nullable Throwable cause) {
		return new UdsException(reason, maybeExecuted, message, cause, false, true);
	}

	/**
	 * The connection is of no use, and it is certain that the call was not executed.
	 */
	static UdsException stale(Reason reason, String message, @Nullable Throwable cause) {
		return new UdsException(reason, false, message, cause, true, true);
	}

	static UdsException refused(Refusal refusal, boolean maybeExecuted, String message) {
		return new UdsException(refusal.reason(), maybeExecuted, message, null, false, refusal.retryable());
	}

	/** Whether the same call may be made at once on a new connection. */
	boolean staleConnection() {
		return this.staleConnection;
	}

	/** Whether connecting to the same peer may succeed later. */
	boolean retryable() {
		return this.retryable;
	}

}
