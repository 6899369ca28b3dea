package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.wire.ClientBinding;

/**
 * Connects to peers by TCP, with one connection for each. Thread-safe.
 *
 * @since 0.1.0
 */
public final class TcpPathProvider implements PathProvider {

	/** A TCP connection. */
	public static final PathKind KIND = new PathKind("tcp", 500, PathKind.Reach.NETWORK);

	private final PeerIdentity identity;

	private final Codecs codecs;

	private final TcpOptions options;

	private final EventLoops loops = new EventLoops("vicinal-tcp-client");

	/** Connections by the instance ids of their peers. */
	private final Map<String, ClientConnection> connections = new HashMap<>();

	private boolean closed;

	/**
	 * Creates a provider.
	 * @param identity this instance
	 * @param codecs the codecs of this application
	 * @param options limits
	 */
	public TcpPathProvider(PeerIdentity identity, Codecs codecs, TcpOptions options) {
		this.identity = identity;
		this.codecs = codecs;
		this.options = options;
	}

	@Override
	public PathKind kind() {
		return KIND;
	}

	@Override
	public Attempt connect(Contract contract, PeerAnnouncement announcement) {
		String address = announcement.addresses().get(KIND.id());
		if (!announcement.paths().contains(KIND.id()) || address == null) {
			return new Unavailable("the peer does not offer it", false);
		}
		String hash = announcement.contractHash();
		if (!hash.isEmpty() && !hash.equals(contract.hash())) {
			return new Unavailable(
					"the contract %s differs: it is %s here and %s there; build both sides from the same "
						.formatted(contract.name(), contract.hash(), hash) + "version of it",
					false);
		}
		if (!announcement.peer().hostId().equals(this.identity.hostId())) {
			return new Unavailable("the peer is on another host, and tcp is not encrypted", false);
		}
		InetSocketAddress target = target(address);
		if (target == null) {
			return new Unavailable("%s is no loopback address, and tcp is not encrypted".formatted(address), false);
		}
		return connect(contract, announcement.peer().instanceId(), target);
	}

	/** Anybody can announce an address: none is dialled but those of this host. */
	private static @Nullable InetSocketAddress target(String address) {
		int colon = address.lastIndexOf(':');
		InetAddress host = TcpOptions.loopback(address.substring(0, colon));
		try {
			return (host != null) ? new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private Attempt connect(Contract contract, String instanceId, InetSocketAddress address) {
		ClientConnection connection = null;
		boolean connected = false;
		try {
			connection = acquire(instanceId, address);
			if (connection == null) {
				return new Unavailable("the application is shutting down", false);
			}
			ClientBinding binding = new ClientBinding(connection.nextBinding(), contract, this.codecs);
			TcpPath path = TcpPath.bind(this, connection, binding);
			connected = true;
			return new Connected(path);
		}
		catch (TcpException ex) {
			return new Unavailable(String.valueOf(ex.getMessage()), ex.retryable());
		}
		catch (RuntimeException ex) {
			return new Unavailable(ex.toString(), true);
		}
		finally {
			if (connection != null && !connected) {
				release(connection);
			}
		}
	}

	/** Connecting under the lock keeps two paths from opening two connections. */
	private synchronized @Nullable ClientConnection acquire(String instanceId, InetSocketAddress address)
			throws TcpException {
		if (this.closed) {
			return null;
		}
		ClientConnection connection = this.connections.get(instanceId);
		if (connection == null || !connection.isOpen()) {
			connection = new ClientConnection(instanceId, this.options);
			boolean opened = false;
			try {
				connection.open(this.loops, address);
				opened = true;
			}
			finally {
				if (!opened) {
					connection.close();
				}
			}
			this.connections.put(instanceId, connection);
		}
		connection.users++;
		return connection;
	}

	synchronized void release(ClientConnection connection) {
		if (--connection.users == 0) {
			this.connections.values().remove(connection);
			connection.close();
		}
	}

	/** Calls in flight fail. */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			this.connections.values().forEach(ClientConnection::close);
			this.connections.clear();
		}
		this.loops.close();
	}

}
