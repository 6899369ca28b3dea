package io.github.vicinal.boot.client;

import java.util.function.Supplier;

import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

import org.springframework.cloud.openfeign.clientconfig.HttpClient5FeignConfiguration.HttpClientBuilderCustomizer;

/**
 * Adds the element that asks peers for their paths to Apache HttpClient 5, if Spring
 * Cloud builds it for Feign. It comes first, so that exchanges are made behind it.
 */
final class FeignApacheChannels implements HttpClientBuilderCustomizer {

	private final HttpLegs legs;

	private final Supplier<PlainRequests> plain;

	FeignApacheChannels(HttpLegs legs, Supplier<PlainRequests> plain) {
		this.legs = legs;
		this.plain = plain;
	}

	@Override
	public void customize(HttpClientBuilder builder) {
		builder.addExecInterceptorBefore(ChainElement.CONNECT.name(), FeignApacheClient.Element.NAME,
				new FeignApacheClient.Element(this.legs, this.plain.get()));
	}

}
