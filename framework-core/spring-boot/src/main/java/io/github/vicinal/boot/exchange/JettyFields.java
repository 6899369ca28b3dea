package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.exchange.HttpFields;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * The fields of a request that Jetty's client adds to what it is given. Loaded only where
 * the client is.
 */
final class JettyFields {

	/** Methods whose requests say that they have no body. */
	private static final Set<HttpMethod> SAY_EMPTY = Set.of(HttpMethod.POST, HttpMethod.PUT);

	/**
	 * Fields that the library has before it is given any, so that there are two of each.
	 */
	private static final Set<String> TWICE = Set.of(HttpHeaders.USER_AGENT, HttpHeaders.ACCEPT_ENCODING);

	/** Maximum bytes of a request line and fields; the library refuses more. */
	private static final int MAX_HEADER_BYTES = 8192;

	/** Bytes of the request line and of fields that the library adds, at most. */
	private static final int ADDED_BYTES = 512;

	/** Bytes of a field beside its name and value. */
	private static final int FIELD_BYTES = 4;

	private static final String BINARY = "application/octet-stream";

	private JettyFields() {
	}

	/**
	 * Returns whether the library refuses the request, or sends another one.
	 * @param uri where the request goes
	 * @param headers what the client wants to send
	 */
	static boolean areDecided(URI uri, HttpHeaders headers) {
		return bytes(headers) + uri.toString().length() > MAX_HEADER_BYTES - ADDED_BYTES
				|| TWICE.stream().anyMatch(headers::containsHeader)
				|| headers.headerSet()
					.stream()
					.anyMatch((header) -> !NettyFields.isText(header.getKey(), false)
							|| header.getValue().stream().anyMatch((value) -> !NettyFields.isText(value, true)));
	}

	private static int bytes(HttpHeaders headers) {
		int bytes = 0;
		for (Map.Entry<String, List<String>> header : headers.headerSet()) {
			for (String value : header.getValue()) {
				bytes += header.getKey().length() + FIELD_BYTES + ((value != null) ? value.length() : 0);
			}
		}
		return bytes;
	}

	/**
	 * Returns the value of a field of a response. The library's parser knows frequent
	 * fields, and spells their values in one way.
	 * @param name name of the field
	 * @param value what the server has sent
	 */
	static String read(String name, String value) {
		HttpField known = HttpParser.CACHE.get(name + ": " + value);
		String spelled = (known != null) ? known.getValue() : null;
		return (spelled != null) ? spelled : value;
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
