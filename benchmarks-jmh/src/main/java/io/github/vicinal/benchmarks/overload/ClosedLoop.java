package io.github.vicinal.benchmarks.overload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Callers that each wait for their answer: finds what a server can do. */
final class ClosedLoop {

	private ClosedLoop() {
	}

	static double perSecond(int port, String path, int callers, long warmNanos, long nanos)
			throws IOException, InterruptedException {
		byte[] request = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path)
			.getBytes(StandardCharsets.ISO_8859_1);
		AtomicLong answered = new AtomicLong();
		long from = System.nanoTime() + warmNanos;
		long until = from + nanos;
		List<Thread> threads = new ArrayList<>();
		List<Socket> sockets = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
			sockets.add(socket);
			Thread thread = new Thread(() -> {
				try {
					while (System.nanoTime() - until < 0) {
						socket.getOutputStream().write(request);
						skip(socket.getInputStream());
						long now = System.nanoTime();
						answered.addAndGet((now - from >= 0 && now - until < 0) ? 1 : 0);
					}
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		for (Socket socket : sockets) {
			socket.close();
		}
		return answered.get() * 1e9 / nanos;
	}

	/** Reads one answer, whose body is the four bytes that the handlers answer. */
	private static void skip(InputStream in) throws IOException {
		int matched = 0;
		byte[] end = "\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
		while (matched < end.length) {
			int next = in.read();
			if (next < 0) {
				throw new IOException("closed");
			}
			matched = (next == end[matched]) ? matched + 1 : (next == end[0]) ? 1 : 0;
		}
		in.readNBytes("done".length());
	}

}
