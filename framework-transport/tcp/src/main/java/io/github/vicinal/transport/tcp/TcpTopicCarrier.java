package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.vicinal.path.PathProtection;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.PublisherAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries topics over TCP, at the port of the path. Both sides need a certificate that
 * the other one trusts, on whatever address: topics have no request from which the caller
 * is known. Thread-safe.
 *
 * @since 0.1.0
 */
public final class TcpTopicCarrier implements TopicCarrier, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(TcpTopicCarrier.class);

	private final Supplier<TcpPathServer> server;

	private final TcpOptions options;

	private final @Nullable Tls tls;

	private final HandshakeCounters handshakes = new HandshakeCounters(logger);

	private final Set<TopicChannel> connections = ConcurrentHashMap.newKeySet();

	/** Guarded by this. */
	private @Nullable EventLoops loops;

	/** Guarded by this. */
	private boolean closed;

	/**
	 * Creates a carrier.
	 * @param server the server of the path, which is started when a topic needs it
	 * @param options limits
	 * @param tls TLS of clients
	 */
	TcpTopicCarrier(Supplier<TcpPathServer> server, TcpOptions options, @Nullable Tls tls) {
		this.server = server;
		this.options = options;
		this.tls = tls;
		if (tls != null) {
			tls.whenReplaced(() -> this.connections.forEach(TopicChannel::close));
		}
	}

	@Override
	public String kind() {
		return TcpPathProvider.KIND.id();
	}

	@Override
	public void serve(Consumer<TopicConnection> acceptor) throws IOException {
		TcpPathServer listening = this.server.get();
		if (listening.protection() != PathProtection.MUTUAL_TLS) {
			throw new IOException(
					"tcp does not know who subscribes: set vicinal.tcp.ssl.bundle and vicinal.tcp.ssl.client-auth=need");
		}
		listening.accept(acceptor);
		listening.start();
		String reason = listening.unavailable().orElse(null);
		if (reason != null) {
			throw new IOException("tcp is not offered: " + reason);
		}
	}

	/** {@inheritDoc} A name stands for all its addresses. */
	@Override
	public List<String> resolve(String address) throws IOException {
		return PublisherAddress.resolve(address).stream().map(PublisherAddress::toString).toList();
	}

	@Override
	public TopicConnection connect(String address) throws IOException {
		Tls encrypting = this.tls;
		if (encrypting == null || !encrypting.verifiesPeers()) {
			throw new IOException(
					"topics of other hosts need to know who publishes them: set vicinal.tcp.ssl.bundle and vicinal.tcp.ssl.verify-hostname=true");
		}
		String reason = encrypting.unusable().orElse(null);
		if (reason != null) {
			throw new IOException(reason);
		}
		PublisherAddress target = PublisherAddress.parse(address);
		TopicChannel made = TopicClient.open(loops(), this.options, encrypting, this.handshakes, target.host(),
				target.address());
		this.connections.add(made);
		made.whenClosed(() -> this.connections.remove(made));
		return made;
	}

	private synchronized EventLoops loops() throws IOException {
		if (this.closed) {
			throw new IOException("the application is shutting down");
		}
		EventLoops known = this.loops;
		if (known == null) {
			known = new EventLoops("vicinal-tcp-topics", this.options);
			this.loops = known;
		}
		return known;
	}

	@Override
	public void close() {
		EventLoops known;
		synchronized (this) {
			this.closed = true;
			known = this.loops;
		}
		if (known != null) {
			known.close();
		}
	}

}
