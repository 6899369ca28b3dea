package io.github.vicinal.boot.exchange;

import java.util.Set;

/**
 * Requests that go over HTTP after their path was lost, although they may have been
 * executed. Safe ones always do: the path may be at fault, and over HTTP there would have
 * been no failure. Others do if their HTTP library sends them again after the end of a
 * connection that has served requests before.
 */
enum Repetition {

	/**
	 * Safe methods only: the JDK's client sends {@code GET} and {@code HEAD} again,
	 * Reactor Netty nothing, and Spring's factory of {@code HttpURLConnection} streams
	 * {@code PUT} and {@code DELETE}, so that their bodies are lost.
	 */
	OF_SAFE {

		@Override
		boolean includes(String method, boolean body) {
			return SAFE.contains(method);
		}

	},

	/** Idempotent methods, as Apache HttpClient does by default. */
	OF_IDEMPOTENT {

		@Override
		boolean includes(String method, boolean body) {
			return Exchanges.isIdempotent(method);
		}

	},

	/** Idempotent ones without a body, as Feign uses {@code HttpURLConnection}. */
	OF_BODILESS {

		@Override
		boolean includes(String method, boolean body) {
			return SAFE.contains(method) || (!body && Exchanges.isIdempotent(method));
		}

	};

	/** RFC 9110, section 9.2.1. */
	static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

	/**
	 * Returns whether a request goes over HTTP.
	 * @param method its method
	 * @param body whether it has a body
	 */
	abstract boolean includes(String method, boolean body);

}
