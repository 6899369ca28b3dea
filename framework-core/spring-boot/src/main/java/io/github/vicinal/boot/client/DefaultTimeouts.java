package io.github.vicinal.boot.client;

import java.net.Proxy;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;

/**
 * Gives the calls of channels a time-out if their HTTP client has none, so that a host
 * that vanishes does not hold them forever. Other requests of the same client do not
 * change: both use the same connections and cookies.
 */
final class DefaultTimeouts {

	private DefaultTimeouts() {
	}

	/**
	 * Returns the factory of requests that are calls of channels.
	 * @param factory the client's own factory
	 * @param settings what the factory was built with
	 * @param timeout the time-out, or zero for none
	 * @return another factory with the same client, or the same factory if it has a
	 * time-out, or is of an unknown kind
	 */
	static ClientHttpRequestFactory of(ClientHttpRequestFactory factory, @Nullable HttpClientSettings settings,
			Duration timeout) {
		if (timeout.isZero() || (settings != null && settings.readTimeout() != null)) {
			return factory;
		}
		try {
			if (factory.getClass() == JdkClientHttpRequestFactory.class) {
				return jdk(factory, timeout);
			}
			if (factory.getClass() == SimpleClientHttpRequestFactory.class) {
				return simple(factory, settings, timeout);
			}
			if (factory.getClass().getName().equals(ClientAdditions.APACHE_FACTORY)) {
				return Apache.of(factory, timeout);
			}
			if (factory.getClass().getName().equals(ClientAdditions.NETTY_FACTORY)) {
				return NettyClients.limited(factory, timeout);
			}
		}
		catch (UnknownLayoutException ex) {
			// The client's own factory does as well.
		}
		return factory;
	}

	private static ClientHttpRequestFactory jdk(ClientHttpRequestFactory factory, Duration timeout)
			throws UnknownLayoutException {
		if (Fields.get(factory, "readTimeout") != null) {
			return factory;
		}
		JdkClientHttpRequestFactory limited = new JdkClientHttpRequestFactory(
				(HttpClient) Fields.required(factory, "httpClient"), (Executor) Fields.required(factory, "executor"));
		limited.enableCompression(Boolean.TRUE.equals(Fields.get(factory, "compression")));
		limited.setReadTimeout(timeout);
		return limited;
	}

	private static ClientHttpRequestFactory simple(ClientHttpRequestFactory factory,
			@Nullable HttpClientSettings settings, Duration timeout) throws UnknownLayoutException {
		SimpleClientHttpRequestFactory limited = new SimpleClientHttpRequestFactory();
		if (Fields.get(factory, "proxy") instanceof Proxy proxy) {
			limited.setProxy(proxy);
		}
		Duration connect = (settings != null) ? settings.connectTimeout() : null;
		limited.setConnectTimeout((connect != null) ? connect : timeout);
		limited.setReadTimeout(timeout);
		limited.setChunkSize((Integer) Fields.required(factory, "chunkSize"));
		return limited;
	}

	/**
	 * Returns how long a client waits that the application has customised.
	 * @param owner its request factory or connector
	 */
	static @Nullable Duration known(Object owner) {
		try {
			return switch (owner.getClass().getName()) {
				case ClientAdditions.NETTY_CONNECTOR, ClientAdditions.NETTY_FACTORY -> NettyClients.timeout(owner);
				default -> null;
			};
		}
		catch (UnknownLayoutException ex) {
			return null;
		}
	}

	/** Time-outs of connectors, as for request factories. */
	static ClientHttpConnector of(ClientHttpConnector connector, Duration timeout) {
		if (timeout.isZero()) {
			return connector;
		}
		try {
			if (connector.getClass().getName().equals(ClientAdditions.NETTY_CONNECTOR)) {
				return NettyClients.limited(connector, timeout);
			}
			if (connector.getClass() != JdkClientHttpConnector.class) {
				return connector;
			}
			if (Fields.get(connector, "readTimeout") != null) {
				return connector;
			}
			JdkClientHttpConnector limited = new JdkClientHttpConnector(
					(HttpClient) Fields.required(connector, "httpClient"));
			limited.setBufferFactory((DataBufferFactory) Fields.required(connector, "bufferFactory"));
			limited.setCookieParser((ResponseCookie.Parser) Fields.required(connector, "cookieParser"));
			limited.setReadTimeout(timeout);
			return limited;
		}
		catch (UnknownLayoutException ex) {
			return connector;
		}
	}

	/** Loaded only where Apache's client is. */
	private static final class Apache {

		static ClientHttpRequestFactory of(ClientHttpRequestFactory factory, Duration timeout)
				throws UnknownLayoutException {
			HttpComponentsClientHttpRequestFactory original = (HttpComponentsClientHttpRequestFactory) factory;
			if (Fields.get(original, "httpContextFactory") != null
					|| !Fields.required(original, "readTimeout").equals(-1L)) {
				return factory;
			}
			return new HttpComponentsClientHttpRequestFactory(original.getHttpClient()) {

				@Override
				protected @Nullable RequestConfig createRequestConfig(Object client) {
					RequestConfig config = super.createRequestConfig(client);
					RequestConfig known = (config != null) ? config : RequestConfig.DEFAULT;
					return (known.getResponseTimeout() != null) ? known
							: RequestConfig.copy(known).setResponseTimeout(Timeout.of(timeout)).build();
				}

			};
		}

	}

}
