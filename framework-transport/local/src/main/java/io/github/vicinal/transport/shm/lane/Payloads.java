package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * Reads what the other side wrote: copied out of its reach before anybody looks at it, or
 * in place for those who can bear that it changes meanwhile. The words that say where it
 * is were read once, and are checked here.
 */
final class Payloads {

	private Payloads() {
	}

	/**
	 * Copies a payload, after which it is not in the arena any more.
	 * @return the given array, or a larger one
	 * @throws WireException if the other side's words make no sense
	 */
	static byte[] read(Memory memory, PeerArenas arenas, int length, int place, int offset, int area, int inlineBytes,
			int maxBytes, byte[] target) throws WireException {
		check(length, place, inlineBytes, maxBytes);
		if (place == SegmentLayout.INLINE) {
			byte[] bytes = room(target, length, maxBytes);
			memory.get(area, bytes, 0, length);
			return bytes;
		}
		// First, as only bytes that are there may make an array grow.
		Memory arena = arenas.find(place, offset, length);
		byte[] bytes = room(target, length, maxBytes);
		arena.get(offset, bytes, 0, length);
		arena.claim(offset, length);
		return bytes;
	}

	private static byte[] room(byte[] target, int length, int maxBytes) {
		return (length <= target.length) ? target
				: new byte[(int) Math.min(Math.max(length, 2L * target.length), Math.max(length, maxBytes))];
	}

	/**
	 * Opens a window on a payload where it is. The other side can change what is seen
	 * there at any time, but not what can be reached.
	 * @return a window that is valid until the lane carries something else
	 * @throws WireException if the other side's words make no sense
	 */
	static ByteBuffer view(Memory memory, PeerArenas arenas, int length, int place, int offset, int area,
			int inlineBytes, int maxBytes, Windows windows) throws WireException {
		check(length, place, inlineBytes, maxBytes);
		if (place == SegmentLayout.INLINE) {
			return windows.onSegment(memory, area, length);
		}
		return windows.onArena(arenas.find(place, offset, length), offset, length);
	}

	private static void check(int length, int place, int inlineBytes, int maxBytes) throws WireException {
		if (length < 0 || length > maxBytes) {
			throw new WireException(Refusal.TOO_LARGE, "a payload of %d bytes is larger than the limit of %d bytes"
				.formatted(Integer.toUnsignedLong(length), maxBytes));
		}
		if (place == SegmentLayout.INLINE && length > inlineBytes) {
			throw new WireException(Refusal.MALFORMED,
					"a payload of %d bytes in a lane's area of %d bytes".formatted(length, inlineBytes));
		}
	}

}
