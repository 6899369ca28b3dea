package io.github.vicinal.boot.server;

import java.util.List;

import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads of the web server, each of which a request keeps while it runs, waits for a
 * permit, or has given its permit away for a slow client. Some are left for what takes no
 * permit, such as health checks. Thread-safe.
 */
final class WebServerThreads {

	private static final Logger logger = LoggerFactory.getLogger(RequestServer.class);

	/** Threads for requests that take no permit, and for rejections. */
	private static final int SPARE = 16;

	private static final String NAME = "web-server-threads";

	private final HeapRoom room;

	/** Their number, 0 if it is not bounded or not known. */
	private volatile int count;

	/**
	 * Creates the threads of one web server.
	 * @param room what the heap has room for
	 */
	WebServerThreads(HeapRoom room) {
		this.room = room;
	}

	/**
	 * Returns their number, and remembers it. At most as many requests may wait as run,
	 * since a queue that is configured for typed calls may be longer than threads can be
	 * afforded.
	 * @param settings of the request server
	 * @param configured their number without the request server
	 */
	int forAll(RequestServerSettings settings, int configured) {
		return forAll(settings, configured, Math.min(configured, settings.threads().most()));
	}

	/**
	 * Returns the number of tasks on virtual threads, and remembers it: as many requests
	 * may run as have permits.
	 * @param settings of the request server
	 * @param configured their number without the request server
	 */
	int forAllVirtual(RequestServerSettings settings, int configured) {
		return forAll(settings, configured, settings.threads().most());
	}

	private int forAll(RequestServerSettings settings, int configured, int running) {
		long needed = (long) running + Math.min(Math.max(configured, running), settings.queueCapacity());
		long most = (long) configured + this.room.requests();
		if (needed > most) {
			logger.warn(
					"The heap of {} MiB has room for {} requests over HTTP at once, at {} KiB for each beyond the "
							+ "{} that the web server runs by itself, but {} may run and {} may wait. Further ones are "
							+ "rejected. Lower vicinal.server.requests.threads or queue-capacity, or enlarge the heap.",
					this.room.heapBytes() >> 20, most, this.room.requestBytes() >> 10, configured, running,
					settings.queueCapacity());
		}
		this.count = (int) Math.max(configured, Math.min(needed + settings.maxPaused(), most) + SPARE);
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
