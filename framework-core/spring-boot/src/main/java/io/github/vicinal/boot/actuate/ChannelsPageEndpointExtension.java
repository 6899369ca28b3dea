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

import io.github.vicinal.report.ChannelReport;

/**
 * Shows the channels as a page for people, at {@code vicinalchannels/page}. A channel of
 * that name comes first.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = ChannelsEndpoint.class)
public class ChannelsPageEndpointExtension {

	private static final MimeType HTML = new MimeType(MimeTypeUtils.TEXT_HTML, StandardCharsets.UTF_8);

	private final ChannelsEndpoint endpoint;

	/**
	 * Creates the extension.
	 * @param endpoint describes channels
	 */
	public ChannelsPageEndpointExtension(ChannelsEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Describes one channel, or draws all of them.
	 * @param name the channel's name, or {@code page}
	 * @return the channel, a self-contained page, or {@code null} if there is no such
	 * channel
	 */
	@ReadOperation
	public @Nullable WebEndpointResponse<Object> channel(@Selector String name) {
		ChannelReport report = this.endpoint.channel(name);
		if (report != null) {
			return new WebEndpointResponse<>(report);
		}
		return name.equals("page") ? new WebEndpointResponse<>(page(), WebEndpointResponse.STATUS_OK, HTML) : null;
	}

	private static String page() {
		try (InputStream in = ChannelsPageEndpointExtension.class.getResourceAsStream("channels.html")) {
			if (in == null) {
				throw new IllegalStateException("channels.html is missing from the jar");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
