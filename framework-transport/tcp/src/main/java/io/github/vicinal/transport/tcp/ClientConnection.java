package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import javax.net.ssl.SSLException;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a connection, which any number of calls share. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty tells the listeners and closes the
												// channel.
final class ClientConnection extends SimpleChannelInboundHandler<Frame> implements ConnectionGuard.Owner {

	private static final int SMALL_BYTES = 256;

	private final String expected;

	private final TcpOptions options;

	private final FrameDecoder decoder;

	private final ConnectionGuard guard;

	private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();

	private final AtomicLong correlations = new AtomicLong();

	private final AtomicInteger bindings = new AtomicInteger();

	/** Bytes that the kernel has not taken yet. */
	private final AtomicLong unsent = new AtomicLong();

	/** Why there are no further calls; {@code null} while there can be some. */
	private volatile @Nullable String ended;

	private @Nullable Channel channel;

	private int maxRequestBytes;

	private final @Nullable Tls tls;

	private final HandshakeCounters handshakes;

	/** Version of TLS, empty without. */
	private volatile String tlsVersion = "";

	/** Name in the server's certificate, empty without TLS. */
	private volatile String subject = "";

	/** Whether the connection closes once no call is in flight. */
	private volatile boolean draining;

	/** How many paths use the connection. Guarded by the provider's lock. */
	int users;

	/**
	 * Creates a connection that is not open.
	 * @param expected the instance id of the server
	 * @param options limits
	 * @param tls encrypts the connection, {@code null} for plaintext
	 * @param handshakes counts handshakes that fail
	 */
	ClientConnection(String expected, TcpOptions options, @Nullable Tls tls, HandshakeCounters handshakes) {
		this.expected = expected;
		this.options = options;
		this.tls = tls;
		this.handshakes = handshakes;
		this.decoder = new FrameDecoder(options.limits());
		// A server that has many calls to answer may not read for long.
		this.guard = new ConnectionGuard(options, this.decoder, this, false);
	}

	/**
	 * Connects, agrees on TLS, and lets the other side prove which instance it is. Blocks
	 * for the handshake timeout at most.
	 */
	void open(EventLoops loops, InetSocketAddress address) throws TcpException {
		long deadline = System.nanoTime() + this.options.handshakeTimeout().toNanos();
		int millis = (int) Math.min(this.options.handshakeTimeout().toMillis(), Integer.MAX_VALUE);
		ChannelFuture connected = new Bootstrap().group(loops.group())
			.channel(loops.client())
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.SO_KEEPALIVE, true)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.max(1, millis))
			.handler(new ChannelInitializer<>() {

				@Override
				protected void initChannel(Channel created) {
					Tls encrypting = ClientConnection.this.tls;
					if (encrypting != null) {
						created.pipeline().addLast(encrypting.connecting(created, address, loops.tls(), millis));
					}
					created.pipeline()
						.addLast(ClientConnection.this.guard, ClientConnection.this.decoder, ClientConnection.this);
				}

			})
			.connect(address)
			.awaitUninterruptibly();
		if (!connected.isSuccess()) {
			throw TcpException.of(Reason.PEER_GONE, false, "cannot connect to %s at %s: %s".formatted(this,
					NetUtil.toSocketAddressString(address), connected.cause()), connected.cause());
		}
		Channel opened = connected.channel();
		this.channel = opened;
		SslHandler handler = opened.pipeline().get(SslHandler.class);
		if (this.tls != null && handler != null) {
			encrypt(handler, address, deadline);
		}
		hello(address, deadline);
		opened.eventLoop().execute(() -> this.guard.begin(opened, loops.ticker(opened.eventLoop())));
	}

	private void encrypt(SslHandler handler, InetSocketAddress address, long deadline) throws TcpException {
		Future<Channel> handshake = handler.handshakeFuture();
		handshake.awaitUninterruptibly(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
		HandshakeFailure failure;
		if (!handshake.isDone()) {
			failure = new HandshakeFailure(HandshakeFailure.Kind.TIMEOUT, false,
					"vicinal.tcp.handshake-timeout is %d ms".formatted(this.options.handshakeTimeout().toMillis()));
		}
		else if (!handshake.isSuccess()) {
			failure = HandshakeFailure.of(handshake.cause());
		}
		else {
			failure = HandshakeFailure.expired(handler.engine().getSession());
		}
		if (failure != null) {
			throw TcpException.of(Reason.REFUSED, false, failed(failure, address), handshake.cause());
		}
		this.tlsVersion = handler.engine().getSession().getProtocol();
		this.subject = HandshakeFailure.subject(handler.engine().getSession());
	}

	/** Counts a handshake that failed, and says why. */
	private String failed(HandshakeFailure failure, InetSocketAddress address) {
		Tls encrypting = this.tls;
		String text = failure.toClient("%s at %s".formatted(this, NetUtil.toSocketAddressString(address)),
				(encrypting != null) ? encrypting.bundle() : "");
		this.handshakes.count(failure.kind(), text);
		return text;
	}

	private void hello(InetSocketAddress address, long deadline) throws TcpException {
		try {
			EncodeBuffer out = new EncodeBuffer(SMALL_BYTES);
			int start = FrameDescriptor.begin(out);
			String nonce = InstanceProof.nonce();
			new Payload.Hello(nonce, InstanceProof.ofClient(this.expected, nonce, address),
					this.options.maxFrameBytes())
				.write(out);
			FrameDescriptor.end(out, start, FrameType.HELLO);
			Frame answer = await(send(out, start, false), deadline);
			answer.header().require(FrameType.WELCOME);
			Payload.Welcome welcome = Payload.Welcome.read(answer.payload());
			if (!InstanceProof.matches(InstanceProof.ofServer(this.expected, nonce, address), welcome.self())
					|| welcome.maxFrameBytes() < 0) {
				throw new WireException(Refusal.WRONG_INSTANCE, "another instance answers at the address");
			}
			this.maxRequestBytes = Math.min(welcome.maxFrameBytes(), this.options.maxFrameBytes());
			this.decoder.accept(this.options.limits());
		}
		catch (WireException ex) {
			throw TcpException.refused(ex.refusal(), false, "%s: %s".formatted(this, ex.text()));
		}
	}

	/** Gives a contract a number of its own on this connection. */
	int nextBinding() {
		return this.bindings.getAndIncrement();
	}

	/** Sends a frame that executes nothing, and waits for the answer. */
	Frame ask(EncodeBuffer out, int start) throws TcpException {
		return await(send(out, start, false), System.nanoTime() + this.options.handshakeTimeout().toNanos());
	}

	/**
	 * Sends a frame.
	 * @param out holds the frame, and belongs to the connection from now on
	 * @param start where the frame begins
	 * @param executable whether the other side may execute something
	 * @return what waits for the answer
	 */
	Waiting send(EncodeBuffer out, int start, boolean executable) throws TcpException {
		int size = out.size();
		long before = this.unsent.getAndAdd(size);
		if (before > 0 && before + size > this.options.maxOutstandingBytes()) {
			this.unsent.addAndGet(-size);
			throw TcpException.of(Reason.EXHAUSTED, false,
					"%d bytes of calls to %s wait to be sent already".formatted(before, this), null);
		}
		Waiting call = new Waiting(this.correlations.incrementAndGet(), executable);
		FrameDescriptor.correlation(out, start, call.correlation);
		this.waiting.put(call.correlation, call);
		String why = this.ended;
		Channel open = this.channel;
		if (why != null || open == null) {
			this.waiting.remove(call.correlation);
			this.unsent.addAndGet(-size);
			throw TcpException.of(Reason.PEER_GONE, false, "%s %s".formatted(this, why), null);
		}
		open.writeAndFlush(Unpooled.wrappedBuffer(out.array(), 0, size)).addListener((written) -> {
			this.unsent.addAndGet(-size);
			if (!written.isSuccess()) {
				end("could not be reached: " + written.cause());
			}
		});
		return call;
	}

	/** Waits for an answer on this thread. */
	Frame await(Waiting call, long deadlineNanos) throws TcpException {
		try {
			if (deadlineNanos == CallFrame.NO_DEADLINE) {
				return call.answer.get();
			}
			return call.answer.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof TcpException known) ? known
					: TcpException.of(Reason.IO, call.executable, String.valueOf(ex.getCause()), ex);
		}
		catch (TimeoutException ex) {
			throw timedOut(call);
		}
		catch (InterruptedException ex) {
			this.waiting.remove(call.correlation);
			Thread.currentThread().interrupt();
			throw TcpException.of(Reason.INTERRUPTED, call.executable, "the calling thread was interrupted", ex);
		}
	}

	/** Lets a call fail at its deadline without a thread that waits. */
	void expire(Waiting call, long deadlineNanos) {
		Channel open = this.channel;
		if (open != null && deadlineNanos != CallFrame.NO_DEADLINE) {
			var timer = open.eventLoop()
				.schedule(() -> call.answer.completeExceptionally(timedOut(call)), deadlineNanos - System.nanoTime(),
						TimeUnit.NANOSECONDS);
			call.answer.whenComplete((answer, failure) -> timer.cancel(false));
		}
	}

	private TcpException timedOut(Waiting call) {
		this.waiting.remove(call.correlation);
		return TcpException.of(Reason.TIMEOUT, call.executable,
				"the deadline passed before %s answered".formatted(this), null);
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, Frame frame) throws WireException {
		FrameType type = frame.header().type;
		if (type == FrameType.GOODBYE) {
			drain((frame.header().code == Refusal.SHUTTING_DOWN.number()) ? "is shutting down"
					: "asks for a new connection");
			return;
		}
		if (type == FrameType.PING) {
			this.guard.pong(context.channel());
			return;
		}
		if (type == FrameType.PONG) {
			return;
		}
		long correlation = frame.header().correlation;
		Waiting call = this.waiting.remove(correlation);
		if (this.draining && this.waiting.isEmpty()) {
			context.close();
		}
		if (type == FrameType.REFUSED) {
			refused(context, frame, call);
		}
		else if (call != null) {
			call.answer.complete(frame);
		}
		else if (correlation <= 0 || correlation > this.correlations.get()) {
			throw new WireException(Refusal.MALFORMED,
					"an answer to call %d, which there is not".formatted(correlation));
		}
	}

	private void refused(ChannelHandlerContext context, Frame frame, @Nullable Waiting call) throws WireException {
		Refusal refusal = Refusal.of(frame.header().code);
		String text = "%s refused (%s): %s".formatted(this, refusal.id(),
				WireException.printable(frame.payload().readString()));
		if (call != null) {
			boolean executed = frame.header().has(FrameDescriptor.FLAG_EXECUTED);
			call.answer.completeExceptionally(TcpException.refused(refusal, executed, text));
		}
		if (frame.header().has(FrameDescriptor.FLAG_CLOSING)) {
			this.ended = "closed the connection: " + text;
			failAll((other) -> TcpException.refused(refusal, other.executable, text));
			context.close();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end("closed the connection");
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable why = (cause instanceof DecoderException && cause.getCause() != null) ? cause.getCause() : cause;
		if (why instanceof WireException ex) {
			String text = "%s sent an unacceptable answer: %s".formatted(this, ex.text());
			this.ended = "sent an unacceptable answer";
			failAll((call) -> TcpException.refused(ex.refusal(), call.executable, text));
		}
		else if (why instanceof SSLException) {
			endTls(context, why);
		}
		else {
			end("broke off: " + why);
		}
		context.close();
	}

	@Override
	public void stalled(String text) {
		gone("is left, because " + text);
	}

	@Override
	public void gone(String text) {
		this.guard.end();
		end(text);
		Channel open = this.channel;
		if (open != null) {
			open.close();
		}
	}

	/** Unless the handshake has ended, the thread that connects says why. */
	private void endTls(ChannelHandlerContext context, Throwable why) {
		SslHandler handler = context.pipeline().get(SslHandler.class);
		if (handler == null || !handler.handshakeFuture().isSuccess()
				|| !(context.channel().remoteAddress() instanceof InetSocketAddress address)) {
			return;
		}
		// With TLS 1.3 the server checks the certificate of the client later.
		String text = failed(HandshakeFailure.of(why), address);
		this.ended = "ended TLS: " + text;
		failAll((call) -> TcpException.of(Reason.REFUSED, call.executable, text, null));
	}

	/**
	 * Takes no further call, and closes once those in flight have ended, or the drain
	 * timeout has passed.
	 */
	void drain(String why) {
		if (this.ended == null) {
			this.ended = why;
		}
		Channel open = this.channel;
		if (open == null || this.draining) {
			return;
		}
		this.draining = true;
		open.eventLoop().execute(() -> {
			if (this.waiting.isEmpty()) {
				open.close();
			}
		});
		open.eventLoop().schedule(this::close, this.options.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	private void end(String why) {
		if (this.ended == null) {
			this.ended = why;
		}
		failAll((call) -> TcpException.of(Reason.PEER_GONE, call.executable, "%s %s".formatted(this, why), null));
	}

	/** After the end is known: what is added later sees it. */
	private void failAll(Function<Waiting, TcpException> failure) {
		for (Waiting call : List.copyOf(this.waiting.values())) {
			if (this.waiting.remove(call.correlation, call)) {
				call.answer.completeExceptionally(failure.apply(call));
			}
		}
	}

	boolean isOpen() {
		return this.ended == null;
	}

	int inFlight() {
		return this.waiting.size();
	}

	int maxRequestBytes() {
		return this.maxRequestBytes;
	}

	WireLimits limits() {
		return this.options.limits();
	}

	/** Returns the version of TLS, empty without TLS. */
	String tls() {
		return this.tlsVersion;
	}

	/** Returns the name in the certificate of the server, empty without TLS. */
	String subject() {
		return this.subject;
	}

	/** Calls in flight end, if the other side has announced the end, or fail. */
	void leave() {
		if (!this.draining) {
			close();
		}
	}

	/** Calls in flight fail. */
	void close() {
		end("was left");
		Channel open = this.channel;
		if (open != null) {
			open.close();
		}
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

	/** A frame that waits for its answer. */
	static final class Waiting {

		final CompletableFuture<Frame> answer = new CompletableFuture<>();

		private final long correlation;

		private final boolean executable;

		Waiting(long correlation, boolean executable) {
			this.correlation = correlation;
			this.executable = executable;
		}

	}

}
