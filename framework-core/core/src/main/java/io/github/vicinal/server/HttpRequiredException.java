package io.github.vicinal.server;

/**
 * A call can be answered only as an HTTP request. It was not executed, so the client
 * sends it again over HTTP. It has no stack trace: the caller needs only the reason.
 *
 * @since 0.1.0
 */
public final class HttpRequiredException extends RuntimeException {

	private static final long serialVersionUID = 1;

	/**
	 * Creates the exception.
	 * @param reason what typed paths cannot do for this call, for people
	 */
	public HttpRequiredException(String reason) {
		super(reason, null, false, false);
	}

}
