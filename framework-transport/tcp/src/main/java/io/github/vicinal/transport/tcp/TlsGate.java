package io.github.vicinal.transport.tcp;

import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;

/**
 * Checks the first bytes that a client sends to a port with TLS. A client that speaks
 * plaintext gets a frame that says so, and its connection is closed. Used by one event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty notifies the listeners and closes
												// the
												// channel.
final class TlsGate extends ByteToMessageDecoder {

	/** Length of the header of a TLS record. */
	private static final int RECORD_BYTES = 5;

	private final Supplier<SslHandler> tls;

	private final Runnable refused;

	private boolean closing;

	/**
	 * Creates a gate.
	 * @param tls makes the handler that takes over from the gate
	 * @param refused called when the client speaks plaintext
	 */
	TlsGate(Supplier<SslHandler> tls, Runnable refused) {
		this.tls = tls;
		this.refused = refused;
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
		if (this.closing) {
			in.skipBytes(in.readableBytes());
			return;
		}
		if (in.readableBytes() < RECORD_BYTES) {
			return;
		}
		if (SslHandler.isEncrypted(in, false)) {
			context.pipeline().replace(this, "tls", this.tls.get());
			return;
		}
		this.closing = true;
		in.skipBytes(in.readableBytes());
		this.refused.run();
		context
			.writeAndFlush(Unpooled.wrappedBuffer(Frames.refused(Refusal.MALFORMED,
					"this port speaks TLS only; set vicinal.tcp.ssl.bundle at the client")))
			.addListener(ChannelFutureListener.CLOSE);
	}

}
