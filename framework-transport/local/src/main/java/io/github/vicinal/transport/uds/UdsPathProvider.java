package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.ConnectConditions;
import io.github.vicinal.transport.wire.LocalMeters;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.Watchdog;
import org.jspecify.annotations.Nullable;

/**
 * Connects to peers by their Unix domain sockets. Thread-safe.
 *
 * @since 0.1.0
 */
public final class UdsPathProvider implements PathProvider {

	/** A Unix domain socket between two processes of one host. */
	public static final PathKind KIND = new PathKind("uds", 200, PathKind.Reach.SAME_HOST);

	private final PeerIdentity identity;

	private final Rendezvous rendezvous;

	private final Codecs codecs;

	private final UdsOptions options;

	private final @Nullable PeerCheck givenPeerCheck;

	private final Watchdog watchdog = new Watchdog("vicinal-uds-client-watchdog");

	private final Map<String, UdsPeer> peers = new HashMap<>();

	private boolean closed;

	/**
	 * Creates a provider.
	 * @param identity this instance
	 * @param rendezvous where the sockets are
	 * @param codecs the codecs of this application
	 * @param options limits
	 */
	public UdsPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, UdsOptions options) {
		this(identity, rendezvous, codecs, options, null);
	}

	UdsPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, UdsOptions options,
			@Nullable PeerCheck peerCheck) {
		this.identity = identity;
		this.rendezvous = rendezvous;
		this.codecs = codecs;
		this.options = options;
		this.givenPeerCheck = peerCheck;
	}

	/**
	 * Returns the meters of providers.
	 * @param provider the provider, {@code null} until there is one
	 * @return meters that can be read at any time
	 */
	public static List<PathMeter> meters(Supplier<@Nullable UdsPathProvider> provider) {
		return List.of(LocalMeters.heap(KIND, "client", () -> {
			UdsPathProvider known = provider.get();
			return (known != null) ? known.heapBytes() : 0;
		}));
	}

	@Override
	public PathKind kind() {
		return KIND;
	}

	@Override
	public PathProtection protection() {
		return PathProtection.SAME_USER;
	}

	@Override
	public Attempt connect(Contract contract, PeerAnnouncement announcement) {
		Unavailable unmet = ConnectConditions.unmet(KIND, this.rendezvous, (directory) -> Optional.empty(), contract,
				announcement);
		Path directory = this.rendezvous.directory().orElse(null);
		if (unmet != null || directory == null) {
			return (unmet != null) ? unmet : new Unavailable("there is no rendezvous directory", false);
		}
		return connect(contract, announcement.peer().instanceId(), directory);
	}

	private Attempt connect(Contract contract, String instanceId, Path directory) {
		UdsPeer peer = null;
		boolean connected = false;
		try {
			peer = acquire(instanceId, directory);
			if (peer == null) {
				return new Unavailable("the application is shutting down", false);
			}
			ClientBinding binding = peer.binding(contract);
			long deadline = this.watchdog.now() + this.options.handshakeTimeout().toNanos();
			CodecChoice codec = peer.with(deadline, (connection) -> connection.bind(binding, deadline));
			connected = true;
			return new Connected(new UdsPath(this, peer, binding, codec));
		}
		catch (UdsException ex) {
			return new Unavailable(String.valueOf(ex.getMessage()), ex.retryable());
		}
		catch (IOException | RuntimeException ex) {
			return new Unavailable("%s: %s".formatted(ex.getClass().getSimpleName(), ex.getMessage()), true);
		}
		finally {
			if (peer != null && !connected) {
				release(peer);
			}
		}
	}

	private synchronized @Nullable UdsPeer acquire(String instanceId, Path directory) throws IOException {
		if (this.closed) {
			return null;
		}
		UdsPeer peer = this.peers.get(instanceId);
		if (peer == null) {
			PeerCheck check = (this.givenPeerCheck != null) ? this.givenPeerCheck : PeerCheck.sameUser(this.rendezvous);
			peer = new UdsPeer(this.identity.instanceId(), instanceId,
					SocketFile.of(directory, instanceId, SocketFile.CALLS), this.options, check, this.watchdog,
					this.codecs);
			this.peers.put(instanceId, peer);
		}
		peer.users++;
		return peer;
	}

	synchronized void release(UdsPeer peer) {
		if (--peer.users == 0 && this.peers.remove(peer.expected(), peer)) {
			peer.close(false);
		}
	}

	/**
	 * Returns how much heap large calls and replies take at this moment.
	 * @return bytes, of all peers
	 */
	public synchronized long heapBytes() {
		return this.peers.values().stream().mapToLong((peer) -> peer.heap().bytes()).sum();
	}

	/** Calls in flight fail. */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.peers.values().forEach((peer) -> peer.close(true));
		this.peers.clear();
		this.watchdog.close();
	}

}
