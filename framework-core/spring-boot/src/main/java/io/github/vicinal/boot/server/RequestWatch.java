package io.github.vicinal.boot.server;

import org.jspecify.annotations.Nullable;

/**
 * Notes what happens to a request on its way to the handler that a typed call cannot
 * repeat, such as a filter that reads the body. Used by one thread at a time.
 */
final class RequestWatch {

	private @Nullable String reason;

	private boolean handling;

	private boolean mapping;

	/** Notes something that only an HTTP request can do, unless the handler does it. */
	void httpOnly(String what) {
		if (!this.handling && this.reason == null) {
			this.reason = what;
		}
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
