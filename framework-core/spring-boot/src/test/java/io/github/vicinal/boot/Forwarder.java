package io.github.vicinal.boot;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Forwards connections, as load balancers and gateways of the transport layer do. */
public final class Forwarder implements AutoCloseable {

	private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	private final AtomicInteger accepted = new AtomicInteger();

	private volatile int target;

	public Forwarder(int target) throws IOException {
		this.target = target;
		start(this::accept);
	}

	public int port() {
		return this.server.getLocalPort();
	}

	public int accepted() {
		return this.accepted.get();
	}

	public void forwardNewConnectionsTo(int port) {
		this.target = port;
	}

	public void forwardTo(int port) {
		this.target = port;
		closeConnections();
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "forwarder");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.server.accept();
				this.open.add(client);
				this.accepted.incrementAndGet();
				Socket service = new Socket(InetAddress.getLoopbackAddress(), this.target);
				this.open.add(service);
				start(() -> copy(client, service));
				start(() -> copy(service, client));
			}
		}
		catch (IOException ex) {
			closeConnections();
		}
	}

	private static void copy(Socket from, Socket to) {
		try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			in.transferTo(out);
		}
		catch (IOException ex) {
			// One of the two has closed the connection.
		}
	}

	private void closeConnections() {
		for (Socket socket : this.open) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// It is closed.
			}
		}
		this.open.clear();
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		closeConnections();
	}

}
