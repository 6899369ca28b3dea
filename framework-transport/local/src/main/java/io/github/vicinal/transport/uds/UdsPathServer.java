package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.wire.ClientHeaps;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.LocalListener;
import io.github.vicinal.transport.wire.LocalMeters;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.SocketHeap;
import io.github.vicinal.transport.wire.Watchdog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the services of this process on a Unix domain socket. Thread-safe.
 * <p>
 * One thread accepts connections; each connection has a daemon thread that executes its
 * calls. {@link #close()} stops to accept, removes the socket file, lets the calls in
 * flight end for at most {@link UdsOptions#drainTimeout()}, and closes what is left then:
 * the threads that execute calls are interrupted, and get
 * {@link PathServer#CUT_OFF_TIMEOUT} to end.
 *
 * @since 0.1.0
 */
public final class UdsPathServer implements PathServer {

	private static final Logger logger = LoggerFactory.getLogger(UdsPathServer.class);

	private static final long DRAIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** Time beyond the drain time-out in which idle clients are notified of the end. */
	private static final long GOODBYE_MILLIS = 1000;

	private static final long NOTICE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private final PeerIdentity identity;

	private final UdsOptions options;

	private final ServerMetrics metrics = new ServerMetrics(logger);

	private final LocalListener listener;

	private final ServerCalls calls;

	private final Watchdog watchdog;

	private final ClientHeaps<SocketHeap> heaps;

	private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();

	private volatile boolean draining;

	/** Number of the next connection. Used by the thread that accepts them. */
	private long number;

	/**
	 * Notifies idle clients of the end; {@code null} if no thread could be started for
	 * it.
	 */
	private @Nullable Thread goodbyes;

	private boolean closed;

	/**
	 * Creates a server.
	 * @param identity this instance
	 * @param rendezvous where the socket is
	 * @param services the services that answer
	 * @param options limits
	 */
	public UdsPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services, UdsOptions options) {
		this(identity, rendezvous, services, options, null, LocalListener.plainThreads());
	}

	UdsPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services, UdsOptions options,
			@Nullable PeerCheck peerCheck, ThreadFactory threads) {
		this.identity = identity;
		this.options = options;
		this.listener = new LocalListener(UdsPathProvider.KIND, identity, SocketFile.CALLS, rendezvous, new Acceptor(),
				threads, peerCheck, logger);
		this.calls = new ServerCalls(services, options.limits(), this::refused);
		this.heaps = new ClientHeaps<>(() -> new SocketHeap(options.maxHeapBytes()), SocketHeap::bytes);
		this.watchdog = new Watchdog("vicinal-uds-server-watchdog");
	}

	/**
	 * Returns the meters of servers.
	 * @param server the server, {@code null} until there is one
	 * @return meters that can be read at any time
	 */
	public static List<PathMeter> meters(Supplier<@Nullable UdsPathServer> server) {
		List<PathMeter> meters = new ArrayList<>(LocalMeters.server(UdsPathProvider.KIND, () -> {
			UdsPathServer known = server.get();
			return (known != null) ? known.metrics() : null;
		}));
		meters.add(LocalMeters.heap(UdsPathProvider.KIND, "server", () -> {
			UdsPathServer known = server.get();
			return (known != null) ? known.heapBytes() : 0;
		}));
		return meters;
	}

	@Override
	public PathKind kind() {
		return UdsPathProvider.KIND;
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
			if (this.connections.size() >= this.options.maxConnections()) {
				refuseConnection(channel);
				return;
			}
			ServerConnection connection = new ServerConnection(this, channel);
			this.connections.add(connection);
			this.metrics.open().increment();
			try {
				Thread thread = this.listener.thread(Long.toString(this.number++), connection);
				connection.runsOn(thread);
				thread.start();
				started = true;
			}
			finally {
				if (!started) {
					ended(connection);
				}
			}
			if (this.draining) {
				connection.end();
			}
		}
		finally {
			if (!started) {
				channel.close();
			}
		}
	}

	/** On the acceptor's thread: must not block, so it does not wait for a HELLO. */
	private void refuseConnection(SocketChannel channel) throws IOException {
		String text = "all %d connections of the server are in use".formatted(this.options.maxConnections());
		refused(Refusal.CONNECTIONS, text);
		channel.configureBlocking(false);
		channel.write(Frames.refused(Refusal.CONNECTIONS, text));
	}

	/**
	 * {@inheritDoc} Looks whether the directory and the socket are still there, which
	 * takes a few system calls.
	 */
	@Override
	public Optional<String> unavailable() {
		return this.listener.unavailable();
	}

	/**
	 * Returns what the server counts.
	 * @return live counters
	 */
	public ServerMetrics metrics() {
		return this.metrics;
	}

	/**
	 * Returns how much heap large calls and replies take at this moment.
	 * @return bytes, of all clients
	 */
	public long heapBytes() {
		return this.heaps.bytes();
	}

	ClientHeaps<SocketHeap> heaps() {
		return this.heaps;
	}

	PeerIdentity identity() {
		return this.identity;
	}

	ServerCalls calls() {
		return this.calls;
	}

	UdsOptions options() {
		return this.options;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	PeerCheck peerCheck() {
		return this.listener.peerCheck();
	}

	boolean draining() {
		return this.draining;
	}

	void refused(Refusal refusal, String text) {
		this.metrics.refused(refusal, text);
	}

	void ended(ServerConnection connection) {
		if (this.connections.remove(connection)) {
			this.metrics.open().decrement();
		}
	}

	@Override
	public synchronized void stopAccepting() {
		if (this.draining) {
			return;
		}
		this.draining = true;
		this.listener.stop();
		if (this.listener.isStarted()) {
			this.listener.remove();
			sayGoodbyes();
		}
	}

	private void sayGoodbyes() {
		// A client that does not read could block the thread that notifies it of the end.
		Thread speaker = this.listener.thread("drain", () -> this.connections.forEach(ServerConnection::end));
		try {
			speaker.start();
			this.goodbyes = speaker;
		}
		catch (OutOfMemoryError ex) {
			// Clients with a call in flight are notified by its answer; the others are
			// disconnected at the end.
			logger.warn("No thread could be started to notify idle clients of the end: {}", ex.toString());
		}
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
		if (this.listener.isStarted()) {
			drain(drainTimeout, this.goodbyes);
		}
		this.listener.awaitSweep();
		this.watchdog.close();
	}

	private void drain(Duration timeout, @Nullable Thread speaker) {
		await(System.nanoTime() + timeout.toNanos());
		if (speaker != null) {
			// A client cut off without a goodbye must assume that its next call was
			// executed.
			awaitEnd(speaker);
		}
		List<ServerConnection> busy = this.connections.stream().filter(ServerConnection::executes).toList();
		if (!busy.isEmpty()) {
			logger.info("{} calls in flight did not end in time and are disconnected", busy.size());
		}
		if (!this.connections.isEmpty()) {
			this.connections.forEach(ServerConnection::cutOff);
			// A socket is not closed before the thread that read from it has noticed, and
			// until then takes calls that nobody will answer.
			await(System.nanoTime() + NOTICE_NANOS);
		}
		if (!busy.isEmpty()) {
			await(System.nanoTime() + CUT_OFF_TIMEOUT.toNanos());
		}
	}

	/** Waits until all connections have ended. */
	private void await(long deadline) {
		boolean interrupted = false;
		while (!this.connections.isEmpty() && System.nanoTime() - deadline < 0 && !interrupted) {
			LockSupport.parkNanos(this, DRAIN_POLL_NANOS);
			interrupted = Thread.currentThread().isInterrupted();
		}
	}

	private static void awaitEnd(Thread speaker) {
		try {
			speaker.join(GOODBYE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Callbacks of the listener. */
	private final class Acceptor implements LocalListener.Acceptor {

		@Override
		public int sweep(Path directory) throws IOException {
			return SocketFile.deleteStale(directory);
		}

		@Override
		public void accepted(SocketChannel channel) throws IOException {
			UdsPathServer.this.accepted(channel);
		}

	}

}
