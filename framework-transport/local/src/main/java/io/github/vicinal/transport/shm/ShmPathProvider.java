package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
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
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.ConnectConditions;
import io.github.vicinal.transport.wire.CountedRefusals;
import io.github.vicinal.transport.wire.LocalMeters;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to peers by shared memory. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ShmPathProvider implements PathProvider {

	/** Memory that two processes of one host share. */
	public static final PathKind KIND = new PathKind("shm", 100, PathKind.Reach.SAME_HOST);

	private static final Logger logger = LoggerFactory.getLogger(ShmPathProvider.class);

	private static final String CLOSED = "the path was closed";

	private final PeerIdentity identity;

	private final Rendezvous rendezvous;

	private final Codecs codecs;

	private final ShmOptions options;

	private final BellSupport bells;

	private final CountedRefusals violations = new CountedRefusals(logger, "A server broke a rule");

	private final Watchdog watchdog = new Watchdog("vicinal-shm-client-watchdog");

	private final ControlLoop loop = new ControlLoop("vicinal-shm-client-control");

	private final Map<String, ShmPeer> peers = new HashMap<>();

	/** Handshakes that have not ended. */
	private final Map<String, Opening> openings = new HashMap<>();

	/** Set with the first peer. */
	private @Nullable MemoryFiles files;

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

	/**
	 * Returns the number of times that servers broke a rule, by the rule: what they wrote
	 * made no sense, or they cut off the memory. Their pair has ended then.
	 * @return an unmodifiable map with live counters for all rules, such as
	 * {@code malformed} or {@code too-large}
	 */
	public Map<String, LongAdder> violations() {
		return this.violations.counters();
	}

	/**
	 * Returns how much heap large calls and replies take, and what is kept for the next
	 * ones.
	 * @return bytes, of all peers
	 */
	public synchronized long heapBytes() {
		return this.peers.values().stream().mapToLong(ShmPeer::heapBytes).sum();
	}

	/**
	 * Returns how much memory this side has made for pairs.
	 * @return bytes, of all peers
	 */
	public synchronized long memoryBytes() {
		return this.peers.values().stream().mapToLong(ShmPeer::memoryBytes).sum();
	}

	/**
	 * Returns the meters of providers.
	 * @param provider the provider, {@code null} until there is one
	 * @return meters that can be read at any time
	 */
	public static List<PathMeter> meters(Supplier<@Nullable ShmPathProvider> provider) {
		List<PathMeter> meters = new ArrayList<>(LocalMeters.counters("vicinal.shm.violations",
				"Pairs that ended because the server broke a rule of the shared memory", () -> {
					ShmPathProvider known = provider.get();
					return (known != null) ? known.violations() : null;
				}));
		meters.add(LocalMeters.heap(KIND, "client", () -> {
			ShmPathProvider known = provider.get();
			return (known != null) ? known.heapBytes() : 0;
		}));
		meters.add(LocalMeters.memory("client", () -> {
			ShmPathProvider known = provider.get();
			return (known != null) ? known.memoryBytes() : 0;
		}));
		return meters;
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
		Unavailable unmet = ConnectConditions.unmet(KIND, this.rendezvous, MemoryDirectory::unsuitable, contract,
				announcement);
		Path directory = this.rendezvous.directory().orElse(null);
		if (unmet != null || directory == null) {
			return (unmet != null) ? unmet : new Unavailable("there is no rendezvous directory", false);
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
		catch (IOException | RuntimeException | InternalError ex) {
			// An InternalError: the peer has cut off the file of the segment.
			return new Unavailable("%s: %s".formatted(ex.getClass().getSimpleName(), ex.getMessage()), true);
		}
		finally {
			if (peer != null && !connected) {
				release(peer);
			}
		}
	}

	/**
	 * Connecting takes a few milliseconds, or until its time is over if the peer does not
	 * answer: only callers of the same peer wait.
	 */
	@Nullable ShmPeer acquire(String instanceId, Path directory) throws IOException, WireException {
		while (true) {
			Opening opening;
			MemoryFiles known;
			boolean mine;
			synchronized (this) {
				if (this.closed) {
					return null;
				}
				ShmPeer peer = this.peers.get(instanceId);
				if (peer != null && !peer.hasEnded()) {
					peer.users++;
					return peer;
				}
				known = files(directory);
				opening = this.openings.get(instanceId);
				mine = opening == null;
				if (opening == null) {
					opening = new Opening(new ShmPeer(instanceId, this.options, this.codecs, this.violations::count),
							new CompletableFuture<>());
					this.openings.put(instanceId, opening);
				}
			}
			if (mine) {
				return open(opening, instanceId, known);
			}
			opening.await();
		}
	}

	/** A process that is only a client removes what dead ones have left, too. */
	private MemoryFiles files(Path directory) throws IOException {
		MemoryFiles known = this.files;
		if (known == null) {
			int swept = Segment.deleteOrphans(directory);
			if (swept > 0) {
				logger.info("Deleted {} files of dead processes in {}", swept, directory);
			}
			known = new MemoryFiles(directory, this.rendezvous::look);
			this.files = known;
		}
		return known;
	}

	private @Nullable ShmPeer open(Opening opening, String instanceId, MemoryFiles known)
			throws IOException, WireException {
		ShmPeer peer = opening.peer();
		try {
			peer.connect(this.identity.instanceId(), known, PeerCheck.sameUser(this.rendezvous), this.watchdog,
					this.loop, this.bells);
		}
		catch (IOException | WireException | RuntimeException | Error ex) {
			peer.close("it was not connected");
			if (ex instanceof InternalError) {
				this.violations.count(Refusal.MALFORMED, "it truncated the segment: " + ex.getMessage());
			}
			opened(instanceId, null);
			opening.done().completeExceptionally(ex);
			throw ex;
		}
		boolean used = opened(instanceId, peer);
		opening.done().complete(null);
		return used ? peer : null;
	}

	private synchronized boolean opened(String instanceId, @Nullable ShmPeer peer) {
		this.openings.remove(instanceId);
		if (peer == null) {
			return false;
		}
		if (this.closed) {
			peer.close(CLOSED);
			return false;
		}
		this.peers.put(instanceId, peer);
		peer.users++;
		return true;
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
		this.openings.values().forEach((opening) -> opening.peer().close(CLOSED));
		this.peers.values().forEach((peer) -> peer.close(CLOSED));
		this.peers.clear();
		this.loop.close();
		this.watchdog.close();
	}

	/** A handshake and the threads that wait for its end. */
	private record Opening(ShmPeer peer, CompletableFuture<@Nullable Void> done) {

		/** Fails as the handshake did. */
		void await() throws IOException, WireException {
			try {
				this.done.get();
			}
			catch (ExecutionException ex) {
				if (ex.getCause() instanceof WireException refusal) {
					throw refusal;
				}
				throw new IOException("connecting at the same time failed: " + ex.getCause(), ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IOException("the connecting thread was interrupted", ex);
			}
		}

	}

}
