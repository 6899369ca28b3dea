package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import org.jspecify.annotations.Nullable;

/** Connects a client to servers, and begins TLS. Thread-safe. */
class Dialler {

	private final EventLoops loops;

	private final int timeoutMillis;

	private final @Nullable Tls tls;

	/**
	 * Creates a dialler.
	 * @param loops event loops of the connections
	 * @param options time to connect and to agree on TLS
	 * @param tls encrypts connections, {@code null} for plaintext
	 */
	Dialler(EventLoops loops, TcpOptions options, @Nullable Tls tls) {
		this.loops = loops;
		this.timeoutMillis = (int) Math.max(1, Math.min(options.handshakeTimeout().toMillis(), Integer.MAX_VALUE));
		this.tls = tls;
	}

	/**
	 * Begins to connect.
	 * @param address where to
	 * @param handlers receive what the server sends, decrypted
	 * @return the connection, which may still fail; TLS follows
	 */
	ChannelFuture dial(InetSocketAddress address, ChannelHandler... handlers) {
		Tls encrypting = this.tls;
		return new Bootstrap().group(this.loops.group())
			.channel(this.loops.client())
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.SO_KEEPALIVE, true)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, this.timeoutMillis)
			.handler(new ChannelInitializer<>() {

				@Override
				protected void initChannel(Channel created) {
					if (encrypting != null) {
						created.pipeline()
							.addLast(new RefusalBeforeTls(), encrypting.connecting(created, address,
									Dialler.this.loops.tls(), Dialler.this.timeoutMillis));
					}
					created.pipeline().addLast(handlers);
				}

			})
			.connect(address);
	}

	/** Returns the timer of the connections of the same event loop. */
	GuardTicker ticker(Channel channel) {
		return this.loops.ticker(channel.eventLoop());
	}

	/** Returns the number of times that the SSL bundle was reloaded. */
	int generation() {
		Tls encrypting = this.tls;
		return (encrypting != null) ? encrypting.generation() : 0;
	}

}
