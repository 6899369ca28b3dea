package io.github.vicinal.boot.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;

import io.github.vicinal.path.PathException;

import org.springframework.util.ClassUtils;
import org.springframework.web.client.ResourceAccessException;

/** The exceptions that HTTP clients raise when a request gets no answer. */
final class ClientFailures {

	private static final boolean WEB_CLIENT = ClassUtils
		.isPresent("org.springframework.web.reactive.function.client.WebClient", ClientFailures.class.getClassLoader());

	private ClientFailures() {
	}

	/** Returns what the client of a call raises when its request gets no answer. */
	static RuntimeException of(ClientCall call, PathException failure) {
		UriTemplates known = call.client().uris();
		URI expanded = (known != null) ? known.expanded(call.plan(), call.arguments()) : null;
		if (call.client().traits().reactive()) {
			return ofWebClient(call.plan().httpMethod(), (expanded != null) ? expanded : URI.create("/"), failure);
		}
		String uri = (expanded != null) ? expanded.toString() : call.address() + call.plan().path();
		// As RestClient does, without the query.
		int query = uri.indexOf('?');
		return ofRestClient(call.plan().httpMethod(), (query >= 0) ? uri.substring(0, query) : uri, failure);
	}

	/**
	 * Returns what {@code RestClient} raises.
	 * @param httpMethod the request's method
	 * @param uri the request's URI without its query, for the message
	 * @param failure why there is no answer
	 */
	static RuntimeException ofRestClient(String httpMethod, String uri, PathException failure) {
		IOException cause = ioException(failure);
		return new ResourceAccessException(
				"I/O error on %s request for \"%s\": %s".formatted(httpMethod, uri, cause.getMessage()), cause);
	}

	/**
	 * Returns what {@code WebClient} raises.
	 * @param httpMethod the request's method
	 * @param uri the request's URI
	 * @param failure why there is no answer
	 */
	private static RuntimeException ofWebClient(String httpMethod, URI uri, PathException failure) {
		return WEB_CLIENT ? ReactiveRequests.requestFailure(httpMethod, uri, ioException(failure))
				: ofRestClient(httpMethod, uri.toString(), failure);
	}

	private static IOException ioException(PathException failure) {
		String message = String.valueOf(failure.getMessage());
		IOException cause = switch (failure.reason()) {
			case TIMEOUT -> new SocketTimeoutException("Read timed out: " + message);
			case INTERRUPTED -> new InterruptedIOException(message);
			default -> new IOException(message);
		};
		cause.initCause(failure);
		return cause;
	}

}
