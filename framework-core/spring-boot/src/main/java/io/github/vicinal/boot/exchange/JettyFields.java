package io.github.vicinal.boot.exchange;

import java.util.Set;

import io.github.vicinal.exchange.HttpFields;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** The fields of a request that Jetty's client adds to what it is given. */
final class JettyFields {

	/** Methods whose requests say that they have no body. */
	private static final Set<HttpMethod> SAY_EMPTY = Set.of(HttpMethod.POST, HttpMethod.PUT);

	/**
	 * Fields that the library has before it is given any, so that there are two of each.
	 */
	private static final Set<String> TWICE = Set.of(HttpHeaders.USER_AGENT, HttpHeaders.ACCEPT_ENCODING);

	private static final String BINARY = "application/octet-stream";

	private JettyFields() {
	}

	/**
	 * Returns whether the library refuses the request, or sends another one.
	 * @param headers what the client wants to send
	 */
	static boolean areDecided(HttpHeaders headers) {
		return TWICE.stream().anyMatch(headers::containsHeader) || headers.headerSet()
			.stream()
			.anyMatch((header) -> !NettyFields.isText(header.getKey(), false)
					|| header.getValue().stream().anyMatch((value) -> !NettyFields.isText(value, true)));
	}

	/**
	 * Adds the fields of a request, but the host.
	 * @param method the method
	 * @param headers what the client wants to send
	 * @param body whether there is a body
	 * @param fields receives them
	 */
	static void add(HttpMethod method, HttpHeaders headers, boolean body, HttpFields.Builder fields) {
		headers.forEach((name, values) -> values.forEach((value) -> fields.add(name, value)));
		if (body && !headers.containsHeader(HttpHeaders.CONTENT_TYPE)) {
			fields.add(HttpHeaders.CONTENT_TYPE, BINARY);
		}
		if (headers.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			return;
		}
		if (body) {
			fields.add(HttpHeaders.TRANSFER_ENCODING, "chunked");
		}
		else if (SAY_EMPTY.contains(method)) {
			fields.add(HttpHeaders.CONTENT_LENGTH, "0");
		}
	}

}
