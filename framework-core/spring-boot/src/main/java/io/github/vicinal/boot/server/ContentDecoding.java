package io.github.vicinal.boot.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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
	 * @param accepted what the library said it accepts, or {@code null} for nothing
	 * @return the response, decoded if the library would have decoded it
	 */
	static ServletContainer.Response decoded(ServletContainer.Response response, @Nullable String accepted) {
		String encoding = encoding(response);
		if (encoding == null || accepted == null || !accepted.toLowerCase(Locale.ROOT).contains(encoding)
				|| response.body().length == 0 || response.cutOff()) {
			return response;
		}
		ByteArrayInputStream bytes = new ByteArrayInputStream(response.body());
		try (InputStream body = encoding.equals(GZIP) ? new GZIPInputStream(bytes) : new InflaterInputStream(bytes)) {
			Map<String, List<String>> headers = new LinkedHashMap<>(response.headers());
			headers.keySet().removeIf(HttpHeaders.CONTENT_ENCODING::equalsIgnoreCase);
			return new ServletContainer.Response(response.status(), headers, body.readAllBytes(), false);
		}
		catch (IOException ex) {
			// It only says that it is compressed.
			return response;
		}
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
