package io.github.vicinal.boot.server;

import java.util.List;

import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.RequestServerSettings;

/**
 * Threads of the web server, each of which a request keeps while it runs, waits for a
 * permit, or has given its permit away for a slow client. Some are left for what takes no
 * permit, such as health checks. Thread-safe.
 */
final class WebServerThreads {

	/** Threads for requests that take no permit, and for rejections. */
	private static final int SPARE = 16;

	private static final String NAME = "web-server-threads";

	/** Their number, 0 if it is not bounded or not known. */
	private volatile int count;

	/**
	 * Returns their number, and remembers it. At most as many requests may wait as run,
	 * since a queue that is configured for typed calls may be longer than threads can be
	 * afforded.
	 * @param settings of the request server
	 * @param configured their number without the request server
	 */
	int forAll(RequestServerSettings settings, int configured) {
		int running = Math.min(configured, settings.threads().most());
		this.count = Math.max(configured,
				running + Math.min(configured, settings.queueCapacity()) + settings.maxPaused() + SPARE);
		return this.count;
	}

	/**
	 * Returns what a request over HTTP counts for, so that those that wait do not take
	 * the spare threads. Where the queue is too short for that, it is nothing: a bulkhead
	 * costs each request a lock.
	 * @param settings of the request server
	 */
	List<Bulkhead> bulkheads(RequestServerSettings settings) {
		int known = this.count;
		// Slow clients keep threads of those that wait beyond the queue.
		int mostInFlight = settings.threads().most() + settings.queueCapacity()
				+ Math.max(settings.burst(), settings.maxPaused());
		return (known > 0 && mostInFlight > known - SPARE) ? List.of(new Bulkhead(NAME, known - SPARE)) : List.of();
	}

}
