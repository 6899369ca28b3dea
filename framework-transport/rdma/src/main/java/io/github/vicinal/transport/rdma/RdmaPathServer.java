package io.github.vicinal.transport.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.multiplex.CallThreads;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the services of this process on an RDMA device. Thread-safe.
 * <p>
 * It accepts connections from every host of the fabric, and executes calls of clients
 * that know the instance id of this process.
 *
 * @since 0.1.0
 */
@SuppressWarnings("FutureReturnValueIgnored") // Tasks handle their own failures.
public final class RdmaPathServer implements PathServer {

	private static final Logger logger = LoggerFactory.getLogger(RdmaPathServer.class);

	private static final int BACKLOG = 64;

	/**
	 * Number of connections beyond the limit that are accepted to say why they are
	 * refused.
	 */
	private static final int NOTIFIED = 4;

	/** Time after which a listener that fails is used again. */
	private static final long RETRY_MILLIS = 1000;

	/** Time for clients to read the last frame of their connection. */
	private static final long CLOSE_MILLIS = 500;

	private final PeerIdentity identity;

	private final RdmaDevices devices;

	private final RdmaOptions options;

	private final ServerMetrics metrics = new ServerMetrics(logger);

	private final ServerCalls calls;

	private final Set<ServerSession> sessions = ConcurrentHashMap.newKeySet();

	private volatile Verbs.@Nullable Listener listener;

	/** The port that was listened on last, 0 before. Guarded by this. */
	private int formerPort;

	private volatile @Nullable CallThreads threads;

	private volatile @Nullable ScheduledThreadPoolExecutor timer;

	private volatile @Nullable Topics topics;

	private volatile String unavailable = "it is not started";

	private volatile boolean draining;

	private boolean closed;

	/**
	 * Creates a server.
	 * @param identity this instance
	 * @param devices the RDMA devices of this host
	 * @param services services that answer
	 * @param options where to listen, and limits
	 */
	public RdmaPathServer(PeerIdentity identity, RdmaDevices devices, ServiceRegistry services, RdmaOptions options) {
		this.identity = identity;
		this.devices = devices;
		this.options = options;
		this.calls = new ServerCalls(services, options.limits(), this.metrics::refused);
	}

	@Override
	public PathKind kind() {
		return RdmaPathProvider.KIND;
	}

	/**
	 * {@inheritDoc} The context class loader of the calling thread is taken to be the
	 * application's.
	 */
	@Override
	public synchronized void start() {
		if (this.listener != null || this.draining) {
			return;
		}
		RdmaSupport support = this.devices.support();
		if (support instanceof RdmaSupport.Unavailable missing) {
			this.unavailable = missing.reason();
			return;
		}
		RdmaSupport.Available available = (RdmaSupport.Available) support;
		String address = available.address();
		if (address.isEmpty()) {
			this.unavailable = available.noAddress();
			logger.warn("The path rdma is not offered: {}", this.unavailable);
			return;
		}
		Verbs.Listener opened;
		try {
			InetAddress literal = RdmaOptions.dialled(address);
			opened = available.verbs().listen(new InetSocketAddress(literal, this.options.port()), BACKLOG);
		}
		catch (VerbsException ex) {
			this.unavailable = "cannot listen on %s port %d: %s".formatted(address, this.options.port(), ex.text());
			logger.warn("The path rdma is not offered: {}", this.unavailable);
			return;
		}
		this.threads = new CallThreads("vicinal-rdma", this.options.maxThreads(),
				Thread.currentThread().getContextClassLoader(), this.metrics);
		this.timer = DaemonThread.timer("vicinal-rdma-timer");
		offer(opened);
	}

	private void offer(Verbs.Listener opened) {
		this.listener = opened;
		this.formerPort = opened.address().getPort();
		this.unavailable = "";
		DaemonThread.create("vicinal-rdma-acceptor", () -> accept(opened)).start();
	}

	private void accept(Verbs.Listener opened) {
		while (!this.draining) {
			try {
				QueuePair queuePair = opened.accept(this::resources);
				if (queuePair == null) {
					return;
				}
				accepted(queuePair);
			}
			catch (VerbsException ex) {
				this.metrics.refused(Refusal.CONNECTIONS, "a client could not be accepted: " + ex.text());
				if (opened.isClosed()) {
					lost(opened, ex.text());
					return;
				}
			}
			catch (RuntimeException | Error ex) {
				logger.error("A client could not be accepted", ex);
			}
		}
	}

	/**
	 * Returns what a connection needs. A few clients beyond the limit are notified of it;
	 * none of the others costs memory.
	 */
	private Verbs.@Nullable Resources resources() {
		boolean notified = this.sessions.size() < this.options.maxConnections() + NOTIFIED;
		return notified ? RdmaConnection.resources(this.options) : null;
	}

	/** The device was removed: the path is not offered any more. */
	private void lost(Verbs.Listener opened, String why) {
		synchronized (this) {
			if (this.listener != opened || this.draining) {
				return;
			}
			this.listener = null;
			this.unavailable = "the RDMA device was lost: " + why;
		}
		logger.warn("The path rdma is not offered any more: {}", this.unavailable);
		opened.close();
		ScheduledThreadPoolExecutor running = this.timer;
		if (running != null) {
			running.schedule(this::listenAgain, RETRY_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void listenAgain() {
		ScheduledThreadPoolExecutor running = this.timer;
		RdmaSupport support = this.devices.detectAgain();
		synchronized (this) {
			if (this.draining || this.listener != null) {
				return;
			}
			if (support instanceof RdmaSupport.Available available && !available.address().isEmpty()) {
				try {
					offer(reopen(available));
					logger.info("The path rdma is offered again");
					return;
				}
				catch (VerbsException ex) {
					logger.debug("The path rdma cannot be offered again: {}", ex.text());
				}
			}
		}
		if (running != null) {
			running.schedule(this::listenAgain, RETRY_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	/** Clients that try the former address again find the server there. */
	private Verbs.Listener reopen(RdmaSupport.Available available) throws VerbsException {
		InetAddress literal = RdmaOptions.dialled(available.address());
		try {
			return available.verbs().listen(new InetSocketAddress(literal, this.formerPort), BACKLOG);
		}
		catch (VerbsException ex) {
			if (this.options.port() != 0) {
				throw ex;
			}
			return available.verbs().listen(new InetSocketAddress(literal, 0), BACKLOG);
		}
	}

	private void accepted(QueuePair queuePair) {
		this.metrics.accepted().increment();
		ServerSession session = new ServerSession(this, queuePair);
		boolean room = this.sessions.size() < this.options.maxConnections();
		this.sessions.add(session);
		this.metrics.open().increment();
		session.start();
		if (!room) {
			session.refuseAndClose(Refusal.CONNECTIONS,
					"all %d connections of the server are in use".formatted(this.options.maxConnections()));
			return;
		}
		ScheduledThreadPoolExecutor running = this.timer;
		if (running != null) {
			running.schedule(() -> session.checkHello(System.nanoTime()), this.options.handshakeTimeout().toNanos(),
					TimeUnit.NANOSECONDS);
		}
		if (this.draining) {
			session.close();
		}
	}

	/** Returns the memory that the connections lock. */
	long lockedBytes() {
		return this.sessions.stream().mapToLong(ServerSession::lockedBytes).sum();
	}

	void left(ServerSession session) {
		if (this.sessions.remove(session)) {
			this.metrics.open().decrement();
		}
	}

	@Override
	public Optional<String> unavailable() {
		String why = this.unavailable;
		return why.isEmpty() ? Optional.empty() : Optional.of(why);
	}

	@Override
	public Optional<String> address() {
		Verbs.Listener open = this.listener;
		if (open == null) {
			return Optional.empty();
		}
		InetSocketAddress announced = announced(open.address());
		return Optional.of(announced.getAddress().getHostAddress() + ":" + announced.getPort());
	}

	/** Returns where clients believe that they have connected to. */
	InetSocketAddress announced(InetSocketAddress local) {
		InetAddress announced = RdmaOptions.dialled(this.options.announcedAddress());
		return (announced != null) ? new InetSocketAddress(announced, local.getPort()) : local;
	}

	@Override
	public List<Map<String, Object>> clients() {
		return this.sessions.stream().map(ServerSession::details).toList();
	}

	/**
	 * Returns what the server counts.
	 * @return live counters
	 */
	public ServerMetrics metrics() {
		return this.metrics;
	}

	PeerIdentity identity() {
		return this.identity;
	}

	RdmaOptions options() {
		return this.options;
	}

	ServerCalls calls() {
		return this.calls;
	}

	CallThreads threads() {
		CallThreads started = this.threads;
		if (started == null) {
			throw new IllegalStateException("a connection before the start");
		}
		return started;
	}

	/**
	 * Accepts connections that carry topics.
	 * @param tls proves to each other who the sides are
	 * @param acceptor takes over each connection once they have; must not block
	 */
	void accept(TopicTls tls, Consumer<TopicSession> acceptor) {
		this.topics = new Topics(tls, acceptor);
	}

	/** Returns what becomes of connections that carry topics. */
	@Nullable Topics topics() {
		return this.topics;
	}

	boolean draining() {
		return this.draining;
	}

	@Override
	public synchronized void stopAccepting() {
		if (this.draining) {
			return;
		}
		this.draining = true;
		this.unavailable = "it is shutting down";
		Verbs.Listener open = this.listener;
		if (open != null) {
			open.close();
		}
		this.sessions.forEach(ServerSession::sayGoodbye);
	}

	@Override
	public void close() {
		close(this.options.drainTimeout());
	}

	/** Gives clients a moment to read what was said last. */
	private void closeSessions() {
		CompletableFuture<?>[] closed = this.sessions.stream()
			.map(ServerSession::close)
			.toArray(CompletableFuture<?>[]::new);
		try {
			CompletableFuture.allOf(closed).get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			this.sessions.forEach(ServerSession::stop);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			this.sessions.forEach(ServerSession::stop);
		}
	}

	@Override
	public void close(Duration drainTimeout) {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
			stopAccepting();
		}
		CallThreads started = this.threads;
		int left = (started != null) ? started.drain(System.nanoTime() + drainTimeout.toNanos()) : 0;
		if (left > 0) {
			logger.info("{} calls in flight did not end in time and are disconnected", left);
		}
		closeSessions();
		if (started != null) {
			started.shutdown();
		}
		ScheduledThreadPoolExecutor running = this.timer;
		if (running != null) {
			running.shutdown();
		}
	}

	/**
	 * Use of connections that carry topics.
	 *
	 * @param tls proves to each other who the sides are
	 * @param acceptor takes over each connection once they have
	 */
	record Topics(TopicTls tls, Consumer<TopicSession> acceptor) {
	}

}
