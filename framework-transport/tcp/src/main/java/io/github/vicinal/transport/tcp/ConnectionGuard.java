package io.github.vicinal.transport.tcp;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * Watches one connection after its handshake: asks a silent peer whether it is still
 * there, and reports a peer that does not answer, a frame that does not arrive as a
 * whole, and bytes that the peer does not take. Sleeps while there is nothing of that,
 * until the next frame or the next ping. Used by one event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Writes that fail end the connection.
final class ConnectionGuard extends ChannelDuplexHandler implements GuardTicker.Guard {

	/** Deadlines are kept to this part of the shortest of them. */
	private static final int PRECISION = 4;

	/**
	 * Multiple of the ping interval after which a connection is asked that nobody waits
	 * for. A peer that is gone costs a place meanwhile; asking it costs each of thousands
	 * of idle connections a wake-up on both sides.
	 */
	static final int IDLE_INTERVALS = 4;

	/**
	 * Periods since the last tick or frame. If there are more, the process was suspended,
	 * or the peer has been silent.
	 */
	private static final int RECENT_PERIODS = 2;

	private final TcpOptions options;

	private final long frameTimeoutNanos;

	private final long pingIntervalNanos;

	private final long pingTimeoutNanos;

	private final FrameDecoder decoder;

	private final Owner owner;

	private final boolean watchesWrites;

	/** There once the connection is watched. */
	private volatile GuardTicker.@Nullable Entry entry;

	private @Nullable Channel channel;

	private long periodNanos;

	private long lastTick;

	/** Whether the guard has slept since the last tick. */
	private boolean slept;

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
		this.frameTimeoutNanos = options.frameTimeout().toNanos();
		this.pingIntervalNanos = options.pingInterval().toNanos();
		this.pingTimeoutNanos = options.pingTimeout().toNanos();
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

	/**
	 * Returns how long a guard sleeps that nothing wakes, so that it is in time to ask.
	 */
	static long sleepNanos(TcpOptions options) {
		return IDLE_INTERVALS * options.pingInterval().toNanos() - RECENT_PERIODS * periodNanos(options);
	}

	/** Begins to watch. The peer is known by now. */
	void begin(Channel channel, GuardTicker ticker) {
		if (this.entry != null || !channel.isActive()) {
			return;
		}
		this.channel = channel;
		long now = ticker.nanoTime();
		this.lastTick = now;
		this.lastRead = now;
		this.lastWrite = now;
		this.periodNanos = ticker.periodNanos();
		this.entry = ticker.add(this);
	}

	/** Something has begun that has a deadline. */
	private void wake() {
		GuardTicker.Entry watched = this.entry;
		if (watched != null && watched.isAsleep()) {
			this.slept = false;
			this.lastTick = watched.nanoTime();
			watched.wake();
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		wake();
		this.lastRead = context.executor().ticker().nanoTime();
		this.pinged = false;
		context.fireChannelRead(message);
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		wake();
		context.write(message, promise);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end();
		context.fireChannelInactive();
	}

	/** Ends watching. */
	void end() {
		GuardTicker.Entry watched = this.entry;
		if (watched != null) {
			watched.remove();
		}
	}

	/** This side stops to read: silence is not the peer's fault. */
	void pause() {
		wake();
		this.paused = true;
		this.pinged = false;
	}

	/** This side reads again. */
	void resume() {
		this.paused = false;
		GuardTicker.Entry watched = this.entry;
		if (watched != null) {
			restart(watched.nanoTime());
		}
	}

	private void restart(long now) {
		this.lastRead = now;
		this.lastPing = now;
		this.lastWrite = now;
		this.decoder.resume(now);
	}

	@Override
	public boolean tick(long now) {
		Channel channel = this.channel;
		if (channel == null) {
			return false;
		}
		if (now - this.lastTick > RECENT_PERIODS * this.periodNanos && !this.slept) {
			// This process was suspended, and has not read what has arrived meanwhile.
			restart(now);
		}
		this.lastTick = now;
		this.slept = check(channel, now);
		return this.slept;
	}

	/** Returns whether there is no deadline but that of the next ping. */
	private boolean check(Channel channel, long now) {
		if (this.watchesWrites && now - lastWrite(channel, now) >= this.frameTimeoutNanos) {
			this.owner.gone("took no bytes for %d ms".formatted(this.options.frameTimeout().toMillis()));
			return false;
		}
		if (this.paused) {
			// The peer may wait for an answer to a ping that is not read.
			if (now - this.lastPing >= Math.min(this.pingIntervalNanos, this.pingTimeoutNanos) / 2) {
				ping(channel, now);
			}
			return false;
		}
		if (this.decoder.unfinishedNanos(now) >= this.frameTimeoutNanos) {
			this.owner.stalled("the rest of a frame did not arrive within %d ms"
				.formatted(this.options.frameTimeout().toMillis()));
			return false;
		}
		if (this.pinged) {
			if (now - this.lastPing >= this.pingTimeoutNanos) {
				this.owner.gone("did not answer a ping within %d ms".formatted(this.options.pingTimeout().toMillis()));
			}
			return false;
		}
		boolean awaited = this.owner.awaited();
		long silence = now - this.lastRead;
		if (silence >= this.pingIntervalNanos * (awaited ? 1 : IDLE_INTERVALS)) {
			this.pinged = true;
			ping(channel, now);
			return false;
		}
		return silence <= RECENT_PERIODS * this.periodNanos && !awaited && this.head == null
				&& !this.decoder.isUnfinished();
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
