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

	private boolean aborted;

	/** Notes something that is for HTTP requests, unless the handler does it. */
	void httpOnly(String what) {
		if (!this.handling && this.reason == null) {
			this.reason = what;
		}
	}

	/** Notes something that a typed call cannot even do in place. */
	void abort(String what) {
		if (!this.handling) {
			httpOnly(what);
			this.aborted = true;
		}
	}

	/** Returns whether the call has to be made again, over HTTP. */
	boolean isAborted() {
		return this.aborted;
	}

	/** Says that Spring handles the request as it is, with its body. */
	void inPlace() {
		this.handling = true;
		this.inPlace = true;
	}

	boolean isInPlace() {
		return this.inPlace;
	}

	/** Says that the request has reached its handler. */
	void handling() {
		this.handling = true;
	}

	/**
	 * Says whether Spring looks for the handler, and may want to know whether there is a
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
