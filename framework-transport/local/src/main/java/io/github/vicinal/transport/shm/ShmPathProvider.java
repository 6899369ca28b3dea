package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.channel.PathProvider;
import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.peer.PathKind;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;

/**
 * Connects to peers by shared memory. Thread-safe.
 *
 * @since 0.1
 */
public final class ShmPathProvider implements PathProvider {

	private final PeerIdentity identity;

	private final Rendezvous rendezvous;

	private final Codecs codecs;

	private final ShmOptions options;

	private final BellSupport bells;

	private final Watchdog watchdog = new Watchdog("vicinal-shm-client-watchdog");

	private final Map<String, ShmPeer> peers = new HashMap<>();

	private boolean closed;

	/**
	 * Creates a provider.
	 * @param identity this instance
	 * @param rendezvous where the sockets are
	 * @param codecs the codecs of this application
	 * @param options limits
	 */
	public ShmPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, ShmOptions options) {
		this(identity, rendezvous, codecs, options, BellSupport.detect());
	}

	ShmPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, ShmOptions options,
			BellSupport bells) {
		this.identity = identity;
		this.rendezvous = rendezvous;
		this.codecs = codecs;
		this.options = options;
		this.bells = bells;
	}

	@Override
	public PathKind kind() {
		return PathKind.SHM;
	}

	@Override
	public Attempt connect(Contract contract, PeerAnnouncement announcement) {
		Path directory = this.rendezvous.directory().orElse(null);
		if (directory == null) {
			return new Unavailable(this.rendezvous.unavailable().orElse("there is no rendezvous directory"), false);
		}
		Optional<String> unsuitable = MemoryDirectory.unsuitable(directory);
		if (unsuitable.isPresent()) {
			return new Unavailable(unsuitable.get(), false);
		}
		if (!announcement.paths().contains(PathKind.SHM)) {
			return new Unavailable("the peer does not offer shm"
					+ (announcement.refusal().isEmpty() ? "" : ": " + announcement.refusal()), false);
		}
		if (!this.identity.sameHost(announcement.peer())) {
			return new Unavailable(
					"the peer runs on another host or uses another rendezvous directory than " + directory, false);
		}
		String hash = announcement.contractHash();
		if (!hash.isEmpty() && !hash.equals(contract.hash())) {
			return new Unavailable(
					"the contract %s differs: it is %s here and %s there; build both sides from the same version of it"
						.formatted(contract.name(), contract.hash(), hash),
					false);
		}
		return connect(contract, announcement.peer().instanceId(), directory);
	}

	private Attempt connect(Contract contract, String instanceId, Path directory) {
		ShmPeer peer = null;
		boolean connected = false;
		try {
			peer = acquire(instanceId, directory);
			if (peer == null) {
				return new Unavailable("the application is shutting down", false);
			}
			ClientBinding binding = peer.binding(contract);
			CodecChoice codec = peer.bind(binding);
			connected = true;
			return new Connected(new ShmPath(this, peer, binding, codec));
		}
		catch (WireException ex) {
			return new Unavailable(ex.text(), ex.refusal().retryable());
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

	/** Connecting takes a few milliseconds; no call waits for it. */
	synchronized @Nullable ShmPeer acquire(String instanceId, Path directory) throws IOException, WireException {
		if (this.closed) {
			return null;
		}
		ShmPeer peer = this.peers.get(instanceId);
		if (peer == null || peer.hasEnded()) {
			peer = ShmPeer.open(this.identity.instanceId(), instanceId, directory, this.options,
					PeerCheck.sameUser(directory), this.watchdog, this.bells, this.codecs);
			this.peers.put(instanceId, peer);
		}
		peer.users++;
		return peer;
	}

	synchronized void release(ShmPeer peer) {
		if (--peer.users == 0) {
			this.peers.values().remove(peer);
			peer.retire();
		}
	}

	/** Calls in flight fail. */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.peers.values().forEach((peer) -> peer.close("the path was closed"));
		this.peers.clear();
		this.watchdog.close();
	}

}
