package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections with TLS to where peers are said to listen, opened while the first HTTP
 * request to such a peer is under way. They carry nothing: the client says HELLO only
 * after the peer has announced itself, and if the path may be taken. A connection that is
 * not taken soon is closed. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners and the timer see the result.
final class ConnectionsAhead {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionsAhead.class);

	/** Maximum number of connections that wait. */
	static final int MAX_WAITING = 64;

	private final Dialler dialler;

	private final long waitMillis;

	/** By address. Guarded by this. */
	private final Map<InetSocketAddress, Ahead> waiting = new HashMap<>();

	/** Guarded by this. */
	private boolean closed;

	/**
	 * Creates an empty set.
	 * @param dialler connects
	 * @param options time in which a server expects HELLO: connections wait for half of
	 * it
	 */
	ConnectionsAhead(Dialler dialler, TcpOptions options) {
		this.dialler = dialler;
		this.waitMillis = options.handshakeTimeout().toMillis() / 2;
	}

	/** Begins to open a connection, unless one is waiting. */
	synchronized void open(InetSocketAddress address) {
		if (this.closed || this.waiting.size() >= MAX_WAITING || this.waiting.containsKey(address)) {
			return;
		}
		Ahead made = new Ahead(this.dialler.generation(), this.dialler.dial(address, new Silence()));
		if (made.connected.isDone() && !made.connected.isSuccess()) {
			// Without a file descriptor there is no channel that would end later.
			return;
		}
		this.waiting.put(address, made);
		made.connected.channel().closeFuture().addListener((ended) -> remove(address, made));
		try {
			made.connected.channel().eventLoop().schedule(() -> {
				if (remove(address, made)) {
					made.connected.channel().close();
				}
			}, this.waitMillis, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException | IllegalStateException ex) {
			// The event loops have ended, and with them the connection, or it has none.
			remove(address, made);
		}
	}

	private synchronized boolean remove(InetSocketAddress address, Ahead ended) {
		return this.waiting.remove(address, ended);
	}

	/**
	 * Takes a connection.
	 * @param address where to
	 * @return a connection that is open, or is being opened; {@code null} if there is
	 * none. Its TLS is that of now
	 */
	@Nullable ChannelFuture take(InetSocketAddress address) {
		Ahead known;
		synchronized (this) {
			known = this.waiting.remove(address);
		}
		if (known == null) {
			return null;
		}
		boolean failed = known.connected.isDone() && !known.connected.channel().isActive();
		if (failed || known.generation != this.dialler.generation()) {
			known.connected.channel().close();
			return null;
		}
		return known.connected;
	}

	/**
	 * Gives a connection to those that speak on it.
	 * @param taken what {@link #take} returned, once it is connected
	 * @param handlers receive what the server sends from now on
	 * @return {@code false} if the connection has ended
	 */
	static boolean handOver(Channel taken, ChannelHandler... handlers) {
		return taken.eventLoop().submit(() -> {
			// Those of a connection that has ended are gone.
			taken.pipeline().remove(Silence.class);
			taken.pipeline().addLast(handlers);
		}).awaitUninterruptibly().isSuccess();
	}

	/** Closes all that wait, and opens no more. */
	void close() {
		List<Ahead> left;
		synchronized (this) {
			this.closed = true;
			left = List.copyOf(this.waiting.values());
			this.waiting.clear();
		}
		left.forEach((one) -> one.connected.channel().close());
	}

	/**
	 * Takes the place of the client while a connection waits. A server that speaks before
	 * it is spoken to is left.
	 */
	private static final class Silence extends ChannelInboundHandlerAdapter {

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			ReferenceCountUtil.release(message);
			context.close();
		}

		@Override
		public void userEventTriggered(ChannelHandlerContext context, Object event) {
			// TLS has begun or failed, which the client looks up.
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			logger.debug("A connection ahead failed: {}", cause.toString());
			context.close();
		}

	}

	/**
	 * A connection that waits.
	 *
	 * @param generation number of the SSL bundle's reloads before
	 * @param connected the connection
	 */
	private record Ahead(int generation, ChannelFuture connected) {
	}

}
