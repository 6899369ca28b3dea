package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;

import io.github.vicinal.boot.client.PlainRequests;
import io.github.vicinal.path.PathKind;
import org.apache.hc.client5.http.impl.ChainElement;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.util.ClassUtils;

/**
 * Makes the requests of {@code RestClient}, {@code RestTemplate} and HTTP interfaces
 * exchanges where that can be: within Apache HttpClient, or in front of a library that
 * does nothing to requests that Vicinal could not do. Thread-safe.
 */
final class ExchangeRequests implements PlainRequests {

	private static final boolean APACHE_CLIENT = ClassUtils
		.isPresent("org.apache.hc.client5.http.classic.ExecChainHandler", ExchangeRequests.class.getClassLoader());

	private final Exchanges exchanges;

	/**
	 * Creates the requests of an application.
	 * @param exchanges makes exchanges
	 */
	public ExchangeRequests(Exchanges exchanges) {
		this.exchanges = exchanges;
	}

	@Override
	public ClientHttpRequestFactory build(ClientHttpRequestFactoryBuilder<? extends ClientHttpRequestFactory> builder,
			@Nullable HttpClientSettings settings) {
		return (APACHE_CLIENT && builder instanceof HttpComponentsClientHttpRequestFactoryBuilder)
				? Apache.build(builder, settings, this.exchanges) : builder.build(settings);
	}

	@Override
	public Collection<PathKind> paths(URI target) {
		return this.exchanges.paths(target, true);
	}

	@Override
	public ClientHttpRequest create(Factory factory, URI uri, HttpMethod method) throws IOException {
		String host = uri.getHost();
		if (host == null || (APACHE_CLIENT && Apache.makes(factory.delegate()))
				|| !this.exchanges.mayAsk(String.valueOf(uri.getScheme()), host, port(uri))) {
			return factory.delegate().createRequest(uri, method);
		}
		return new ExchangeRequest(this.exchanges, factory, uri, method);
	}

	static int port(URI uri) {
		return (uri.getPort() >= 0) ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
	}

	/** Loaded only where Apache's client is. */
	private static final class Apache {

		static boolean makes(ClientHttpRequestFactory factory) {
			return factory instanceof HttpComponentsClientHttpRequestFactory;
		}

		static ClientHttpRequestFactory build(
				ClientHttpRequestFactoryBuilder<? extends ClientHttpRequestFactory> builder,
				@Nullable HttpClientSettings settings, Exchanges exchanges) {
			Duration timeout = (settings != null) ? settings.readTimeout() : null;
			return ((HttpComponentsClientHttpRequestFactoryBuilder) builder)
				.withHttpClientCustomizer((client) -> client.addExecInterceptorBefore(ChainElement.CONNECT.name(),
						ApacheExchanges.NAME, new ApacheExchanges(client, exchanges, timeout, false)))
				.build(settings);
		}

	}

}
