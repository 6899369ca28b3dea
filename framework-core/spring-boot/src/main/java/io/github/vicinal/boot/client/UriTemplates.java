package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriComponentsBuilder;

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

	/**
	 * Returns the URI of a call, with the values of its arguments.
	 * @param plan the plan of the method
	 * @param arguments the arguments of the call
	 * @return the URI, or {@link #base()} if the values make none
	 */
	URI expanded(MethodPlan plan, @Nullable Object[] arguments) {
		String path = plan.path();
		String base = this.base.toString();
		UriComponentsBuilder uri = UriComponentsBuilder
			.fromUriString((path.isEmpty() || path.startsWith("/")) ? base + path : base + "/" + path);
		Map<String, Object> variables = new HashMap<>();
		for (int i = 0; i < plan.pathNames().length; i++) {
			String name = plan.pathNames()[i];
			if (name != null) {
				variables.put(name, text(arguments[i]));
			}
		}
		for (int i = 0; i < plan.queryNames().length; i++) {
			String name = plan.queryNames()[i];
			int number = 0;
			for (Object value : (name != null) ? values(arguments[i]) : List.of()) {
				String variable = "queryParam-" + name + "[" + number++ + "]";
				uri.queryParam("{queryParam-" + name + "}", "{" + variable + "}");
				variables.put("queryParam-" + name, name);
				variables.put(variable, text(value));
			}
		}
		try {
			return uri.encode().buildAndExpand(variables).toUri();
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			return this.base;
		}
	}

	private static List<?> values(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return List.copyOf(collection);
		}
		if (value instanceof Object[] array) {
			return Arrays.asList(array);
		}
		if (value instanceof Optional<?> optional) {
			return optional.stream().toList();
		}
		return (value != null) ? List.of(value) : List.of();
	}

	/** Made when it is needed: it takes longer than many calls. */
	private static final class Conversion {

		private static final ConversionService DEFAULT = new DefaultFormattingConversionService();

	}

	private static String text(@Nullable Object value) {
		Object known = (value instanceof Optional<?> optional) ? optional.orElse(null) : value;
		if (known == null || known instanceof CharSequence || known instanceof Number || known instanceof Enum<?>) {
			return (known != null) ? known.toString() : "";
		}
		// As the factory of HTTP interface clients converts by default.
		String converted = Conversion.DEFAULT.convert(known, String.class);
		return (converted != null) ? converted : "";
	}

	private static int count(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection.size();
		}
		if (value instanceof Object[] array) {
			return array.length;
		}
		if (value instanceof Optional<?> optional) {
			return optional.isPresent() ? 1 : 0;
		}
		return (value != null) ? 1 : 0;
	}

}
