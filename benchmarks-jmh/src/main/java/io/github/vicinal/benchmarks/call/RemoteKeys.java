package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/** A key that both sides have and trust, in a file. */
final class RemoteKeys {

	private static final String PASSWORD = "changeit";

	private final Path file;

	RemoteKeys(Path file) {
		this.file = file;
	}

	/** Makes a key for IP addresses by the keytool of this JDK. */
	static RemoteKeys create(Path directory, List<String> addresses) throws IOException, InterruptedException {
		Path file = directory.resolve("keys.p12");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
						"both", "-dname", "CN=both", "-keyalg", "EC", "-groupname", "secp256r1", "-ext", "bc:c", "-ext",
						"san=" + String.join(",", addresses.stream().map((address) -> "ip:" + address).toList()),
						"-keystore", file.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IOException(said);
		}
		KeyStore all = load(file);
		try (var out = Files.newOutputStream(directory.resolve("trust.p12"))) {
			KeyStore trust = KeyStore.getInstance("PKCS12");
			trust.load(null, null);
			trust.setCertificateEntry("both", all.getCertificate("both"));
			trust.store(out, PASSWORD.toCharArray());
		}
		catch (GeneralSecurityException ex) {
			throw new IOException(ex);
		}
		return new RemoteKeys(file);
	}

	Path file() {
		return this.file;
	}

	private static KeyStore load(Path file) throws IOException {
		try (InputStream in = Files.newInputStream(file)) {
			KeyStore store = KeyStore.getInstance("PKCS12");
			store.load(in, PASSWORD.toCharArray());
			return store;
		}
		catch (GeneralSecurityException ex) {
			throw new IOException(ex);
		}
	}

	KeyManagerFactory keys() throws IOException, GeneralSecurityException {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(load(this.file), PASSWORD.toCharArray());
		return keys;
	}

	TrustManagerFactory trust() throws IOException, GeneralSecurityException {
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(load(this.file.resolveSibling("trust.p12")));
		return trust;
	}

	/** Returns what lets an application speak TLS over tcp. */
	Map<String, Object> properties() {
		String jks = "spring.ssl.bundle.jks.mesh.";
		return Map.of(jks + "keystore.location", this.file.toUri().toString(), jks + "keystore.password", PASSWORD,
				jks + "truststore.location", this.file.resolveSibling("trust.p12").toUri().toString(),
				jks + "truststore.password", PASSWORD, "vicinal.tcp.ssl.bundle", "mesh");
	}

}
