package io.github.vicinal.transport.tcp;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * Closes a connection only after the other side has read what was sent to it, or after a
 * second. A socket that is closed with bytes that nobody has read resets the connection,
 * and the other side may lose the alert or the frame that says why. Used by one event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that is closed already needs no
												// more.
final class LingeringClose extends ChannelDuplexHandler {

	private static final long LINGER_MILLIS = 1000;

	private boolean closing;

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		if (this.closing || !context.channel().isActive() || !(context.channel() instanceof DuplexChannel duplex)) {
			context.close(promise);
			return;
		}
		this.closing = true;
		context.flush();
		var timer = context.executor().schedule(() -> context.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
		context.channel().closeFuture().addListener((closed) -> {
			timer.cancel(false);
			promise.trySuccess();
		});
		duplex.shutdownOutput();
		// The end of the other side's bytes closes the channel.
		context.channel().config().setAutoRead(true);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.closing) {
			ReferenceCountUtil.release(message);
			return;
		}
		context.fireChannelRead(message);
	}

}
