package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.client.HttpClient;

import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;

/**
 * Treatment of requests and responses by an HTTP library below Spring: cookies, proxies,
 * authentication, compression. Thread-safe.
 */
public final class LibraryAdditions {

	private final ClientAdditions additions;

	/** JDK-8283544. */
	private static final int SAYS_EMPTY_BEFORE = 19;

	private final boolean decodes;

	private final boolean saysEmpty;

	private final boolean urlConnection;

	private final boolean phrases;

	private final boolean jdk;

	private final boolean netty;

	private final @Nullable Jetty jetty;

	private final @Nullable Duration responseTimeout;

	/** Methods whose requests have a body with {@code HttpURLConnection}. */
	private static final Set<HttpMethod> STREAMED = Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.DELETE);

	LibraryAdditions(ClientHttpRequestFactory factory) {
		Netty known = factory.getClass().getName().equals(ClientAdditions.NETTY_FACTORY) ? Netty.of(factory) : null;
		Jetty ofJetty = factory.getClass().getName().equals(ClientAdditions.JETTY_FACTORY) ? Jetty.of(factory) : null;
		this.jdk = factory instanceof JdkClientHttpRequestFactory;
		this.netty = known != null;
		this.jetty = ofJetty;
		this.responseTimeout = (known != null) ? known.responseTimeout() : null;
		this.additions = (known != null) ? ClientAdditions.of(known.added()) : (ofJetty != null) ? ofJetty.additions()
				: ClientAdditions.of(factory, new ClientAdditions.Found(null));
		this.decodes = (known != null) ? known.decodes() : decodes(factory);
		this.saysEmpty = factory instanceof JdkClientHttpRequestFactory
				&& Runtime.version().feature() < SAYS_EMPTY_BEFORE;
		this.urlConnection = factory instanceof SimpleClientHttpRequestFactory;
		this.phrases = factory instanceof JdkClientHttpRequestFactory;
	}

	/**
	 * Additions of a connector; its way to write requests and read responses is known
	 * elsewhere.
	 */
	private LibraryAdditions(ClientAdditions additions) {
		this.additions = additions;
		this.jdk = false;
		this.netty = false;
		this.jetty = null;
		this.responseTimeout = null;
		this.decodes = false;
		this.saysEmpty = false;
		this.urlConnection = false;
		this.phrases = true;
	}

	/**
	 * Returns what a connector of reactive clients does. The class that makes exchanges
	 * of its requests looks at what the application has added to Reactor Netty.
	 * @param connector the connector
	 */
	public static LibraryAdditions ofConnector(Object connector) {
		return new LibraryAdditions(connector.getClass().getName().equals(ClientAdditions.NETTY_CONNECTOR)
				? ClientAdditions.none() : ClientAdditions.ofConnector(connector, new ClientAdditions.Found(null)));
	}

	/**
	 * Returns whether {@code HttpURLConnection} has the last value of a header first.
	 * @return {@code true} before Java 22 (JDK-8133686)
	 */
	public static boolean urlConnectionListsLastFirst() {
		return Runtime.version().feature() < 22;
	}

	/**
	 * Returns what {@code HttpURLConnection} does.
	 * @return cookies, authentication and proxies of the JVM
	 */
	public static LibraryAdditions ofUrlConnection() {
		return new LibraryAdditions(new SimpleClientHttpRequestFactory());
	}

	private static boolean decodes(ClientHttpRequestFactory factory) {
		try {
			return Boolean.TRUE.equals(Fields.get(factory, "compression"));
		}
		catch (UnknownLayoutException ex) {
			return false;
		}
	}

	/**
	 * Returns what the library would do to a request that nobody else can do.
	 * @param uri where the request goes
	 * @return what, for people, or {@code null}
	 */
	public @Nullable String of(URI uri) {
		if (!this.additions.unsupported().isEmpty()) {
			return String.join(", ", this.additions.unsupported());
		}
		String live = this.additions.live();
		if (live != null) {
			return live;
		}
		CookieJar jar = this.additions.jar();
		if (jar != null && jar.mayHoldCookies()) {
			return "cookies";
		}
		return this.additions.proxied(uri) ? "proxy" : null;
	}

	/**
	 * Returns the size of a request with the cookies that the library adds to it.
	 * @param size its size without them
	 * @param uri where the request goes
	 * @return the size
	 */
	public RequestSize withCookies(RequestSize size, URI uri) {
		return this.additions.withCookies(size, uri);
	}

	/**
	 * Keeps cookies of a response, as the library would.
	 * @param uri where the request went
	 * @param setCookies the values of the {@code Set-Cookie} headers
	 */
	public void keepCookies(URI uri, List<String> setCookies) {
		CookieJar jar = this.additions.jar();
		if (jar != null && !setCookies.isEmpty()) {
			jar.keep(uri, setCookies);
		}
	}

	/**
	 * Returns whether the library says of each request without a body that it has none.
	 * @return whether there is a {@code Content-Length} of 0 also with methods that have
	 * no body
	 */
	public boolean saysEmpty() {
		return this.saysEmpty;
	}

	/**
	 * Returns whether the library decompresses bodies.
	 * @return whether it accepts gzip and deflate by itself
	 */
	public boolean decodes() {
		Jetty known = this.jetty;
		return (known != null) ? known.decodes().getAsBoolean() : this.decodes;
	}

	/**
	 * Returns whether the library is {@code HttpURLConnection}, as Spring uses it.
	 * @return whether requests get fields that Spring and the JDK add for that
	 */
	public boolean isUrlConnection() {
		return this.urlConnection;
	}

	/**
	 * Returns whether the library is the JDK's client behind Spring's blocking factory.
	 * @return whether failures are its own
	 */
	public boolean isJdk() {
		return this.jdk;
	}

	/**
	 * Returns whether the library is Reactor Netty.
	 * @return whether requests get fields that it adds, and failures are its own
	 */
	public boolean isNetty() {
		return this.netty;
	}

	/**
	 * Returns whether the library is Jetty's client.
	 * @return whether requests get fields that it adds, and failures are its own
	 */
	public boolean isJetty() {
		return this.jetty != null;
	}

	/**
	 * Returns how long the library waits for a response, as far as only itself knows.
	 * @param configured what Spring knows, or {@code null}
	 * @return the time, {@code null} if it waits without limit
	 */
	public @Nullable Duration responseTimeout(@Nullable Duration configured) {
		Jetty known = this.jetty;
		return this.netty ? this.responseTimeout : (known != null) ? known.timeout() : configured;
	}

	/**
	 * Returns whether the time-out of a request is for all of it and its response.
	 * @return whether parts of the response do not prolong it
	 */
	public boolean limitsWholeRequests() {
		return this.jdk || isJetty();
	}

	/**
	 * Returns whether responses have the text of their status. Tomcat sends none, and
	 * only the JDK's client has texts of its own.
	 * @return whether there are texts
	 */
	public boolean hasPhrases() {
		return this.phrases;
	}

	/**
	 * Returns whether the library loses the body of a response. {@code HttpURLConnection}
	 * cannot send a body again to answer a challenge, and closes the connection.
	 * @param method the method of the request
	 * @param status of the response
	 * @return whether the client sees no body
	 */
	public boolean losesBody(HttpMethod method, int status) {
		return this.urlConnection && (status == 401 || status == 407) && STREAMED.contains(method);
	}

	/**
	 * Jetty's client behind Spring's blocking factory.
	 *
	 * @param additions what the application has added to it
	 * @param decodes whether it decompresses bodies, once it has started
	 * @param timeout how long a request may take, {@code null} if that is not known
	 */
	private record Jetty(ClientAdditions additions, BooleanSupplier decodes, @Nullable Duration timeout) {

		static Jetty of(ClientHttpRequestFactory factory) {
			ClientAdditions.Found found = new ClientAdditions.Found(null);
			try {
				return Inspection.of(factory, found);
			}
			catch (UnknownLayoutException | RuntimeException ex) {
				found.unsupported("unknown HTTP client: it cannot be inspected (%s)".formatted(ex.getMessage()));
				return new Jetty(ClientAdditions.ofFound(found), () -> false, null);
			}
		}

		/** Loaded only where Jetty's client is. */
		private static final class Inspection {

			static Jetty of(ClientHttpRequestFactory factory, ClientAdditions.Found found)
					throws UnknownLayoutException {
				org.eclipse.jetty.client.HttpClient client = JettyClients.of(factory);
				JettyClients.inspect(client, found);
				return new Jetty(ClientAdditions.ofFound(found), () -> JettyClients.decodes(client),
						JettyClients.timeout(factory));
			}

		}

	}

	/**
	 * Reactor Netty's client behind Spring's blocking factory.
	 *
	 * @param added what the application has added to it
	 * @param decodes whether it decompresses bodies
	 * @param responseTimeout how long it waits, or {@code null}
	 */
	private record Netty(List<String> added, boolean decodes, @Nullable Duration responseTimeout) {

		static Netty of(ClientHttpRequestFactory factory) {
			try {
				return Client.of(factory);
			}
			catch (UnknownLayoutException | RuntimeException ex) {
				return new Netty(List.of("unknown HTTP client: it cannot be inspected (%s)".formatted(ex.getMessage())),
						false, null);
			}
		}

		/** Loaded only where Reactor Netty is. */
		private static final class Client {

			static Netty of(ClientHttpRequestFactory factory) throws UnknownLayoutException {
				HttpClient client = NettyClients.of(factory);
				if (client == null) {
					return new Netty(List.of("resources that are started later"), false, null);
				}
				return new Netty(NettyClients.added(client), client.configuration().isAcceptGzip(),
						NettyClients.timeout(client));
			}

		}

	}

}
