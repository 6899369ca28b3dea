package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import io.github.vicinal.boot.client.RedirectRules;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.util.MultiValueMap;

/**
 * An HTTP library below {@code WebClient}: what its connector does to requests and
 * responses, so that exchanges do the same. Thread-safe.
 */
interface ReactiveLibrary {

	/** Returns the name under which a server knows what the library adds to requests. */
	String name();

	/** Returns how the library follows redirects, {@code null} if it does not. */
	@Nullable RedirectRules redirects();

	/** Returns how long the library waits for a response, or {@code null}. */
	@Nullable Duration timeout();

	/**
	 * Returns what the time-out is about.
	 * @return {@code true} if it begins with the request and ends with the head of the
	 * response, {@code false} if it is the silence after the request and between parts of
	 * the response
	 */
	boolean limitsWholeRequests();

	/** Returns whether the library decompresses bodies. */
	boolean decodes();

	/**
	 * Returns whether a request without a body says so.
	 * @param method its method
	 * @return whether it has a {@code Content-Length} of 0
	 */
	boolean saysEmpty(HttpMethod method);

	/**
	 * Returns whether the library sets the length of a body that is one buffer, and sends
	 * bodies of all methods that way.
	 */
	boolean measuresBodies();

	/** Returns the field {@code Host} of a request. */
	String host(URI uri);

	/** Returns what buffers of requests and responses are made by. */
	DataBufferFactory buffers();

	/**
	 * Returns the header of cookies.
	 * @param request the request that has them
	 * @return the value, {@code null} if the library has to say what it thinks of them
	 */
	@Nullable String cookies(ClientHttpRequest request);

	/**
	 * Returns the library's own object of a request.
	 * @param request the request
	 * @return the object, {@code null} if there is none outside of the library
	 */
	@Nullable Object nativeRequest(ClientHttpRequest request);

	/** Parses the cookies of a response. */
	MultiValueMap<String, ResponseCookie> cookies(List<String> setCookies);

	/** Returns what the library fails with after its time-out. */
	Throwable timedOut(Throwable cause);

	/**
	 * Returns what the library fails with when a connection has ended.
	 * @param during whether a part of the response was there
	 * @param cause the failure of the exchange
	 */
	Throwable lost(boolean during, Throwable cause);

	/** Returns a connector for one request that asks a server for its paths. */
	Asking asking();

	/**
	 * The library for one request.
	 *
	 * @param connector makes the request
	 * @param isOwn whether a response is that of the server that was asked, and not of
	 * the target of a redirect
	 */
	record Asking(ClientHttpConnector connector, Predicate<ClientHttpResponse> isOwn) {
	}

	/** The application has added something to its client that exchanges do not have. */
	final class UnsupportedClientException extends Exception {

		private static final long serialVersionUID = 1;

		UnsupportedClientException(String what) {
			super(what);
		}

	}

}
