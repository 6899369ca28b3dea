package io.github.vicinal.boot.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;

/** Makes request factories that ask peers for their paths. */
final class ChannelRequestFactories {

	private static final String APACHE_FACTORY = "org.springframework.http.client.HttpComponentsClientHttpRequestFactory";

	private ChannelRequestFactories() {
	}

	/**
	 * Wraps what a builder builds.
	 * @param builder the builder
	 * @param legs connects proxies and request factories
	 * @param timeout how long calls of channels wait where the client has no time-out;
	 * zero for as long as the client does
	 * @param plain makes the requests that belong to no channel
	 * @return a builder of request factories that ask peers, on requests that belong to a
	 * channel
	 */
	public static ClientHttpRequestFactoryBuilder<ClientHttpRequestFactory> asking(
			ClientHttpRequestFactoryBuilder<? extends ClientHttpRequestFactory> builder, HttpLegs legs,
			Duration timeout, PlainRequests plain) {
		return (settings) -> {
			ClientHttpRequestFactory built = plain.build(builder, settings);
			boolean reports = reportsRedirects(built, legs);
			boolean follows = settings == null || settings.redirects() != HttpRedirects.DONT_FOLLOW;
			Duration configured = (settings != null) ? settings.readTimeout() : null;
			PlainRequests.Factory library = new PlainRequests.Factory(built,
					(configured != null) ? configured : DefaultTimeouts.known(built),
					follows ? RedirectRules.of(built) : null, follows && !reports, new LibraryAdditions(built));
			ClientHttpRequestFactory limited = DefaultTimeouts.of(built, settings, timeout);
			return new ChannelRequestFactory(library, (limited != built) ? library.limited(limited, timeout) : library,
					legs, plain);
		};
	}

	private static boolean reportsRedirects(ClientHttpRequestFactory built, HttpLegs legs) {
		return built.getClass().getName().equals(APACHE_FACTORY)
				&& RedirectTellingClient.install((HttpComponentsClientHttpRequestFactory) built, legs);
	}

	/**
	 * Wraps the connectors of a builder of reactive connectors.
	 * @param builder the builder
	 * @param timeout how long calls of channels wait where the client has no time-out;
	 * zero for as long as the client does
	 * @param plain makes the requests that belong to no channel, or {@code null}
	 * @return a builder of connectors that report their client's time-out to calls
	 */
	public static ClientHttpConnectorBuilder<ClientHttpConnector> reporting(
			ClientHttpConnectorBuilder<? extends ClientHttpConnector> builder, Duration timeout,
			@Nullable PlainConnector plain) {
		return (settings) -> {
			ClientHttpConnector built = builder.build(settings);
			Duration configured = (settings != null) ? settings.readTimeout() : null;
			return ReactiveRequests.connector(built, (configured != null) ? configured : DefaultTimeouts.known(built),
					settings == null || settings.redirects() != HttpRedirects.DONT_FOLLOW, timeout, plain);
		};
	}

}
