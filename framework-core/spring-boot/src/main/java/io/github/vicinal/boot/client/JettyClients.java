package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.eclipse.jetty.client.AuthenticationStore;
import org.eclipse.jetty.client.ContentDecoder;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.RequestListeners;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** Inspects Jetty's HTTP clients; loaded only where they are. */
final class JettyClients {

	/** The client's class if Spring Boot has built it. */
	private static final String BOOTS = "org.springframework.boot.http.client.JettyHttpClientBuilder$CustomizedHttpClient";

	private static final String STORE = "org.eclipse.jetty.client.internal.HttpAuthenticationStore";

	/** Maximum bytes of the fields of a request by default. */
	private static final int MAX_HEADER_BYTES = 8192;

	private static final List<String> LISTENERS = List.of("queuedListener", "beginListener", "headersListener",
			"commitListener", "contentListener", "successListener", "failureListener");

	/** Handlers of responses that each client has once it has started. */
	private static final Set<String> HANDLERS = Set.of("continue", "processing", "early-hints", "redirect",
			"www-authenticate", "proxy-authenticate", "upgrade");

	private JettyClients() {
	}

	/**
	 * Returns the client of a factory.
	 * @param factory the factory of Spring
	 * @return its client
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	static HttpClient of(Object factory) throws UnknownLayoutException {
		return (HttpClient) Fields.required(factory, "httpClient");
	}

	/**
	 * Returns how long requests of a factory may take, with their responses.
	 * @param factory the factory of Spring
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	static Duration timeout(Object factory) throws UnknownLayoutException {
		return Duration.ofMillis((Long) Fields.required(factory, "readTimeout"));
	}

	/**
	 * Finds what an application has added to a client that sees or changes requests.
	 * @param client the client
	 * @param found receives it
	 * @throws UnknownLayoutException if the client cannot be looked into
	 */
	static void inspect(HttpClient client, ClientAdditions.Found found) throws UnknownLayoutException {
		if (client.getClass() != HttpClient.class && !client.getClass().getName().equals(BOOTS)) {
			found.unsupported("HTTP client " + client.getClass().getName());
		}
		transport(client.getHttpClientTransport(), found);
		RequestListeners listeners = client.getRequestListeners();
		for (String listener : LISTENERS) {
			if (Fields.get(listeners, listener) != null) {
				found.unsupported(listener);
			}
		}
		for (Object handler : ((Map<?, ?>) Fields.required(client.getProtocolHandlers(), "handlers")).keySet()) {
			if (!HANDLERS.contains(handler)) {
				found.unsupported("protocol handler " + handler);
			}
		}
		if (client.getMaxRequestHeadersSize() < MAX_HEADER_BYTES) {
			found.unsupported("maxRequestHeadersSize");
		}
		if (client.getRedirectCache() != null) {
			found.unsupported("redirect cache");
		}
		found.live(() -> client.getProxyConfiguration().getProxies().isEmpty() ? null : "proxy");
		authentication(client.getAuthenticationStore(), found);
		found.jar(new Cookies(client));
	}

	private static void transport(HttpClientTransport transport, ClientAdditions.Found found)
			throws UnknownLayoutException {
		if (transport.getClass() == HttpClientTransportOverHTTP.class) {
			return;
		}
		boolean plain = false;
		if (transport.getClass() == HttpClientTransportDynamic.class) {
			List<?> protocols = (List<?>) Fields.required(transport, "clientConnectionFactoryInfos");
			plain = protocols.stream().allMatch((protocol) -> protocol == HttpClientConnectionFactory.HTTP11);
		}
		if (!plain) {
			found.unsupported("protocol");
		}
	}

	private static void authentication(AuthenticationStore store, ClientAdditions.Found found)
			throws UnknownLayoutException {
		if (!store.getClass().getName().equals(STORE)) {
			found.unsupported("authentication store " + store.getClass().getName());
			return;
		}
		Collection<?> known = (Collection<?>) Fields.required(store, "authentications");
		found.live(() -> (known.isEmpty() && !store.hasAuthenticationResults()) ? null : "authentication");
	}

	/**
	 * Returns whether a client decompresses bodies by itself.
	 * @param client the client
	 */
	static boolean decodes(HttpClient client) {
		for (ContentDecoder.Factory factory : client.getContentDecoderFactories()) {
			if (factory.getEncoding().equals("gzip")) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns whether a response is that of another request than the one that was made,
	 * such as the target of a redirect.
	 * @param response the library's response
	 */
	static boolean isRedirected(@Nullable Object response) {
		return !(response instanceof Response known) || !(known.getRequest() instanceof HttpRequest request)
				|| request.getConversation().getExchanges().size() > 1;
	}

	/**
	 * The client's store of cookies, which it has once it has started.
	 *
	 * @param client the client
	 */
	private record Cookies(HttpClient client) implements CookieJar {

		@Override
		public boolean mayHoldCookies() {
			HttpCookieStore store = this.client.getHttpCookieStore();
			return store != null && !store.all().isEmpty();
		}

		@Override
		public int chars(URI uri) {
			int chars = 0;
			if (mayHoldCookies()) {
				for (HttpCookie cookie : this.client.getHttpCookieStore().match(uri)) {
					chars += cookie.getName().length() + cookie.getValue().length() + SEPARATOR_CHARS;
				}
			}
			return chars;
		}

		@Override
		public void keep(URI uri, List<String> setCookies) {
			if (this.client.getHttpCookieStore() != null) {
				for (String value : setCookies) {
					this.client.putCookie(uri, new HttpField(HttpHeader.SET_COOKIE, value));
				}
			}
		}

	}

}
