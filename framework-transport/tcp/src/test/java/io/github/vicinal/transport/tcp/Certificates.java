package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import io.github.vicinal.testing.TestCertificates;
import org.jspecify.annotations.Nullable;

/** Certificates, and what TLS of the path makes of them. */
final class Certificates extends TestCertificates {

	/** The directory is the caller's, and gets key stores. */
	Certificates(Path directory) {
		super(directory);
	}

	@Override
	public Certificates authority(String alias) throws Exception {
		super.authority(alias);
		return this;
	}

	@Override
	public Certificates signed(String alias, String authority, String... options) throws Exception {
		super.signed(alias, authority, options);
		return this;
	}

	/** Returns material with a key, unless that is {@code null}, and trusted aliases. */
	TlsMaterial material(@Nullable String key, String... trusted) throws IOException, GeneralSecurityException {
		return material(keys(key), key != null, trusted);
	}

	/** Returns material of a store with a key, unless it has none. */
	TlsMaterial material(KeyStore store, boolean hasKey, String... trusted)
			throws IOException, GeneralSecurityException {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(store, PASSWORD.toCharArray());
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init((trusted.length > 0) ? trust(trusted) : null);
		return new TlsMaterial("mesh", keys, hasKey, trust, trusted.length > 0, null, null);
	}

	/** Returns material for one version of TLS. */
	TlsMaterial material(String protocol, @Nullable String key, String trusted)
			throws IOException, GeneralSecurityException {
		TlsMaterial all = material(key, new String[] { trusted });
		return new TlsMaterial(all.bundle(), all.keys(), all.hasKey(), all.trust(), all.hasTrust(), null,
				List.of(protocol));
	}

}
