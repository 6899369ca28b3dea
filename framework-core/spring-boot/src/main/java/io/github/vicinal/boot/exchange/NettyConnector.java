package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

import io.github.vicinal.boot.client.NettyClients;
import io.github.vicinal.boot.client.NettyFailures;
import io.github.vicinal.boot.client.RedirectRules;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.cookie.ClientCookieDecoder;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.DefaultCookie;
import io.netty.handler.timeout.ReadTimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientConfig;
import reactor.netty.http.client.HttpClientResponse;

import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * Reactor Netty's client, as long as the application has not added anything to it that
 * sees or changes requests. Loaded only where Reactor Netty is.
 */
final class NettyConnector implements ReactiveLibrary {

	/** A pair that every cookie library accepts. */
	private static final Pattern COOKIE = Pattern.compile("[A-Za-z0-9_.-]+=[A-Za-z0-9_.~:/+-]*");

	private final ReactorClientHttpConnector connector;

	private final DataBufferFactory buffers = new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);

	private final @Nullable Duration timeout;

	private final boolean follows;

	private final boolean decodes;

	private NettyConnector(ReactorClientHttpConnector connector, HttpClient client) {
		this.connector = connector;
		this.timeout = NettyClients.timeout(client);
		HttpClientConfig config = client.configuration();
		this.follows = config.followRedirectPredicate() != null;
		this.decodes = config.isAcceptGzip();
	}

	/**
	 * Inspects a connector.
	 * @param connector the connector
	 * @return the library
	 * @throws UnknownLayoutException if it cannot be looked into
	 * @throws UnsupportedClientException if it does something that exchanges do not
	 */
	static ReactiveLibrary of(ReactorClientHttpConnector connector)
			throws UnknownLayoutException, UnsupportedClientException {
		HttpClient client = NettyClients.of(connector);
		if (client == null) {
			throw new UnsupportedClientException("resources that are started later");
		}
		List<String> added = NettyClients.added(client);
		if (!added.isEmpty()) {
			throw new UnsupportedClientException(added.get(0));
		}
		return new NettyConnector(connector, client);
	}

	@Override
	public String name() {
		return ReactorClientHttpConnector.class.getName();
	}

	@Override
	public @Nullable RedirectRules redirects() {
		return this.follows ? RedirectRules.REACTOR : null;
	}

	@Override
	public @Nullable Duration timeout() {
		return this.timeout;
	}

	@Override
	public boolean limitsWholeRequests() {
		return false;
	}

	@Override
	public boolean decodes() {
		return this.decodes;
	}

	@Override
	public boolean saysEmpty(HttpMethod method) {
		return NettyFields.saysEmpty(method);
	}

	@Override
	public String host(URI uri) {
		return OfLibraries.host(uri, true);
	}

	@Override
	public boolean measuresBodies() {
		return true;
	}

	/** Buffers of the type that the library has, on the heap and not counted. */
	@Override
	public DataBufferFactory buffers() {
		return this.buffers;
	}

	@Override
	public @Nullable String cookies(ClientHttpRequest request) {
		StringJoiner all = new StringJoiner("; ");
		for (List<HttpCookie> cookies : request.getCookies().values()) {
			for (HttpCookie cookie : cookies) {
				String pair = cookie.getName() + "=" + cookie.getValue();
				if (!COOKIE.matcher(pair).matches()) {
					return null;
				}
				all.add(pair);
			}
		}
		return all.toString();
	}

	@Override
	public @Nullable Object nativeRequest(ClientHttpRequest request) {
		return null;
	}

	@Override
	public MultiValueMap<String, ResponseCookie> cookies(List<String> setCookies) {
		MultiValueMap<String, ResponseCookie> all = new LinkedMultiValueMap<>();
		for (String header : setCookies) {
			Cookie cookie = ClientCookieDecoder.STRICT.decode(header);
			if (cookie != null) {
				all.add(cookie.name(), response(cookie));
			}
		}
		return all;
	}

	private static ResponseCookie response(Cookie cookie) {
		ResponseCookie.ResponseCookieBuilder builder = ResponseCookie.fromClientResponse(cookie.name(), cookie.value())
			.domain(cookie.domain())
			.path(cookie.path())
			.maxAge(cookie.maxAge())
			.secure(cookie.isSecure())
			.httpOnly(cookie.isHttpOnly());
		if (cookie instanceof DefaultCookie known) {
			builder.sameSite((known.sameSite() != null) ? known.sameSite().name() : null)
				.partitioned(known.isPartitioned());
		}
		return builder.build();
	}

	@Override
	public Throwable timedOut(Throwable cause) {
		return ReadTimeoutException.INSTANCE;
	}

	@Override
	public Throwable lost(boolean during, Throwable cause) {
		IOException raised = NettyFailures.lost(during);
		raised.addSuppressed(cause);
		return raised;
	}

	@Override
	public Asking asking() {
		return new Asking((ClientHttpConnector) this.connector, NettyConnector::isOwn);
	}

	private static boolean isOwn(ClientHttpResponse response) {
		try {
			return ((HttpClientResponse) Fields.required(response, "response")).redirectedFrom().length == 0;
		}
		catch (UnknownLayoutException ex) {
			return false;
		}
	}

}
