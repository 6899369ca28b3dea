package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.netty.bootstrap.Bootstrap;
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

/** The subscriber's end of a connection that carries a topic. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty notifies the listeners and closes
												// the
												// channel.
final class TopicClient extends SimpleChannelInboundHandler<ReceivedFrame> implements ConnectionGuard.Owner {

	private final TcpOptions options;

	private final FrameDecoder decoder;

	private final ConnectionGuard guard;

	private final String name;

	/** Written before the first frame. */
	private volatile @Nullable TopicChannel topics;

	private volatile @Nullable Channel channel;

	private TopicClient(TcpOptions options, String name) {
		this.options = options;
		this.name = name;
		this.decoder = new FrameDecoder(options.limits());
		this.guard = new ConnectionGuard(options, this.decoder, this, true);
	}

	/**
	 * Connects, and lets both sides prove who they are. Blocks for the handshake timeout
	 * at most.
	 * @param loops event loops
	 * @param options limits
	 * @param tls encrypts the connection
	 * @param handshakes counts handshakes that fail
	 * @param host name or address that the certificate must be for
	 * @param address where to connect to
	 */
	static TopicChannel open(EventLoops loops, TcpOptions options, Tls tls, HandshakeCounters handshakes, String host,
			InetSocketAddress address) throws IOException {
		String name = "the publisher at %s".formatted(NetUtil.toSocketAddressString(address));
		TopicClient client = new TopicClient(options, name);
		int millis = (int) Math.min(options.handshakeTimeout().toMillis(), Integer.MAX_VALUE);
		long deadline = System.nanoTime() + options.handshakeTimeout().toNanos();
		ChannelFuture connected = new Bootstrap().group(loops.group())
			.channel(loops.client())
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.SO_KEEPALIVE, true)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.max(1, millis))
			.handler(new ChannelInitializer<>() {

				@Override
				protected void initChannel(Channel created) {
					created.pipeline()
						.addLast(new RefusalBeforeTls(),
								tls.connecting(created, host, address.getPort(), loops.tls(), millis), client.guard,
								client.decoder, client);
				}

			})
			.connect(address)
			.awaitUninterruptibly();
		if (!connected.isSuccess()) {
			throw new IOException("cannot connect to %s: %s".formatted(name, connected.cause()), connected.cause());
		}
		Channel opened = connected.channel();
		boolean done = false;
		try {
			TopicChannel made = client.encrypted(opened, loops.ticker(opened.eventLoop()), tls, handshakes, deadline);
			done = true;
			return made;
		}
		finally {
			if (!done) {
				opened.close();
			}
		}
	}

	private TopicChannel encrypted(Channel opened, GuardTicker ticker, Tls tls, HandshakeCounters handshakes,
			long deadline) throws IOException {
		SslHandler handler = Objects.requireNonNull(Tls.handler(opened));
		Future<Channel> handshake = handler.handshakeFuture();
		handshake.awaitUninterruptibly(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
		HandshakeFailure failure;
		if (!handshake.isDone()) {
			failure = new HandshakeFailure(HandshakeFailure.Kind.TIMEOUT, false,
					"vicinal.tcp.handshake-timeout is %d ms".formatted(this.options.handshakeTimeout().toMillis()));
		}
		else {
			failure = handshake.isSuccess() ? HandshakeFailure.expired(handler.engine().getSession())
					: HandshakeFailure.of(handshake.cause());
		}
		String refusal = RefusalBeforeTls.text(opened);
		if (failure != null && refusal != null) {
			throw new IOException("%s refused the connection: %s".formatted(this.name, refusal));
		}
		if (failure != null) {
			String text = failure.toClient(this.name, tls.bundle());
			handshakes.count(failure.kind(), text);
			throw new IOException(text);
		}
		TopicChannel made = new TopicChannel(opened, this.guard, this.options.maxFrameBytes(),
				"%s (%s)".formatted(NetUtil.toSocketAddressString((InetSocketAddress) opened.remoteAddress()),
						HandshakeFailure.subject(handler.engine().getSession())));
		this.channel = opened;
		this.topics = made;
		opened.eventLoop().execute(() -> {
			this.decoder.accept(this.options.limits());
			this.guard.begin(opened, ticker);
			if (!opened.isActive()) {
				made.end("closed the connection");
			}
		});
		return made;
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ReceivedFrame frame) throws WireException {
		FrameType type = frame.header().type;
		TopicChannel known = this.topics;
		switch (type) {
			case TOPIC -> {
				if (known == null) {
					throw new WireException(Refusal.MALFORMED, "an answer before a question");
				}
				known.received(frame.bytes());
			}
			case PING -> this.guard.pong(context.channel());
			case PONG -> {
				// The guard has seen it.
			}
			case REFUSED -> end("refused: " + WireException.printable(frame.payload().readString()));
			case GOODBYE -> {
				// A server that shuts down still sends what was published.
				if (frame.header().code != Refusal.SHUTTING_DOWN.number()) {
					end("asks for a new connection");
				}
			}
			default ->
				throw new WireException(Refusal.MALFORMED, "a frame of type %s has no place here".formatted(type));
		}
	}

	private void end(String why) {
		TopicChannel known = this.topics;
		if (known != null) {
			known.end(why);
		}
		Channel open = this.channel;
		if (open != null) {
			open.close();
		}
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		TopicChannel known = this.topics;
		if (known != null) {
			known.writabilityChanged();
		}
		context.fireChannelWritabilityChanged();
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end("closed the connection");
	}

	@Override
	public boolean awaited() {
		return true;
	}

	@Override
	public void stalled(String text) {
		gone("is left, because " + text);
	}

	@Override
	public void gone(String text) {
		this.guard.end();
		end(text);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable why = (cause instanceof DecoderException && cause.getCause() != null) ? cause.getCause() : cause;
		end((why instanceof WireException ex) ? "sent what it must not: " + ex.text() : "broke off: " + why);
		context.close();
	}

}
