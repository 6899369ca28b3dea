package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.FifoBells;
import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.ReceiverGuard;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.wire.ClientHeaps;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.LocalListener;
import io.github.vicinal.transport.wire.LocalMeters;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.Watchdog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the services of this process by shared memory. Thread-safe.
 * <p>
 * A client connects to a socket and shares a segment with this server. One thread watches
 * the sockets of all clients, and one or, while there are calls, a few per client sleep
 * at the segment's bell. {@link #close()} executes no further calls and lets those in
 * flight end for at most {@link ShmOptions#drainTimeout()}. It cuts off what is left
 * then: the pairs end, and the threads that execute calls are interrupted, which get
 * {@link PathServer#CUT_OFF_TIMEOUT} to end. It removes what the server left in the file
 * system.
 *
 * @since 0.1.0
 */
public final class ShmPathServer implements PathServer {

	private static final Logger logger = LoggerFactory.getLogger(ShmPathServer.class);

	private static final long DRAIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final PeerIdentity identity;

	private final Rendezvous rendezvous;

	private final ShmOptions options;

	private final BellSupport bellSupport;

	private final LaneServer.@Nullable Handler rawHandler;

	private final ServerMetrics metrics = new ServerMetrics(logger);

	private final LocalListener listener;

	private final ServerCalls calls;

	private final Watchdog watchdog = new Watchdog("vicinal-shm-server-watchdog");

	private final ControlLoop loop = new ControlLoop("vicinal-shm-server-control");

	private final ReceiverGuard guard = new ReceiverGuard("vicinal-shm-receiver-guard");

	private final ClientHeaps<HeapBudget> heaps;

	private final Set<ShmConnection> connections = ConcurrentHashMap.newKeySet();

	private final AtomicLong threads = new AtomicLong();

	/** Number of running calls that are not known to be short. */
	private final AtomicInteger longCalls = new AtomicInteger();

	private final ExecutorService receivers;

	private volatile boolean draining;

	/** Whether nobody waits any more for the answers of calls in flight. */
	private volatile boolean cutOff;

	private boolean closed;

	private volatile @Nullable MemoryFiles files;

	/**
	 * Creates a server.
	 * @param identity this instance
	 * @param rendezvous where the socket is
	 * @param services the services that answer
	 * @param options limits
	 */
	public ShmPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services, ShmOptions options) {
		this(identity, rendezvous, services, options, BellSupport.detect(), null);
	}

	ShmPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services, ShmOptions options,
			BellSupport bellSupport, LaneServer.@Nullable Handler rawHandler) {
		this.identity = identity;
		this.rendezvous = rendezvous;
		this.heaps = new ClientHeaps<>(() -> new HeapBudget(options.maxHeapBytes()), HeapBudget::bytes);
		this.options = options;
		this.bellSupport = bellSupport;
		this.rawHandler = rawHandler;
		this.calls = new ServerCalls(services, options.limits(), this::refused);
		this.listener = new LocalListener(ShmPathProvider.KIND, identity, SocketFile.LANES, rendezvous, new Acceptor(),
				LocalListener.plainThreads(), null, logger);
		this.receivers = new ThreadPoolExecutor(0, Integer.MAX_VALUE, options.idleTimeout().toNanos(),
				TimeUnit.NANOSECONDS, new SynchronousQueue<>(),
				(task) -> this.listener.thread("receiver-" + this.threads.incrementAndGet(), task));
	}

	/**
	 * Returns the meters of servers.
	 * @param server the server, {@code null} until there is one
	 * @return meters that can be read at any time
	 */
	public static List<PathMeter> meters(Supplier<@Nullable ShmPathServer> server) {
		List<PathMeter> meters = new ArrayList<>(LocalMeters.server(ShmPathProvider.KIND, () -> {
			ShmPathServer known = server.get();
			return (known != null) ? known.metrics() : null;
		}));
		meters.add(LocalMeters.heap(ShmPathProvider.KIND, "server", () -> {
			ShmPathServer known = server.get();
			return (known != null) ? known.heapBytes() : 0;
		}));
		meters.add(LocalMeters.memory("server", () -> {
			ShmPathServer known = server.get();
			return (known != null) ? known.memoryBytes() : 0;
		}));
		return meters;
	}

	@Override
	public PathKind kind() {
		return ShmPathProvider.KIND;
	}

	@Override
	public PathProtection protection() {
		return PathProtection.SAME_USER;
	}

	/**
	 * {@inheritDoc} The context class loader of the calling thread is taken to be the
	 * application's.
	 */
	@Override
	public void start() {
		this.listener.start();
	}

	private void accepted(SocketChannel channel) throws IOException {
		boolean started = false;
		try {
			this.metrics.accepted().increment();
			if (this.draining || this.connections.size() >= this.options.maxPeers()) {
				Refusal refusal = this.draining ? Refusal.SHUTTING_DOWN : Refusal.CONNECTIONS;
				String text = this.draining ? "the server is shutting down"
						: "all %d peers of the server are connected".formatted(this.options.maxPeers());
				refused(refusal, text);
				try (ControlChannel control = new ControlChannel(channel)) {
					control.refuse(refusal, text);
				}
				return;
			}
			ShmConnection connection = new ShmConnection(this, channel);
			this.connections.add(connection);
			this.metrics.open().increment();
			try {
				this.receivers.execute(connection);
				started = true;
			}
			finally {
				if (!started) {
					ended(connection);
				}
			}
		}
		finally {
			if (!started) {
				channel.close();
			}
		}
	}

	/**
	 * {@inheritDoc} Looks whether the directory and the socket are still there, which
	 * takes a few system calls.
	 */
	@Override
	public Optional<String> unavailable() {
		return this.listener.unavailable();
	}

	/** Says of each client how this side waits for its calls. */
	@Override
	public List<Map<String, Object>> clients() {
		return this.connections.stream().map(ShmConnection::details).filter((details) -> !details.isEmpty()).toList();
	}

	/**
	 * Returns what the server counts.
	 * @return live counters
	 */
	public ServerMetrics metrics() {
		return this.metrics;
	}

	/**
	 * Returns how much heap large calls and replies take, and what is kept for the next
	 * ones.
	 * @return bytes, of all clients
	 */
	public long heapBytes() {
		return this.heaps.bytes();
	}

	/**
	 * Returns the memory of all pairs, created by either side.
	 * @return bytes, of all clients
	 */
	public long memoryBytes() {
		return this.connections.stream().mapToLong(ShmConnection::memoryBytes).sum();
	}

	ClientHeaps<HeapBudget> heaps() {
		return this.heaps;
	}

	PeerIdentity identity() {
		return this.identity;
	}

	MemoryFiles files() {
		MemoryFiles known = this.files;
		if (known == null) {
			throw new IllegalStateException("the server has not been started");
		}
		return known;
	}

	ServerCalls calls() {
		return this.calls;
	}

	ShmOptions options() {
		return this.options;
	}

	BellSupport bellSupport() {
		return this.bellSupport;
	}

	LaneServer.@Nullable Handler rawHandler() {
		return this.rawHandler;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	ControlLoop loop() {
		return this.loop;
	}

	ReceiverGuard guard() {
		return this.guard;
	}

	PeerCheck peerCheck() {
		return this.listener.peerCheck();
	}

	/**
	 * Returns whether a call that may take long can be executed; {@link #endLong()} must
	 * follow then.
	 */
	boolean beginLong() {
		if (this.longCalls.incrementAndGet() <= this.options.maxThreads()) {
			return true;
		}
		this.longCalls.decrementAndGet();
		return false;
	}

	void endLong() {
		this.longCalls.decrementAndGet();
	}

	Executor receivers() {
		return this.receivers;
	}

	boolean draining() {
		return this.draining;
	}

	boolean cutOff() {
		return this.cutOff;
	}

	void refused(Refusal refusal, String text) {
		this.metrics.refused(refusal, text);
	}

	void ended(ShmConnection connection) {
		if (this.connections.remove(connection)) {
			this.metrics.open().decrement();
		}
	}

	@Override
	public synchronized void stopAccepting() {
		this.draining = true;
		this.listener.stop();
	}

	@Override
	public void close() {
		close(this.options.drainTimeout());
	}

	@Override
	public synchronized void close(Duration drainTimeout) {
		if (this.closed) {
			return;
		}
		this.closed = true;
		stopAccepting();
		boolean idle = await(drainTimeout);
		if (!idle) {
			logger.info("Calls in flight did not end in time and are cut off");
			this.cutOff = true;
		}
		// Until now, the socket showed others that the bells of this server are in use.
		this.listener.remove();
		for (ShmConnection connection : this.connections) {
			// It remains idle, since no more calls begin.
			if (connection.isIdle()) {
				connection.sayGoodbye();
			}
			connection.close();
		}
		awaitEnds();
		this.loop.close();
		this.receivers.shutdown();
		if (!idle) {
			// They belong to this server, and no pair has work for them any more.
			this.receivers.shutdownNow();
			if (!await(CUT_OFF_TIMEOUT)) {
				logger.warn("Calls that were cut off go on: their handlers ignore that they are interrupted");
			}
		}
		this.guard.close();
		this.listener.awaitSweep();
		this.watchdog.close();
	}

	/**
	 * A connection that ends by itself in this moment may still be removing its files.
	 */
	private void awaitEnds() {
		long deadline = System.nanoTime() + END_NANOS;
		while (!this.connections.isEmpty() && System.nanoTime() - deadline < 0) {
			LockSupport.parkNanos(this, DRAIN_POLL_NANOS);
		}
	}

	/** Waits for calls in flight, and returns whether there are none any more. */
	private boolean await(Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		boolean idle = idle();
		while (!idle && System.nanoTime() - deadline < 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, DRAIN_POLL_NANOS);
			idle = idle();
		}
		return idle;
	}

	/** Calls of clients that have gone are counted, too. */
	private boolean idle() {
		return this.connections.stream().allMatch(ShmConnection::isIdle) && this.metrics.inFlight().sum() == 0;
	}

	/** Callbacks of the listener. */
	private final class Acceptor implements LocalListener.Acceptor {

		@Override
		public Optional<String> unsuitable(Path directory) {
			return MemoryDirectory.unsuitable(directory);
		}

		@Override
		public void starting(Path directory) {
			ShmPathServer.this.files = new MemoryFiles(directory, ShmPathServer.this.rendezvous::look);
		}

		@Override
		public int sweep(Path directory) throws IOException {
			Set<String> listening = SocketFile.listening();
			int bells = FifoBells.deleteOrphans(directory,
					(instance) -> SocketFile.isDead(SocketFile.of(directory, instance, SocketFile.LANES), listening));
			return SocketFile.deleteStale(directory) + Segment.deleteOrphans(directory) + bells;
		}

		@Override
		public void accepted(SocketChannel channel) throws IOException {
			ShmPathServer.this.accepted(channel);
		}

	}

}
