package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.wire.AcceptorBackOff;
import io.github.vicinal.transport.wire.ClientHeaps;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.SocketHeap;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;

/**
 * Offers the services of this process on a Unix domain socket. Thread-safe.
 * <p>
 * One thread accepts connections; each connection has a daemon thread that executes its
 * calls. {@link #close()} stops to accept, removes the socket file, lets the calls in
 * flight end for at most {@link UdsOptions#drainTimeout()}, and closes what is left then.
 *
 * @since 0.1.0
 */
public final class UdsPathServer implements PathServer {

	private static final Logger logger = LoggerFactory.getLogger(UdsPathServer.class);

	private static final long DRAIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** How long saying goodbye to idle clients may take beyond the drain timeout. */
	private static final long GOODBYE_MILLIS = 1000;

	private static final long NOTICE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/** Time that closing waits for the sweep at most. */
	private static final long SWEEP_MILLIS = 1000;

	private final PeerIdentity identity;

	private final Rendezvous rendezvous;

	private final UdsOptions options;

	private final @Nullable PeerCheck givenPeerCheck;

	private final ThreadFactory threads;

	private final ServerMetrics metrics = new ServerMetrics();

	private final ServerCalls calls;

	private final Watchdog watchdog;

	private final ClientHeaps<SocketHeap> heaps;

	private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();

	private final Set<Refusal> reported = ConcurrentHashMap.newKeySet();

	private volatile @Nullable String unavailable = "the server has not been started";

	private volatile boolean draining;

	/** Written before the first thread starts. */
	private @Nullable ClassLoader loader;

	private volatile PeerCheck peerCheck = (channel) -> {
		throw new WireException(Refusal.STRANGER, "the server has not been started");
	};

	private @Nullable ServerSocketChannel listener;

	/** Deletes what dead processes have left, once. */
	private @Nullable Thread sweeper;

	private @Nullable Path file;

	/** Says goodbye to idle clients; {@code null} if no thread could be had for it. */
	private @Nullable Thread goodbyes;

	private boolean closed;

	/**
	 * Creates a server.
	 * @param identity this instance
	 * @param rendezvous where the socket is
	 * @param services who answers
	 * @param options limits
	 */
	public UdsPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services, UdsOptions options) {
		this(identity, rendezvous, services, options, null, (task) -> new Thread(null, task, "vicinal-uds", 0, false));
	}

	UdsPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services, UdsOptions options,
			@Nullable PeerCheck peerCheck, ThreadFactory threads) {
		this.identity = identity;
		this.rendezvous = rendezvous;
		this.options = options;
		this.givenPeerCheck = peerCheck;
		this.threads = threads;
		this.calls = new ServerCalls(services, options.limits(), this::refused);
		this.heaps = new ClientHeaps<>(() -> new SocketHeap(options.maxHeapBytes()), SocketHeap::bytes);
		this.watchdog = new Watchdog("vicinal-uds-server-watchdog");
	}

	@Override
	public PathKind kind() {
		return UdsPathProvider.KIND;
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
		Path directory = this.rendezvous.directory().orElse(null);
		if (directory == null) {
			this.unavailable = this.rendezvous.unavailable().orElse("there is no rendezvous directory");
			return;
		}
		Optional<String> problem = this.rendezvous.look();
		if (problem.isPresent()) {
			this.unavailable = problem.get();
			return;
		}
		this.loader = Thread.currentThread().getContextClassLoader();
		try {
			this.peerCheck = (this.givenPeerCheck != null) ? this.givenPeerCheck : PeerCheck.sameUser(this.rendezvous);
			listen(directory);
			startSweep(directory);
			this.unavailable = null;
		}
		catch (IOException | RuntimeException | OutOfMemoryError ex) {
			removeSocket();
			this.listener = null;
			this.unavailable = notOpened(directory, ex);
		}
	}

	/** In the background: the more there is to look at, the longer it takes. */
	private static void sweep(Path directory) {
		try {
			int stale = SocketFile.deleteStale(directory);
			if (stale > 0) {
				logger.info("Deleted {} sockets of dead processes in {}", stale, directory);
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("The sockets of dead processes could not be deleted: {}", ex.toString());
		}
	}

	private void startSweep(Path directory) {
		Thread thread = thread("sweep", () -> sweep(directory));
		thread.start();
		this.sweeper = thread;
	}

	private void awaitSweep() {
		try {
			if (this.sweeper != null) {
				this.sweeper.join(SWEEP_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void listen(Path directory) throws IOException {
		ServerSocketChannel channel = SocketFile.open(directory, this.identity.instanceId(), SocketFile.CALLS);
		this.listener = channel;
		this.file = SocketFile.of(directory, this.identity.instanceId(), SocketFile.CALLS);
		thread("accept", () -> accept(channel)).start();
	}

	private static String notOpened(Path directory, Throwable cause) {
		return "no socket can be opened in %s: %s: %s".formatted(directory, cause.getClass().getSimpleName(),
				cause.getMessage());
	}

	/**
	 * Offers nothing while the directory is not this user's, and opens the socket anew if
	 * it went with the directory. Connections that are there go on.
	 */
	private synchronized void repair() {
		ServerSocketChannel known = this.listener;
		Path directory = this.rendezvous.directory().orElse(null);
		if (known == null || this.file == null || directory == null || this.draining) {
			return;
		}
		String problem = this.rendezvous.look().orElse(null);
		if (problem == null && !Files.exists(this.file, LinkOption.NOFOLLOW_LINKS)) {
			try {
				known.close();
				listen(directory);
				logger.info("The socket of this server was deleted, and has been opened anew in {}", directory);
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				problem = notOpened(directory, ex);
			}
		}
		if (problem != null && !problem.equals(this.unavailable)) {
			logger.warn("Calls over uds are not offered: {}", problem);
		}
		this.unavailable = problem;
	}

	private void removeSocket() {
		try {
			// First the file, then the socket: nobody finds a dead socket.
			if (this.file != null) {
				Files.deleteIfExists(this.file);
			}
			if (this.listener != null) {
				this.listener.close();
			}
		}
		catch (IOException ex) {
			logger.debug("The socket could not be removed: {}", ex.toString());
		}
	}

	private void accept(ServerSocketChannel channel) {
		AcceptorBackOff backOff = new AcceptorBackOff(logger);
		long number = 0;
		while (!this.draining) {
			try {
				accepted(channel.accept(), number++);
				backOff.accepted();
			}
			catch (ClosedChannelException ex) {
				if (!(ex instanceof AsynchronousCloseException) || !this.draining) {
					logger.debug("No longer accepting: {}", ex.toString());
				}
				return;
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				// No file or no thread is left: those that are there must live on.
				backOff.pauseAfter(ex);
			}
		}
	}

	private void accepted(SocketChannel channel, long number) throws IOException {
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
				thread(Long.toString(number), connection).start();
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

	private Thread thread(String suffix, Runnable task) {
		Thread thread = this.threads.newThread(task);
		thread.setName("vicinal-uds-%s-%s".formatted(this.identity.instanceId().substring(0, 8), suffix));
		thread.setDaemon(true);
		// Codecs find classes by name through the thread's loader.
		thread.setContextClassLoader(this.loader);
		return thread;
	}

	/**
	 * {@inheritDoc} Looks whether the directory and the socket are still there, which
	 * takes a few system calls.
	 */
	@Override
	public Optional<String> unavailable() {
		if (!this.draining) {
			repair();
		}
		return Optional.ofNullable(this.unavailable);
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
		return this.peerCheck;
	}

	boolean draining() {
		return this.draining;
	}

	/** Counts a refusal; the first one of each kind is worth a line in the log. */
	void refused(Refusal refusal, String text) {
		this.metrics.refused(refusal);
		if (this.reported.add(refusal)) {
			logger.warn("Refused ({}): {}; further ones are only counted", refusal.id(), text);
		}
		else {
			logger.debug("Refused ({}): {}", refusal.id(), text);
		}
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
		this.unavailable = "the server is closed";
		if (this.listener != null) {
			removeSocket();
			sayGoodbyes();
		}
	}

	private void sayGoodbyes() {
		// A client that does not read could hold up whoever says goodbye to it.
		Thread speaker = thread("drain", () -> this.connections.forEach(ServerConnection::end));
		try {
			speaker.start();
			this.goodbyes = speaker;
		}
		catch (OutOfMemoryError ex) {
			// Clients that call are told by the answer, the others are cut off at the
			// end.
			logger.warn("No thread could be had to say goodbye to idle clients: {}", ex.toString());
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
		if (this.listener != null) {
			drain(drainTimeout, this.goodbyes);
		}
		awaitSweep();
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
			logger.info("{} calls in flight did not end in time and are cut off", busy.size());
		}
		if (!this.connections.isEmpty()) {
			this.connections.forEach(ServerConnection::close);
			// A socket is not closed before the thread that read from it has noticed, and
			// until then takes calls that nobody will answer.
			await(System.nanoTime() + NOTICE_NANOS);
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

}
