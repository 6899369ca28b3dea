package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.chronicle.JvmFlags;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.multiplex.CallThreads;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.LocalListener;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the services of this process to processes of the same user and host, each of
 * which gets a pair of Chronicle Queues. Thread-safe.
 * <p>
 * The socket is there until the last pair has ended: it says that the files of pairs are
 * in use.
 *
 * @since 0.1.0
 */
public final class ChroniclePathServer implements PathServer {

	private static final Logger logger = LoggerFactory.getLogger(ChroniclePathServer.class);

	private static final long END_MILLIS = 2000;

	private final PeerIdentity identity;

	private final ChroniclePathOptions options;

	private final ServerMetrics metrics = new ServerMetrics(logger);

	private final LocalListener listener;

	private final ServerCalls calls;

	private final Set<ServerPair> pairs = ConcurrentHashMap.newKeySet();

	private volatile @Nullable CallThreads threads;

	private volatile @Nullable Path directory;

	private volatile @Nullable Volume volume;

	private volatile boolean draining;

	/** Number of the next pair. Used by the thread that accepts connections. */
	private long number;

	private boolean closed;

	/**
	 * Creates a server.
	 * @param identity this instance
	 * @param rendezvous where the socket and the queues are
	 * @param services the services that answer
	 * @param options limits
	 */
	public ChroniclePathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services,
			ChroniclePathOptions options) {
		this(identity, rendezvous, services, options, null);
	}

	ChroniclePathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services,
			ChroniclePathOptions options, @Nullable PeerCheck peerCheck) {
		JvmFlags.require(JvmFlags.Use.PATH);
		this.identity = identity;
		this.options = options;
		this.listener = new LocalListener(ChroniclePathProvider.KIND, identity, SocketFile.QUEUES, rendezvous,
				new Acceptor(), LocalListener.plainThreads(), peerCheck, logger);
		this.calls = new ServerCalls(services, options.limits(), this::refused);
	}

	@Override
	public PathKind kind() {
		return ChroniclePathProvider.KIND;
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

	/**
	 * {@inheritDoc} Looks whether the directory and the socket are still there, and
	 * whether the volume has room, which takes a few system calls.
	 */
	@Override
	public Optional<String> unavailable() {
		Optional<String> problem = this.listener.unavailable();
		Volume known = this.volume;
		return (problem.isPresent() || known == null) ? problem
				: Optional.ofNullable(known.noRoom(this.options.fileBytes()));
	}

	@Override
	public List<Map<String, Object>> clients() {
		return this.pairs.stream().map(ServerPair::details).toList();
	}

	/**
	 * Returns what the server counts.
	 * @return live counters
	 */
	public ServerMetrics metrics() {
		return this.metrics;
	}

	/** Returns the bytes of answers that no client has read. */
	long queueBytes() {
		return this.pairs.stream().mapToLong(ServerPair::queueBytes).sum();
	}

	ChroniclePathOptions options() {
		return this.options;
	}

	ServerCalls calls() {
		return this.calls;
	}

	String instanceId() {
		return this.identity.instanceId();
	}

	PeerCheck peerCheck() {
		return this.listener.peerCheck();
	}

	CallThreads threads() {
		return Objects.requireNonNull(this.threads);
	}

	Path directory() {
		return Objects.requireNonNull(this.directory);
	}

	Volume volume() {
		return Objects.requireNonNull(this.volume);
	}

	boolean draining() {
		return this.draining;
	}

	void refused(Refusal refusal, String text) {
		this.metrics.refused(refusal, text);
	}

	void ended(ServerPair pair) {
		if (this.pairs.remove(pair)) {
			this.metrics.open().decrement();
		}
	}

	/**
	 * Loads Chronicle's classes, for which the first client would have to wait longer
	 * than a handshake may take on a busy host.
	 */
	private void warmUp(Path rendezvous) throws IOException {
		Volume known = volume();
		if (known.noRoom(this.options.fileBytes()) != null) {
			return;
		}
		PairDirectory pair = PairDirectory.create(rendezvous, instanceId());
		try {
			QueueWords words = QueueWords.open(pair.path());
			try (FrameWriter writer = FrameWriter.open(pair.path(), PairQueue.REPLIES, words, known, this.options);
					FrameReader reader = FrameReader.open(pair.path(), PairQueue.REPLIES, words, this.options)) {
				EncodeBuffer frame = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
				Frames.appendGoodbye(frame);
				writer.append(frame.array(), frame.size());
				reader.next();
			}
		}
		catch (WireException ex) {
			throw new IOException(ex.text(), ex);
		}
		finally {
			pair.delete();
		}
	}

	private void accepted(SocketChannel channel) throws IOException {
		this.metrics.accepted().increment();
		if (this.draining || this.pairs.size() >= this.options.maxConnections()) {
			refuseConnection(channel);
			return;
		}
		ServerPair pair = new ServerPair(this, ControlSocket.accepted(channel));
		this.pairs.add(pair);
		this.metrics.open().increment();
		boolean started = false;
		try {
			Thread thread = this.listener.thread(Long.toString(this.number++), pair);
			pair.runsOn(thread);
			thread.start();
			started = true;
		}
		finally {
			if (!started) {
				ended(pair);
				pair.close();
			}
		}
	}

	/** On the acceptor's thread: must not block, so it does not wait for a HELLO. */
	private void refuseConnection(SocketChannel channel) throws IOException {
		Refusal refusal = this.draining ? Refusal.SHUTTING_DOWN : Refusal.CONNECTIONS;
		String text = this.draining ? "the server is shutting down"
				: "all %d connections of the server are in use".formatted(this.options.maxConnections());
		refused(refusal, text);
		ByteBuffer frame = Frames.refused(refusal, text);
		try (channel) {
			channel.configureBlocking(false);
			channel.write(frame);
		}
	}

	@Override
	public synchronized void stopAccepting() {
		if (this.draining) {
			return;
		}
		this.draining = true;
		this.listener.stop();
		this.pairs.forEach(ServerPair::sayGoodbye);
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
		CallThreads started = this.threads;
		int left = (started != null) ? started.drain(System.nanoTime() + drainTimeout.toNanos()) : 0;
		if (left > 0) {
			logger.info("{} calls in flight did not end in time and are disconnected", left);
		}
		List<ServerPair> open = List.copyOf(this.pairs);
		open.forEach(ServerPair::close);
		if (started != null) {
			started.shutdown();
		}
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
		open.forEach((pair) -> PairThreads.awaitEnd(pair.thread(), deadline));
		this.listener.remove();
		this.listener.awaitSweep();
	}

	/** Callbacks of the listener. */
	private final class Acceptor implements LocalListener.Acceptor {

		@Override
		public Optional<String> unsuitable(Path rendezvous) {
			ChroniclePathServer server = ChroniclePathServer.this;
			try {
				if (server.volume == null) {
					server.volume = Volume.of(rendezvous, server.options.minFreeBytes());
				}
				return Optional.empty();
			}
			catch (IOException ex) {
				return Optional.of("the volume of %s cannot be looked at: %s".formatted(rendezvous, ex));
			}
		}

		@Override
		public void starting(Path rendezvous) {
			ChroniclePathServer server = ChroniclePathServer.this;
			server.directory = rendezvous;
			server.threads = new CallThreads("vicinal-chronicle", server.options.maxThreads(),
					Thread.currentThread().getContextClassLoader(), server.metrics);
		}

		@Override
		public int sweep(Path rendezvous) throws IOException {
			int deleted = PairDirectory.deleteStale(rendezvous) + SocketFile.deleteStale(rendezvous);
			warmUp(rendezvous);
			return deleted;
		}

		@Override
		public void accepted(SocketChannel channel) throws IOException {
			ChroniclePathServer.this.accepted(channel);
		}

	}

}
