package io.github.vicinal.benchmarks.shm;

import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Netty over unix domain sockets, epoll where its native library loads and NIO elsewhere:
 * a connection for each caller, which parks until the event loop has its answer; a
 * message is its length and its bytes.
 */
final class NettyTransport implements Transport {

	private static final String FILE = "netty.sock";

	private static final int MAX_BYTES = (1 << 20) + 1024;

	static EventLoopGroup eventLoops() {
		IoHandlerFactory factory = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
		return new MultiThreadIoEventLoopGroup(factory);
	}

	static SocketAddress address(Path file) {
		return Epoll.isAvailable() ? new DomainSocketAddress(file.toFile()) : UnixDomainSocketAddress.of(file);
	}

	static Class<? extends Channel> channelType() {
		return Epoll.isAvailable() ? EpollDomainSocketChannel.class : NioDomainSocketChannel.class;
	}

	static Class<? extends ServerChannel> serverChannelType() {
		return Epoll.isAvailable() ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class;
	}

	@Override
	public AutoCloseable serve(Path directory) throws Exception {
		EventLoopGroup loops = eventLoops();
		new ServerBootstrap().group(loops).channel(serverChannelType()).childHandler(new ChannelInitializer<Channel>() {

			@Override
			protected void initChannel(Channel channel) {
				channel.pipeline().addLast(decoder(), new Echo());
			}

		}).bind(address(directory.resolve(FILE))).sync();
		return () -> loops.shutdownGracefully().sync();
	}

	/** Keeps the length, so that a request is also its answer. */
	private static LengthFieldBasedFrameDecoder decoder() {
		return new LengthFieldBasedFrameDecoder(MAX_BYTES, 0, Integer.BYTES);
	}

	@Override
	public Client connect(Path directory) {
		EventLoopGroup loops = eventLoops();
		List<Channel> channels = new CopyOnWriteArrayList<>();
		return new Client() {

			@Override
			public Caller caller(int number) throws Exception {
				NettyCaller caller = new NettyCaller();
				Channel channel = new Bootstrap().group(loops)
					.channel(channelType())
					.handler(new ChannelInitializer<Channel>() {

						@Override
						protected void initChannel(Channel made) {
							made.pipeline().addLast(decoder(), caller);
						}

					})
					.connect(address(directory.resolve(FILE)))
					.sync()
					.channel();
				channels.add(channel);
				return (body) -> caller.call(channel, body);
			}

			@Override
			public void close() throws Exception {
				for (Channel channel : channels) {
					channel.close().sync();
				}
				loops.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
			}

		};
	}

	private static final class Echo extends SimpleChannelInboundHandler<ByteBuf> {

		@Override
		@SuppressWarnings("FutureReturnValueIgnored")
		protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
			Work.run(message.getInt(message.readerIndex() + Integer.BYTES));
			context.writeAndFlush(message.retain(), context.voidPromise());
		}

	}

	private static final class NettyCaller extends SimpleChannelInboundHandler<ByteBuf> {

		private volatile @Nullable Thread waiting;

		private volatile int answered = -1;

		private byte[] answer = {};

		@SuppressWarnings("FutureReturnValueIgnored")
		int call(Channel channel, byte[] body) {
			this.answered = -1;
			this.waiting = Thread.currentThread();
			ByteBuf message = channel.alloc().directBuffer(Integer.BYTES + body.length);
			channel.writeAndFlush(message.writeInt(body.length).writeBytes(body), channel.voidPromise());
			int length = this.answered;
			while (length < 0) {
				LockSupport.park(this);
				length = this.answered;
			}
			return length;
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
			int length = message.skipBytes(Integer.BYTES).readableBytes();
			if (this.answer.length < length) {
				this.answer = new byte[length];
			}
			message.readBytes(this.answer, 0, length);
			this.answered = length;
			LockSupport.unpark(this.waiting);
		}

	}

}
