package io.github.vicinal.boot.exchange;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.github.vicinal.exchange.HttpFields;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;

/**
 * The fields of a request that Spring's {@code SimpleClientHttpRequestFactory} and the
 * JDK's {@code HttpURLConnection} add to what they are given, or leave out.
 */
final class UrlConnectionFields {

	/** Methods that the library knows. */
	private static final Set<String> METHODS = Set.of("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

	/** Methods whose requests have a body, if an empty one. */
	private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "DELETE");

	private UrlConnectionFields() {
	}

	/**
	 * Returns whether the library refuses the request, or sends another one.
	 * @param method the method
	 * @param headers what the client wants to send
	 * @param body whether there is a body
	 */
	static boolean areDecided(HttpMethod method, HttpHeaders headers, boolean body) {
		boolean mayWrite = WITH_BODY.contains(method.name());
		return !METHODS.contains(method.name()) || (body && !mayWrite)
				|| (!body && headers.containsHeader(HttpHeaders.CONTENT_LENGTH))
				|| headers.headerNames()
					.stream()
					.anyMatch((name) -> OfLibraries.RESTRICTED.contains(name.toLowerCase(Locale.ROOT)));
	}

	/**
	 * Adds the fields of a request, but the host.
	 * @param method the method
	 * @param headers what the client wants to send
	 * @param fields receives them
	 */
	static void add(HttpMethod method, HttpHeaders headers, HttpFields.Builder fields) {
		boolean replacesAccept = replacesAccept(method, headers);
		headers.forEach((name, values) -> {
			if (name.equalsIgnoreCase(HttpHeaders.COOKIE)) {
				fields.add(name, String.join("; ", values));
			}
			else if (!replacesAccept || !name.equalsIgnoreCase(HttpHeaders.ACCEPT)) {
				addAll(name, values, fields);
			}
		});
		if (replacesAccept) {
			fields.add(HttpHeaders.ACCEPT, MediaType.ALL_VALUE);
		}
		if (WITH_BODY.contains(method.name())) {
			if (!method.equals(HttpMethod.PUT) && !headers.containsHeader(HttpHeaders.CONTENT_TYPE)) {
				fields.add(HttpHeaders.CONTENT_TYPE, OfLibraries.FORM);
			}
			if (!headers.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
				fields.add(HttpHeaders.TRANSFER_ENCODING, "chunked");
			}
		}
	}

	/**
	 * Returns whether Spring says what is accepted, as it does where nobody else does.
	 */
	static boolean replacesAccept(HttpMethod method, HttpHeaders headers) {
		return (method.equals(HttpMethod.PUT) || method.equals(HttpMethod.DELETE))
				&& !StringUtils.hasText(headers.getFirst(HttpHeaders.ACCEPT));
	}

	private static void addAll(String name, List<String> values, HttpFields.Builder fields) {
		values.forEach((value) -> fields.add(name, (value != null) ? value : ""));
	}

}
