package io.github.vicinal.boot.server;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Number of requests over HTTP that the heap has room for beyond those that the web
 * server runs by itself. Each keeps a thread, and the objects of the web server and of
 * Spring that belong to a request, until it ends.
 *
 * @param heapBytes the most that the heap may grow to
 * @param requestBytes heap of a request
 */
record HeapRoom(long heapBytes, long requestBytes) {

	/**
	 * Heap of a request on Tomcat, in bytes: 109 to 130 KB were measured, whether it
	 * runs, waits or pauses.
	 */
	private static final int TOMCAT = 120 << 10;

	/**
	 * Heap of a request on Jetty, in bytes: 10 to 22 KB were measured, and a response of
	 * several writes takes a buffer of 32 KiB.
	 */
	private static final int JETTY = 40 << 10;

	/** Size of the header buffers that the figure of Tomcat contains. */
	private static final DataSize HEADERS = DataSize.ofKilobytes(8);

	/**
	 * Heap of an application that is small, with the requests that run, in bytes. The
	 * room begins beyond it.
	 */
	private static final long APPLICATION = 96L << 20;

	/** Part of the rest that is used, since applications differ in size. */
	private static final int PART = 3;

	/** Requests that there is room for in any heap. */
	private static final int LEAST = 32;

	/**
	 * Returns the room on Tomcat, which has a buffer for the largest request headers and
	 * another one for the largest response headers with each request.
	 * @param environment of the application
	 * @param heapBytes the most that the heap may grow to
	 */
	static HeapRoom onTomcat(Environment environment, long heapBytes) {
		return new HeapRoom(heapBytes, TOMCAT + larger(environment, "server.max-http-request-header-size")
				+ larger(environment, "server.tomcat.max-http-response-header-size"));
	}

	/**
	 * Returns the room on Jetty, which shares its buffers for headers.
	 * @param heapBytes the most that the heap may grow to
	 */
	static HeapRoom onJetty(long heapBytes) {
		return new HeapRoom(heapBytes, JETTY);
	}

	private static long larger(Environment environment, String property) {
		DataSize configured = Binder.get(environment).bind(property, DataSize.class).orElse(HEADERS);
		return Math.max(0, configured.toBytes() - HEADERS.toBytes());
	}

	/** Returns the number of further requests. */
	int requests() {
		long further = (this.heapBytes - APPLICATION) / PART / this.requestBytes;
		return (int) Math.max(LEAST, Math.min(further, Integer.MAX_VALUE));
	}

}
