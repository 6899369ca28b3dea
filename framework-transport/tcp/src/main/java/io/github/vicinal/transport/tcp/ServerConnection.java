package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import javax.net.ssl.SSLSession;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.multiplex.ArrivedFrame;
import io.github.vicinal.transport.multiplex.CallThreads;
import io.github.vicinal.transport.multiplex.Introduction;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.multiplex.ServerConversation;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's end of a connection. Its event loop reads frames; calls run on threads of
 * the server and write their answers whenever they are done.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty notifies the listeners and closes
												// the
												// channel.
final class ServerConnection extends SimpleChannelInboundHandler<ReceivedFrame> implements ConnectionGuard.Owner {

	private static final Logger logger = LoggerFactory.getLogger(ServerConnection.class);

	private static final long REFUSAL_MILLIS = 1000;

	private final TcpPathServer server;

	private final Channel channel;

	private final InetSocketAddress remote;

	private final FrameDecoder decoder;

	private final ServerConversation conversation;

	private final ConnectionGuard guard;

	/** Bytes of calls that are not answered yet, and of answers that are not sent yet. */
	private final AtomicLong outstanding = new AtomicLong();

	/** Used by the event loop. */
	private boolean welcomed;

	/** Ends a connection that does not begin with HELLO. */
	private @Nullable ScheduledFuture<?> greeting;

	/** Whether the connection was refused and ends. Used by the event loop. */
	private boolean closing;

	/** Version of TLS, empty before the handshake and without TLS. */
	private volatile String tls = "";

	/** Name in the client's certificate, empty if it has none. */
	private volatile String subject = "";

	/** Topics that the connection carries instead of calls. Used by the event loop. */
	private @Nullable TopicChannel topics;

	ServerConnection(TcpPathServer server, Channel channel, FrameDecoder decoder) {
		this.server = server;
		this.channel = channel;
		this.remote = (channel.remoteAddress() instanceof InetSocketAddress known) ? known
				: InetSocketAddress.createUnresolved("unknown", 0);
		this.decoder = decoder;
		this.conversation = new ServerConversation(server.calls(), server.metrics(), server.options().limits());
		this.guard = new ConnectionGuard(server.options(), decoder, this, true);
	}

	ConnectionGuard guard() {
		return this.guard;
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		long millis = this.server.options().handshakeTimeout().toMillis();
		this.greeting = context.executor().schedule(() -> {
			if (!this.welcomed && !this.closing && this.channel.isActive()) {
				late(millis);
			}
		}, millis, TimeUnit.MILLISECONDS);
	}

	private void late(long millis) {
		if (this.server.encrypts() && this.tls.isEmpty()) {
			handshakeFailed(new HandshakeFailure(HandshakeFailure.Kind.TIMEOUT, false,
					"vicinal.tcp.handshake-timeout is %d ms".formatted(millis)));
			this.channel.close();
			return;
		}
		refuseAndClose(Refusal.STALLED, "no HELLO arrived within %d ms".formatted(millis));
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (event instanceof SslHandshakeCompletionEvent completed && !this.closing) {
			SslHandler handler = context.pipeline().get(SslHandler.class);
			if (!completed.isSuccess()) {
				handshakeFailed(HandshakeFailure.of(completed.cause()));
			}
			else if (handler != null) {
				encrypted(handler.engine().getSession());
			}
		}
		context.fireUserEventTriggered(event);
	}

	private void encrypted(SSLSession session) {
		this.tls = session.getProtocol();
		this.subject = HandshakeFailure.subject(session);
		HandshakeFailure expired = HandshakeFailure.expired(session);
		if (expired != null) {
			handshakeFailed(expired);
			refuseAndClose(Refusal.STRANGER, "the certificate of the client is outside its dates; renew it");
		}
	}

	/** The client sent something else than TLS, and was refused. */
	void speaksPlaintext() {
		handshakeFailed(new HandshakeFailure(HandshakeFailure.Kind.PLAINTEXT, false, ""));
	}

	private void handshakeFailed(HandshakeFailure failure) {
		this.closing = true;
		this.server.handshakeFailed(failure, "the client " + client());
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ReceivedFrame frame) throws WireException {
		if (this.closing) {
			return;
		}
		FrameType type = frame.header().type;
		if (!this.welcomed) {
			if (type == FrameType.TOPIC) {
				carryTopic();
				topic(frame);
				return;
			}
			hello(frame);
			return;
		}
		switch (type) {
			case TOPIC -> topic(frame);
			case BIND, CALL -> {
				if (this.topics != null) {
					throw new WireException(Refusal.MALFORMED, "a connection carries calls or a topic, not both");
				}
				accept(frame);
			}
			case CANCEL -> this.conversation.cancel(frame, this.server.threads()::run);
			case GOODBYE -> context.close();
			case PING -> {
				frame.requireEmpty();
				this.guard.pong(this.channel);
			}
			case PONG -> frame.requireEmpty();
			default ->
				throw new WireException(Refusal.MALFORMED, "a frame of type %s has no place here".formatted(type));
		}
	}

	private void topic(ReceivedFrame frame) throws WireException {
		TopicChannel known = this.topics;
		if (known == null) {
			throw new WireException(Refusal.MALFORMED, "a connection carries calls or a topic, not both");
		}
		known.received(frame.bytes());
	}

	/** Hands the connection to the topics of this process, if any are for other hosts. */
	private void carryTopic() throws WireException {
		Consumer<TopicConnection> acceptor = this.server.topics();
		if (acceptor == null || this.server.draining()) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"no topic of this application is for other hosts: set vicinal.topics.named.<topic>.other-hosts=true there");
		}
		welcomed();
		this.decoder.accept(this.server.options().limits());
		TopicChannel made = new TopicChannel(this.channel, this.guard, this.server.options().maxFrameBytes(),
				"%s (%s)".formatted(client(), this.subject));
		this.topics = made;
		this.guard.begin(this.channel, this.server.loops().ticker(this.channel.eventLoop()));
		acceptor.accept(made);
	}

	/** The timer would wake the event loop for nothing. */
	private void welcomed() {
		this.welcomed = true;
		if (this.greeting != null) {
			this.greeting.cancel(false);
		}
	}

	private void hello(ReceivedFrame frame) throws WireException {
		if (!(this.channel.localAddress() instanceof InetSocketAddress local)) {
			throw new WireException(Refusal.WRONG_INSTANCE, "the connection has ended");
		}
		Introduction.Welcome welcome = Introduction.answer(frame, this.server.identity().instanceId(),
				this.server.announced(local), this.server.options().maxFrameBytes(),
				this.server.options().compressedFromBytes() < Integer.MAX_VALUE);
		this.conversation.agreed(welcome.agreement(), this.server.options().compressedFromBytes());
		this.decoder.accept(this.server.options().limits());
		welcomed();
		write(welcome.frame());
		this.guard.begin(this.channel, this.server.loops().ticker(this.channel.eventLoop()));
	}

	/**
	 * Reads as long as there is room for calls without an answer, and the client takes
	 * its answers.
	 */
	private void read() {
		boolean reads = this.channel.isWritable()
				&& this.outstanding.get() <= this.server.options().maxOutstandingBytes();
		if (this.closing || reads == this.channel.config().isAutoRead()) {
			return;
		}
		if (reads) {
			this.guard.resume();
		}
		else {
			this.guard.pause();
		}
		this.channel.config().setAutoRead(reads);
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		if (this.topics != null) {
			this.topics.writabilityChanged();
		}
		else {
			read();
		}
		context.fireChannelWritabilityChanged();
	}

	@Override
	public boolean awaited() {
		return this.topics != null || this.outstanding.get() > 0;
	}

	@Override
	public void stalled(String text) {
		refuseAndClose(Refusal.STALLED, text);
	}

	@Override
	public void gone(String text) {
		this.closing = true;
		this.guard.end();
		this.server.metrics().refused(Refusal.STALLED, "the client %s %s".formatted(client(), text));
		// There is nobody to wait for.
		this.channel.pipeline().remove(LingeringClose.class);
		this.channel.close();
	}

	/** Hands a frame to a thread of the server. */
	private void accept(ReceivedFrame frame) {
		long held = frame.heldBytes();
		this.outstanding.addAndGet(held);
		read();
		// Counted first: a drain either sees this frame, or the frame sees the drain.
		CallThreads threads = this.server.threads();
		threads.began();
		ArrivedFrame arrived = this.conversation.arrived(frame);
		if (this.server.draining()) {
			answer(arrived, this.conversation.refusal(Refusal.SHUTTING_DOWN, "the server is shutting down", frame),
					held);
		}
		else if (!threads.execute(() -> answer(arrived, this.conversation.answer(arrived), held))) {
			answer(arrived, this.conversation.refusal(Refusal.CONNECTIONS, threads.exhausted(), frame), held);
		}
	}

	/**
	 * Sends an answer, and gives back what the call took once it is sent. A cancelled
	 * call holds all of it until its handler has ended, so that cancelling calls lets a
	 * client make no more of them.
	 * @param out the answer, {@code null} if nobody waits for it
	 */
	private void answer(ArrivedFrame arrived, @Nullable EncodeBuffer out, long requestHeld) {
		int size = (out != null) ? out.size() : 0;
		this.server.metrics().bytes().add(arrived.frame().size() + size);
		if (out == null) {
			this.conversation.ended(arrived);
			done(requestHeld);
			try {
				this.channel.eventLoop().execute(this::read);
			}
			catch (RejectedExecutionException ex) {
				// The event loops have ended, and with them the connection.
			}
			return;
		}
		this.outstanding.addAndGet(size);
		write(out).addListener((written) -> {
			if (written.isSuccess()) {
				this.conversation.ended(arrived);
			}
			done(requestHeld + size);
			read();
		});
	}

	private void done(long held) {
		this.outstanding.addAndGet(-held);
		this.server.threads().ended();
	}

	private void refuseAndClose(Refusal refusal, String text) {
		this.closing = true;
		this.guard.end();
		write(this.conversation.closing(refusal, text)).addListener(ChannelFutureListener.CLOSE);
		// The client may not take even that.
		this.channel.eventLoop().schedule(this::close, REFUSAL_MILLIS, TimeUnit.MILLISECONDS);
	}

	private ChannelFuture write(EncodeBuffer out) {
		return this.channel.writeAndFlush(Unpooled.wrappedBuffer(out.array(), 0, out.size()));
	}

	/** Says that no further call is executed. */
	void sayGoodbye() {
		this.channel.writeAndFlush(Unpooled.wrappedBuffer(Frames.goodbye()));
	}

	/**
	 * Asks the client for a new connection. Calls are answered until it has left this
	 * one, or the drain timeout has passed.
	 */
	void replace() {
		this.channel.eventLoop().execute(() -> {
			if (!this.welcomed) {
				this.channel.close();
				return;
			}
			EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
			FrameDescriptor.end(out, FrameDescriptor.begin(out), FrameType.GOODBYE);
			write(out);
			this.channel.eventLoop()
				.schedule(this::close, this.server.options().drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
		});
	}

	private String client() {
		return NetUtil.toSocketAddressString(this.remote);
	}

	/** Describes the client, for people. */
	Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("address", client());
		details.put("tls", this.tls.isEmpty() ? "no" : this.tls);
		details.put("subject", this.subject);
		details.put("outstandingBytes", this.outstanding.get());
		return details;
	}

	/**
	 * Ends the connection, and lets the client know which calls may have been executed.
	 * @return completes when the client has left, or two seconds later
	 */
	ChannelFuture close() {
		try {
			this.channel.eventLoop().execute(this::closeNow);
		}
		catch (RejectedExecutionException ex) {
			this.channel.close();
		}
		return this.channel.closeFuture();
	}

	/** Nothing that is read from now on is executed. */
	private void closeNow() {
		EncodeBuffer last = (this.welcomed && !this.closing && this.topics == null) ? this.conversation.last() : null;
		if (last == null) {
			this.channel.close();
			return;
		}
		this.closing = true;
		this.guard.end();
		write(last).addListener(ChannelFutureListener.CLOSE);
		// The client may not take even that.
		this.channel.eventLoop().schedule(this::close, REFUSAL_MILLIS, TimeUnit.MILLISECONDS);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		if (this.topics != null) {
			this.topics.end("closed the connection");
		}
		this.server.left(this);
		this.conversation.clientGone(this.server.threads()::run);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable why = (cause instanceof DecoderException && cause.getCause() != null) ? cause.getCause() : cause;
		if (why instanceof WireException ex) {
			if (this.closing) {
				return;
			}
			refuseAndClose(ex.refusal(), ex.text());
			return;
		}
		logger.debug("A connection broke: {}", why.toString());
		context.close();
	}

}
