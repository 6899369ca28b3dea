package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;

import io.github.vicinal.transport.multiplex.OwnKeys;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of one role of this application. Its keys and trusted certificates can be replaced
 * while connections are open. Thread-safe.
 */
final class Tls {

	private static final Logger logger = LoggerFactory.getLogger(Tls.class);

	/**
	 * Versions of TLS, unless the bundle names others. All JDKs that run this code have
	 * 1.3, and with 1.2 a client may negotiate again as often as it likes.
	 */
	private static final List<String> PROTOCOLS = List.of("TLSv1.3");

	private static final long CLOSE_MILLIS = 500;

	private static final AttributeKey<SslHandler> HANDLER = AttributeKey.valueOf(Tls.class, "handler");

	private final String bundle;

	private final Contexts contexts;

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	/** {@code null} while the material is {@link #unusable}. */
	private volatile @Nullable SslContext context;

	private volatile String unusable = "";

	private final AtomicInteger generation = new AtomicInteger();

	private final boolean verifiesPeers;

	/** Which connections are encrypted with it, for people. */
	private final String connections;

	private Tls(TlsMaterial material, boolean verifiesPeers, String connections, Contexts contexts) {
		this.verifiesPeers = verifiesPeers;
		this.connections = connections;
		this.bundle = material.bundle();
		this.contexts = contexts;
		try {
			this.context = contexts.create(material);
		}
		catch (UnusableException | SSLException | RuntimeException ex) {
			this.unusable = unusable(ex);
		}
	}

	/**
	 * Returns the TLS of a server.
	 * @param material its key, and the authorities of clients
	 * @param auth whether clients need a certificate
	 * @return the server's TLS, which may be {@link #unusable()}
	 */
	static Tls server(TlsMaterial material, TcpProperties.ClientAuth auth) {
		return new Tls(material, auth == TcpProperties.ClientAuth.NEED, "connections of clients", (current) -> {
			if (!current.hasKey()) {
				throw new UnusableException("it has no key, which a server needs; add a key store or a private key");
			}
			if (auth != TcpProperties.ClientAuth.NONE && !current.hasTrust()) {
				throw new UnusableException(
						"it has no trust store, so every client with a certificate of a public authority would be "
								+ "accepted; add a trust store, or set vicinal.tcp.ssl.client-auth=none");
			}
			return common(SslContextBuilder.forServer(current.keys()), current).clientAuth(switch (auth) {
				case NONE -> ClientAuth.NONE;
				case WANT -> ClientAuth.OPTIONAL;
				case NEED -> ClientAuth.REQUIRE;
			}).build();
		});
	}

	/**
	 * Returns the TLS of a client.
	 * @param material the authorities of servers, and the client's key if there is one
	 * @param verifyHostname whether certificates must be for the address that is dialled
	 * @return the client's TLS
	 */
	static Tls client(TlsMaterial material, boolean verifyHostname) {
		return new Tls(material, verifyHostname, "connections to servers", (current) -> {
			SslContextBuilder builder = SslContextBuilder.forClient()
				.endpointIdentificationAlgorithm(verifyHostname ? "HTTPS" : "");
			return common(current.hasKey() ? builder.keyManager(current.keys()) : builder, current).build();
		});
	}

	private static SslContextBuilder common(SslContextBuilder builder, TlsMaterial material) throws UnusableException {
		String mismatch = material.hasKey() ? OwnKeys.mismatch(material.keys().getKeyManagers()) : null;
		if (mismatch != null) {
			throw new UnusableException(mismatch);
		}
		List<String> protocols = material.protocols();
		return builder.sslProvider(SslProvider.JDK)
			.trustManager(material.trust())
			.ciphers(material.ciphers())
			.protocols((protocols != null) ? protocols : PROTOCOLS);
	}

	private String unusable(Exception ex) {
		return "the SSL bundle '%s' cannot be used: %s".formatted(this.bundle,
				(ex instanceof UnusableException) ? ex.getMessage() : ex);
	}

	/** Returns why the bundle cannot be used. */
	Optional<String> unusable() {
		String why = this.unusable;
		return why.isEmpty() ? Optional.empty() : Optional.of(why);
	}

	/**
	 * Returns whether the other side is connected only if its certificate was verified:
	 * as that of some client, or as that of the address that is dialled.
	 */
	boolean verifiesPeers() {
		return this.verifiesPeers;
	}

	/** Returns the name of the bundle. */
	String bundle() {
		return this.bundle;
	}

	/**
	 * Replaces keys and trusted certificates: new connections use the new ones. If they
	 * cannot be used, the former ones stay.
	 */
	void replace(Supplier<TlsMaterial> material) {
		try {
			this.context = this.contexts.create(material.get());
			this.unusable = "";
		}
		catch (UnusableException | SSLException | RuntimeException ex) {
			logger.error("The SSL bundle '{}' was reloaded, but its former content stays in use: {}", this.bundle,
					unusable(ex));
			return;
		}
		this.generation.incrementAndGet();
		logger.info("The SSL bundle '{}' was reloaded; {} are replaced (path tcp)", this.bundle, this.connections);
		this.listeners.forEach(Runnable::run);
	}

	/** Returns the number of times that the material was replaced. */
	int generation() {
		return this.generation.get();
	}

	/** Calls a listener after each replacement. */
	void whenReplaced(Runnable listener) {
		this.listeners.add(listener);
	}

	/** Returns the handler of a connection that a server accepted. */
	SslHandler accepting(Channel channel, Executor executor, long timeoutMillis) {
		return timed(context().newHandler(channel.alloc(), executor), timeoutMillis);
	}

	/** Returns the handler of a connection that a client makes. */
	SslHandler connecting(Channel channel, InetSocketAddress peer, Executor executor, long timeoutMillis) {
		return connecting(channel, peer.getAddress().getHostAddress(), peer.getPort(), executor, timeoutMillis);
	}

	/**
	 * Returns the handler of a connection that a client makes.
	 * @param host name or address that the certificate must be for
	 */
	SslHandler connecting(Channel channel, String host, int port, Executor executor, long timeoutMillis) {
		SslHandler handler = timed(context().newHandler(channel.alloc(), host, port, executor), timeoutMillis);
		channel.attr(HANDLER).set(handler);
		return handler;
	}

	/**
	 * Returns what encrypts a connection that a client made, {@code null} without TLS.
	 * The pipeline does not say: it is empty once the connection has ended, of whose
	 * handshake it is still to be told why it failed.
	 */
	static @Nullable SslHandler handler(Channel channel) {
		return channel.attr(HANDLER).get();
	}

	private static SslHandler timed(SslHandler handler, long timeoutMillis) {
		handler.setHandshakeTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
		handler.setCloseNotifyFlushTimeout(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
		return handler;
	}

	private SslContext context() {
		SslContext current = this.context;
		if (current == null) {
			throw new IllegalStateException(this.unusable);
		}
		return current;
	}

	/** Makes contexts of material. */
	private interface Contexts {

		SslContext create(TlsMaterial material) throws UnusableException, SSLException;

	}

	/** The material does not suit the role. */
	@SuppressWarnings("serial")
	private static final class UnusableException extends Exception {

		UnusableException(String message) {
			super(message);
		}

	}

}
