package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.MultiplexedPath;
import io.github.vicinal.transport.multiplex.SharedConnections;
import io.github.vicinal.transport.wire.AddressLiteral;
import io.github.vicinal.transport.wire.ConnectConditions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to peers by TCP, with one connection for each, and a few more under load.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class TcpPathProvider implements PathProvider {

	/** A TCP connection. */
	public static final PathKind KIND = new PathKind("tcp", 500, PathKind.Reach.NETWORK);

	private static final Logger logger = LoggerFactory.getLogger(TcpPathProvider.class);

	/** Longer than any IP address with a port. */
	private final PeerIdentity identity;

	private final Codecs codecs;

	private final TcpOptions options;

	private final @Nullable Tls tls;

	private final HandshakeCounters handshakes = new HandshakeCounters(logger);

	private final LongAdder bytes = new LongAdder();

	private final EventLoops loops;

	private final Dialler dialler;

	private final HostLookups lookups;

	private final ConnectionsAhead ahead;

	private final SharedConnections<PeerConnections> connections = new SharedConnections<>();

	/** Open connections, also those that were left and still have calls. */
	private final Set<ClientConnection> open = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a provider that does not encrypt.
	 * @param identity this instance
	 * @param codecs the codecs of this application
	 * @param options limits
	 */
	public TcpPathProvider(PeerIdentity identity, Codecs codecs, TcpOptions options) {
		this(identity, codecs, options, null);
	}

	TcpPathProvider(PeerIdentity identity, Codecs codecs, TcpOptions options, @Nullable Tls tls) {
		this(identity, codecs, options, tls, InetAddress::getAllByName);
	}

	TcpPathProvider(PeerIdentity identity, Codecs codecs, TcpOptions options, @Nullable Tls tls,
			HostLookups.Resolver resolver) {
		this.identity = identity;
		this.codecs = codecs;
		this.options = options;
		this.loops = new EventLoops("vicinal-tcp-client", options);
		this.tls = tls;
		this.dialler = new Dialler(this.loops, options, tls);
		// A connection ahead that is not taken within that time is closed, too.
		this.lookups = new HostLookups(resolver, options.handshakeTimeout().toNanos() / 2);
		this.ahead = new ConnectionsAhead(this.dialler, options);
		if (tls != null) {
			tls.whenReplaced(() -> this.connections.all().forEach(TcpPathProvider::replace));
		}
	}

	private static void replace(PeerConnections connection) {
		connection.renew("the SSL bundle was reloaded");
	}

	/** Returns the number of bytes of calls and replies that all paths have carried. */
	LongAdder bytes() {
		return this.bytes;
	}

	/** Returns the number of handshakes that failed. */
	HandshakeCounters handshakes() {
		return this.handshakes;
	}

	@Override
	public PathKind kind() {
		return KIND;
	}

	@Override
	public PathProtection protection() {
		Tls encrypting = this.tls;
		return (encrypting != null && encrypting.verifiesPeers()) ? PathProtection.MUTUAL_TLS : PathProtection.NONE;
	}

	/**
	 * Opens a connection with TLS ahead, which says nothing before {@link #connect} is
	 * called. An address of another host than the one that requests go to is ignored, so
	 * an entry in a registry leads connections nowhere else. Never blocks: a name is
	 * looked up by other threads.
	 */
	@Override
	public void prepare(String host, String address) {
		InetSocketAddress target = (this.tls != null && this.options.connectsAhead()) ? target(address) : null;
		// For Java, no name is the name of this host.
		if (target == null || host.isEmpty() || isConnected(target)) {
			return;
		}
		this.lookups.find(host, target, (addresses) -> {
			if (addresses.contains(target.getAddress()) && !isConnected(target)) {
				this.ahead.open(target);
			}
		});
	}

	private boolean isConnected(InetSocketAddress target) {
		return this.connections.all().stream().anyMatch((known) -> known.isOpen() && known.address().equals(target));
	}

	@Override
	public Attempt connect(Contract contract, PeerAnnouncement announcement) {
		String address = announcement.addresses().get(KIND.id());
		if (!announcement.paths().contains(KIND.id()) || address == null) {
			return new Unavailable("the peer does not offer it", false);
		}
		Unavailable differs = ConnectConditions.differs(contract, announcement);
		if (differs != null) {
			return differs;
		}
		InetSocketAddress target = target(address);
		if (target == null) {
			return new Unavailable("the peer announces %s, which is no address to connect to".formatted(address),
					false);
		}
		boolean sameHost = announcement.peer().hostId().equals(this.identity.hostId());
		boolean loopback = target.getAddress().isLoopbackAddress();
		if (this.tls == null && !(sameHost && loopback)) {
			return new Unavailable(
					(sameHost ? "the peer listens on %s, which is no loopback address" : "the peer is on another host")
						.formatted(address)
							+ ", and tcp is not encrypted here; set vicinal.tcp.ssl.bundle on both sides",
					false);
		}
		if (!sameHost && loopback) {
			return new Unavailable(
					"the peer is on another host, and listens on its loopback address %s only; set ".formatted(address)
							+ "vicinal.tcp.address there",
					false);
		}
		return connect(contract, announcement.peer().instanceId(), target);
	}

	/** A name is never looked up: anybody can announce one. */
	private static @Nullable InetSocketAddress target(String address) {
		return AddressLiteral.announced(address, TcpOptions::dialled);
	}

	private Attempt connect(Contract contract, String instanceId, InetSocketAddress address) {
		Attempt attempt = MultiplexedPath.connect(KIND, this.connections, instanceId, new Opener(instanceId, address),
				contract, this.codecs, this.bytes);
		// The bundle may have been reloaded while a connection was being opened.
		this.connections.all()
			.stream()
			.filter((connection) -> connection.generation() != this.dialler.generation())
			.forEach(TcpPathProvider::replace);
		return attempt;
	}

	/** Calls in flight fail. */
	@Override
	public void close() {
		this.lookups.close();
		this.ahead.close();
		this.connections.close();
		this.open.forEach(ClientConnection::close);
		this.loops.close();
	}

	/** Opens connections to a peer. */
	private final class Opener implements SharedConnections.Opener<PeerConnections>, PeerConnections.Opener {

		private final String instanceId;

		private final InetSocketAddress address;

		Opener(String instanceId, InetSocketAddress address) {
			this.instanceId = instanceId;
			this.address = address;
		}

		@Override
		public PeerConnections create() {
			TcpPathProvider provider = TcpPathProvider.this;
			return new PeerConnections(this.address, this::connection, this, provider.dialler::generation,
					provider.options);
		}

		private ClientConnection connection(Runnable congested) {
			TcpPathProvider provider = TcpPathProvider.this;
			return new ClientConnection(this.instanceId, provider.options, provider.tls, provider.handshakes,
					provider.dialler.generation(), congested);
		}

		@Override
		public void open(PeerConnections connections) throws ConnectionException {
			connections.open();
		}

		@Override
		public void open(ClientConnection connection) throws ConnectionException {
			TcpPathProvider provider = TcpPathProvider.this;
			connection.open(provider.dialler, this.address, provider.ahead.take(this.address));
			provider.open.add(connection);
			connection.whenClosed(() -> provider.open.remove(connection));
		}

	}

}
