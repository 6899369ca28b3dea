package io.github.vicinal.transport.tcp;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.github.vicinal.transport.multiplex.OwnKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ssl.SslBundle;

/** Reads the SSL bundles of Spring Boot. */
final class SslBundleMaterial {

	private static final Logger logger = LoggerFactory.getLogger(SslBundleMaterial.class);

	private SslBundleMaterial() {
	}

	/**
	 * Reads a bundle.
	 * @param name its name
	 * @param bundle the bundle
	 * @return its keys and trusted certificates
	 * @throws IllegalStateException if its stores cannot be read
	 */
	static TlsMaterial of(String name, SslBundle bundle) {
		KeyStore keyStore = bundle.getStores().getKeyStore();
		if (keyStore != null) {
			warnOfExpired(name, keyStore, bundle.getKey().getAlias());
		}
		var managers = bundle.getManagers();
		boolean hasKey = keyStore != null || OwnKeys.exist(managers.getKeyManagers());
		boolean hasTrust = bundle.getStores().getTrustStore() != null
				|| !issuers(managers.getTrustManagers()).equals(publicAuthorities());
		return new TlsMaterial(name, managers.getKeyManagerFactory(), hasKey, managers.getTrustManagerFactory(),
				hasTrust, list(bundle.getOptions().getCiphers()), list(bundle.getOptions().getEnabledProtocols()));
	}

	private static @Nullable List<String> list(String @Nullable [] names) {
		return (names != null) ? List.copyOf(Arrays.asList(names)) : null;
	}

	private static Set<X509Certificate> issuers(TrustManager[] managers) {
		Set<X509Certificate> issuers = new HashSet<>();
		for (TrustManager manager : managers) {
			if (manager instanceof X509TrustManager trust) {
				Collections.addAll(issuers, trust.getAcceptedIssuers());
			}
		}
		return issuers;
	}

	private static Set<X509Certificate> publicAuthorities() {
		try {
			TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			factory.init((KeyStore) null);
			return issuers(factory.getTrustManagers());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("The authorities that the JDK trusts cannot be read", ex);
		}
	}

	private static void warnOfExpired(String name, KeyStore store, @Nullable String alias) {
		try {
			List<String> aliases = new ArrayList<>(
					(alias != null) ? List.of(alias) : Collections.list(store.aliases()));
			for (String known : aliases) {
				if (store.isKeyEntry(known) && store.getCertificate(known) instanceof X509Certificate certificate
						&& certificate.getNotAfter().toInstant().isBefore(Instant.now())) {
					logger.warn("The certificate {} of the SSL bundle '{}' expired at {}, so peers refuse it: renew it",
							certificate.getSubjectX500Principal().getName(), name,
							certificate.getNotAfter().toInstant());
				}
			}
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException("The key store of the SSL bundle '%s' cannot be read".formatted(name), ex);
		}
	}

}
