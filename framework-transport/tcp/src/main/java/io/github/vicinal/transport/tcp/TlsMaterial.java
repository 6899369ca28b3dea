package io.github.vicinal.transport.tcp;

import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/**
 * Keys and trusted certificates of one SSL bundle.
 *
 * @param bundle the name of the bundle
 * @param keys the keys with which this side proves who it is
 * @param hasKey whether there is any
 * @param trust decides which certificates of other sides are accepted
 * @param hasTrust whether that is configured; otherwise the public authorities of the JDK
 * are trusted
 * @param ciphers cipher suites; {@code null} for those of Netty
 * @param protocols versions of TLS; {@code null} for 1.3
 */
record TlsMaterial(String bundle, KeyManagerFactory keys, boolean hasKey, TrustManagerFactory trust, boolean hasTrust,
		@Nullable List<String> ciphers, @Nullable List<String> protocols) {

}
