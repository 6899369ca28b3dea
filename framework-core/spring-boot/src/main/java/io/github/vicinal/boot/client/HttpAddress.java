package io.github.vicinal.boot.client;

import java.net.URI;

/** The addresses by which channels know their peers: {@code host:port}. */
final class HttpAddress {

	private HttpAddress() {
	}

	/**
	 * Returns the address that a request goes to. Host names with an underscore have no
	 * host to {@link URI}, only an authority.
	 */
	static String of(URI uri) {
		if (uri.getHost() == null) {
			String authority = String.valueOf(uri.getRawAuthority());
			authority = authority.substring(authority.lastIndexOf('@') + 1);
			return (authority.indexOf(':') < 0) ? authority + ":" + defaultPort(uri) : authority;
		}
		int port = uri.getPort();
		return uri.getHost() + ":" + ((port >= 0) ? port : defaultPort(uri));
	}

	private static int defaultPort(URI uri) {
		return "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
	}

}
