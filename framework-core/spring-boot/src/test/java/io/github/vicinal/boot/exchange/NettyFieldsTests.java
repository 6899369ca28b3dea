package io.github.vicinal.boot.exchange;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that Netty refuses are left to it. */
class NettyFieldsTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "a b\tc ", " a", "\ta", " ", "a\u007f", "a\u0001", "\u00fc" })
	void valuesThatNettyRefusesAreDecidedByIt(String value) {
		HttpHeaders headers = new HttpHeaders();
		headers.set("X-Value", value);
		assertThat(NettyFields.areDecided(HttpMethod.GET, headers, false)).isEqualTo(isRefused(value));
	}

	private static boolean isRefused(String value) {
		try {
			DefaultHttpHeadersFactory.headersFactory().newHeaders().add("X-Value", value);
			return false;
		}
		catch (IllegalArgumentException ex) {
			return true;
		}
	}

}
