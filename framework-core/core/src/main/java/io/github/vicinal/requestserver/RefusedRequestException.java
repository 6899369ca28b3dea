package io.github.vicinal.requestserver;

import java.util.concurrent.RejectedExecutionException;

/**
 * A request was refused before it was executed. It has no stack trace: refusals are many
 * when they matter.
 *
 * @since 0.1.0
 */
public final class RefusedRequestException extends RejectedExecutionException {

	private static final long serialVersionUID = 1;

	@SuppressWarnings("serial")
	private final Refusal refusal;

	/**
	 * Creates the exception.
	 * @param refusal why
	 */
	public RefusedRequestException(Refusal refusal) {
		super(refusal.message());
		this.refusal = refusal;
	}

	/**
	 * Returns why the request was refused.
	 * @return the refusal
	 */
	public Refusal refusal() {
		return this.refusal;
	}

	@Override
	public synchronized Throwable fillInStackTrace() {
		return this;
	}

}
