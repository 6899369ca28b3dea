package io.github.vicinal.boot.exchange;

import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

import org.springframework.cloud.openfeign.clientconfig.HttpClient5FeignConfiguration.HttpClientBuilderCustomizer;

/**
 * Turns requests of Feign clients into exchanges within Apache HttpClient 5, if Spring
 * Cloud builds it.
 */
final class FeignApacheExchanges implements HttpClientBuilderCustomizer {

	private final Exchanges exchanges;

	/**
	 * Creates the exchanges of an application's Feign clients.
	 * @param exchanges makes exchanges
	 */
	public FeignApacheExchanges(Exchanges exchanges) {
		this.exchanges = exchanges;
	}

	@Override
	public void customize(HttpClientBuilder builder) {
		// Feign sets the time-out of each request.
		builder.addExecInterceptorBefore(ChainElement.CONNECT.name(), ApacheExchanges.NAME,
				new ApacheExchanges(builder, this.exchanges, null, true));
	}

}
