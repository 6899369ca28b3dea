package io.github.vicinal.transport.shm.lane;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * Copies what the other side wrote out of its reach, before anybody looks at it. The
 * words that say where it is were read once, and are checked here.
 */
final class Payloads {

	private Payloads() {
	}

	/**
	 * Copies a payload.
	 * @return the given array, or a larger one
	 * @throws WireException if the other side's words make no sense
	 */
	static byte[] read(Memory memory, PeerArenas arenas, int length, int place, int offset, int area, int inlineBytes,
			int maxBytes, byte[] target) throws WireException {
		if (length < 0 || length > maxBytes) {
			throw new WireException(Refusal.TOO_LARGE, "a payload of %d bytes is larger than the limit of %d bytes"
				.formatted(Integer.toUnsignedLong(length), maxBytes));
		}
		if (place == SegmentLayout.INLINE && length > inlineBytes) {
			throw new WireException(Refusal.MALFORMED,
					"a payload of %d bytes in a lane's area of %d bytes".formatted(length, inlineBytes));
		}
		byte[] bytes = (length <= target.length) ? target
				: new byte[(int) Math.min(Math.max(length, 2L * target.length), Math.max(length, maxBytes))];
		if (place == SegmentLayout.INLINE) {
			memory.get(area, bytes, 0, length);
		}
		else {
			arenas.get(place, offset, bytes, length);
		}
		return bytes;
	}

}
