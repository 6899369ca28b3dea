package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.URI;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Store in which an HTTP client keeps the cookies of servers, to send them back.
 * Thread-safe.
 */
interface CookieJar {

	/**
	 * Returns whether there may be a cookie that the client would send.
	 * @return {@code false} only if there is certainly none
	 */
	boolean mayHoldCookies();

	/**
	 * Keeps what a server has set, as if the client had got it over HTTP.
	 * @param uri the request's URI
	 * @param setCookies the values of the {@code Set-Cookie} headers
	 */
	void keep(URI uri, List<String> setCookies);

	/** The cookie handler of a JDK client. */
	record OfJdk(CookieHandler handler) implements CookieJar {

		private static final Logger logger = LoggerFactory.getLogger(CookieJar.class);

		@Override
		public boolean mayHoldCookies() {
			return this.handler.getClass() != CookieManager.class
					|| !((CookieManager) this.handler).getCookieStore().getCookies().isEmpty();
		}

		@Override
		public void keep(URI uri, List<String> setCookies) {
			try {
				this.handler.put(uri, Map.of("Set-Cookie", setCookies));
			}
			catch (IOException ex) {
				logger.warn("The cookie handler did not keep cookies of {}", uri.getHost(), ex);
			}
		}

	}

	/**
	 * The cookie handler of the JVM, if there is one, which {@code URLConnection} asks.
	 */
	record OfJvm() implements CookieJar {

		private static @Nullable CookieJar current() {
			CookieHandler handler = CookieHandler.getDefault();
			return (handler != null) ? new OfJdk(handler) : null;
		}

		@Override
		public boolean mayHoldCookies() {
			CookieJar jar = current();
			return jar != null && jar.mayHoldCookies();
		}

		@Override
		public void keep(URI uri, List<String> setCookies) {
			CookieJar jar = current();
			if (jar != null) {
				jar.keep(uri, setCookies);
			}
		}

	}

}
