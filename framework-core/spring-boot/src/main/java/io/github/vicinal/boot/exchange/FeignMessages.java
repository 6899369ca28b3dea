package io.github.vicinal.boot.exchange;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;

import feign.Request;
import feign.Response;
import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ResponseHead;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * Requests and responses of Feign, as its client of {@code HttpURLConnection} has them.
 */
final class FeignMessages {

	private static final boolean LAST_FIRST = LibraryAdditions.urlConnectionListsLastFirst();

	private FeignMessages() {
	}

	/**
	 * Returns what precedes the body on the wire.
	 * @return the head, or {@code null} if the library does something of its own
	 */
	static @Nullable RequestHead head(Request request, URI uri) {
		String method = request.httpMethod().name();
		byte[] body = request.body();
		// The library knows no PATCH, and makes a POST of a GET with a body.
		if (method.equals("PATCH") || (body != null && !method.equals("POST") && !method.equals("PUT"))) {
			return null;
		}
		boolean encoded = encoding(request) != null;
		boolean accepts = false;
		boolean typed = false;
		HttpFields.Builder fields = HttpFields.builder();
		for (Map.Entry<String, Collection<String>> header : request.headers().entrySet()) {
			String name = header.getKey();
			String lower = name.toLowerCase(Locale.ROOT);
			if (OfLibraries.RESTRICTED.contains(lower)) {
				return null;
			}
			if (lower.equals("content-length")) {
				continue;
			}
			accepts |= lower.equals("accept");
			typed |= lower.equals("content-type");
			if (name.equals(HttpHeaders.ACCEPT_ENCODING)) {
				fields.add(name, String.join(", ", header.getValue()));
				continue;
			}
			for (String value : header.getValue()) {
				if (!isText(value)) {
					return null;
				}
				fields.add(name, value);
			}
		}
		if (!accepts) {
			fields.add(HttpHeaders.ACCEPT, "*/*");
		}
		if (body != null && !typed && method.equals("POST")) {
			fields.add(HttpHeaders.CONTENT_TYPE, OfLibraries.FORM);
		}
		fields.add(HttpHeaders.HOST, OfLibraries.host(uri, false));
		if (body != null && !length(request, body, encoded, fields)) {
			return null;
		}
		RequestHead head = new RequestHead(method, target(uri), fields.build());
		return head.fits() ? head : null;
	}

	private static String target(URI uri) {
		String path = uri.getRawPath();
		String target = (path == null || path.isEmpty()) ? "/" : path;
		return (uri.getRawQuery() != null) ? target + "?" + uri.getRawQuery() : target;
	}

	/** Adds the length; {@code false} if it is not that of the body. */
	private static boolean length(Request request, byte[] body, boolean encoded, HttpFields.Builder fields) {
		Collection<String> said = request.headers().get(HttpHeaders.CONTENT_LENGTH);
		if (encoded || said == null || said.isEmpty()) {
			fields.add(HttpHeaders.TRANSFER_ENCODING, "chunked");
			return true;
		}
		fields.add(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length));
		return said.size() == 1 && said.iterator().next().equals(Integer.toString(body.length));
	}

	private static boolean isText(@Nullable String value) {
		return value != null
				&& value.chars().allMatch((character) -> (character >= ' ' || character == '\t') && character < 0x7F);
	}

	private static @Nullable String encoding(Request request) {
		return encoding(request.headers());
	}

	private static @Nullable String encoding(Map<String, Collection<String>> headers) {
		Collection<String> values = headers.get(HttpHeaders.CONTENT_ENCODING);
		if (values == null || values.isEmpty()) {
			return null;
		}
		return values.contains("gzip") ? "gzip" : values.contains("deflate") ? "deflate" : null;
	}

	/** Returns the body as it is sent, or {@code null}. */
	static @Nullable OutgoingBody body(Request request) {
		byte[] bytes = request.body();
		return (bytes != null) ? new Bytes(bytes, encoding(request)) : null;
	}

	/**
	 * Waits for a response.
	 * @param exchange the exchange
	 * @param request its request
	 * @param additions what the library does
	 */
	static Response response(ClientExchange exchange, Request request, LibraryAdditions additions) throws IOException {
		ResponseHead answered = exchange.response();
		int status = answered.status();
		Map<String, Collection<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		HttpFields fields = answered.fields();
		for (int n = 0; n < fields.size(); n++) {
			int i = LAST_FIRST ? fields.size() - 1 - n : n;
			headers.computeIfAbsent(fields.name(i), (name) -> new ArrayList<>()).add(fields.value(i));
		}
		Integer length = length(headers);
		boolean head = request.httpMethod() == Request.HttpMethod.HEAD;
		Response.Builder response = Response.builder().status(status).headers(headers).request(request);
		if (!answered.reason().isEmpty()) {
			response.reason(answered.reason());
		}
		if (head || status < 200 || status == 204 || status == 304 || (length != null && length == 0)
				|| (request.body() != null
						&& additions.losesBody(HttpMethod.valueOf(request.httpMethod().name()), status))) {
			exchange.close();
			// The library has no body of an error, and an empty one of a success.
			return ((status < 400) ? response.body(InputStream.nullInputStream(), length) : response).build();
		}
		return response.body(decoded(new ResponseBody(exchange), encoding(headers)), length).build();
	}

	private static InputStream decoded(InputStream body, @Nullable String encoding) throws IOException {
		if (encoding == null) {
			return body;
		}
		InputStream buffered = new BufferedInputStream(body);
		return encoding.equals("gzip") ? new GZIPInputStream(buffered) : new InflaterInputStream(buffered);
	}

	private static @Nullable Integer length(Map<String, Collection<String>> headers) {
		Collection<String> said = headers.get(HttpHeaders.CONTENT_LENGTH);
		if (said == null || said.isEmpty()) {
			return null;
		}
		try {
			return Integer.valueOf(said.iterator().next().strip());
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	/** Bytes as the library compresses them. */
	private static final class Bytes implements OutgoingBody {

		private final byte[] bytes;

		private final @Nullable String encoding;

		Bytes(byte[] bytes, @Nullable String encoding) {
			this.bytes = bytes;
			this.encoding = encoding;
		}

		@Override
		public void writeTo(OutputStream out) throws IOException {
			if (this.encoding == null) {
				out.write(this.bytes);
				return;
			}
			try (OutputStream compressing = this.encoding.equals("gzip") ? new GZIPOutputStream(out)
					: new DeflaterOutputStream(out)) {
				compressing.write(this.bytes);
			}
		}

		@Override
		public boolean isRepeatable() {
			return true;
		}

	}

}
