package io.github.vicinal.transport.tcp;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Event loops of one side. */
final class EventLoops {

	private static final int MAX_THREADS = 4;

	private static final long SHUTDOWN_MILLIS = 2000;

	private static final int TLS_THREADS = 2;

	private static final long IDLE_SECONDS = 30;

	private final SocketIo io;

	private final EventLoopGroup group;

	private final ThreadPoolExecutor tls;

	private final Map<EventLoop, GuardTicker> tickers = new ConcurrentHashMap<>();

	private final long tickNanos;

	private final long sleepNanos;

	/**
	 * Creates event loops, whose threads begin with their first channel.
	 * @param name name of the threads
	 * @param options what reads and writes, and time limits of all connections
	 */
	EventLoops(String name, TcpOptions options) {
		this.tickNanos = ConnectionGuard.periodNanos(options);
		this.sleepNanos = ConnectionGuard.sleepNanos(options);
		this.io = options.io().resolve();
		int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
		this.group = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), this.io.handlers());
		this.tls = new ThreadPoolExecutor(TLS_THREADS, TLS_THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), new DefaultThreadFactory(name + "-tls", true));
		this.tls.allowCoreThreadTimeOut(true);
	}

	EventLoopGroup group() {
		return this.group;
	}

	Class<? extends Channel> client() {
		return this.io.client();
	}

	Class<? extends ServerChannel> server() {
		return this.io.server();
	}

	/** Returns the timer of the connections of an event loop. */
	GuardTicker ticker(EventLoop loop) {
		return this.tickers.computeIfAbsent(loop, (key) -> new GuardTicker(key, this.tickNanos, this.sleepNanos));
	}

	/**
	 * Returns the threads that check certificates and make keys, which may take long or
	 * block. Their queue is as long as there are connections.
	 */
	Executor tls() {
		return this.tls;
	}

	/** Ends the threads, and waits for that a while. */
	void close() {
		this.tls.shutdown();
		this.group.shutdownGracefully(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
			.awaitUninterruptibly(SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
	}

}
