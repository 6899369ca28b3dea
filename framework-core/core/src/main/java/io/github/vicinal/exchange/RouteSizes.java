package io.github.vicinal.exchange;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Learns which requests have small responses that their handler returns as a value: those
 * are executed on the thread that received them, all others on a thread of the web
 * server, so that a response can be read while it is written. Where filters or handlers
 * work on after the response has left, their client must not wait for them, so these
 * responses do not count as small. Once a handler says that it may write responses in
 * parts, or interrupts its own thread, requests of its shape do not get that of a caller
 * any more.
 * <p>
 * Requests of one method and one <em>shape</em> of path are taken to be alike: a segment
 * that contains a digit, or is very long, stands for any. The table is small and forgets
 * what shares a place; what it does not know is not small. Thread-safe, without locks: an
 * update that is lost is made up for by the next request.
 */
final class RouteSizes {

	/** Largest response that counts as small, in bytes. */
	static final int SMALL_BYTES = ExchangeMessage.PART_BYTES;

	/** Small responses in a row after which the next one is expected to be small. */
	private static final int ENOUGH = 2;

	private static final int PLACES = 2048;

	private static final long COUNT_MASK = 0xFF;

	/** The count of requests that are never executed where they were received. */
	private static final long NEVER = COUNT_MASK;

	private static final int LONG_SEGMENT_CHARS = 32;

	private static final long PRIME = 0x100000001B3L;

	/** In each place, 56 bits of a shape's hash and the number of small responses. */
	private final AtomicLongArray places = new AtomicLongArray(PLACES);

	boolean isSmall(long shape) {
		long known = this.places.get(place(shape));
		return ((known ^ shape) & ~COUNT_MASK) == 0 && (known & COUNT_MASK) == ENOUGH;
	}

	void observe(long shape, boolean small) {
		int place = place(shape);
		long known = this.places.get(place);
		boolean same = ((known ^ shape) & ~COUNT_MASK) == 0;
		if (same && (known & COUNT_MASK) == NEVER) {
			return;
		}
		long count = small ? Math.min(ENOUGH, (same ? known & COUNT_MASK : 0) + 1) : 0;
		long next = (shape & ~COUNT_MASK) | count;
		if (next != known) {
			this.places.compareAndSet(place, known, next);
		}
	}

	/**
	 * Notes that requests of a shape must not be executed where they are received: a
	 * response was long, may be written in parts, or its handler has interrupted the
	 * thread of the web server that it ran on.
	 */
	void never(long shape) {
		this.places.set(place(shape), shape | NEVER);
	}

	private static int place(long shape) {
		return (int) (shape >>> 40) & (PLACES - 1);
	}

	/** Returns what requests that are alike have in common. */
	static long shape(RequestHead head) {
		String target = head.target();
		long hash = head.method().hashCode();
		long segment = 0;
		int chars = 0;
		boolean any = false;
		for (int i = 0; i < target.length(); i++) {
			char c = target.charAt(i);
			if (c == '?') {
				break;
			}
			if (c == '/') {
				hash = mix(hash, (any || chars > LONG_SEGMENT_CHARS) ? 1 : segment);
				segment = 0;
				chars = 0;
				any = false;
			}
			else {
				any |= c >= '0' && c <= '9';
				segment = segment * 31 + c;
				chars++;
			}
		}
		hash = mix(hash, (any || chars > LONG_SEGMENT_CHARS) ? 1 : segment);
		hash ^= hash >>> 32;
		return (hash * 0x9E3779B97F4A7C15L) | 0x100;
	}

	private static long mix(long hash, long value) {
		return (hash ^ value) * PRIME;
	}

}
