package io.github.vicinal.boot.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Shows topics as a page for people, at {@code vicinaltopics/page}.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = TopicsEndpoint.class)
public class TopicsPageEndpointExtension {

	private static final MimeType HTML = new MimeType(MimeTypeUtils.TEXT_HTML, StandardCharsets.UTF_8);

	/**
	 * Draws the topics.
	 * @param name must be {@code page}
	 * @return a self-contained page, or {@code null} if another name was asked for
	 */
	@ReadOperation
	public @Nullable WebEndpointResponse<Object> topics(@Selector String name) {
		return name.equals("page") ? new WebEndpointResponse<>(page(), WebEndpointResponse.STATUS_OK, HTML) : null;
	}

	private static String page() {
		try (InputStream in = TopicsPageEndpointExtension.class.getResourceAsStream("topics.html")) {
			if (in == null) {
				throw new IllegalStateException("topics.html is missing from the jar");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
