package io.github.vicinal.transport.shm.topic;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;
import org.jspecify.annotations.Nullable;

/** Carries topics over plain sockets of this host, which can be cut. */
final class SocketCarrier implements TopicCarrier, AutoCloseable {

	private static final int MAX_BYTES = 4 << 20;

	private final ServerSocket server;

	private final Set<SocketConnection> connections = ConcurrentHashMap.newKeySet();

	/** Pieces of messages that were sent over all connections, and their bytes. */
	final AtomicLong pieces = new AtomicLong();

	final AtomicLong bytes = new AtomicLong();

	private volatile boolean cut;

	SocketCarrier() throws IOException {
		this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
	}

	String address() {
		return "127.0.0.1:" + this.server.getLocalPort();
	}

	@Override
	public String kind() {
		return "socket";
	}

	@Override
	public void serve(Consumer<TopicConnection> acceptor) {
		Thread thread = new Thread(() -> {
			try {
				while (true) {
					acceptor.accept(connection(this.server.accept()));
				}
			}
			catch (IOException ex) {
				// Closed.
			}
		}, "socket-carrier");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public List<String> resolve(String address) {
		return List.of(address);
	}

	@Override
	public TopicConnection connect(String address) throws IOException {
		if (this.cut) {
			throw new IOException("cut");
		}
		return connection(new Socket(InetAddress.getLoopbackAddress(),
				Integer.parseInt(address.substring(address.indexOf(':') + 1))));
	}

	private SocketConnection connection(Socket socket) throws IOException {
		SocketConnection made = new SocketConnection(socket);
		this.connections.add(made);
		if (this.cut) {
			made.close();
		}
		return made;
	}

	/** Ends all connections, and lets there be none. */
	void cut() {
		this.cut = true;
		this.connections.forEach(SocketConnection::close);
	}

	void mend() {
		this.cut = false;
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		cut();
	}

	/** One connection. */
	private final class SocketConnection implements TopicConnection {

		private static final byte[] END = {};

		private final Socket socket;

		private final DataOutputStream out;

		private final BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>(64);

		SocketConnection(Socket socket) throws IOException {
			this.socket = socket;
			this.out = new DataOutputStream(socket.getOutputStream());
			Thread reader = new Thread(this::read, "socket-reader");
			reader.setDaemon(true);
			reader.start();
		}

		private void read() {
			try {
				DataInputStream in = new DataInputStream(this.socket.getInputStream());
				while (true) {
					byte[] piece = new byte[in.readInt()];
					in.readFully(piece);
					this.arrived.put(piece);
				}
			}
			catch (IOException | InterruptedException ex) {
				close();
				try {
					this.arrived.put(END);
				}
				catch (InterruptedException again) {
					Thread.currentThread().interrupt();
				}
			}
		}

		@Override
		public String peer() {
			return String.valueOf(this.socket.getRemoteSocketAddress());
		}

		@Override
		public int maxBytes() {
			return MAX_BYTES;
		}

		@Override
		public synchronized void send(ByteBuffer piece) throws IOException {
			if (piece.hasRemaining() && piece.get(piece.position()) == RemoteProtocol.RECORDS) {
				SocketCarrier.this.pieces.incrementAndGet();
				SocketCarrier.this.bytes.addAndGet(piece.remaining());
			}
			this.out.writeInt(piece.remaining());
			this.out.write(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining());
			this.out.flush();
		}

		@Override
		public @Nullable ByteBuffer receive(long nanos) throws IOException {
			try {
				byte[] next = this.arrived.poll(nanos, TimeUnit.NANOSECONDS);
				if (next == END) {
					this.arrived.add(END);
					throw new EOFException("the connection has ended");
				}
				return (next != null) ? ByteBuffer.wrap(next) : null;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IOException(ex);
			}
		}

		@Override
		public boolean isOpen() {
			return !this.socket.isClosed();
		}

		@Override
		public void close() {
			SocketCarrier.this.connections.remove(this);
			try {
				this.socket.close();
			}
			catch (IOException ex) {
				// Closed all the same.
			}
		}

	}

}
