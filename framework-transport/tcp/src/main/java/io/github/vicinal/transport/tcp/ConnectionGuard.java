package io.github.vicinal.transport.tcp;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Watches one connection after its handshake: asks a silent peer whether it is still
 * there, and reports a peer that does not answer, a frame that does not arrive as a
 * whole, and bytes that the peer does not take. Used by one event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Writes that fail end the connection.
final class ConnectionGuard extends ChannelInboundHandlerAdapter implements GuardTicker.Guard {

	/** Deadlines are kept to this part of the shortest of them. */
	private static final int PRECISION = 4;

	/**
	 * Multiple of the ping interval after which a connection is asked that nobody waits
	 * for. A peer that is gone costs a place meanwhile; asking it costs each of thousands
	 * of idle connections a wake-up on both sides.
	 */
	static final int IDLE_INTERVALS = 4;

	private final TcpOptions options;

	private final FrameDecoder decoder;

	private final Owner owner;

	private final boolean watchesWrites;

	/** There once the connection is watched. */
	private volatile @Nullable GuardTicker ticker;

	private @Nullable Channel channel;

	private long lastTick;

	private long lastRead;

	private long lastPing;

	/** Whether nothing has arrived since the last ping. */
	private boolean pinged;

	/** Whether this side does not read at present. */
	private boolean paused;

	/** Whether a ping or its answer waits to be sent. */
	private boolean pingUnsent;

	private boolean pongUnsent;

	/** The message that the kernel takes next, and how much of it the kernel has. */
	private @Nullable Object head;

	private long headProgress;

	private long lastWrite;

	/**
	 * Creates a guard that does nothing before {@link #begin}.
	 * @param options time limits
	 * @param decoder the decoder of the connection
	 * @param owner the connection
	 * @param watchesWrites whether the peer always reads, so that it is at fault if it
	 * takes no bytes
	 */
	ConnectionGuard(TcpOptions options, FrameDecoder decoder, Owner owner, boolean watchesWrites) {
		this.options = options;
		this.decoder = decoder;
		this.owner = owner;
		this.watchesWrites = watchesWrites;
	}

	/** Returns how often a guard looks at its connection. */
	static long periodNanos(TcpOptions options) {
		long shortest = Math.min(options.frameTimeout().toNanos(),
				Math.min(options.pingInterval().toNanos(), options.pingTimeout().toNanos()));
		return shortest / PRECISION;
	}

	/** Begins to watch. The peer is known by now. */
	void begin(Channel channel, GuardTicker ticker) {
		if (this.ticker != null || !channel.isActive()) {
			return;
		}
		this.channel = channel;
		long now = System.nanoTime();
		this.lastTick = now;
		this.lastRead = now;
		this.lastWrite = now;
		this.ticker = ticker;
		ticker.add(this);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		this.lastRead = System.nanoTime();
		this.pinged = false;
		context.fireChannelRead(message);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end();
		context.fireChannelInactive();
	}

	/** Ends watching. */
	void end() {
		GuardTicker ticking = this.ticker;
		if (ticking != null) {
			ticking.remove(this);
		}
	}

	/** This side stops to read: silence is not the peer's fault. */
	void pause() {
		this.paused = true;
		this.pinged = false;
	}

	/** This side reads again. */
	void resume() {
		this.paused = false;
		restart(System.nanoTime());
	}

	private void restart(long now) {
		this.lastRead = now;
		this.lastPing = now;
		this.lastWrite = now;
		this.decoder.resume(now);
	}

	@Override
	public void tick(long now) {
		Channel channel = this.channel;
		GuardTicker ticking = this.ticker;
		if (channel == null || ticking == null) {
			return;
		}
		if (now - this.lastTick > 2 * ticking.periodNanos()) {
			// This process was suspended, and has not read what has arrived meanwhile.
			restart(now);
		}
		this.lastTick = now;
		if (this.watchesWrites && now - lastWrite(channel, now) >= this.options.frameTimeout().toNanos()) {
			this.owner.gone("took no bytes for %d ms".formatted(this.options.frameTimeout().toMillis()));
		}
		else if (this.paused) {
			// The peer may wait for an answer to a ping that is not read.
			long interval = Math.min(this.options.pingInterval().toNanos(), this.options.pingTimeout().toNanos()) / 2;
			if (now - this.lastPing >= interval) {
				ping(channel, now);
			}
		}
		else if (this.decoder.unfinishedNanos(now) >= this.options.frameTimeout().toNanos()) {
			this.owner.stalled("the rest of a frame did not arrive within %d ms"
				.formatted(this.options.frameTimeout().toMillis()));
		}
		else if (this.pinged) {
			if (now - this.lastPing >= this.options.pingTimeout().toNanos()) {
				this.owner.gone("did not answer a ping within %d ms".formatted(this.options.pingTimeout().toMillis()));
			}
		}
		else if (now - this.lastRead >= interval()) {
			this.pinged = true;
			ping(channel, now);
		}
	}

	/** Returns the silence after which the peer is asked, in nanoseconds. */
	private long interval() {
		return this.options.pingInterval().toNanos() * (this.owner.awaited() ? 1 : IDLE_INTERVALS);
	}

	/** Returns when the kernel last took bytes, or had nothing to take. */
	private long lastWrite(Channel channel, long now) {
		ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
		Object next = (waiting != null) ? waiting.current() : null;
		long progress = (waiting != null && next != null) ? waiting.currentProgress() : 0;
		if (next == null || next != this.head || progress != this.headProgress) {
			this.head = next;
			this.headProgress = progress;
			this.lastWrite = now;
		}
		return this.lastWrite;
	}

	private void ping(Channel channel, long now) {
		this.lastPing = now;
		if (!this.pingUnsent) {
			this.pingUnsent = true;
			channel.writeAndFlush(Unpooled.wrappedBuffer(frame(FrameType.PING)))
				.addListener((written) -> this.pingUnsent = false);
		}
	}

	/**
	 * Answers a ping. One answer waits to be sent at most: a peer that asks faster than
	 * it reads takes no memory.
	 */
	void pong(Channel channel) {
		if (!this.pongUnsent) {
			this.pongUnsent = true;
			channel.writeAndFlush(Unpooled.wrappedBuffer(frame(FrameType.PONG)))
				.addListener((written) -> this.pongUnsent = false);
		}
	}

	private static byte[] frame(FrameType type) {
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		FrameDescriptor.end(out, FrameDescriptor.begin(out), type);
		return out.array();
	}

	/** The connection that is watched. */
	interface Owner {

		/** Returns whether somebody waits for what the connection brings. */
		boolean awaited();

		/** The peer did not send the rest of a frame in time. */
		void stalled(String text);

		/** The peer cannot be reached. */
		void gone(String text);

	}

}
