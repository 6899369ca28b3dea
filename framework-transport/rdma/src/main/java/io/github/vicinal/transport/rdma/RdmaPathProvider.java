package io.github.vicinal.transport.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.transport.wire.ClientBinding;
import org.jspecify.annotations.Nullable;

/**
 * Connects to peers by RDMA, with one queue pair for each. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RdmaPathProvider implements PathProvider {

	/** A queue pair between two RDMA devices. */
	public static final PathKind KIND = new PathKind("rdma", 400, PathKind.Reach.NETWORK);

	private static final int STRIPES = 64;

	private final RdmaDevices devices;

	private final Codecs codecs;

	private final RdmaOptions options;

	private final LongAdder bytes = new LongAdder();

	/** Keeps two paths from opening two connections to one peer. */
	private final Object[] connecting = new Object[STRIPES];

	private final ScheduledThreadPoolExecutor timer;

	/** Sessions by the instance ids of their peers. */
	private final Map<String, ClientSession> sessions = new HashMap<>();

	private boolean closed;

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
		Arrays.setAll(this.connecting, (i) -> new Object());
		this.timer = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(null, task, "vicinal-rdma-timer", 0, false);
			thread.setDaemon(true);
			return thread;
		});
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/** Returns how many bytes of calls and replies all paths have carried. */
	LongAdder bytes() {
		return this.bytes;
	}

	/** Returns how many connections are open. */
	synchronized int connections() {
		return this.sessions.size();
	}

	String verbsName() {
		return this.devices.name();
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
					"the contract %s differs: hash %s here, %s at the peer; build both sides from the same "
						.formatted(contract.name(), contract.hash(), hash) + "version of it",
					false);
		}
		InetSocketAddress target = target(address);
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

	/** A name is never looked up: anybody can announce one. */
	private static @Nullable InetSocketAddress target(String address) {
		int colon = address.lastIndexOf(':');
		InetAddress host = (colon >= 0) ? RdmaOptions.dialled(address.substring(0, colon)) : null;
		try {
			int port = Integer.parseInt(address.substring(colon + 1));
			return (host != null && port != 0) ? new InetSocketAddress(host, port) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private Attempt connect(Contract contract, String instanceId, InetSocketAddress address, Verbs verbs) {
		ClientSession session = null;
		boolean connected = false;
		try {
			session = acquire(instanceId, address, verbs);
			if (session == null) {
				return new Unavailable("the application is shutting down", false);
			}
			ClientBinding binding = new ClientBinding(session.nextBinding(), contract, this.codecs);
			RdmaPath path = RdmaPath.bind(this, session, binding);
			connected = true;
			return new Connected(path);
		}
		catch (RdmaException ex) {
			return new Unavailable(String.valueOf(ex.getMessage()), ex.retryable());
		}
		catch (RuntimeException ex) {
			return new Unavailable(ex.toString(), true);
		}
		finally {
			if (session != null && !connected) {
				release(session);
			}
		}
	}

	private @Nullable ClientSession acquire(String instanceId, InetSocketAddress address, Verbs verbs)
			throws RdmaException {
		synchronized (this.connecting[Math.floorMod(instanceId.hashCode(), STRIPES)]) {
			ClientSession known = existing(instanceId);
			if (known != null || isClosed()) {
				return known;
			}
			ClientSession session = new ClientSession(instanceId, this.options, this.timer);
			boolean kept = false;
			try {
				session.open(verbs, address);
				kept = keep(instanceId, session);
			}
			finally {
				if (!kept) {
					session.close();
				}
			}
			return kept ? session : null;
		}
	}

	private synchronized @Nullable ClientSession existing(String instanceId) {
		ClientSession session = this.sessions.get(instanceId);
		if (this.closed || session == null || !session.isOpen()) {
			return null;
		}
		session.users++;
		return session;
	}

	private synchronized boolean isClosed() {
		return this.closed;
	}

	private synchronized boolean keep(String instanceId, ClientSession session) {
		if (this.closed) {
			return false;
		}
		session.users++;
		this.sessions.put(instanceId, session);
		return true;
	}

	synchronized void release(ClientSession session) {
		if (--session.users == 0) {
			this.sessions.values().remove(session);
			session.leave();
		}
	}

	/** Calls in flight fail. */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			this.sessions.values().forEach(ClientSession::close);
			this.sessions.clear();
		}
		this.timer.shutdown();
	}

}
