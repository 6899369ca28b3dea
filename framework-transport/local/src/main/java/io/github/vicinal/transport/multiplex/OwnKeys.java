package io.github.vicinal.transport.multiplex;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

import org.jspecify.annotations.Nullable;

/**
 * Finds keys that do not belong to their certificates, as when only one of two files was
 * replaced. A store is loaded with them, but no handshake succeeds.
 *
 * @since 0.1.0
 */
public final class OwnKeys {

	/** Types of keys that key managers look for. */
	private static final List<String> TYPES = List.of("EC", "RSA", "RSASSA-PSS", "EdDSA", "DSA");

	/** Signatures by algorithm of the key. */
	private static final Map<String, String> SIGNATURES = Map.of("EC", "SHA256withECDSA", "RSA", "SHA256withRSA",
			"EdDSA", "EdDSA", "DSA", "SHA256withDSA");

	private OwnKeys() {
	}

	/** Returns whether there is a key. */
	public static boolean exist(KeyManager[] managers) {
		for (KeyManager manager : managers) {
			if (manager instanceof X509KeyManager keys
					&& TYPES.stream().anyMatch((type) -> keys.getServerAliases(type, null) != null)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns what is wrong with a key and what to do, {@code null} if nothing is.
	 */
	public static @Nullable String mismatch(KeyManager[] managers) {
		for (KeyManager manager : managers) {
			if (manager instanceof X509KeyManager keys) {
				for (String type : TYPES) {
					String[] aliases = keys.getServerAliases(type, null);
					for (String alias : (aliases != null) ? aliases : new String[0]) {
						String mismatch = mismatch(keys, alias);
						if (mismatch != null) {
							return mismatch;
						}
					}
				}
			}
		}
		return null;
	}

	private static @Nullable String mismatch(X509KeyManager keys, String alias) {
		X509Certificate[] chain = keys.getCertificateChain(alias);
		PrivateKey key = keys.getPrivateKey(alias);
		if (chain == null || chain.length == 0 || key == null || belong(key, chain[0].getPublicKey())) {
			return null;
		}
		return "a key does not belong to its certificate %s; replace both"
			.formatted(chain[0].getSubjectX500Principal().getName());
	}

	/**
	 * Returns whether a signature of one key is valid for the other. What cannot be found
	 * out, as with a type that is not known here, is left to the handshake.
	 */
	static boolean belong(PrivateKey key, PublicKey certified) {
		String algorithm = SIGNATURES.get(certified.getAlgorithm());
		if (algorithm == null) {
			return true;
		}
		byte[] text = { 1, 2, 3 };
		byte[] signed;
		try {
			Signature signature = Signature.getInstance(algorithm);
			signature.initSign(key);
			signature.update(text);
			signed = signature.sign();
		}
		catch (InvalidKeyException ex) {
			// A key of another type, or one that a device holds and does not lend.
			return !SIGNATURES.containsKey(key.getAlgorithm()) || key.getAlgorithm().equals(certified.getAlgorithm());
		}
		catch (GeneralSecurityException ex) {
			return true;
		}
		try {
			Signature check = Signature.getInstance(algorithm);
			check.initVerify(certified);
			check.update(text);
			return check.verify(signed);
		}
		catch (SignatureException ex) {
			// It has not even the form of one by that key.
			return false;
		}
		catch (GeneralSecurityException ex) {
			return true;
		}
	}

}
