package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.chronicle.JvmFlags;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.MultiplexedPath;
import io.github.vicinal.transport.multiplex.SharedConnections;
import io.github.vicinal.transport.wire.ConnectConditions;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.PeerCheck;
import org.jspecify.annotations.Nullable;

/**
 * Connects to peers of the same user and host by a pair of Chronicle Queues for each.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class ChroniclePathProvider implements PathProvider {

	/** Two Chronicle Queues between two processes of one host. */
	public static final PathKind KIND = new PathKind("chronicle", 600, PathKind.Reach.SAME_HOST);

	private static final long END_MILLIS = 2000;

	private final PeerIdentity identity;

	private final Rendezvous rendezvous;

	private final Codecs codecs;

	private final ChroniclePathOptions options;

	private final @Nullable PeerCheck givenPeerCheck;

	private final LongAdder bytes = new LongAdder();

	private final ScheduledThreadPoolExecutor timer;

	private final SharedConnections<ClientPair> pairs = new SharedConnections<>();

	/** Open pairs, also those that were left and still have calls. */
	private final Set<ClientPair> open = ConcurrentHashMap.newKeySet();

	/** Guarded by this. */
	private @Nullable Volume volume;

	/**
	 * Creates a provider.
	 * @param identity this instance
	 * @param rendezvous where the sockets and queues are
	 * @param codecs the codecs of this application
	 * @param options limits
	 */
	public ChroniclePathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs,
			ChroniclePathOptions options) {
		this(identity, rendezvous, codecs, options, null);
	}

	ChroniclePathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, ChroniclePathOptions options,
			@Nullable PeerCheck peerCheck) {
		JvmFlags.require(JvmFlags.Use.PATH);
		this.identity = identity;
		this.rendezvous = rendezvous;
		this.codecs = codecs;
		this.options = options;
		this.givenPeerCheck = peerCheck;
		this.timer = DaemonThread.timer("vicinal-chronicle-timer");
	}

	@Override
	public PathKind kind() {
		return KIND;
	}

	@Override
	public PathProtection protection() {
		return PathProtection.SAME_USER;
	}

	/** Returns the number of bytes of calls and replies that all paths have carried. */
	LongAdder bytes() {
		return this.bytes;
	}

	/** Returns the bytes of requests that no peer has read. */
	long queueBytes() {
		return this.open.stream().mapToLong(ClientPair::queueBytes).sum();
	}

	@Override
	public Attempt connect(Contract contract, PeerAnnouncement announcement) {
		Unavailable unmet = ConnectConditions.unmet(KIND, this.rendezvous, this::unsuitable, contract, announcement);
		Path directory = this.rendezvous.directory().orElse(null);
		if (unmet != null || directory == null) {
			return (unmet != null) ? unmet : new Unavailable("there is no rendezvous directory", false);
		}
		return connect(contract, announcement.peer().instanceId(), directory);
	}

	private Optional<String> unsuitable(Path directory) {
		try {
			volume(directory);
			return Optional.empty();
		}
		catch (IOException ex) {
			return Optional.of("the volume of %s cannot be looked at: %s".formatted(directory, ex));
		}
	}

	private synchronized Volume volume(Path directory) throws IOException {
		Volume known = this.volume;
		if (known == null) {
			known = Volume.of(directory, this.options.minFreeBytes());
			this.volume = known;
		}
		return known;
	}

	private Attempt connect(Contract contract, String instanceId, Path directory) {
		return MultiplexedPath.connect(KIND, this.pairs, instanceId, new Opener(instanceId, directory), contract,
				this.codecs, this.bytes);
	}

	/** Calls in flight fail. Waits a moment for the files to be deleted. */
	@Override
	public void close() {
		List<ClientPair> ending = List.copyOf(this.open);
		this.pairs.close();
		ending.forEach(ClientPair::close);
		this.timer.shutdown();
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
		ending.forEach((pair) -> PairThreads.awaitEnd(pair.receiver(), deadline));
	}

	/** Opens a pair with a peer. */
	private final class Opener implements SharedConnections.Opener<ClientPair> {

		private final String instanceId;

		private final Path directory;

		Opener(String instanceId, Path directory) {
			this.instanceId = instanceId;
			this.directory = directory;
		}

		@Override
		public ClientPair create() {
			ChroniclePathProvider provider = ChroniclePathProvider.this;
			return new ClientPair(provider.identity.instanceId(), this.instanceId, provider.options, provider.timer,
					provider.open::remove);
		}

		@Override
		public void open(ClientPair pair) throws ConnectionException {
			ChroniclePathProvider provider = ChroniclePathProvider.this;
			PeerCheck check = (provider.givenPeerCheck != null) ? provider.givenPeerCheck
					: PeerCheck.sameUser(provider.rendezvous);
			try {
				Volume volume = volume(this.directory);
				provider.open.add(pair);
				pair.open(this.directory, check, volume);
			}
			catch (IOException ex) {
				throw ConnectionException.of(Reason.IO, false,
						"the volume of %s cannot be looked at: %s".formatted(this.directory, ex), ex);
			}
		}

	}

}
