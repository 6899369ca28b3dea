package io.github.vicinal.boot.exchange;

import java.util.Set;

import io.github.vicinal.exchange.HttpFields;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** The fields of a request that Reactor Netty adds to what it is given, or refuses. */
final class NettyFields {

	/** Methods whose requests have no body unless they say its length. */
	private static final Set<HttpMethod> WITHOUT_BODY = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE);

	private NettyFields() {
	}

	/**
	 * Returns whether the library refuses the request, or has to measure its body.
	 * @param method the method
	 * @param headers what the client wants to send
	 * @param body whether there is a body
	 */
	static boolean areDecided(HttpMethod method, HttpHeaders headers, boolean body) {
		return (body && !saysEmpty(method) && !headers.containsHeader(HttpHeaders.CONTENT_LENGTH))
				|| headers.headerSet()
					.stream()
					.anyMatch((header) -> !isText(header.getKey(), false)
							|| header.getValue().stream().anyMatch((value) -> !isText(value, true)));
	}

	/**
	 * Adds the fields of a request, but the host. The library writes names in lower case.
	 * @param method the method
	 * @param headers what the client wants to send
	 * @param body whether there is a body
	 * @param fields receives them
	 */
	static void add(HttpMethod method, HttpHeaders headers, boolean body, HttpFields.Builder fields) {
		headers.forEach((name, values) -> values.forEach((value) -> fields.add(name, value)));
		if (!headers.containsHeader(HttpHeaders.ACCEPT)) {
			fields.add("accept", "*/*");
		}
		if (headers.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			return;
		}
		if (body) {
			fields.add("transfer-encoding", "chunked");
		}
		else if (saysEmpty(method)) {
			fields.add("content-length", "0");
		}
	}

	/** Returns whether a request without a body says that it has none. */
	static boolean saysEmpty(HttpMethod method) {
		return !WITHOUT_BODY.contains(method);
	}

	/**
	 * Returns whether a response never has a body: the library drops its
	 * {@code Transfer-Encoding}.
	 */
	static boolean hasNoBody(HttpMethod method, int status) {
		return method.equals(HttpMethod.HEAD) || status < 200 || status == 204 || status == 304;
	}

	/**
	 * Returns whether the library accepts a name or a value. Values must not begin with a
	 * blank.
	 */
	static boolean isText(@Nullable String text, boolean value) {
		if (text == null || (text.isEmpty() && !value)) {
			return false;
		}
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			boolean blank = value && i > 0 && (c == ' ' || c == '\t');
			boolean ok = blank || (c > ' ' && (value ? c != 0x7F && c <= 0xFF : c < 0x7F && c != ':'));
			if (!ok) {
				return false;
			}
		}
		return true;
	}

}
