package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of connections that carry topics. Both sides have a certificate that the other one
 * trusts, and that of the publisher is for its address. Thread-safe.
 */
final class TopicTls {

	private static final Logger logger = LoggerFactory.getLogger(TopicTls.class);

	/** Without 1.2, in which a client may negotiate again as often as it likes. */
	private static final String[] PROTOCOLS = { "TLSv1.3" };

	/**
	 * Keys and trusted certificates.
	 *
	 * @param context makes engines of them
	 * @param ciphers cipher suites, empty for those of the JDK
	 * @param protocols versions of TLS, empty for 1.3
	 */
	record Material(SSLContext context, List<String> ciphers, List<String> protocols) {
	}

	private final String bundle;

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private volatile @Nullable Material material;

	private volatile String unusable = "";

	/**
	 * Creates TLS.
	 * @param bundle name of the SSL bundle
	 * @param material what is in it
	 */
	TopicTls(String bundle, Material material) {
		this.bundle = bundle;
		this.material = material;
	}

	/**
	 * Creates TLS that cannot be used.
	 * @param bundle name of the SSL bundle
	 * @param reason why, and what to do
	 */
	TopicTls(String bundle, String reason) {
		this.bundle = bundle;
		this.unusable = reason;
	}

	/** Uses other keys from now on. Connections are made anew. */
	void replace(Material next) {
		this.material = next;
		this.unusable = "";
		logger.info("The SSL bundle '{}' was reloaded; connections of topics over rdma are replaced", this.bundle);
		this.listeners.forEach(Runnable::run);
	}

	/** Keeps the former keys, since those that the bundle holds now cannot be used. */
	void keep(String reason) {
		logger.error("The SSL bundle '{}' was reloaded, but its former content stays in use: {}", this.bundle, reason);
	}

	/** Calls a listener after each replacement. */
	void whenReplaced(Runnable listener) {
		this.listeners.add(listener);
	}

	/** Checks that there are keys. */
	void requireUsable() throws IOException {
		material();
	}

	private Material material() throws IOException {
		Material current = this.material;
		if (current == null) {
			throw new IOException("the SSL bundle '%s' cannot be used: %s".formatted(this.bundle, this.unusable));
		}
		return current;
	}

	/** Returns the engine of a publisher. */
	SSLEngine accepting() throws IOException {
		Material current = material();
		SSLEngine engine = current.context().createSSLEngine();
		SSLParameters parameters = parameters(engine, current);
		parameters.setNeedClientAuth(true);
		engine.setUseClientMode(false);
		engine.setSSLParameters(parameters);
		return engine;
	}

	/**
	 * Returns the engine of a subscriber.
	 * @param host name or address that the publisher's certificate must be for
	 * @param port its port
	 */
	SSLEngine connecting(String host, int port) throws IOException {
		Material current = material();
		SSLEngine engine = current.context().createSSLEngine(host, port);
		SSLParameters parameters = parameters(engine, current);
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		engine.setUseClientMode(true);
		engine.setSSLParameters(parameters);
		return engine;
	}

	private static SSLParameters parameters(SSLEngine engine, Material current) {
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(current.protocols().isEmpty() ? PROTOCOLS : current.protocols().toArray(String[]::new));
		if (!current.ciphers().isEmpty()) {
			parameters.setCipherSuites(current.ciphers().toArray(String[]::new));
		}
		return parameters;
	}

}
