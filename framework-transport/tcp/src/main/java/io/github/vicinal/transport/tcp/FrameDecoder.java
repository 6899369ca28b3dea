package io.github.vicinal.transport.tcp;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Cuts bytes into frames. A length is checked before anything is kept for it, and memory
 * grows with the bytes that have arrived, not with the length. Used by one event loop.
 */
final class FrameDecoder extends ByteToMessageDecoder {

	private static final int HELLO_BYTES = 4096;

	private WireLimits limits;

	/** The header of a frame whose body has not arrived as a whole. */
	private @Nullable FrameHeader header;

	private boolean broken;

	/** Whether a frame has begun to arrive that is not complete. */
	private boolean unfinished;

	/** Time at which that frame began to arrive, by the clock of the event loop. */
	private long unfinishedSince;

	/**
	 * Creates a decoder that accepts short frames only.
	 * @param limits what this side accepts after the handshake
	 */
	FrameDecoder(WireLimits limits) {
		this.limits = new WireLimits(HELLO_BYTES, limits.maxHeaders(), limits.maxHeaderBytes());
	}

	/** Accepts long frames, too: the other side is known. */
	void accept(WireLimits known) {
		this.limits = known;
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws WireException {
		if (this.broken) {
			in.skipBytes(in.readableBytes());
			return;
		}
		FrameHeader known = this.header;
		if (known == null) {
			if (in.readableBytes() < FrameDescriptor.HEADER_BYTES) {
				unfinished(context);
				return;
			}
			known = readHeader(in);
		}
		if (in.readableBytes() < known.length) {
			this.header = known;
			unfinished(context);
			return;
		}
		this.header = null;
		this.unfinished = false;
		byte[] body = new byte[known.length];
		in.readBytes(body);
		out.add(new ReceivedFrame(known, body));
	}

	private void unfinished(ChannelHandlerContext context) {
		if (!this.unfinished) {
			this.unfinished = true;
			this.unfinishedSince = context.executor().ticker().nanoTime();
		}
	}

	/** Returns whether a frame has begun to arrive that is not complete. */
	boolean isUnfinished() {
		return this.unfinished;
	}

	/** Returns how long a frame has been arriving, 0 if none is incomplete. */
	long unfinishedNanos(long now) {
		return this.unfinished ? now - this.unfinishedSince : 0;
	}

	/** Grants the rest of a frame its whole time: this side has not read meanwhile. */
	void resume(long now) {
		this.unfinishedSince = now;
	}

	private FrameHeader readHeader(ByteBuf in) throws WireException {
		ByteBuffer fixed = ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES);
		in.readBytes(fixed);
		FrameHeader read = new FrameHeader();
		try {
			FrameDescriptor.read(fixed.flip(), read, this.limits);
			return read;
		}
		catch (WireException ex) {
			// Where the next frame begins cannot be known.
			this.broken = true;
			throw ex;
		}
	}

}
