package io.github.vicinal.transport.tcp;

import java.util.Locale;

import io.github.vicinal.transport.wire.InvalidOptionException;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Reader and writer of sockets. The native ones need a library of Netty on the class
 * path, which an application adds if it wants one of them.
 *
 * @since 0.1.0
 */
public enum SocketIo {

	/**
	 * The first that can be used of {@link #EPOLL}, {@link #IO_URING} and {@link #NIO}.
	 */
	AUTO(null, NioSocketChannel.class, NioServerSocketChannel.class),

	/** Linux's epoll, by Netty's native library. */
	EPOLL("netty-transport-native-epoll", EpollSocketChannel.class, EpollServerSocketChannel.class),

	/**
	 * Linux's io_uring, by Netty's native library. Containers often may not use it.
	 */
	IO_URING("netty-transport-native-io_uring", IoUringSocketChannel.class, IoUringServerSocketChannel.class),

	/** The JDK's selector. */
	NIO(null, NioSocketChannel.class, NioServerSocketChannel.class);

	private final @Nullable String library;

	private final Class<? extends Channel> client;

	private final Class<? extends ServerChannel> server;

	SocketIo(@Nullable String library, Class<? extends Channel> client, Class<? extends ServerChannel> server) {
		this.library = library;
		this.client = client;
		this.server = server;
	}

	/**
	 * Returns what is used on this machine.
	 * @return any but {@link #AUTO}
	 * @throws InvalidOptionException if it cannot be used
	 */
	SocketIo resolve() {
		if (this == AUTO) {
			return (EPOLL.problem() == null) ? EPOLL : (IO_URING.problem() == null) ? IO_URING : NIO;
		}
		require(problem());
		return this;
	}

	void require(@Nullable Throwable problem) {
		InvalidOptionException.check(problem == null, "io",
				"auto, nio or one that can be used here: add %s with the classifier of the processor, on Linux (%s)"
					.formatted(this.library, problem),
				name().toLowerCase(Locale.ROOT).replace('_', '-'));
	}

	private @Nullable Throwable problem() {
		return switch (this) {
			case EPOLL -> Epoll.unavailabilityCause();
			case IO_URING -> IoUring.unavailabilityCause();
			default -> null;
		};
	}

	IoHandlerFactory handlers() {
		return switch (this) {
			case EPOLL -> EpollIoHandler.newFactory();
			case IO_URING -> IoUringIoHandler.newFactory();
			default -> NioIoHandler.newFactory();
		};
	}

	Class<? extends Channel> client() {
		return this.client;
	}

	Class<? extends ServerChannel> server() {
		return this.server;
	}

}
