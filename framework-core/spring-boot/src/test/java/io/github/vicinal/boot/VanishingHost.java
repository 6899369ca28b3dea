package io.github.vicinal.boot;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A host in front of a server, which can vanish without a reset: then it swallows what
 * comes over connections that are there, and lets nobody connect.
 */
final class VanishingHost implements Closeable {

	/** Connections that the kernel accepts although nobody takes them. */
	private static final int BACKLOG = 1;

	private static final int CONNECT_MILLIS = 200;

	private final ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());

	private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

	private final int port;

	private volatile boolean vanished;

	/**
	 * Creates a host.
	 * @param port the server's port on this machine
	 */
	VanishingHost(int port) throws IOException {
		this.port = port;
		start(this::accept);
	}

	/** Returns the address that stands for the server. */
	String address() {
		return "127.0.0.1:" + this.listener.getLocalPort();
	}

	private void accept() throws IOException {
		while (!this.vanished) {
			Socket client = keep(this.listener.accept());
			Socket server = keep(new Socket(InetAddress.getLoopbackAddress(), this.port));
			start(() -> forward(client, server));
			start(() -> forward(server, client));
		}
	}

	private Socket keep(Socket socket) {
		this.sockets.add(socket);
		return socket;
	}

	private void forward(Socket from, Socket to) throws IOException {
		byte[] part = new byte[8192];
		InputStream in = from.getInputStream();
		OutputStream out = to.getOutputStream();
		for (int read = in.read(part); read >= 0; read = in.read(part)) {
			if (!this.vanished) {
				out.write(part, 0, read);
			}
		}
		if (!this.vanished) {
			from.close();
			to.close();
		}
	}

	/** Vanishes. Returns when nobody can connect any more. */
	void vanish() throws IOException {
		this.vanished = true;
		while (connects()) {
			// The kernel's queue has room yet.
		}
	}

	@SuppressWarnings("resource")
	private boolean connects() throws IOException {
		try {
			keep(new Socket()).connect(new InetSocketAddress("127.0.0.1", this.listener.getLocalPort()),
					CONNECT_MILLIS);
			return true;
		}
		catch (SocketTimeoutException ex) {
			return false;
		}
	}

	private static void start(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// The test has ended, or one of the two sides has closed its connection.
			}
		}, "vanishing-host");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	/** Work of a thread. */
	@FunctionalInterface
	private interface Work {

		void run() throws IOException;

	}

}
