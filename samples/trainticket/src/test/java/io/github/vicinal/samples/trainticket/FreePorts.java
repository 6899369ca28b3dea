package io.github.vicinal.samples.trainticket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports that nothing uses.
 */
public final class FreePorts {

	private static final int LOWEST = 20_000;

	private static final int HIGHEST = 32_000;

	private static final int ATTEMPTS = 100;

	private FreePorts() {
	}

	/**
	 * Finds ports that follow each other, below those that the system gives to clients.
	 * @param count number of ports
	 * @return the first of them
	 */
	public static int block(int count) {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			int base = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
			if (isFree(base, count)) {
				return base;
			}
		}
		throw new IllegalStateException("No " + count + " free ports after " + ATTEMPTS + " attempts");
	}

	private static boolean isFree(int base, int count) {
		List<ServerSocket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < count; i++) {
				ServerSocket socket = new ServerSocket();
				sockets.add(socket);
				socket.bind(new InetSocketAddress("localhost", base + i));
			}
			return true;
		}
		catch (IOException ex) {
			return false;
		}
		finally {
			sockets.forEach(FreePorts::close);
		}
	}

	private static void close(ServerSocket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
