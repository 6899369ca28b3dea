package io.github.vicinal.transport.tcp;

import org.jspecify.annotations.Nullable;

/**
 * TLS of both roles of this application.
 *
 * @param server TLS of the server, {@code null} for plaintext
 * @param client TLS of clients, {@code null} for plaintext
 */
record TcpTls(@Nullable Tls server, @Nullable Tls client) {

	/** No encryption, on loopback addresses only. */
	static TcpTls plaintext() {
		return new TcpTls(null, null);
	}

}
