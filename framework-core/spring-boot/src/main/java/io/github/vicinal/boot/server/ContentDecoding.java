package io.github.vicinal.boot.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Undoes the encoding of a body that something in the application has compressed, as the
 * client's HTTP library would have done before anybody saw the response.
 */
final class ContentDecoding {

	private static final String GZIP = "gzip";

	private ContentDecoding() {
	}

	/**
	 * Decodes a response.
	 * @param response the response
	 * @param accepted what the library said it accepts, or {@code null} for nothing
	 * @return the response, decoded if the library would have decoded it
	 */
	static ServletContainer.Response decoded(ServletContainer.Response response, @Nullable String accepted) {
		if (response.body().length == 0 || response.cutOff() || accepted == null
				|| !accepted.toLowerCase(Locale.ROOT).contains(GZIP)) {
			return response;
		}
		Map<String, List<String>> headers = new LinkedHashMap<>(response.headers());
		if (!headers.entrySet()
			.removeIf((header) -> header.getKey().equalsIgnoreCase(HttpHeaders.CONTENT_ENCODING)
					&& header.getValue().size() == 1 && header.getValue().get(0).equalsIgnoreCase(GZIP))) {
			return response;
		}
		try (GZIPInputStream body = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
			return new ServletContainer.Response(response.status(), headers, body.readAllBytes(), false);
		}
		catch (IOException ex) {
			// It only says that it is compressed.
			return response;
		}
	}

}
