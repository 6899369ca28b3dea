package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.multiplex.ClientEnd;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.Introduction;
import io.github.vicinal.transport.multiplex.PendingCall;
import io.github.vicinal.transport.multiplex.PendingCalls;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a connection, which any number of calls share. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty notifies the listeners and closes
												// the
												// channel.
final class ClientConnection extends SimpleChannelInboundHandler<ReceivedFrame>
		implements ClientEnd, ConnectionGuard.Owner {

	/** One unsent frame; smaller numbers are unsent bytes. */
	private static final long FRAME = 1L << 40;

	/** Number of unsent frames that are a backlog. */
	private static final int BACKLOG_FRAMES = 4;

	/** Number of unsent bytes that are a backlog. */
	private static final int BACKLOG_BYTES = 64 << 10;

	/** Reason of an end that the server has not explained. */
	private static final String CLOSED = "closed the connection";

	/** Reason of an end that this side has chosen. */
	private static final String LEFT = "was left";

	private final String expected;

	private final TcpOptions options;

	private final FrameDecoder decoder;

	private final ConnectionGuard guard;

	private final PendingCalls pending = new PendingCalls(this);

	private final AtomicInteger bindings = new AtomicInteger();

	/**
	 * Frames and bytes that the kernel has not taken yet: the number of bytes, and
	 * {@link #FRAME} for each frame.
	 */
	private final AtomicLong unsent = new AtomicLong();

	private final SendQueueWatch queue = new SendQueueWatch(System.nanoTime());

	/** Called when the connection keeps calls waiting. */
	private final Runnable congested;

	/** Why there are no further calls; {@code null} while there can be some. */
	private volatile @Nullable String ended;

	private @Nullable Channel channel;

	private int maxRequestBytes;

	private int compressedFromBytes = Integer.MAX_VALUE;

	/** Whether the server understands CANCEL. */
	private boolean cancels;

	private final Consumer<PendingCall> cancelling = this::cancel;

	private final @Nullable Tls tls;

	private final int generation;

	private final HandshakeCounters handshakes;

	/** Version of TLS, empty without. */
	private volatile String tlsVersion = "";

	/** Name in the server's certificate, empty without TLS. */
	private volatile String subject = "";

	/** Whether the connection was taken from {@link ConnectionsAhead}. */
	private boolean openedAhead;

	/** Whether the connection closes once no call is in flight. */
	private volatile boolean draining;

	private volatile String reasonToRenew = "";

	/**
	 * Creates a connection that is not open.
	 * @param expected the instance id of the server
	 * @param options limits
	 * @param tls encrypts the connection, {@code null} for plaintext
	 * @param handshakes counts handshakes that fail
	 * @param generation number of the SSL bundle's reloads before
	 * @param congested called when the connection keeps calls waiting, by the event loop
	 */
	ClientConnection(String expected, TcpOptions options, @Nullable Tls tls, HandshakeCounters handshakes,
			int generation, Runnable congested) {
		this.expected = expected;
		this.options = options;
		this.tls = tls;
		this.handshakes = handshakes;
		this.generation = generation;
		this.congested = congested;
		this.decoder = new FrameDecoder(options.limits());
		// A server that has many calls to answer may not read for long.
		this.guard = new ConnectionGuard(options, this.decoder, this, false);
	}

	/**
	 * Connects, agrees on TLS, and lets the other side prove which instance it is. Blocks
	 * for the handshake timeout at most.
	 * @param dialler connects
	 * @param address where to
	 * @param ahead a connection that was opened ahead, {@code null} if there is none
	 */
	void open(Dialler dialler, InetSocketAddress address, @Nullable ChannelFuture ahead) throws ConnectionException {
		long deadline = System.nanoTime() + this.options.handshakeTimeout().toNanos();
		Channel taken = (ahead != null) ? taken(ahead, deadline) : null;
		Channel opened = (taken != null) ? taken : connect(dialler, address, deadline);
		this.channel = opened;
		SslHandler handler = Tls.handler(opened);
		this.openedAhead = taken != null;
		if (this.tls != null && handler != null) {
			encrypt(opened, handler, address, deadline);
		}
		hello(address, deadline);
		opened.eventLoop().execute(() -> this.guard.begin(opened, dialler.ticker(opened)));
	}

	/** A connection ahead may have ended, which says nothing about a new one. */
	private @Nullable Channel taken(ChannelFuture ahead, long deadline) {
		awaitUntil(deadline, ahead);
		if (ahead.isSuccess() && ConnectionsAhead.handOver(ahead.channel(), this.guard, this.decoder, this)) {
			return ahead.channel();
		}
		ahead.channel().close();
		return null;
	}

	private Channel connect(Dialler dialler, InetSocketAddress address, long deadline) throws ConnectionException {
		ChannelFuture connected = dialler.dial(address, this.guard, this.decoder, this);
		awaitUntil(deadline, connected);
		if (!connected.isDone()) {
			connected.channel().close();
			throw ConnectionException
				.of(Reason.PEER_GONE, false,
						"cannot connect to %s at %s: vicinal.tcp.handshake-timeout is %d ms".formatted(this,
								NetUtil.toSocketAddressString(address), this.options.handshakeTimeout().toMillis()),
						null);
		}
		if (!connected.isSuccess()) {
			throw ConnectionException.of(Reason.PEER_GONE, false, "cannot connect to %s at %s: %s".formatted(this,
					NetUtil.toSocketAddressString(address), connected.cause()), connected.cause());
		}
		return connected.channel();
	}

	private static void awaitUntil(long deadline, Future<?> future) {
		future.awaitUninterruptibly(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
	}

	private void encrypt(Channel opened, SslHandler handler, InetSocketAddress address, long deadline)
			throws ConnectionException {
		Future<Channel> handshake = handler.handshakeFuture();
		awaitUntil(deadline, handshake);
		if (this.openedAhead && handshake.cause() instanceof ClosedChannelException) {
			// The event loop may say so a moment later.
			end(CLOSED);
			throw ConnectionException.of(Reason.PEER_GONE, false,
					"%s closed a connection that was opened ahead".formatted(this), handshake.cause());
		}
		String refusal = RefusalBeforeTls.text(opened);
		if (!handshake.isSuccess() && refusal != null) {
			throw ConnectionException.refused(Refusal.CONNECTIONS, false, "%s: %s".formatted(this, refusal));
		}
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
			throw ConnectionException.of(Reason.REFUSED, false, failed(failure, address), handshake.cause());
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

	private void hello(InetSocketAddress address, long deadline) throws ConnectionException {
		try {
			Introduction introduction = Introduction.to(this.expected, address, this.options.maxFrameBytes(),
					this.options.compressedFromBytes() < Integer.MAX_VALUE);
			Introduction.Agreement agreement = introduction
				.welcomed(await(send(introduction.hello(), false), deadline));
			this.maxRequestBytes = agreement.maxFrameBytes();
			this.compressedFromBytes = agreement.compresses() ? this.options.compressedFromBytes() : Integer.MAX_VALUE;
			this.cancels = agreement.cancels();
			this.decoder.accept(this.options.limits());
		}
		catch (WireException ex) {
			throw ConnectionException.refused(ex.refusal(), false, "%s: %s".formatted(this, ex.text()));
		}
	}

	/**
	 * Returns whether the connection was opened before anything was known of the server.
	 * If it ends before the server's first frame, that says nothing about a new one.
	 */
	boolean isOpenedAhead() {
		return this.openedAhead;
	}

	@Override
	public int nextBinding() {
		return this.bindings.getAndIncrement();
	}

	@Override
	public ReceivedFrame ask(EncodeBuffer out) throws ConnectionException {
		return await(send(out, false), System.nanoTime() + this.options.handshakeTimeout().toNanos());
	}

	@Override
	public PendingCall send(EncodeBuffer out, boolean executable) throws ConnectionException {
		int size = out.size();
		long added = FRAME + size;
		long before = this.unsent.getAndAdd(added);
		if (before > 0 && bytes(before) + size > this.options.maxOutstandingBytes()) {
			this.unsent.addAndGet(-added);
			throw ConnectionException.of(Reason.EXHAUSTED, false,
					"%d bytes of calls to %s wait to be sent already".formatted(bytes(before), this), null);
		}
		PendingCall call = executable ? this.pending.add(() -> true, this.cancelling) : this.pending.add(() -> false);
		FrameDescriptor.correlation(out, 0, call.correlation());
		String why = this.ended;
		Channel open = this.channel;
		if (why != null || open == null) {
			this.pending.remove(call);
			this.unsent.addAndGet(-added);
			throw ConnectionException.of(Reason.PEER_GONE, false, "%s %s".formatted(this, why), null);
		}
		long start = System.nanoTime();
		open.writeAndFlush(Unpooled.wrappedBuffer(out.array(), 0, size)).addListener((written) -> {
			this.unsent.addAndGet(-added);
			if (!written.isSuccess()) {
				end("could not be reached: " + written.cause());
				return;
			}
			long now = System.nanoTime();
			if (this.queue.sent(before > 0, now - start, now)) {
				this.congested.run();
			}
		});
		return call;
	}

	/** Tells the server that nobody waits for an answer any more. */
	private void cancel(PendingCall call) {
		Channel open = this.channel;
		if (!this.cancels || open == null || !open.isActive()) {
			return;
		}
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		int start = FrameDescriptor.begin(out);
		FrameDescriptor.correlation(out, start, call.correlation());
		FrameDescriptor.end(out, start, FrameType.CANCEL);
		long added = FRAME + out.size();
		this.unsent.addAndGet(added);
		open.writeAndFlush(Unpooled.wrappedBuffer(out.array(), 0, out.size())).addListener((written) -> {
			this.unsent.addAndGet(-added);
			if (this.draining && this.pending.isEmpty()) {
				open.close();
			}
		});
	}

	private static long bytes(long unsent) {
		return unsent & (FRAME - 1);
	}

	/** Returns the number of bytes that the kernel has not taken yet. */
	long unsentBytes() {
		return bytes(this.unsent.get());
	}

	/** Returns whether calls had to wait behind several others, or large ones. */
	boolean isBacklogged() {
		long waiting = this.unsent.get();
		return waiting >= BACKLOG_FRAMES * FRAME || bytes(waiting) >= BACKLOG_BYTES;
	}

	@Override
	public ReceivedFrame await(PendingCall call, long deadlineNanos) throws ConnectionException {
		return this.pending.await(call, deadlineNanos);
	}

	@Override
	public void expire(PendingCall call, long deadlineNanos) {
		Channel open = this.channel;
		if (open == null || deadlineNanos == CallFrame.NO_DEADLINE) {
			return;
		}
		try {
			var timer = open.eventLoop()
				.schedule(() -> this.pending.expire(call), deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
			call.answer().whenComplete((answer, failure) -> timer.cancel(false));
		}
		catch (RejectedExecutionException ex) {
			// The event loops have ended, and with them the connection.
			end(LEFT);
		}
	}

	@Override
	public void abandon(PendingCall call) {
		this.pending.abandon(call);
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ReceivedFrame frame) throws WireException {
		FrameType type = frame.header().type;
		if (type == FrameType.GOODBYE && frame.header().has(FrameDescriptor.FLAG_CLOSING)) {
			if (this.ended == null) {
				this.ended = CLOSED;
			}
			this.pending.closed(frame, CLOSED);
			context.close();
			return;
		}
		if (type == FrameType.GOODBYE) {
			if (frame.header().code == Refusal.SHUTTING_DOWN.number()) {
				drain("is shutting down");
			}
			else {
				renew("the peer asks for a new connection");
			}
			return;
		}
		if (type == FrameType.PING) {
			this.guard.pong(context.channel());
			return;
		}
		if (type == FrameType.PONG) {
			return;
		}
		PendingCalls.Closing closing = this.pending.answered(frame);
		if (closing != null) {
			this.ended = "closed the connection: " + closing.text();
			this.pending.failAll(closing.refusal(), closing.text());
			context.close();
		}
		else if (this.draining && this.pending.isEmpty()) {
			context.close();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end(CLOSED);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable why = (cause instanceof DecoderException && cause.getCause() != null) ? cause.getCause() : cause;
		if (why instanceof WireException ex) {
			String text = "%s sent an unacceptable answer: %s".formatted(this, ex.text());
			this.ended = "sent an unacceptable answer";
			this.pending.failAll(ex.refusal(), text);
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
	public boolean awaited() {
		return !this.pending.isEmpty();
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
		this.pending.failAll((call) -> ConnectionException.of(Reason.REFUSED, call.maybeExecuted(), text, null));
	}

	/**
	 * Takes no further call, and closes once those in flight have ended, or the drain
	 * timeout has passed.
	 */
	void drain(String why) {
		Channel open = finish(why);
		if (open != null) {
			open.eventLoop().execute(() -> {
				if (this.pending.isEmpty()) {
					open.close();
				}
			});
			open.eventLoop().schedule(this::close, this.options.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	/**
	 * Takes no further call. Returns {@code null} if the connection is drained already.
	 */
	private @Nullable Channel finish(String why) {
		if (this.ended == null) {
			this.ended = why;
		}
		Channel open = this.channel;
		if (open == null || this.draining) {
			return null;
		}
		this.draining = true;
		return open;
	}

	/** Drains this connection, for a new one. */
	void renew(String why) {
		if (this.ended == null) {
			this.reasonToRenew = why;
		}
		drain("is left for a new connection");
	}

	/** Calls a listener once the connection has ended. The connection must be open. */
	void whenClosed(Runnable listener) {
		Channel open = this.channel;
		if (open != null) {
			open.closeFuture().addListener((closed) -> listener.run());
		}
	}

	private void end(String why) {
		if (this.ended == null) {
			this.ended = why;
		}
		this.pending.peerGone(why);
	}

	@Override
	public boolean isOpen() {
		return this.ended == null;
	}

	/** Returns the number of times that the SSL bundle had been reloaded before. */
	int generation() {
		return this.generation;
	}

	/** Returns the number of calls that wait for an answer. */
	int inFlight() {
		return this.pending.size();
	}

	/** Returns whether no call waits for an answer. */
	boolean isIdle() {
		return this.pending.isEmpty();
	}

	/**
	 * Runs a task on the event loop of the open connection.
	 * @throws RejectedExecutionException if the event loops have ended
	 */
	void later(Runnable task, long nanos) {
		Channel open = this.channel;
		if (open != null) {
			open.eventLoop().schedule(task, nanos, TimeUnit.NANOSECONDS);
		}
	}

	@Override
	public String reasonToRenew() {
		return this.reasonToRenew;
	}

	@Override
	public int maxRequestBytes() {
		return this.maxRequestBytes;
	}

	@Override
	public int compressedFromBytes() {
		return this.compressedFromBytes;
	}

	@Override
	public WireLimits limits() {
		return this.options.limits();
	}

	@Override
	public Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("inFlight", this.pending.size());
		details.put("tls", this.tlsVersion.isEmpty() ? "no" : this.tlsVersion);
		details.put("subject", this.subject);
		details.put("compressed", this.compressedFromBytes < Integer.MAX_VALUE);
		return details;
	}

	@Override
	public void leave() {
		Channel open = finish(LEFT);
		if (open != null) {
			this.pending.closeOnceIdle(open.eventLoop(), this::close);
		}
	}

	@Override
	public void close() {
		end(LEFT);
		Channel open = this.channel;
		if (open != null) {
			open.close();
		}
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

}
