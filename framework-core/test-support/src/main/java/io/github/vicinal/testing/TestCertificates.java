package io.github.vicinal.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStore.PasswordProtection;
import java.security.KeyStore.PrivateKeyEntry;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/** Authorities and certificates that the keytool of the running JDK makes. */
public class TestCertificates {

	/** Password of all stores and keys. */
	public static final String PASSWORD = "changeit";

	private final Path directory;

	private final Path store;

	/** The directory is the caller's, and gets key stores. */
	public TestCertificates(Path directory) {
		this.directory = directory;
		this.store = directory.resolve("all.p12");
	}

	/** Makes an authority. */
	public TestCertificates authority(String alias) throws Exception {
		return generate(alias, "-ext", "bc:c", "-ext", "ku:c=keyCertSign");
	}

	/** Makes a certificate that an authority signs. */
	public TestCertificates signed(String alias, String authority, String... options) throws Exception {
		List<String> all = new ArrayList<>(List.of("-signer", authority));
		all.addAll(List.of(options));
		return generate(alias, all.toArray(String[]::new));
	}

	private TestCertificates generate(String alias, String... options) throws Exception {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
						"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-genkeypair", "-alias", alias, "-dname",
						"CN=" + alias + ",O=Test", "-keyalg", "EC", "-groupname", "secp256r1", "-keystore",
						this.store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
		command.addAll(List.of(options));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		process.getOutputStream().close();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IllegalStateException(said);
		}
		return this;
	}

	private KeyStore all() throws IOException, GeneralSecurityException {
		KeyStore all = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(this.store)) {
			all.load(in, PASSWORD.toCharArray());
		}
		return all;
	}

	/** Returns a store with one key and its chain; empty without an alias. */
	public KeyStore keys(@Nullable String alias) throws IOException, GeneralSecurityException {
		KeyStore keys = empty();
		if (alias != null) {
			PasswordProtection password = new PasswordProtection(PASSWORD.toCharArray());
			PrivateKeyEntry entry = (PrivateKeyEntry) all().getEntry(alias, password);
			keys.setEntry(alias, new PrivateKeyEntry(entry.getPrivateKey(), entry.getCertificateChain()), password);
		}
		return keys;
	}

	/** Returns a store with one key, and the chain of another. */
	public KeyStore keys(String alias, String chainOf) throws IOException, GeneralSecurityException {
		KeyStore keys = empty();
		PasswordProtection password = new PasswordProtection(PASSWORD.toCharArray());
		PrivateKeyEntry key = (PrivateKeyEntry) all().getEntry(alias, password);
		PrivateKeyEntry chain = (PrivateKeyEntry) all().getEntry(chainOf, password);
		keys.setEntry(alias, new PrivateKeyEntry(key.getPrivateKey(), chain.getCertificateChain()), password);
		return keys;
	}

	/** Returns a store that trusts certificates. */
	public KeyStore trust(String... aliases) throws IOException, GeneralSecurityException {
		KeyStore trust = empty();
		for (String alias : aliases) {
			Certificate certificate = all().getCertificate(alias);
			trust.setCertificateEntry(alias, certificate);
		}
		return trust;
	}

	private static KeyStore empty() throws IOException, GeneralSecurityException {
		KeyStore empty = KeyStore.getInstance("PKCS12");
		empty.load(null, null);
		return empty;
	}

	/** Writes a store, replacing a former one as a whole, and returns its location. */
	public String write(String name, KeyStore content) throws IOException, GeneralSecurityException {
		Path next = this.directory.resolve(name + ".next");
		try (OutputStream out = Files.newOutputStream(next)) {
			content.store(out, PASSWORD.toCharArray());
		}
		Path file = this.directory.resolve(name);
		Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
		return file.toUri().toString();
	}

	/** Returns TLS of a side with a key that trusts the public authorities. */
	public SSLContext context(String key) throws IOException, GeneralSecurityException {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(managers(key).getKeyManagers(), null, null);
		return context;
	}

	/** Returns TLS of a side with a key that trusts an authority. */
	public SSLContext context(String key, String authority) throws IOException, GeneralSecurityException {
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(trust(authority));
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(managers(key).getKeyManagers(), trust.getTrustManagers(), null);
		return context;
	}

	private KeyManagerFactory managers(String key) throws IOException, GeneralSecurityException {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(keys(key), PASSWORD.toCharArray());
		return keys;
	}

}
