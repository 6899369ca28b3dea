package io.github.vicinal.benchmarks.shm;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * The JDK's blocking unix domain sockets, a connection for each caller and a thread for
 * each connection; a message is its length and its bytes, written at once.
 */
final class SocketTransport implements Transport {

	private static final String FILE = "jdk.sock";

	private static final int BUFFER_BYTES = (1 << 20) + 1024;

	@Override
	public AutoCloseable serve(Path directory) throws IOException {
		ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
		listener.bind(UnixDomainSocketAddress.of(directory.resolve(FILE)));
		daemon("uds-accept", () -> {
			while (true) {
				SocketChannel channel = listener.accept();
				daemon("uds-echo", () -> echo(channel));
			}
		});
		return listener;
	}

	private static void daemon(String name, Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// The other side has gone.
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static void echo(SocketChannel channel) throws IOException {
		ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
		while (true) {
			receive(channel, buffer);
			Work.run(buffer.getInt(Integer.BYTES));
			send(channel, buffer);
		}
	}

	/** Reads one message and leaves the buffer as it is to be sent. */
	private static void receive(SocketChannel channel, ByteBuffer buffer) throws IOException {
		buffer.clear();
		int missing = Integer.BYTES;
		while (buffer.position() < missing || buffer.position() < (missing = Integer.BYTES + buffer.getInt(0))) {
			if (channel.read(buffer) < 0) {
				throw new EOFException();
			}
		}
		buffer.flip();
	}

	private static void send(SocketChannel channel, ByteBuffer buffer) throws IOException {
		while (buffer.hasRemaining()) {
			channel.write(buffer);
		}
	}

	@Override
	public Client connect(Path directory) {
		return new SocketClient(UnixDomainSocketAddress.of(directory.resolve(FILE)));
	}

	private static final class SocketClient implements Client {

		private final UnixDomainSocketAddress address;

		private final java.util.List<SocketChannel> channels = new java.util.concurrent.CopyOnWriteArrayList<>();

		SocketClient(UnixDomainSocketAddress address) {
			this.address = address;
		}

		@Override
		public Caller caller(int number) throws IOException {
			SocketChannel channel = SocketChannel.open(this.address);
			this.channels.add(channel);
			ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
			return (body) -> {
				buffer.clear().putInt(body.length).put(body).flip();
				send(channel, buffer);
				receive(channel, buffer);
				return buffer.remaining() - Integer.BYTES;
			};
		}

		@Override
		public void close() throws IOException {
			for (SocketChannel channel : this.channels) {
				channel.close();
			}
		}

	}

	/** Something that ends when the other side has gone. */
	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

}
