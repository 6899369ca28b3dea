package io.github.vicinal.boot.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Undoes the encoding of a body that something in the application has compressed, as the
 * client's HTTP library would have done before anybody saw the response.
 */
final class ContentDecoding {

	private static final String GZIP = "gzip";

	private static final String DEFLATE = "deflate";

	private ContentDecoding() {
	}

	/**
	 * Decodes a response.
	 * @param response the response
	 * @param accepted what the library said it accepts, in one or several headers
	 * @return the response, decoded if the library would have decoded it, and cut off if
	 * it would have failed to
	 */
	static ServletContainer.Response decoded(ServletContainer.Response response, Enumeration<String> accepted) {
		String encoding = encoding(response);
		if (encoding == null || response.body().length == 0 || response.cutOff() || !contains(accepted, encoding)) {
			return response;
		}
		ByteArrayInputStream bytes = new ByteArrayInputStream(response.body());
		try (InputStream body = encoding.equals(GZIP) ? new GZIPInputStream(bytes) : new InflaterInputStream(bytes)) {
			Map<String, List<String>> headers = new LinkedHashMap<>(response.headers());
			headers.keySet().removeIf(HttpHeaders.CONTENT_ENCODING::equalsIgnoreCase);
			return new ServletContainer.Response(response.status(), headers, body.readAllBytes(), false);
		}
		catch (IOException ex) {
			// It only says that it is compressed, or is not compressed to its end.
			return new ServletContainer.Response(response.status(), response.headers(), new byte[0], true);
		}
	}

	private static boolean contains(Enumeration<String> accepted, String encoding) {
		while (accepted.hasMoreElements()) {
			if (accepted.nextElement().toLowerCase(Locale.ROOT).contains(encoding)) {
				return true;
			}
		}
		return false;
	}

	private static @Nullable String encoding(ServletContainer.Response response) {
		return response.headers()
			.entrySet()
			.stream()
			.filter((header) -> header.getKey().equalsIgnoreCase(HttpHeaders.CONTENT_ENCODING)
					&& header.getValue().size() == 1)
			.map((header) -> header.getValue().get(0).toLowerCase(Locale.ROOT))
			.filter((encoding) -> encoding.equals(GZIP) || encoding.equals(DEFLATE))
			.findFirst()
			.orElse(null);
	}

}
