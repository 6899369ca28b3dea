package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.MultiplexedPath;
import io.github.vicinal.transport.multiplex.SharedConnections;
import io.github.vicinal.transport.wire.AddressLiteral;
import io.github.vicinal.transport.wire.ConnectConditions;
import io.github.vicinal.transport.wire.DaemonThread;

/**
 * Connects to peers by RDMA, with one queue pair for each. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RdmaPathProvider implements PathProvider {

	/** A queue pair between two RDMA devices. */
	public static final PathKind KIND = new PathKind("rdma", 400, PathKind.Reach.NETWORK);

	private final RdmaDevices devices;

	private final Codecs codecs;

	private final RdmaOptions options;

	private final LongAdder bytes = new LongAdder();

	private final ScheduledThreadPoolExecutor timer;

	private final SharedConnections<ClientSession> sessions = new SharedConnections<>();

	/** Open sessions, also those that were left and still have calls. */
	private final Set<ClientSession> open = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a provider.
	 * @param devices the RDMA devices of this host
	 * @param codecs the codecs of this application
	 * @param options limits
	 */
	public RdmaPathProvider(RdmaDevices devices, Codecs codecs, RdmaOptions options) {
		this.devices = devices;
		this.codecs = codecs;
		this.options = options;
		this.timer = DaemonThread.timer("vicinal-rdma-timer");
	}

	/** Returns the number of bytes of calls and replies that all paths have carried. */
	LongAdder bytes() {
		return this.bytes;
	}

	/** Returns the memory that the connections lock. */
	long lockedBytes() {
		return this.open.stream().mapToLong(ClientSession::lockedBytes).sum();
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
		Unavailable differs = ConnectConditions.differs(contract, announcement);
		if (differs != null) {
			return differs;
		}
		InetSocketAddress target = AddressLiteral.announced(address, RdmaOptions::dialled);
		if (target == null) {
			return new Unavailable("the peer announces %s, which is no address to connect to".formatted(address),
					false);
		}
		RdmaSupport support = this.devices.support();
		if (support instanceof RdmaSupport.Unavailable unavailable) {
			return new Unavailable(unavailable.reason(), false);
		}
		return connect(contract, announcement.peer().instanceId(), target, ((RdmaSupport.Available) support).verbs());
	}

	private Attempt connect(Contract contract, String instanceId, InetSocketAddress address, Verbs verbs) {
		return MultiplexedPath.connect(KIND, this.sessions, instanceId, new Opener(instanceId, address, verbs),
				contract, this.codecs, this.bytes);
	}

	/** Calls in flight fail. */
	@Override
	public void close() {
		this.sessions.close();
		this.open.forEach(ClientSession::close);
		this.timer.shutdown();
	}

	/** Opens a session with a peer. */
	private final class Opener implements SharedConnections.Opener<ClientSession> {

		private final String instanceId;

		private final InetSocketAddress address;

		private final Verbs verbs;

		Opener(String instanceId, InetSocketAddress address, Verbs verbs) {
			this.instanceId = instanceId;
			this.address = address;
			this.verbs = verbs;
		}

		@Override
		public ClientSession create() {
			RdmaPathProvider provider = RdmaPathProvider.this;
			return new ClientSession(this.instanceId, provider.options, provider.timer, provider.devices.name(),
					provider.open::remove);
		}

		@Override
		public void open(ClientSession session) throws ConnectionException {
			RdmaPathProvider.this.open.add(session);
			session.open(this.verbs, this.address);
		}

	}

}
