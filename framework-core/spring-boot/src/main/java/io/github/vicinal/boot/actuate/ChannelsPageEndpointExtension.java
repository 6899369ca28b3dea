package io.github.vicinal.boot.actuate;

import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Shows the channels as a page for people, at {@code vicinalchannels/page}. A channel of
 * that name comes first.
 */
@EndpointWebExtension(endpoint = ChannelsEndpoint.class)
class ChannelsPageEndpointExtension {

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
		return name.equals("page") ? Page.response("channels.html") : null;
	}

}
