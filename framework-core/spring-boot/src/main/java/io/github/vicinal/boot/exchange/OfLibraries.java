package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.List;
import java.util.Set;

import org.springframework.http.HttpHeaders;

/** Headers that HTTP libraries always write themselves. */
final class OfLibraries {

	/** Fields about the connection. */
	static final List<String> FIELDS = List.of(HttpHeaders.HOST, HttpHeaders.CONNECTION, HttpHeaders.EXPECT,
			HttpHeaders.UPGRADE, HttpHeaders.TRANSFER_ENCODING, HttpHeaders.TE, HttpHeaders.TRAILER, "Keep-Alive",
			"Proxy-Connection");

	/** Headers that {@code HttpURLConnection} drops, or makes of its own. */
	static final Set<String> RESTRICTED = Set.of("access-control-request-headers", "access-control-request-method",
			"connection", "content-transfer-encoding", "expect", "host", "keep-alive", "origin", "trailer",
			"transfer-encoding", "upgrade", "via");

	private static final int HTTP_PORT = 80;

	private static final int HTTPS_PORT = 443;

	/** The media type of a body of which {@code HttpURLConnection} is given none. */
	static final String FORM = "application/x-www-form-urlencoded";

	private OfLibraries() {
	}

	/**
	 * Returns the field {@code Host} of a request: libraries leave the port of the scheme
	 * out, also where the URI names it.
	 * @param uri where the request goes, by {@code http}
	 * @param netty whether Reactor Netty sends it, which leaves that of https out as well
	 */
	static String host(URI uri, boolean netty) {
		int port = uri.getPort();
		return (port < 0 || port == HTTP_PORT || (netty && port == HTTPS_PORT)) ? uri.getHost()
				: uri.getHost() + ":" + port;
	}

	/** Returns whether a library sends another request target than a URI has. */
	static boolean rewrites(URI uri) {
		return "".equals(uri.getRawQuery()) || !uri.toString().chars().allMatch((c) -> c < 128);
	}

}
