package io.github.vicinal.boot.actuate;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeTypeUtils;

/**
 * Shows topics as a page for people, at {@code vicinaltopics/page}, and says why a stored
 * position cannot be deleted.
 */
@EndpointWebExtension(endpoint = TopicsEndpoint.class)
class TopicsPageEndpointExtension {

	private final TopicsEndpoint endpoint;

	TopicsPageEndpointExtension(TopicsEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Draws the topics.
	 * @param name must be {@code page}
	 * @return a self-contained page, or {@code null} if another name was asked for
	 */
	@ReadOperation
	public @Nullable WebEndpointResponse<Object> topics(@Selector String name) {
		return name.equals("page") ? Page.response("topics.html") : null;
	}

	/**
	 * Deletes the stored position of a consumer of a durable topic.
	 * @param topic name of the topic
	 * @param consumer name of the consumer, which must not be subscribed
	 * @return 204, or 400 with the reason
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forget(@Selector String topic, @Selector String consumer) {
		String reason = this.endpoint.forget(topic, consumer);
		return (reason != null)
				? new WebEndpointResponse<>(Map.of("message", reason), WebEndpointResponse.STATUS_BAD_REQUEST,
						MimeTypeUtils.APPLICATION_JSON)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
	}

}
