package io.github.vicinal.transport.tcp;

import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * Remembers that a server refused a connection before TLS, because it has as many as it
 * may: to encrypt the refusal would cost it what the limit is to save. Nobody vouches for
 * these words. They do no more than to explain a handshake that has failed by them. Used
 * by one event loop.
 */
final class RefusalBeforeTls extends ChannelInboundHandlerAdapter {

	private static final AttributeKey<String> TEXT = AttributeKey.valueOf(RefusalBeforeTls.class, "text");

	private static final int MAX_BYTES = 4096;

	/** Returns what the server said, {@code null} if it did not refuse. */
	static @Nullable String text(Channel channel) {
		return channel.attr(TEXT).get();
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		context.pipeline().remove(this);
		String text = (message instanceof ByteBuf bytes) ? refusal(bytes) : null;
		if (text != null) {
			context.channel().attr(TEXT).set(text);
		}
		context.fireChannelRead(message);
	}

	/** The bytes stay as they are. */
	private static @Nullable String refusal(ByteBuf in) {
		int size = in.readableBytes();
		if (size < FrameDescriptor.HEADER_BYTES || in.getInt(in.readerIndex()) != FrameDescriptor.MAGIC) {
			return null;
		}
		byte[] frame = new byte[Math.min(size, MAX_BYTES)];
		in.getBytes(in.readerIndex(), frame);
		FrameHeader header = new FrameHeader();
		try {
			FrameDescriptor.read(frame, frame.length, header, new WireLimits(MAX_BYTES, 0, 0));
			if (header.type != FrameType.REFUSED || Refusal.of(header.code) != Refusal.CONNECTIONS) {
				return null;
			}
			return WireException.printable(header.payload(frame).readString());
		}
		catch (WireException ex) {
			return null;
		}
	}

}
