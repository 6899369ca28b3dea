package io.github.vicinal.transport.tcp;

import io.github.vicinal.transport.wire.AcceptorBackOff;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.Logger;

/**
 * Says once a minute why connections cannot be accepted. Without it, Netty logs a warning
 * with a stack trace each second. It is the last handler of the listening channel: the
 * one before it waits a second after each failure.
 */
final class AcceptFailures extends ChannelInboundHandlerAdapter {

	private final AcceptorBackOff backOff;

	AcceptFailures(Logger logger) {
		this.backOff = new AcceptorBackOff(logger);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		this.backOff.failed(cause, System.nanoTime());
	}

}
