package io.github.vicinal.path;

import org.jspecify.annotations.Nullable;

/**
 * A path could not bring a call to its peer, or the answer back.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class PathException extends Exception {

	private final Reason reason;

	private final boolean maybeExecuted;

	/**
	 * Creates a path exception.
	 * @param reason the kind of failure, for metrics
	 * @param maybeExecuted whether the peer may have executed the call: {@code false}
	 * only if it is certain that it has not
	 * @param message what happened, for people
	 * @param cause the cause, if there is one
	 */
	public PathException(Reason reason, boolean maybeExecuted, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
		this.maybeExecuted = maybeExecuted;
	}

	/**
	 * Returns the kind of failure.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Returns whether the peer may have executed the call. Such a call is repeated only
	 * if its method is idempotent.
	 * @return {@code false} only if the call certainly was not executed
	 */
	public boolean maybeExecuted() {
		return this.maybeExecuted;
	}

	/**
	 * Kinds of failure; their lower-case names are values of metric tags.
	 *
	 * @since 0.1.0
	 */
	public enum Reason {

		/** The peer is gone: its process ended or it closed the connection. */
		PEER_GONE,

		/** The peer, or this side, speaks the protocol wrongly. */
		PROTOCOL,

		/** The peer refused the call, for instance because it is shutting down. */
		REFUSED,

		/**
		 * The peer can answer the call only as an HTTP request. It was not executed, and
		 * says nothing of the path.
		 */
		HTTP_REQUIRED,

		/** The deadline passed. */
		TIMEOUT,

		/** The calling thread was interrupted. */
		INTERRUPTED,

		/**
		 * All lanes, connections, memory or heap for calls to the peer are in use. The
		 * path stays healthy; if the call was not executed, it takes the next one.
		 */
		EXHAUSTED,

		/** A value could not be encoded or decoded. */
		CODEC,

		/** Anything else that the operating system reported. */
		IO

	}

}
