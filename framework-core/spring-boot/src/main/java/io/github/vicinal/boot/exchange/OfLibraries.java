package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.List;

import org.springframework.http.HttpHeaders;

/** Headers that HTTP libraries always write themselves. */
final class OfLibraries {

	/** Fields about the connection. */
	static final List<String> FIELDS = List.of(HttpHeaders.HOST, HttpHeaders.CONNECTION, HttpHeaders.EXPECT,
			HttpHeaders.UPGRADE, HttpHeaders.TRANSFER_ENCODING, HttpHeaders.TE, HttpHeaders.TRAILER, "Keep-Alive",
			"Proxy-Connection");

	private OfLibraries() {
	}

	/** Returns whether a library sends another request target than a URI has. */
	static boolean rewrites(URI uri) {
		return "".equals(uri.getRawQuery()) || !uri.toString().chars().allMatch((c) -> c < 128);
	}

}
