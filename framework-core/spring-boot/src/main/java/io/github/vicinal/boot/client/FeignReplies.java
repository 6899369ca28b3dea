package io.github.vicinal.boot.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import feign.Request;
import feign.Response;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** Replies of typed paths as Feign's own client would have shown them. */
final class FeignReplies {

	private static final boolean LAST_FIRST = LibraryAdditions.urlConnectionListsLastFirst();

	/** The message of {@code HttpURLConnection}. */
	static final String CUT_OFF = "Premature EOF";

	private static final int OK = 200;

	private static final int REDIRECTS = 300;

	private static final int ERRORS = 400;

	private FeignReplies() {
	}

	/**
	 * Only a status of 2xx is a result to Feign; decoders see all others.
	 * @param urlConnection whether the library is {@code HttpURLConnection}
	 */
	static Reply received(Reply reply, boolean urlConnection) {
		if (!(reply instanceof Reply.Value value)) {
			return reply;
		}
		if (value.status() < OK || value.status() >= REDIRECTS) {
			return (value.body() == null) ? new Reply.Failure(value.status(), value.headers(), new byte[0], "") : reply;
		}
		boolean several = urlConnection && LAST_FIRST
				&& value.headers().values().stream().anyMatch((values) -> values.size() > 1);
		return several ? new Reply.Value(value.status(), ordered(value.headers()), value.body()) : reply;
	}

	private static Map<String, List<String>> ordered(Map<String, List<String>> headers) {
		Map<String, List<String>> ordered = new LinkedHashMap<>();
		headers.forEach((name, values) -> ordered.put(name, ordered(values)));
		return ordered;
	}

	private static List<String> ordered(List<String> values) {
		List<String> ordered = new ArrayList<>(values);
		if (LAST_FIRST) {
			Collections.reverse(ordered);
		}
		return ordered;
	}

	/**
	 * Returns the response that the library would have made of a failure.
	 * @param failure the failure
	 * @param request the request that is answered
	 * @param library what the library does
	 */
	static Response response(Reply.Failure failure, Request request, LibraryAdditions library) {
		Map<String, Collection<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		failure.headers().forEach((name, values) -> headers.put(name, ordered(values)));
		headers.remove(Reply.Failure.CUT_OFF_HEADER);
		Response.Builder response = Response.builder().status(failure.status()).headers(headers).request(request);
		Integer length = length(headers);
		HttpMethod method = HttpMethod.valueOf(request.httpMethod().name());
		boolean lost = request.body() != null && library.losesBody(method, failure.status());
		if (!failure.isCutOff() && (lost || failure.body().length == 0)) {
			// The library has no body of an error, and an empty one of a success.
			return ((failure.status() < ERRORS) ? response.body(InputStream.nullInputStream(), length) : response)
				.build();
		}
		InputStream bytes = new ByteArrayInputStream(failure.body());
		return response.body(failure.isCutOff() ? new CutOffBody(bytes, CUT_OFF) : bytes, length).build();
	}

	private static @Nullable Integer length(Map<String, Collection<String>> headers) {
		Collection<String> said = headers.get(HttpHeaders.CONTENT_LENGTH);
		try {
			return (said == null || said.isEmpty()) ? null : Integer.valueOf(said.iterator().next().strip());
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	/**
	 * Returns what the library raises when there is no answer.
	 * @param urlConnection whether the library is {@code HttpURLConnection}
	 */
	static IOException failure(PathException failure, boolean urlConnection) {
		String message = String.valueOf(failure.getMessage());
		IOException raised = switch (failure.reason()) {
			case TIMEOUT -> new SocketTimeoutException("Read timed out");
			case INTERRUPTED -> new InterruptedIOException(message);
			default -> new SocketException(urlConnection ? "Unexpected end of file from server" : "Connection reset");
		};
		raised.addSuppressed(failure);
		return raised;
	}

}
