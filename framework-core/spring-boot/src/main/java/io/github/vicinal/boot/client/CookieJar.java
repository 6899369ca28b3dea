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

	/** More than any server allows. */
	int UNKNOWN_CHARS = 1 << 20;

	/** What separates a cookie from others, and its name from its value. */
	int SEPARATOR_CHARS = "; =".length();

	/**
	 * Returns whether there may be a cookie that the client would send.
	 * @return {@code false} only if there is certainly none
	 */
	boolean mayHoldCookies();

	/**
	 * Returns how large the cookies are at most that the client would send.
	 * @param uri the request's URI
	 * @return number of characters, {@link #UNKNOWN_CHARS} if only the client knows
	 */
	int chars(URI uri);

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

		/** A handler of the application may count how often it is asked. */
		@Override
		public int chars(URI uri) {
			if (!mayHoldCookies()) {
				return 0;
			}
			if (this.handler.getClass() != CookieManager.class) {
				return UNKNOWN_CHARS;
			}
			try {
				int chars = 0;
				for (List<String> cookies : this.handler.get(uri, Map.of()).values()) {
					for (String cookie : cookies) {
						chars += cookie.length() + SEPARATOR_CHARS;
					}
				}
				return chars;
			}
			catch (IOException | IllegalArgumentException ex) {
				return UNKNOWN_CHARS;
			}
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
		public int chars(URI uri) {
			CookieJar jar = current();
			return (jar != null) ? jar.chars(uri) : 0;
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
