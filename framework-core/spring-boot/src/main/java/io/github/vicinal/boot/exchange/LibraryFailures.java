package io.github.vicinal.boot.exchange;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;

import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.boot.client.NettyFailures;

/**
 * Failures of exchanges as the HTTP library below Spring raises them: applications choose
 * by their types what to repeat.
 */
final class LibraryFailures {

	private LibraryFailures() {
	}

	/**
	 * Returns what a library raises before there is a response.
	 * @param failure of the exchange
	 * @param library the library
	 */
	static IOException of(IOException failure, LibraryAdditions library) {
		IOException raised = failure;
		if (failure instanceof SocketTimeoutException && library.isJdk()) {
			raised = new HttpTimeoutException("Request cancelled");
		}
		else if (failure instanceof SocketTimeoutException && library.isNetty()) {
			raised = NettyFailures.timedOut();
		}
		else if (failure instanceof SocketException && library.isNetty()) {
			raised = NettyFailures.lost(false);
		}
		else if (library.isJetty()) {
			raised = (failure instanceof SocketTimeoutException) ? JettyFailures.timedOut() : JettyFailures.lost();
		}
		if (raised != failure) {
			raised.addSuppressed(failure);
		}
		return raised;
	}

	/**
	 * Returns what the JDK's client raises when a connection ends in the middle of a
	 * response.
	 * @param failure why there is no more
	 */
	static IOException lostByJdk(SocketException failure) {
		IOException raised = new IOException(new IOException("The connection was closed in the middle of the response",
				new EOFException("EOF reached while reading")));
		raised.addSuppressed(failure);
		return raised;
	}

	/**
	 * Returns what a library raises where a redirect says no location.
	 * @param library the library
	 * @throws RuntimeException if that is what it raises
	 */
	static IOException noLocation(LibraryAdditions library) {
		if (library.isJetty()) {
			throw JettyFailures.noLocation();
		}
		return new IOException("Invalid redirection");
	}

}
