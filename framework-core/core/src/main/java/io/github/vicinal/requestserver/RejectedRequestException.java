package io.github.vicinal.requestserver;

import java.util.concurrent.RejectedExecutionException;

/**
 * A request was rejected before it was executed. It has no stack trace, and its message
 * is made when it is asked for: rejections are many when they matter.
 *
 * @since 0.1.0
 */
public final class RejectedRequestException extends RejectedExecutionException {

	private static final long serialVersionUID = 1;

	@SuppressWarnings("serial")
	private final Rejection rejection;

	/**
	 * Creates the exception.
	 * @param rejection why
	 */
	public RejectedRequestException(Rejection rejection) {
		this.rejection = rejection;
	}

	/**
	 * Returns why the request was rejected.
	 * @return the rejection
	 */
	public Rejection rejection() {
		return this.rejection;
	}

	@Override
	public String getMessage() {
		return this.rejection.message();
	}

	@Override
	public synchronized Throwable fillInStackTrace() {
		return this;
	}

}
