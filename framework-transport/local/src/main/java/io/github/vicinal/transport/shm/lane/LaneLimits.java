package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.time.Duration;

import io.github.vicinal.transport.wire.HeapBudget;

/**
 * Limits of one side of a segment.
 *
 * @param maxPayloadBytes maximum length of a request or response
 * @param maxArenaBytes maximum memory for large payloads in one direction
 * @param acquireTimeout maximum wait for a lane or a slab that others use
 * @param idleTimeout time without calls after which threads that wait for some leave
 * @param heap bounds the arrays of large payloads
 */
public record LaneLimits(int maxPayloadBytes, long maxArenaBytes, Duration acquireTimeout, Duration idleTimeout,
		HeapBudget heap) {

	private static final long HEAP_BYTES = 64 << 20;

	private static final Duration IDLE = Duration.ofSeconds(10);

	LaneLimits(int maxPayloadBytes, long maxArenaBytes, Duration acquireTimeout) {
		this(maxPayloadBytes, maxArenaBytes, acquireTimeout, IDLE, new HeapBudget(HEAP_BYTES));
	}

	/** Announces a new arena to the other side. */
	@FunctionalInterface
	public interface Announcer {

		/**
		 * Sends the announcement, and returns once the other side can read there, which
		 * may take until the end of the pair. Never called by two threads at once.
		 * @param number the arena's number
		 * @param name the name of its file
		 * @param bytes how large it is
		 * @throws IOException if it cannot be sent, or the pair has ended
		 */
		void announce(int number, String name, int bytes) throws IOException;

	}

}
