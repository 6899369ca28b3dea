package io.github.vicinal.boot.client;

import java.io.IOException;

import org.apache.hc.client5.http.config.Configurable;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.CloseableHttpResponse;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.protocol.RedirectLocations;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;

import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;

/**
 * The application's Apache HTTP client. It reports to a call that its answer, or its
 * failure, comes from another server than the one that was asked.
 */
final class RedirectTellingClient extends CloseableHttpClient implements Configurable {

	private final CloseableHttpClient delegate;

	private final HttpLegs legs;

	private RedirectTellingClient(CloseableHttpClient delegate, HttpLegs legs) {
		this.delegate = delegate;
		this.legs = legs;
	}

	/**
	 * Wraps the client of a factory.
	 * @return whether calls are notified of redirects
	 */
	static boolean install(HttpComponentsClientHttpRequestFactory factory, HttpLegs legs) {
		if (factory.getHttpClient() instanceof CloseableHttpClient client
				&& !(client instanceof RedirectTellingClient)) {
			factory.setHttpClient(new RedirectTellingClient(client, legs));
		}
		return factory.getHttpClient() instanceof RedirectTellingClient;
	}

	/**
	 * A replacement of the library's method does not return the expected type.
	 */
	@Override
	@SuppressWarnings("deprecation")
	protected CloseableHttpResponse doExecute(HttpHost target, ClassicHttpRequest request, HttpContext context)
			throws IOException {
		HttpLeg leg = this.legs.takeExecuting();
		if (leg == null) {
			return this.delegate.execute(target, request, context);
		}
		HttpClientContext known = HttpClientContext.castOrCreate(context);
		try {
			return this.delegate.execute(target, request, known);
		}
		finally {
			this.legs.giveBack(leg);
			RedirectLocations followed = known.getRedirectLocations();
			if (followed != null && followed.size() > 0) {
				leg.redirected();
			}
		}
	}

	@Override
	public @Nullable RequestConfig getConfig() {
		return (this.delegate instanceof Configurable configurable) ? configurable.getConfig() : null;
	}

	@Override
	public void close() throws IOException {
		this.delegate.close();
	}

	@Override
	public void close(CloseMode mode) {
		this.delegate.close(mode);
	}

}
