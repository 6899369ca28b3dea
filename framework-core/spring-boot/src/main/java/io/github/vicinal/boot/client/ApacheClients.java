package io.github.vicinal.boot.client;

import java.net.Authenticator;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.cookie.Cookie;
import org.apache.hc.client5.http.cookie.CookieOrigin;
import org.apache.hc.client5.http.cookie.CookieSpec;
import org.apache.hc.client5.http.cookie.CookieSpecFactory;
import org.apache.hc.client5.http.cookie.CookieStore;
import org.apache.hc.client5.http.cookie.MalformedCookieException;
import org.apache.hc.client5.http.cookie.StandardCookieSpec;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.auth.SystemDefaultCredentialsProvider;
import org.apache.hc.client5.http.impl.routing.DefaultRoutePlanner;
import org.apache.hc.client5.http.impl.routing.SystemDefaultRoutePlanner;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.protocol.RequestAddCookies;
import org.apache.hc.client5.http.protocol.RequestDefaultHeaders;
import org.apache.hc.core5.http.config.Lookup;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.message.BasicHeader;
import org.jspecify.annotations.Nullable;

import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;

/** Looks into Apache's HTTP clients; loaded only where they are. */
final class ApacheClients {

	private static final String CLIENT = "org.apache.hc.client5.http.impl.classic.InternalHttpClient";

	/** Exchanges of the client, which leave calls of channels alone. */
	private static final String OURS = "io.github.vicinal.boot.exchange.";

	/** Asks for paths, on requests of channels. */
	private static final String CHANNELS = "io.github.vicinal.boot.client.FeignApacheClient$Element";

	private static final String APACHES = "org.apache.hc.";

	private ApacheClients() {
	}

	/**
	 * Inspects the client of a request factory.
	 * @param factory the factory
	 * @param found takes what is found
	 */
	static void inspect(HttpComponentsClientHttpRequestFactory factory, ClientAdditions.Found found)
			throws UnknownLayoutException {
		if (Fields.get(factory, "httpContextFactory") != null) {
			found.unsupported("HTTP context factory of the application");
		}
		Object client = factory.getHttpClient();
		if (client instanceof RedirectTellingClient) {
			client = Fields.required(client, "delegate");
		}
		inspect(client, found);
	}

	/** Inspects a client of the library. */
	static void inspect(Object client, ClientAdditions.Found found) throws UnknownLayoutException {
		if (!client.getClass().getName().equals(CLIENT)) {
			found.unsupported("HTTP client " + client.getClass().getName());
			return;
		}
		Class<?> executor = Fields.required(client, "requestExecutor").getClass();
		if (executor != HttpRequestExecutor.class) {
			found.unsupported("request executor " + executor.getName());
		}
		boolean cookies = chain(Fields.required(client, "execChain"), found);
		proxy(client, found);
		credentials(Fields.get(client, "credentialsProvider"), found);
		if (cookies && Fields.get(client, "cookieStore") instanceof CookieStore store) {
			found.jar(new StoreJar(store, cookies(store), specification(client)));
		}
	}

	/** Returns whether the client keeps cookies. */
	private static boolean chain(Object first, ClientAdditions.Found found) throws UnknownLayoutException {
		boolean cookies = false;
		for (Object element = first; element != null; element = Fields.get(element, "next")) {
			Object handler = Fields.required(element, "handler");
			String name = handler.getClass().getName();
			if (!name.startsWith(APACHES) && !name.startsWith(OURS) && !name.equals(CHANNELS)) {
				found.unsupported("execution interceptor " + name);
			}
			else if (name.endsWith(".MainClientExec")) {
				Object processor = Fields.required(handler, "httpProcessor");
				cookies = interceptors((Object[]) Fields.required(processor, "requestInterceptors"), found);
				interceptors((Object[]) Fields.required(processor, "responseInterceptors"), found);
			}
		}
		return cookies;
	}

	private static boolean interceptors(Object[] interceptors, ClientAdditions.Found found)
			throws UnknownLayoutException {
		boolean cookies = false;
		for (Object interceptor : interceptors) {
			cookies |= interceptor instanceof RequestAddCookies;
			if (!interceptor.getClass().getName().startsWith(APACHES)) {
				found.unsupported("interceptor %s of the HTTP client".formatted(interceptor.getClass().getName()));
			}
			else if (interceptor instanceof RequestDefaultHeaders
					&& Fields.get(interceptor, "defaultHeaders") instanceof Collection<?> headers
					&& !headers.isEmpty()) {
				found.unsupported("default headers of the HTTP client");
			}
		}
		return cookies;
	}

	private static void proxy(Object client, ClientAdditions.Found found) throws UnknownLayoutException {
		Object planner = Fields.required(client, "routePlanner");
		Object config = Fields.get(client, "defaultConfig");
		if (config instanceof RequestConfig known && Fields.get(known, "proxy") != null) {
			found.unsupported("proxy");
		}
		else if (planner.getClass() == SystemDefaultRoutePlanner.class) {
			found.proxies((ProxySelector) Fields.get(planner, "proxySelector"));
		}
		else if (planner.getClass() != DefaultRoutePlanner.class) {
			found.unsupported("proxy or other route of " + planner.getClass().getName());
		}
	}

	private static void credentials(@Nullable Object provider, ClientAdditions.Found found)
			throws UnknownLayoutException {
		if (provider == null) {
			return;
		}
		Object store = provider;
		if (provider.getClass() == SystemDefaultCredentialsProvider.class) {
			found.live(() -> (Authenticator.getDefault() != null) ? "authenticator of the JVM" : null);
			store = Fields.required(provider, "internal");
		}
		if (store.getClass() != BasicCredentialsProvider.class) {
			found.unsupported("credentials of " + store.getClass().getName());
			return;
		}
		Map<?, ?> credentials = (Map<?, ?>) Fields.required(store, "credMap");
		found.live(() -> credentials.isEmpty() ? null : "credentials");
	}

	private static CookieSpecFactory specification(Object client) throws UnknownLayoutException {
		Lookup<?> registry = (Lookup<?>) Fields.required(client, "cookieSpecRegistry");
		Object config = Fields.get(client, "defaultConfig");
		String name = (config instanceof RequestConfig known) ? known.getCookieSpec() : null;
		Object factory = registry.lookup((name != null) ? name : StandardCookieSpec.STRICT);
		if (factory instanceof CookieSpecFactory known) {
			return known;
		}
		throw new UnknownLayoutException(client.getClass(), "cookieSpecRegistry", null);
	}

	/**
	 * Returns the collection behind Apache's own store. Whether it is empty can be seen
	 * without the store's lock, which each call would take otherwise.
	 */
	private static @Nullable Collection<?> cookies(CookieStore store) throws UnknownLayoutException {
		return (store.getClass() == BasicCookieStore.class) ? (Collection<?>) Fields.required(store, "cookies") : null;
	}

	/**
	 * The cookie store of a client, which the application may know as well.
	 *
	 * @param store the store
	 * @param cookies what is in it, or {@code null} if only the store knows
	 * @param specification reads cookies
	 */
	private record StoreJar(CookieStore store, @Nullable Collection<?> cookies,
			CookieSpecFactory specification) implements CookieJar {

		@Override
		public boolean mayHoldCookies() {
			return !((this.cookies != null) ? this.cookies : this.store.getCookies()).isEmpty();
		}

		/** Also those of other hosts. */
		@Override
		public int chars(URI uri) {
			int chars = 0;
			for (Cookie cookie : mayHoldCookies() ? this.store.getCookies() : List.<Cookie>of()) {
				String value = cookie.getValue();
				chars += cookie.getName().length() + ((value != null) ? value.length() : 0) + SEPARATOR_CHARS;
			}
			return chars;
		}

		@Override
		public void keep(URI uri, List<String> setCookies) {
			boolean secure = "https".equalsIgnoreCase(uri.getScheme());
			int port = (uri.getPort() >= 0) ? uri.getPort() : secure ? 443 : 80;
			String path = (uri.getPath() == null || uri.getPath().isEmpty()) ? "/" : uri.getPath();
			CookieOrigin origin = new CookieOrigin(uri.getHost(), port, path, secure);
			CookieSpec spec = this.specification.create(HttpClientContext.create());
			for (String value : setCookies) {
				try {
					for (Cookie cookie : spec.parse(new BasicHeader("Set-Cookie", value), origin)) {
						spec.validate(cookie, origin);
						this.store.addCookie(cookie);
					}
				}
				catch (MalformedCookieException ex) {
					// The client ignores it as well.
				}
			}
		}

	}

}
