package io.github.vicinal.benchmarks.selector;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.benchmarks.shm.Transports;

/** Answers each request with its own bytes: over shared memory, sockets and HTTP. */
public final class SelectorServer {

	/** The first argument that makes a JVM this server. */
	public static final String COMMAND = "selector-server";

	static final String READY = "selector-server ready";

	static final int PORT = 18_080;

	/** Service whose answers come late, as over a long line. */
	static final int LATE_PORT = 18_081;

	static final long LATE_NANOS = 3_000_000;

	private static final int THREADS = 32;

	private SelectorServer() {
	}

	/**
	 * Serves until standard input ends.
	 * @param arguments the command and a directory
	 * @throws Exception if it cannot
	 */
	public static void main(String[] arguments) throws Exception {
		Path directory = Path.of(arguments[1]);
		try (AutoCloseable lanes = Transports.of(Transports.LEARNED).serve(directory);
				AutoCloseable sockets = Transports.of(Transports.SOCKET).serve(directory)) {
			http(PORT, 0);
			http(LATE_PORT, LATE_NANOS);
			System.out.println(READY);
			System.out.flush();
			System.in.transferTo(OutputStream.nullOutputStream());
		}
		System.exit(0);
	}

	private static void http(int port, long delayNanos) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
		server.setExecutor(Executors.newFixedThreadPool(THREADS));
		server.createContext("/", (exchange) -> {
			try {
				byte[] body = exchange.getRequestBody().readAllBytes();
				if (delayNanos > 0) {
					LockSupport.parkNanos(delayNanos);
				}
				exchange.sendResponseHeaders(200, body.length);
				exchange.getResponseBody().write(body);
				exchange.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		server.start();
	}

}
