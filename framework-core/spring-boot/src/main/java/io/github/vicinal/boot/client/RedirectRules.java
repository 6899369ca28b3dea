package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Locale;

import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;

/**
 * Next request of an HTTP library after a redirect. A call over a typed path may be
 * answered with one: the library has not seen it and cannot follow it. The next request
 * is made by the library, which follows further redirects itself.
 */
public enum RedirectRules {

	/** {@code java.net.http}, with {@code Redirect.NORMAL}. */
	JDK {

		@Override
		@Nullable Hop next(HttpMethod method, URI from, int status, URI to) {
			if (status == 305 || status == 306 || isDowngrade(from, to)) {
				return null;
			}
			return switch (status) {
				case 301, 302 -> method.equals(HttpMethod.POST) ? new Hop(to, HttpMethod.GET, true, false)
						: new Hop(to, method, true, true);
				case 303 -> new Hop(to, HttpMethod.GET, true, false);
				default -> new Hop(to, method, true, true);
			};
		}

	},

	/** Apache HttpClient 5, with its default strategy. */
	APACHE {

		@Override
		@Nullable Hop next(HttpMethod method, URI from, int status, URI to) {
			boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
			return switch (status) {
				case 301, 302 -> method.equals(HttpMethod.POST) ? new Hop(to, HttpMethod.GET, false, false)
						: new Hop(to, method, true, true);
				case 303 -> reads ? new Hop(to, method, true, true) : new Hop(to, HttpMethod.GET, false, false);
				case 307, 308 -> new Hop(to, method, true, true);
				default -> null;
			};
		}

	},

	/** Reactor Netty: only a 303 changes the method, and the body stays even then. */
	REACTOR {

		@Override
		@Nullable Hop next(HttpMethod method, URI from, int status, URI to) {
			return switch (status) {
				case 301, 302, 307, 308 -> new Hop(to, method, true, true);
				case 303 -> new Hop(to, HttpMethod.GET, true, true);
				default -> null;
			};
		}

	},

	/** {@code HttpURLConnection} as Spring uses it: it follows redirects of GET. */
	URL_CONNECTION {

		@Override
		@Nullable Hop next(HttpMethod method, URI from, int status, URI to) {
			boolean follows = method.equals(HttpMethod.GET) && status <= 307 && status != 306
					&& from.getScheme().equalsIgnoreCase(to.getScheme());
			return follows ? new Hop(to, method, true, false) : null;
		}

	};

	/**
	 * The next request.
	 *
	 * @param uri where it goes
	 * @param method its method
	 * @param keepsHeaders whether it has the headers of the one before
	 * @param keepsBody whether it has the body of the one before
	 */
	public record Hop(URI uri, HttpMethod method, boolean keepsHeaders, boolean keepsBody) {
	}

	abstract @Nullable Hop next(HttpMethod method, URI from, int status, URI to);

	/** Returns the rules of a library, or {@code null} if they are not known. */
	static @Nullable RedirectRules of(ClientHttpRequestFactory factory) {
		for (Class<?> type = factory.getClass(); type != null; type = type.getSuperclass()) {
			switch (type.getSimpleName()) {
				case "JdkClientHttpRequestFactory" -> {
					return JDK;
				}
				case "HttpComponentsClientHttpRequestFactory" -> {
					return APACHE;
				}
				case "ReactorClientHttpRequestFactory" -> {
					return REACTOR;
				}
				case "SimpleClientHttpRequestFactory" -> {
					return URL_CONNECTION;
				}
				default -> {
				}
			}
		}
		return null;
	}

	/** Returns the rules of a reactive library, or {@code null} if they are not known. */
	static @Nullable RedirectRules of(ClientHttpConnector connector) {
		return switch (connector.getClass().getSimpleName()) {
			case "JdkClientHttpConnector" -> JDK;
			case "HttpComponentsClientHttpConnector" -> APACHE;
			case "ReactorClientHttpConnector" -> REACTOR;
			default -> null;
		};
	}

	/**
	 * Removes credentials from the headers of a request that goes to another origin.
	 * @return whether the library makes such a request: Apache HttpClient does not if
	 * there were any
	 */
	public boolean mayLeave(URI from, URI to, HttpHeaders headers) {
		if (String.valueOf(from.getRawAuthority()).equalsIgnoreCase(to.getRawAuthority())
				&& from.getScheme().equalsIgnoreCase(to.getScheme())) {
			return true;
		}
		boolean credentials = headers.remove(HttpHeaders.AUTHORIZATION) != null;
		credentials |= headers.remove(HttpHeaders.COOKIE) != null;
		return !credentials || this != APACHE;
	}

	/**
	 * Returns whether the library fails where a redirect says no location.
	 * @param status of the response
	 */
	public boolean requiresLocation(int status) {
		return this == JDK && isRedirect(status) && status != 305 && status != 306;
	}

	/**
	 * Returns whether the library fails with a response because it has no location.
	 * @param answer the response
	 */
	boolean failsWith(Reply.Failure answer) {
		return requiresLocation(answer.status()) && location(answer) == null;
	}

	/** Returns whether a status makes HTTP libraries look for a location. */
	static boolean isRedirect(int status) {
		return status >= 301 && status <= 308 && status != 304;
	}

	/**
	 * Returns what comes after a response.
	 * @param method the method of the request
	 * @param from where the request went
	 * @param answer the response
	 * @return the next request, or {@code null} if the response stands
	 */
	public @Nullable Hop after(HttpMethod method, URI from, Reply.Failure answer) {
		String location = location(answer);
		if (!isRedirect(answer.status()) || location == null) {
			return null;
		}
		try {
			URI to = from.resolve(location);
			String scheme = String.valueOf(to.getScheme()).toLowerCase(Locale.ROOT);
			return scheme.equals("http") || scheme.equals("https") ? next(method, from, answer.status(), to) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static @Nullable String location(Reply.Failure answer) {
		return answer.headers()
			.entrySet()
			.stream()
			.filter((header) -> header.getKey().equalsIgnoreCase(HttpHeaders.LOCATION) && !header.getValue().isEmpty())
			.map((header) -> header.getValue().get(0))
			.findFirst()
			.orElse(null);
	}

	private static boolean isDowngrade(URI from, URI to) {
		return "https".equalsIgnoreCase(from.getScheme()) && !"https".equalsIgnoreCase(to.getScheme());
	}

}
