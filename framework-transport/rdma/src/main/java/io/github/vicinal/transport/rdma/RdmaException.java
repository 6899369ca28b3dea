package io.github.vicinal.transport.rdma;

import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.wire.Refusal;
import org.jspecify.annotations.Nullable;

/** A path exception that knows whether connecting again may help. */
@SuppressWarnings("serial")
final class RdmaException extends PathException {

	private final boolean retryable;

	private RdmaException(Reason reason, boolean maybeExecuted, String message, @Nullable Throwable cause,
			boolean retryable) {
		super(reason, maybeExecuted, message, cause);
		this.retryable = retryable;
	}

	static RdmaException of(Reason reason, boolean maybeExecuted, String message, @Nullable Throwable cause) {
		return new RdmaException(reason, maybeExecuted, message, cause, true);
	}

	static RdmaException refused(Refusal refusal, boolean maybeExecuted, String message) {
		return new RdmaException(refusal.reason(), maybeExecuted, message, null, refusal.retryable());
	}

	/** Whether connecting to the same peer may succeed later. */
	boolean retryable() {
		return this.retryable;
	}

}
