package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.multiplex.CallThreads;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the services of this process on a TCP port. Thread-safe.
 * <p>
 * Without TLS it listens on a loopback address, and any process of the host can connect,
 * of any user. With TLS it may listen on any address, and clients need a certificate
 * unless that is configured otherwise. The caller is known from the request, as it is
 * over HTTP.
 *
 * @since 0.1.0
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty notifies the listeners and closes
												// the
												// channel.
public final class TcpPathServer implements PathServer {

	private static final Logger logger = LoggerFactory.getLogger(TcpPathServer.class);

	/** Time for clients to read the last frame of their connection. */
	private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final PeerIdentity identity;

	private final TcpOptions options;

	private final @Nullable Tls tls;

	private final HandshakeCounters handshakes = new HandshakeCounters(logger);

	private final ServerMetrics metrics = new ServerMetrics(logger);

	private final ServerCalls calls;

	private final EventLoops loops;

	private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();

	private volatile @Nullable Channel listener;

	private volatile @Nullable CallThreads threads;

	/** Takes over connections that carry topics; {@code null} while there are none. */
	private volatile @Nullable Consumer<TopicConnection> topics;

	private volatile String unavailable = "it is not started";

	private volatile boolean draining;

	private boolean closed;

	/**
	 * Creates a server that does not encrypt.
	 * @param identity this instance
	 * @param services the services that answer
	 * @param options where to listen, and limits
	 */
	public TcpPathServer(PeerIdentity identity, ServiceRegistry services, TcpOptions options) {
		this(identity, services, options, null);
	}

	TcpPathServer(PeerIdentity identity, ServiceRegistry services, TcpOptions options, @Nullable Tls tls) {
		if (tls == null) {
			TcpOptions.requireLoopback(options.address(), options.announcedAddress());
		}
		this.identity = identity;
		this.options = options;
		this.loops = new EventLoops("vicinal-tcp-server", options);
		this.tls = tls;
		this.calls = new ServerCalls(services, options.limits(), this.metrics::refused);
	}

	@Override
	public PathKind kind() {
		return TcpPathProvider.KIND;
	}

	@Override
	public PathProtection protection() {
		Tls encrypting = this.tls;
		return (encrypting != null && encrypting.verifiesPeers()) ? PathProtection.MUTUAL_TLS : PathProtection.NONE;
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
		Tls encrypting = this.tls;
		String unusable = (encrypting != null) ? encrypting.unusable().orElse("") : "";
		if (!unusable.isEmpty()) {
			this.unavailable = unusable;
			logger.warn("The path tcp is not offered: {}", unusable);
			return;
		}
		this.threads = new CallThreads("vicinal-tcp", this.options.maxThreads(),
				Thread.currentThread().getContextClassLoader(), this.metrics);
		ChannelFuture bound = new ServerBootstrap().group(this.loops.group())
			.channel(this.loops.server())
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childOption(ChannelOption.SO_KEEPALIVE, true)
			.childOption(ChannelOption.WRITE_BUFFER_WATER_MARK,
					new WriteBufferWaterMark(this.options.maxUnsentBytes() / 2, this.options.maxUnsentBytes()))
			.childHandler(new ChannelInitializer<>() {

				@Override
				protected void initChannel(Channel channel) {
					accepted(channel);
				}

			})
			.bind(this.options.address(), this.options.port())
			.awaitUninterruptibly();
		if (bound.isSuccess()) {
			this.listener = bound.channel();
			bound.channel().pipeline().addLast(new AcceptFailures(logger));
			this.unavailable = "";
			if (encrypting != null) {
				encrypting.whenReplaced(() -> this.connections.forEach(ServerConnection::replace));
			}
			return;
		}
		this.unavailable = "cannot listen on %s port %d: %s".formatted(this.options.address(), this.options.port(),
				bound.cause().getMessage());
		logger.warn("The path tcp is not offered: {}; choose another vicinal.tcp.port, or 0 for any", this.unavailable);
	}

	private void accepted(Channel channel) {
		this.metrics.accepted().increment();
		if (this.connections.size() >= this.options.maxConnections()) {
			String text = "all %d connections of the server are in use".formatted(this.options.maxConnections());
			this.metrics.refused(Refusal.CONNECTIONS, text);
			channel.writeAndFlush(Unpooled.wrappedBuffer(Frames.refused(Refusal.CONNECTIONS, text)))
				.addListener(ChannelFutureListener.CLOSE);
			return;
		}
		FrameDecoder decoder = new FrameDecoder(this.options.limits());
		ServerConnection connection = new ServerConnection(this, channel, decoder);
		this.connections.add(connection);
		this.metrics.open().increment();
		channel.pipeline().addLast(new LingeringClose());
		Tls encrypting = this.tls;
		if (encrypting != null) {
			long millis = this.options.handshakeTimeout().toMillis();
			channel.pipeline()
				.addLast(new TlsGate(() -> encrypting.accepting(channel, this.loops.tls(), millis),
						connection::speaksPlaintext));
		}
		channel.pipeline().addLast(connection.guard(), decoder, connection);
	}

	/** Counts a client that could not agree on TLS, or was refused by its certificate. */
	void handshakeFailed(HandshakeFailure failure, String client) {
		Tls encrypting = this.tls;
		String bundle = (encrypting != null) ? encrypting.bundle() : "";
		this.handshakes.count(failure.kind(), failure.toServer(client, bundle));
	}

	/** Returns the number of handshakes that failed. */
	HandshakeCounters handshakes() {
		return this.handshakes;
	}

	boolean encrypts() {
		return this.tls != null;
	}

	void left(ServerConnection connection) {
		if (this.connections.remove(connection)) {
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
		Channel open = this.listener;
		if (open == null || !(open.localAddress() instanceof InetSocketAddress local)) {
			return Optional.empty();
		}
		return Optional.of(announced(local).getAddress().getHostAddress() + ":" + local.getPort());
	}

	/** Returns where clients believe that they have connected to. */
	InetSocketAddress announced(InetSocketAddress local) {
		InetAddress announced = TcpOptions.dialled(this.options.announcedAddress());
		return (announced != null) ? new InetSocketAddress(announced, local.getPort()) : local;
	}

	@Override
	public List<Map<String, Object>> clients() {
		return this.connections.stream().map(ServerConnection::details).toList();
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

	EventLoops loops() {
		return this.loops;
	}

	TcpOptions options() {
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

	/** Accepts connections that carry topics. */
	void accept(Consumer<TopicConnection> acceptor) {
		this.topics = acceptor;
	}

	/** Returns what takes over connections that carry topics. */
	@Nullable Consumer<TopicConnection> topics() {
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
		Channel open = this.listener;
		if (open != null) {
			open.close().awaitUninterruptibly();
			this.connections.forEach(ServerConnection::sayGoodbye);
		}
	}

	@Override
	public void close() {
		close(this.options.drainTimeout());
	}

	/** Gives clients a moment to read what was said last. */
	private void closeConnections() {
		long deadline = System.nanoTime() + CLOSE_NANOS;
		for (ChannelFuture closed : this.connections.stream().map(ServerConnection::close).toList()) {
			closed.awaitUninterruptibly(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
		}
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
		closeConnections();
		if (started != null) {
			started.shutdown();
		}
		this.loops.close();
	}

}
