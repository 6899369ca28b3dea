package io.github.vicinal.samples.trainticket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;

import io.github.vicinal.samples.trainticket.launch.UsageException;

/**
 * Finds ports that nothing uses.
 */
public final class FreePorts {

	private static final int LOWEST = 20_000;

	private static final int HIGHEST = 32_000;

	private static final int ATTEMPTS = 100;

	private static final int START_ATTEMPTS = 5;

	private FreePorts() {
	}

	/**
	 * Starts something on free ports. The ports were free when they were looked at; if
	 * another process or a client has taken one of them meanwhile, others are tried.
	 * @param <T> type of what is started
	 * @param count number of ports that follow each other
	 * @param start starts it, given the first port
	 * @return what was started
	 */
	static <T> T startOn(int count, IntFunction<T> start) {
		for (int attempt = 1;; attempt++) {
			try {
				return start.apply(block(count));
			}
			catch (UsageException ex) {
				if (attempt == START_ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Finds ports that follow each other, below those that Linux gives to clients unless
	 * it is told otherwise.
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
