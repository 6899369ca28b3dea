package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.List;
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

	/**
	 * Jetty's client as Spring uses it: it cannot send a body again, so that a response
	 * that asks for that stands.
	 */
	JETTY {

		@Override
		@Nullable Hop next(HttpMethod method, URI from, int status, URI to) {
			boolean head = method.equals(HttpMethod.HEAD);
			return switch (status) {
				case 301 -> method.equals(HttpMethod.POST) ? new Hop(to, HttpMethod.GET, true, false)
						: new Hop(to, method, true, true);
				case 302 -> (head || method.equals(HttpMethod.PUT)) ? new Hop(to, method, true, true)
						: new Hop(to, HttpMethod.GET, true, false);
				case 303 -> new Hop(to, head ? method : HttpMethod.GET, true, head);
				case 307, 308 -> new Hop(to, method, true, true);
				default -> null;
			};
		}

		// Relative locations begin at the root.
		@Override
		URI target(URI from, String location) {
			return URI.create(from.getScheme() + "://" + from.getRawAuthority()).resolve(location);
		}

		// Credentials stay behind even at the same origin.
		@Override
		public boolean mayLeave(URI from, Hop hop, HttpHeaders headers) {
			List.of(HttpHeaders.AUTHORIZATION, HttpHeaders.COOKIE, HttpHeaders.PROXY_AUTHORIZATION)
				.forEach(headers::remove);
			if (hop.method().equals(HttpMethod.GET)) {
				headers.remove(HttpHeaders.CONTENT_LENGTH);
				headers.remove(HttpHeaders.CONTENT_TYPE);
			}
			return true;
		}

		@Override
		public boolean repeatsBodies() {
			return false;
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
				case "JettyClientHttpRequestFactory" -> {
					return JETTY;
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
	 * @param from where the request before it went
	 * @param hop the request
	 * @param headers its headers, those of the request before it
	 * @return whether the library makes such a request: Apache HttpClient does not if
	 * there were any
	 */
	public boolean mayLeave(URI from, Hop hop, HttpHeaders headers) {
		URI to = hop.uri();
		if (String.valueOf(from.getRawAuthority()).equalsIgnoreCase(to.getRawAuthority())
				&& from.getScheme().equalsIgnoreCase(to.getScheme())) {
			return true;
		}
		boolean credentials = headers.remove(HttpHeaders.AUTHORIZATION) != null;
		credentials |= headers.remove(HttpHeaders.COOKIE) != null;
		return !credentials || this != APACHE;
	}

	/**
	 * Returns whether the library sends the body of a request again to where a redirect
	 * leads. If not, the response stands that asks for it.
	 */
	public boolean repeatsBodies() {
		return true;
	}

	/**
	 * Returns where a redirect leads.
	 * @param from where the request went
	 * @param location what the response says
	 */
	URI target(URI from, String location) {
		return from.resolve(location);
	}

	/**
	 * Returns whether the library fails where a redirect says no location.
	 * @param status of the response
	 */
	public boolean requiresLocation(int status) {
		return (this == JDK || this == JETTY) && isRedirect(status) && status != 305 && status != 306;
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
			URI to = target(from, location);
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
