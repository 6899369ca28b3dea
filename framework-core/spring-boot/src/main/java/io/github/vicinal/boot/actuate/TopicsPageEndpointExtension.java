package io.github.vicinal.boot.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Shows topics as a page for people, at {@code vicinaltopics/page}.
 */
@EndpointWebExtension(endpoint = TopicsEndpoint.class)
class TopicsPageEndpointExtension {

	/**
	 * Draws the topics.
	 * @param name must be {@code page}
	 * @return a self-contained page, or {@code null} if another name was asked for
	 */
	@ReadOperation
	public @Nullable WebEndpointResponse<Object> topics(@Selector String name) {
		return name.equals("page") ? Page.response("topics.html") : null;
	}

}
