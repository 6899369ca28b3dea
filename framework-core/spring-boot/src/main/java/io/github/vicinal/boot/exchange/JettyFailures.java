package io.github.vicinal.boot.exchange;

import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

import org.eclipse.jetty.client.HttpResponseException;

/** Failures of Jetty's client as Spring reports them. Loaded only where the client is. */
final class JettyFailures {

	private JettyFailures() {
	}

	/** Returns what callers see after the time-out of a request. */
	static IOException timedOut() {
		TimeoutException cause = new TimeoutException("Total timeout elapsed");
		return new IOException("Request timed out: " + cause.getMessage(), cause);
	}

	/** Returns what the library raises when a connection has ended. */
	static IOException lost() {
		return new EOFException("The connection has ended before the response");
	}

	/** Returns what the library raises where a redirect leads nowhere. */
	@SuppressWarnings("NullAway") // The response is for callers who look at it.
	static RuntimeException noLocation() {
		return new HttpResponseException("Invalid 'Location' header: null", null);
	}

}
