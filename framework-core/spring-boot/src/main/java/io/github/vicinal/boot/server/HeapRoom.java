package io.github.vicinal.boot.server;

/**
 * Number of requests over HTTP that the heap has room for beyond those that the web
 * server runs by itself. Each keeps a thread, and the objects of the web server and of
 * Spring that belong to a request, until it ends.
 */
final class HeapRoom {

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

	/**
	 * Heap of an application that is small, with the requests that run, in bytes. The
	 * room begins beyond it.
	 */
	private static final long APPLICATION = 96L << 20;

	/** Part of the rest that is used, since applications differ in size. */
	private static final int PART = 3;

	/** Requests that there is room for in any heap. */
	private static final int LEAST = 32;

	private HeapRoom() {
	}

	/** Returns the heap of a request, in bytes. */
	static int bytes(boolean jetty) {
		return jetty ? JETTY : TOMCAT;
	}

	/**
	 * Returns the number of further requests.
	 * @param heap the most that the heap may grow to, in bytes
	 * @param jetty whether Jetty is the web server
	 */
	static int requests(long heap, boolean jetty) {
		long further = (heap - APPLICATION) / PART / bytes(jetty);
		return (int) Math.max(LEAST, Math.min(further, Integer.MAX_VALUE));
	}

}
