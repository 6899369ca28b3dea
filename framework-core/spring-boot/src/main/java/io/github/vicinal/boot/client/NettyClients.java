package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.cookie.ClientCookieDecoder;
import io.netty.handler.codec.http.cookie.ClientCookieEncoder;
import org.jspecify.annotations.Nullable;
import reactor.netty.ChannelPipelineConfigurer;
import reactor.netty.ConnectionObserver;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientConfig;
import reactor.netty.http.client.HttpClientResponse;

import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;

/** Inspects Reactor Netty's HTTP clients; loaded only where they are. */
public final class NettyClients {

	/** Handlers of the application that only HTTP calls. */
	private static final List<String> HANDLERS = List.of("baseUrl", "body", "connector", "deferredConf",
			"doAfterRequest", "doAfterResponseSuccess", "doOnRedirect", "doOnRequest", "doOnRequestError",
			"doOnResponse", "doOnResponseError", "redirectRequestBiConsumer", "redirectRequestConsumer",
			"authenticator", "authenticationPredicate", "websocketClientSpec");

	private NettyClients() {
	}

	/**
	 * Returns the client of a factory or a connector.
	 * @param owner the factory or connector of Spring
	 * @return its client, {@code null} if that is made later
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	public static @Nullable HttpClient of(Object owner) throws UnknownLayoutException {
		return (HttpClient) Fields.get(owner, "httpClient");
	}

	/**
	 * Returns how long the client of a factory or a connector waits for a response.
	 * @param owner the factory or connector of Spring
	 * @return the time-out, or {@code null} if there is none
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	static @Nullable Duration timeout(Object owner) throws UnknownLayoutException {
		HttpClient client = of(owner);
		return (client != null) ? timeout(client) : null;
	}

	/**
	 * Returns how long a client waits for a response.
	 * @param client the client
	 * @return the time-out, or {@code null} if there is none
	 */
	public static @Nullable Duration timeout(HttpClient client) {
		Duration known = client.configuration().responseTimeout();
		return (known != null && !known.isZero() && !known.isNegative()) ? known : null;
	}

	/**
	 * Returns a connector with a time-out.
	 * @param connector a connector of Reactor Netty
	 * @param timeout how long it is to wait for a response
	 * @return one with the same connections, or the connector itself if it has a time-out
	 * or is started later
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	static ClientHttpConnector limited(ClientHttpConnector connector, Duration timeout) throws UnknownLayoutException {
		HttpClient client = of(connector);
		return (client != null && timeout(client) == null)
				? new ReactorClientHttpConnector(client.responseTimeout(timeout)) : connector;
	}

	/**
	 * Returns a factory of requests with a time-out.
	 * @param factory a factory of requests of Reactor Netty
	 * @param timeout how long it is to wait for a response
	 * @return one with the same connections, or the factory itself if it has a time-out
	 * or is started later
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	static ClientHttpRequestFactory limited(ClientHttpRequestFactory factory, Duration timeout)
			throws UnknownLayoutException {
		HttpClient client = of(factory);
		if (client == null || timeout(client) != null || Fields.get(factory, "exchangeTimeout") != null) {
			return factory;
		}
		ReactorClientHttpRequestFactory limited = new ReactorClientHttpRequestFactory(client.responseTimeout(timeout));
		if (Fields.get(factory, "executor") instanceof Executor executor) {
			limited.setExecutor(executor);
		}
		return limited;
	}

	/**
	 * Returns what an application has added to the client of a factory or a connector
	 * that sees or changes requests.
	 * @param owner the factory or connector of Spring
	 * @return what, for people; empty if there is nothing
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	public static List<String> addedTo(Object owner) throws UnknownLayoutException {
		HttpClient client = of(owner);
		return (client != null) ? added(client).stream().map((what) -> "Reactor Netty's " + what).toList()
				: List.of("Reactor Netty's resources, which are started later");
	}

	/**
	 * Returns whether a response is that of the target of a redirect.
	 * @param response the library's response
	 */
	static boolean isRedirected(@Nullable Object response) {
		return !(response instanceof HttpClientResponse known) || known.redirectedFrom().length > 0;
	}

	/**
	 * Returns what an application has added to a client that sees or changes requests.
	 * @param client the client
	 * @return what, for people; empty if there is nothing
	 * @throws UnknownLayoutException if the client cannot be looked into
	 */
	public static List<String> added(HttpClient client) throws UnknownLayoutException {
		HttpClientConfig config = client.configuration();
		List<String> added = new ArrayList<>();
		for (String handler : HANDLERS) {
			addIf(Fields.get(config, handler) != null, handler, added);
		}
		addIf(config.followRedirectPredicate() != null && config.followRedirectPredicate() != HttpClient.create()
			.followRedirect(true)
			.configuration()
			.followRedirectPredicate(), "followRedirect with a predicate", added);
		addIf(config.hasProxy() || config.proxyProviderSupplier() != null, "proxy", added);
		addIf(config.metricsRecorder() != null, "metrics", added);
		addIf(config.loggingHandler() != null, "wiretap", added);
		addIf(config.doOnConnect() != null || config.doOnConnected() != null || config.doOnDisconnected() != null,
				"doOnConnect", added);
		addIf(config.connectionObserver() != ConnectionObserver.emptyListener(), "observe", added);
		addIf(config.doOnChannelInit() != ChannelPipelineConfigurer.emptyConfigurer(), "doOnChannelInit", added);
		HttpProtocol[] protocols = config.protocols();
		addIf(protocols.length != 1 || protocols[0] != HttpProtocol.HTTP11, "protocol", added);
		addIf(config.isAcceptBrotli(), "compression by Brotli", added);
		addIf(Fields.get(config, "cookieEncoder") != ClientCookieEncoder.STRICT
				|| Fields.get(config, "cookieDecoder") != ClientCookieDecoder.STRICT, "cookieCodec", added);
		for (String name : config.headers().names()) {
			addIf(!HttpHeaderNames.ACCEPT_ENCODING.contentEqualsIgnoreCase(name),
					"default header " + name.toLowerCase(Locale.ROOT), added);
		}
		return added;
	}

	private static void addIf(boolean present, String what, List<String> added) {
		if (present) {
			added.add(what);
		}
	}

}
