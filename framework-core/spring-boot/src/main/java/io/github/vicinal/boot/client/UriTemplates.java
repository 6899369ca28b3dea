package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Collection;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * The URI template of a call, as the HTTP client would have tagged it, and a URI with the
 * name of the client.
 *
 * @param base scheme, host and the base URL's path, without a trailing slash
 */
record UriTemplates(URI base) {

	/**
	 * Learns the base URL from a request that was sent.
	 * @param sent the request's URI
	 * @param path the method's own path template
	 * @param clientName the host by which the client knows the service, or {@code null}
	 * for the one in the URI
	 */
	static UriTemplates learn(URI sent, String path, @Nullable String clientName) {
		int own = StringUtils.tokenizeToStringArray(path, "/").length;
		String[] segments = StringUtils.tokenizeToStringArray(sent.getRawPath(), "/");
		StringBuilder base = new StringBuilder(sent.getScheme()).append("://")
			.append((clientName != null) ? clientName : sent.getRawAuthority());
		for (int i = 0; i < segments.length - own; i++) {
			base.append('/').append(segments[i]);
		}
		return new UriTemplates(URI.create(base.toString()));
	}

	String template(MethodPlan plan, @Nullable Object[] arguments) {
		String path = plan.path();
		String base = this.base.toString();
		String template = (path.isEmpty() || path.startsWith("/")) ? base + path : base + "/" + path;
		if (plan.queryNames().length == 0) {
			return template;
		}
		StringBuilder query = new StringBuilder(template);
		char separator = (template.indexOf('?') < 0) ? '?' : '&';
		for (int i = 0; i < arguments.length; i++) {
			String name = plan.queryNames()[i];
			int values = (name != null) ? count(arguments[i]) : 0;
			for (int j = 0; j < values; j++) {
				query.append(separator)
					.append("{queryParam-")
					.append(name)
					.append("}={queryParam-")
					.append(name)
					.append('[')
					.append(j)
					.append("]}");
				separator = '&';
			}
		}
		return query.toString();
	}

	private static int count(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection.size();
		}
		if (value instanceof Object[] array) {
			return array.length;
		}
		if (value instanceof java.util.Optional<?> optional) {
			return optional.isPresent() ? 1 : 0;
		}
		return (value != null) ? 1 : 0;
	}

}
