package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.regex.Pattern;

import io.github.vicinal.boot.client.RedirectRules;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.cookie.ClientCookieDecoder;
import io.netty.handler.codec.http.cookie.ClientCookieEncoder;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.DefaultCookie;
import io.netty.handler.timeout.ReadTimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.netty.ChannelPipelineConfigurer;
import reactor.netty.ConnectionObserver;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientConfig;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.http.client.PrematureCloseException;

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

	/** Handlers of the application that only HTTP calls. */
	private static final List<String> HANDLERS = List.of("baseUrl", "body", "connector", "deferredConf",
			"doAfterRequest", "doAfterResponseSuccess", "doOnRedirect", "doOnRequest", "doOnRequestError",
			"doOnResponse", "doOnResponseError", "redirectRequestBiConsumer", "redirectRequestConsumer",
			"authenticator", "authenticationPredicate", "websocketClientSpec");

	/** What every cookie library agrees on. */
	private static final Pattern COOKIE = Pattern.compile("[A-Za-z0-9_.-]+=[A-Za-z0-9_.~:/+-]*");

	private final ReactorClientHttpConnector connector;

	private final DataBufferFactory buffers = new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);

	private final @Nullable Duration timeout;

	private final boolean follows;

	private final boolean decodes;

	private NettyConnector(ReactorClientHttpConnector connector, HttpClientConfig config) {
		this.connector = connector;
		Duration known = config.responseTimeout();
		this.timeout = (known != null && !known.isZero() && !known.isNegative()) ? known : null;
		this.follows = config.followRedirectPredicate() != null;
		this.decodes = config.isAcceptGzip();
	}

	/**
	 * Looks into a connector.
	 * @param connector the connector
	 * @return the library
	 * @throws UnknownLayoutException if it cannot be looked into
	 * @throws UnsupportedClientException if it does something that exchanges do not
	 */
	static ReactiveLibrary of(ReactorClientHttpConnector connector)
			throws UnknownLayoutException, UnsupportedClientException {
		HttpClient client = (HttpClient) Fields.get(connector, "httpClient");
		if (client == null) {
			throw new UnsupportedClientException("resources that are started later");
		}
		HttpClientConfig config = client.configuration();
		inspect(config);
		return new NettyConnector(connector, config);
	}

	private static void inspect(HttpClientConfig config) throws UnknownLayoutException, UnsupportedClientException {
		for (String handler : HANDLERS) {
			if (Fields.get(config, handler) != null) {
				throw new UnsupportedClientException(handler);
			}
		}
		if (config.followRedirectPredicate() != null && config.followRedirectPredicate() != HttpClient.create()
			.followRedirect(true)
			.configuration()
			.followRedirectPredicate()) {
			throw new UnsupportedClientException("followRedirect with a predicate");
		}
		unless(config.hasProxy(), "proxy");
		unless(config.proxyProviderSupplier() != null, "proxy");
		unless(config.metricsRecorder() != null, "metrics");
		unless(config.loggingHandler() != null, "wiretap");
		unless(config.doOnConnect() != null || config.doOnConnected() != null || config.doOnDisconnected() != null,
				"doOnConnect");
		unless(config.connectionObserver() != ConnectionObserver.emptyListener(), "observe");
		unless(config.doOnChannelInit() != ChannelPipelineConfigurer.emptyConfigurer(), "doOnChannelInit");
		HttpProtocol[] protocols = config.protocols();
		unless(protocols.length != 1 || protocols[0] != HttpProtocol.HTTP11, "protocol");
		unless(config.isAcceptBrotli(), "compression by Brotli");
		unless(Fields.get(config, "cookieEncoder") != ClientCookieEncoder.STRICT
				|| Fields.get(config, "cookieDecoder") != ClientCookieDecoder.STRICT, "cookieCodec");
		for (String name : config.headers().names()) {
			unless(!HttpHeaderNames.ACCEPT_ENCODING.contentEqualsIgnoreCase(name),
					"default header " + name.toLowerCase(Locale.ROOT));
		}
	}

	private static void unless(boolean added, String what) throws UnsupportedClientException {
		if (added) {
			throw new UnsupportedClientException(what);
		}
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
		return !method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD) && !method.equals(HttpMethod.DELETE);
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
		String message = "Connection prematurely closed " + (during ? "DURING" : "BEFORE") + " response";
		try {
			Constructor<PrematureCloseException> constructor = PrematureCloseException.class
				.getDeclaredConstructor(String.class);
			constructor.setAccessible(true);
			PrematureCloseException raised = constructor.newInstance(message);
			raised.addSuppressed(cause);
			return raised;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return new IOException(message, cause);
		}
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
