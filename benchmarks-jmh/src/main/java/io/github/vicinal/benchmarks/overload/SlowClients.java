package io.github.vicinal.benchmarks.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Clients that send a byte of an upload now and then, and others that never read. */
final class SlowClients implements AutoCloseable {

	private static final int BETWEEN_BYTES_MILLIS = 100;

	private static final int UPLOAD = 1_000_000;

	private static final int SMALL_WINDOW = 4096;

	private final List<Socket> sockets = new ArrayList<>();

	private final Thread sender;

	SlowClients(int port, int uploads, int readers) throws IOException {
		List<Socket> sending = new ArrayList<>();
		for (int i = 0; i < uploads; i++) {
			sending
				.add(send(port, "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
						+ "Content-Length: " + UPLOAD + "\r\n\r\n0"));
		}
		for (int i = 0; i < readers; i++) {
			send(port, "GET /download HTTP/1.1\r\nHost: localhost\r\n\r\n");
		}
		this.sender = new Thread(() -> trickle(sending), "slow-clients");
		this.sender.setDaemon(true);
		this.sender.start();
	}

	private Socket send(int port, String text) throws IOException {
		Socket socket = new Socket();
		socket.setReceiveBufferSize(SMALL_WINDOW);
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
		this.sockets.add(socket);
		socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
		socket.getOutputStream().flush();
		return socket;
	}

	private static void trickle(List<Socket> sending) {
		try {
			while (!Thread.interrupted()) {
				for (Socket socket : sending) {
					socket.getOutputStream().write('0');
				}
				Thread.sleep(BETWEEN_BYTES_MILLIS);
			}
		}
		catch (IOException | InterruptedException ex) {
			// The measurement has ended.
		}
	}

	@Override
	public void close() throws IOException, InterruptedException {
		this.sender.interrupt();
		this.sender.join();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

}
