package io.github.vicinal.boot.server;

import org.jspecify.annotations.Nullable;

/**
 * Notes what happens to a request on its way to the handler that needs its bytes, such as
 * a filter that reads the body. A typed call then goes on in place: Spring reads the
 * arguments from the request and writes the result into the response, as it does for any
 * request. Later calls go over HTTP. Used by one thread at a time.
 */
final class RequestWatch {

	private @Nullable String reason;

	private boolean handling;

	private boolean mapping;

	private boolean inPlace;

	private boolean returned;

	private boolean asynchronous;

	/** Notes something that is for HTTP requests, unless the handler does it. */
	void httpOnly(String what) {
		if (!this.handling && this.reason == null) {
			this.reason = what;
		}
	}

	/**
	 * Notes that something other than the handler starts asynchronous processing, be it
	 * in front of the handler or behind it.
	 */
	void asynchronous() {
		this.asynchronous = true;
		if (this.reason == null) {
			this.reason = "a filter starts asynchronous processing";
		}
	}

	boolean isAsynchronous() {
		return this.asynchronous;
	}

	/** Says that Spring handles the request as it is, with its body. */
	void inPlace() {
		this.handling = true;
		this.returned = false;
		this.inPlace = true;
	}

	boolean isInPlace() {
		return this.inPlace;
	}

	/** Says that the request has reached its handler. */
	void handling() {
		this.handling = true;
	}

	/** Says that the handler has returned: what comes now is behind it. */
	void returned() {
		this.returned = true;
	}

	/** Returns whether the handler has returned. */
	boolean hasReturned() {
		return this.returned;
	}

	/** Returns whether the handler runs. */
	boolean isRunning() {
		return this.handling && !this.returned;
	}

	/**
	 * Sets whether Spring looks for the handler, and may want to know whether there is a
	 * body.
	 */
	void mapping(boolean isMapping) {
		this.mapping = isMapping;
	}

	boolean isMapping() {
		return this.mapping;
	}

	boolean isHandling() {
		return this.handling;
	}

	/** Returns what was noted first, or {@code null}. */
	@Nullable String reason() {
		return this.reason;
	}

}
