package io.github.vicinal.benchmarks.overload;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests at times that do not depend on the answers, all on one thread, so
 * that little of the processors is taken from the server. A request goes out up to a
 * millisecond after it was due, from when response times count. Each stream of requests
 * has its own rate and its own figures.
 */
final class OpenLoopClient {

	private static final int BUFFER = 8192;

	private static final int OK = 200;

	private static final int REJECTED = 503;

	/** The last seven bytes of a body in chunks: a line's end, and an empty chunk. */
	private static final long LAST_CHUNK = 0x0D_0A_30_0D_0A_0D_0AL;

	private static final long LAST_CHUNK_MASK = 0xFF_FF_FF_FF_FF_FF_FFL;

	/** Connections begin to be refused by the kernel's own limits beyond that. */
	private static final int MOST_CONNECTIONS = 16_000;

	private final int port;

	private final List<Stream> streams = new ArrayList<>();

	private final Deque<Connection> idle = new ArrayDeque<>();

	private final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER);

	private int connections;

	OpenLoopClient(int port) {
		this.port = port;
	}

	/** One kind of request and its outcomes, after the warm-up. */
	static final class Stream {

		private final byte[] request;

		private final double perSecond;

		private final Random random;

		final Histogram answered = new Histogram(TimeUnit.MINUTES.toNanos(5), 3);

		final Histogram rejected = new Histogram(TimeUnit.MINUTES.toNanos(5), 3);

		/** Answers of requests that ended within the time, whenever they were due. */
		long inTime;

		long sent;

		long failed;

		private double due;

		Stream(String path, double perSecond, long seed) {
			this.request = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path)
				.getBytes(StandardCharsets.ISO_8859_1);
			this.perSecond = perSecond;
			this.random = new Random(seed);
			next();
		}

		private void next() {
			this.due += -Math.log(1 - this.random.nextDouble()) / this.perSecond * TimeUnit.SECONDS.toNanos(1);
		}

	}

	/** One request that has been sent. */
	private record Sent(Stream stream, long due, boolean counts) {
	}

	/** A connection that carries one request at a time. */
	private static final class Connection {

		static final long HEAD = -1;

		static final long CHUNKS = -2;

		final SocketChannel channel;

		@Nullable Sent sent;

		@Nullable ByteBuffer output;

		final StringBuilder head = new StringBuilder();

		int status;

		/**
		 * Bytes of the body that have still to come, {@link #HEAD} while the head is
		 * read, or {@link #CHUNKS} until the last chunk.
		 */
		long left = HEAD;

		/** The latest bytes of a body in chunks. */
		long latest;

		/** Whether the server ends the connection after this answer. */
		boolean closes;

		Connection(SocketChannel channel) {
			this.channel = channel;
		}

	}

	Stream stream(String path, double perSecond) {
		Stream stream = new Stream(path, perSecond, this.streams.size() + 1L);
		this.streams.add(stream);
		return stream;
	}

	/**
	 * Sends, and waits for what is on its way for a while.
	 * @param warmNanos for how long what is sent does not count
	 * @param nanos for how long it counts
	 * @param drainNanos how long to wait for the last answers
	 * @return the processors that this took, 1 at most
	 */
	double run(long warmNanos, long nanos, long drainNanos) throws IOException {
		PriorityQueue<Stream> next = new PriorityQueue<>(Comparator.comparingDouble((Stream stream) -> stream.due));
		next.addAll(this.streams);
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		long used = threads.getCurrentThreadCpuTime();
		long start = System.nanoTime();
		long from = start + warmNanos;
		long until = from + nanos;
		int open = 0;
		try (Selector selector = Selector.open()) {
			while (true) {
				long now = System.nanoTime();
				Stream first = next.peek();
				while (first != null && first.due <= now - start) {
					next.poll();
					long due = start + (long) first.due;
					send(selector, new Sent(first, due, due - from >= 0));
					first.next();
					if (first.due < warmNanos + nanos) {
						next.add(first);
					}
					first = next.peek();
				}
				open = selector.keys().size() - this.idle.size();
				if (first == null && (open == 0 || now - until > drainNanos)) {
					break;
				}
				long wait = (first != null) ? start + (long) first.due - now : TimeUnit.MILLISECONDS.toNanos(10);
				// A shorter wait would be a loop that takes a processor from the server.
				selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait)));
				for (SelectionKey key : selector.selectedKeys()) {
					ready(key, from, until);
				}
				selector.selectedKeys().clear();
			}
			for (SelectionKey key : selector.keys()) {
				if (key.attachment() instanceof Connection connection && connection.sent != null) {
					fail(connection.sent);
				}
				key.channel().close();
			}
		}
		return (double) (threads.getCurrentThreadCpuTime() - used) / (System.nanoTime() - start);
	}

	private static void fail(Sent sent) {
		if (sent.counts()) {
			sent.stream().failed++;
		}
	}

	private void send(Selector selector, Sent sent) {
		if (sent.counts()) {
			sent.stream().sent++;
		}
		Connection connection = this.idle.pollLast();
		try {
			if (connection == null) {
				if (this.connections >= MOST_CONNECTIONS) {
					fail(sent);
					return;
				}
				SocketChannel channel = SocketChannel.open();
				channel.configureBlocking(false);
				channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
				boolean connected = channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port));
				connection = new Connection(channel);
				this.connections++;
				channel.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, connection);
			}
			connection.sent = sent;
			connection.output = ByteBuffer.wrap(sent.stream().request);
			if (connection.channel.isConnected()) {
				write(connection);
			}
		}
		catch (IOException ex) {
			lost(connection, sent);
		}
	}

	private void lost(@Nullable Connection connection, @Nullable Sent sent) {
		if (sent != null) {
			fail(sent);
		}
		if (connection != null) {
			this.connections--;
			try {
				connection.channel.close();
			}
			catch (IOException ex) {
				// It is of no use any more in either case.
			}
		}
	}

	/** Requests are so short that they fit into the kernel's buffer. */
	private static void write(Connection connection) throws IOException {
		ByteBuffer output = connection.output;
		connection.output = null;
		if (output != null && connection.channel.write(output) >= 0 && output.hasRemaining()) {
			throw new IOException("A request of %d bytes does not fit".formatted(output.capacity()));
		}
	}

	private void ready(SelectionKey key, long from, long until) {
		Connection connection = (Connection) key.attachment();
		try {
			if (key.isConnectable()) {
				connection.channel.finishConnect();
				key.interestOps(SelectionKey.OP_READ);
				write(connection);
			}
			if (key.isReadable()) {
				read(connection, from, until);
			}
		}
		catch (IOException ex) {
			key.cancel();
			this.idle.remove(connection);
			lost(connection, connection.sent);
		}
	}

	private void read(Connection connection, long from, long until) throws IOException {
		this.input.clear();
		int count = connection.channel.read(this.input);
		if (count < 0) {
			throw new IOException("closed");
		}
		this.input.flip();
		while (this.input.hasRemaining() && connection.left == Connection.HEAD) {
			connection.head.append((char) (this.input.get() & 0xFF));
			int length = connection.head.length();
			if (length >= 4 && connection.head.charAt(length - 1) == '\n'
					&& connection.head.charAt(length - 3) == '\n') {
				head(connection);
			}
		}
		if (connection.left == Connection.CHUNKS) {
			while (this.input.hasRemaining()) {
				connection.latest = ((connection.latest << Byte.SIZE) | (this.input.get() & 0xFF)) & LAST_CHUNK_MASK;
			}
			if (connection.latest == LAST_CHUNK) {
				answered(connection, from, until);
			}
		}
		else if (connection.left >= 0) {
			connection.left -= this.input.remaining();
			if (connection.left <= 0) {
				answered(connection, from, until);
			}
		}
	}

	private static void head(Connection connection) {
		String head = connection.head.toString();
		connection.head.setLength(0);
		connection.status = Integer.parseInt(head.substring(9, 12));
		String lower = head.toLowerCase(Locale.ROOT);
		connection.closes = lower.contains("\r\nconnection: close");
		int at = lower.indexOf("content-length:");
		if (at >= 0) {
			int end = lower.indexOf('\r', at);
			connection.left = Long.parseLong(lower.substring(at + "content-length:".length(), end).strip());
		}
		else if (lower.contains("transfer-encoding: chunked")) {
			connection.left = Connection.CHUNKS;
			connection.latest = 0;
		}
		else {
			connection.left = 0;
		}
	}

	/** Tomcat ends the connection of each request that it answers with 503. */
	private void answered(Connection connection, long from, long until) {
		Sent sent = connection.sent;
		connection.sent = null;
		connection.left = Connection.HEAD;
		if (connection.closes) {
			lost(connection, null);
		}
		else {
			this.idle.addLast(connection);
		}
		if (sent == null) {
			return;
		}
		long now = System.nanoTime();
		long took = Math.max(0, now - sent.due());
		Stream stream = sent.stream();
		if (connection.status == OK) {
			stream.inTime += (now - from >= 0 && now - until < 0) ? 1 : 0;
		}
		if (sent.counts()) {
			switch (connection.status) {
				case OK -> stream.answered.recordValue(took);
				case REJECTED -> stream.rejected.recordValue(took);
				default -> stream.failed++;
			}
		}
	}

}
