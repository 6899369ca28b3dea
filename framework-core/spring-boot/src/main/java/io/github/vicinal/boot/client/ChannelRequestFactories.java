package io.github.vicinal.boot.client;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;

/** Makes request factories that ask peers for their paths. */
public final class ChannelRequestFactories {

	private ChannelRequestFactories() {
	}

	/**
	 * Wraps what a builder builds.
	 * @param builder the builder
	 * @param legs connects proxies and request factories
	 * @return a builder of request factories that ask peers, on requests that belong to a
	 * channel
	 */
	public static ClientHttpRequestFactoryBuilder<ClientHttpRequestFactory> asking(
			ClientHttpRequestFactoryBuilder<? extends ClientHttpRequestFactory> builder, HttpLegs legs) {
		return (settings) -> new ChannelRequestFactory(builder.build(settings), legs,
				(settings != null) ? settings.readTimeout() : null);
	}

	/**
	 * Wraps what a builder of reactive connectors builds.
	 * @param builder the builder
	 * @return a builder of connectors that tell calls how long their client waits
	 */
	public static ClientHttpConnectorBuilder<ClientHttpConnector> telling(
			ClientHttpConnectorBuilder<? extends ClientHttpConnector> builder) {
		return (settings) -> ReactiveCalls.connector(builder.build(settings),
				(settings != null) ? settings.readTimeout() : null);
	}

}
