package io.github.vicinal.boot.exchange;

import java.net.http.HttpClient;
import java.time.Duration;

import io.github.vicinal.boot.client.RedirectRules;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;

/**
 * Parts of the JDK's connector.
 *
 * @param client the HTTP client
 * @param buffers makes buffers
 * @param readTimeout the time until the head of a response has come, or {@code null}
 * @param cookies parses cookies of responses
 */
record JdkConnector(HttpClient client, DataBufferFactory buffers, @Nullable Duration readTimeout,
		ResponseCookie.Parser cookies) {

	static JdkConnector of(JdkClientHttpConnector connector) throws UnknownLayoutException {
		return new JdkConnector((HttpClient) Fields.required(connector, "httpClient"),
				(DataBufferFactory) Fields.required(connector, "bufferFactory"),
				(Duration) Fields.get(connector, "readTimeout"),
				(ResponseCookie.Parser) Fields.required(connector, "cookieParser"));
	}

	/** Returns how the client follows redirects, {@code null} if it does not. */
	@Nullable RedirectRules redirects() {
		return (this.client.followRedirects() != HttpClient.Redirect.NEVER) ? RedirectRules.JDK : null;
	}

	/** Returns the time-out in nanoseconds, or {@code null}. */
	@Nullable Duration timeout() {
		Duration known = this.readTimeout;
		return (known != null && !known.isZero()) ? known : null;
	}

	/** Returns the same connector with another client. */
	ClientHttpConnector with(HttpClient other) {
		JdkClientHttpConnector connector = new JdkClientHttpConnector(other);
		connector.setBufferFactory(this.buffers);
		connector.setCookieParser(this.cookies);
		Duration known = this.readTimeout;
		if (known != null) {
			connector.setReadTimeout(known);
		}
		return connector;
	}

}
